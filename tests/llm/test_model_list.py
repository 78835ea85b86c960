"""The length of a model's context, as servers list it."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from aiserver.llm.catalog import catalog
from aiserver.llm.catalog.model_list import ServedModel, _read_models
from aiserver.llm.policy import Access
from aiserver.llm.registry import ModelRegistry

ADDRESS = "http://127.0.0.1:9/v1"


@pytest.mark.parametrize(
    ("fields", "context"),
    [
        ({"max_model_len": 8192, "owned_by": "vllm"}, 8192),
        ({"meta": {"n_vocab": 1000, "n_ctx_train": 32768}}, 32768),
        ({"meta": {"n_ctx": 4096, "n_ctx_train": 32768}}, 4096),
        ({"max_context_length": 32768, "loaded_context_length": 4096}, 4096),
        ({"context_length": 131072, "top_provider": {"context_length": 65536}}, 65536),
        ({"context_length": 131072, "top_provider": {"context_length": None}}, 131072),
        ({"context_window": 16384}, 16384),
        ({"context_length": 0, "max_model_len": -1}, None),
        ({"context_length": "8192", "max_model_len": True}, None),
        ({"meta": [4096], "top_provider": "x"}, None),
        ({}, None),
    ],
)
def test_contexts_are_read(fields: dict[str, Any], context: int | None) -> None:
    response = httpx.Response(200, json={"data": [{"id": "m"} | fields]})
    assert _read_models("openai_compatible", response) == [ServedModel("m", False, context)]


async def test_a_listed_context_is_used_without_another_query(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    contexts = {"small": 2048, "large": 131_072, "unknown": None}
    queries = []

    async def list_models(provider: str, access: Access, deadline: float) -> list[ServedModel]:
        queries.append(provider)
        return [ServedModel(name, context=context) for name, context in contexts.items()]

    monkeypatch.setattr(catalog, "list_models", list_models)
    models = ModelRegistry()
    await models.connect("openai_compatible", None, ADDRESS)
    before = await models.get("openai_compatible:small")
    default = before.prompt_tokens
    assert queries == []
    await models.overview()
    queried = len(queries)
    lengths = [(await models.get(f"openai_compatible:{name}")).prompt_tokens for name in contexts]
    assert lengths == [1365, default, default]
    assert before.prompt_tokens == 1365
    # Another server may have a model of the same name.
    await models.connect("openai_compatible", None, "http://127.0.0.1:10/v1")
    assert (await models.get("openai_compatible:small")).prompt_tokens == default
    assert len(queries) == queried
    await models.close()
