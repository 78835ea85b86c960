"""A provider's model, played by the scripted server through langchain-openai."""

from __future__ import annotations

import asyncio
import sys
from typing import Any

import pytest
from langchain.chat_models import base as chat_models
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessageChunk, HumanMessage
from langchain_core.outputs import ChatGenerationChunk
from langsmith import utils

from aiserver import errors
from aiserver.llm.base import Delta, ModelInfo
from aiserver.llm.policy import Access
from aiserver.llm.remote.langchain import _async_clients, close_model, create_chat_model
from aiserver.llm.remote.model import RemoteModel
from aiserver.llm.streaming import Limits, stream_chat
from aiserver.tokens import estimate_tokens
from tests.scripted_model import ScriptedModel

from ..scripted_wires import Waits, given

KEY = "canary-key-7c1f"
ASK = [HumanMessage("hello")]


@pytest.fixture
def waits() -> Waits:
    return Waits()


@pytest.fixture
def make(scripted: ScriptedModel, waits: Waits, jp_asyncio_loop):
    """Makes models that speak to the scripted server, and closes them."""
    models = []

    def _make(**limits) -> RemoteModel:
        bounds = Limits(
            **{"timeout": 30.0, "characters": 10_000, "requires_finish_reason": True} | limits
        )
        info = ModelInfo("openai:scripted", "scripted", True)
        models.append(RemoteModel(info, {}, bounds, access=given(scripted.base_url), sleep=waits))
        return models[-1]

    yield _make
    for model in models:
        jp_asyncio_loop.run_until_complete(model.close())


async def take(model: RemoteModel) -> list[Delta]:
    return [delta async for delta in model.stream(ASK, language="python")]


@pytest.mark.parametrize(
    ("reason", "kind"),
    [
        ("content_filter", errors.TextRefused),
        ("FinishReason.SAFETY", errors.TextRefused),
        ("insufficient_system_resource", errors.AnswerBrokenOff),  # DeepSeek, interrupted
        ("error", errors.AnswerBrokenOff),
    ],
)
async def test_an_answer_that_ended_for_another_reason_is_not_whole(make, scripted, reason, kind):
    """P32"""
    scripted.script({"text": "a part", "finish": reason})
    with pytest.raises(kind):
        await take(make())


async def test_an_answer_that_was_cut_is_not_whole_though_it_also_stopped(make, scripted):
    """P32: some servers send the reason in one chunk, and "stop" in the next."""
    scripted.script({"text": "a part", "finish": ["length", "stop"]})
    with pytest.raises(errors.AnswerCut):
        await take(make())


@pytest.mark.parametrize("reason", ["stop", "STOP", "FinishReason.STOP", "eos_token", "COMPLETE"])
async def test_an_answer_that_ended_by_itself_is_whole(make, scripted, reason):
    scripted.script({"text": "all of it", "finish": reason})
    assert "".join(delta.text for delta in await take(make())) == "all of it"


@pytest.mark.parametrize(
    ("sent", "expected"),
    [
        ({"prompt_tokens": None, "completion_tokens": None, "total_tokens": None}, None),
        ({"prompt_tokens": 3}, {"input_tokens": 3, "total_tokens": 3}),
        (
            {"prompt_tokens": 10**30, "completion_tokens": -5, "total_tokens": 8},
            {"total_tokens": 8},
        ),
    ],
)
async def test_missing_token_counts_are_omitted(make, scripted, sent, expected):
    """LangChain makes 0 of a missing count: that is not what the model read or wrote."""
    scripted.script({"text": "x = 1", "usage": sent})
    deltas = await take(make())
    assert "".join(delta.text for delta in deltas) == "x = 1"
    assert deltas[-1].usage == expected


async def test_retries_after_the_requested_wait(make, scripted, waits):
    """P31"""
    scripted.script({"status": 429, "retry_after": 7}, {"status": 503}, {"text": "done"})
    deltas = await take(make())
    assert [delta.waiting for delta in deltas[:2]] == waits == [7.0, 2.0]  # the client is notified
    assert deltas[2].text == "done"
    assert len(scripted.requests) == 3


async def test_requests_are_not_retried_after_the_first_token(make, scripted, waits):
    """P31, P32"""
    scripted.script({"text": "one two three", "cut_after": 1})
    texts = []
    with pytest.raises(errors.AnswerBrokenOff):
        async for delta in make().stream(ASK, language="python"):
            texts.append(delta.text)
    assert texts == ["one"]
    assert (waits, len(scripted.requests)) == ([], 1)


async def test_an_endless_answer_is_cut_and_reported(make, scripted):
    """P17"""
    scripted.script({"text": "x = 1\n", "endless": True})
    size = 0
    with pytest.raises(errors.BadAnswer, match="cut off"):
        async for delta in make(characters=500).stream(ASK, language="python"):
            size += len(delta.text)
    assert 500 < size < 600
    await asyncio.to_thread(scripted.wait_for, lambda: scripted.requests[0]["outcome"] == "gone")


async def test_an_endless_answer_stops_without_a_reader(make, scripted):
    """P30: who never reads holds no more than the cap in memory."""
    scripted.script({"text": "x = 1\n", "endless": True})
    stream = make(characters=500).stream(ASK, language="python")
    await anext(stream)
    await asyncio.to_thread(scripted.wait_for, lambda: scripted.requests[0]["outcome"] == "gone")
    await stream.aclose()


async def test_an_answer_that_just_ends_is_not_whole(make, scripted):
    """P32"""
    scripted.script({"text": "x = 1", "finish": None})
    with pytest.raises(errors.BadAnswer, match="interrupted"):
        await take(make())


async def test_cancelling_the_reader_stops_the_model(make, scripted):
    """P30"""
    scripted.script({"hang": True})
    task = asyncio.create_task(take(make()))
    await asyncio.to_thread(scripted.wait_for, lambda: bool(scripted.requests))
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await asyncio.to_thread(scripted.wait_for, lambda: scripted.requests[0]["outcome"] == "gone", 1)


class Watched(GenericFakeChatModel):
    """Records LangSmith's tracing state in the context of each call."""

    async def _astream(self, messages, stop=None, run_manager=None, **kwargs):
        heard.append(utils.tracing_is_enabled())
        yield ChatGenerationChunk(message=AIMessageChunk(content="x = 1"))


heard: list[object] = []


async def test_the_environment_cannot_enable_tracing(monkeypatch):
    """P4"""
    for prefix in ("LANGSMITH", "LANGCHAIN"):
        monkeypatch.setenv(f"{prefix}_TRACING_V2", "true")
    cache: Any = utils.get_env_var
    cache.cache_clear()
    try:
        assert utils.tracing_is_enabled()  # the environment is in force, outside
        model = Watched(messages=iter([]))
        stream = stream_chat(model, ASK, Limits(30, 1000))
        assert "".join([delta.text async for delta in stream]) == "x = 1"
    finally:
        cache.cache_clear()
    assert heard == [False]


async def test_a_warm_up_loads_the_package_and_sends_nothing(make, scripted):
    """P4: opening the prompt row isn't a request yet."""
    model = make()
    await model.warm_up(ASK)
    assert scripted.requests == []
    assert (await take(model))[0].text
    assert len(scripted.requests) == 1


async def test_a_missing_package_is_reported_with_its_install_command(waits, monkeypatch):
    monkeypatch.setitem(sys.modules, "langchain_mistralai", None)  # as if it weren't installed
    chat_models._get_chat_model_creator.cache_clear()  # another test may have loaded it
    info = ModelInfo("mistralai:codestral-latest", "codestral", False)
    model = RemoteModel(info, {}, Limits(5, 100), access=given(), sleep=waits)
    with pytest.raises(errors.ModelPackageMissing) as caught:
        await take(model)
    assert caught.value.install == "pip install 'aiserver[mistral]'"


async def test_the_install_line_names_the_package_that_is_missing(waits):
    """Not a package guessed from the provider's name: anybody could have registered that."""
    model = RemoteModel(
        ModelInfo("bedrock:x", "x", False), {}, Limits(5, 100), access=given(), sleep=waits
    )
    with pytest.raises(errors.ModelPackageMissing) as caught:
        await take(model)
    assert caught.value.install == "pip install langchain-aws"


@pytest.mark.parametrize("address", ["https://api.openai.com/v1", None])
async def test_no_request_is_sent_without_a_key(waits, address):
    info = ModelInfo("openai:x", "x", False)
    model = RemoteModel(info, {}, Limits(5, 100), access=given(address, None), sleep=waits)
    with pytest.raises(errors.ModelKeyMissing, match="No API key for OpenAI"):
        await take(model)


@pytest.mark.parametrize(
    ("text", "at_least", "at_most"),
    [("", 0, 0), ("import pandas as pd", 4, 8), ("读取数据并显示前五行", 7, 14)],
)
def test_estimates_rather_too_many_tokens(text, at_least, at_most):
    assert at_least <= estimate_tokens(text) <= at_most


@pytest.mark.parametrize("provider", ["openai", "anthropic"])
async def test_the_next_model_at_an_address_has_an_open_client(provider: str):
    """The packages cache their clients by address; the address must not look like loopback."""
    address = f"https://{provider}.invalid/v1"
    for key in ("first", "second"):
        model = create_chat_model(provider, "x", {}, Access(address, key))
        client = _async_clients(model)[0]._client
        assert client.is_closed is False
        await close_model(model)


async def test_after_its_key_was_changed_a_remote_model_answers(scripted, waits):
    address = scripted.base_url.replace("127.0.0.1", "0.0.0.0")
    info = ModelInfo("openai:scripted", "scripted", False)
    for key in ("first", "second"):
        model = RemoteModel(info, {}, Limits(30, 1000), access=given(address, key), sleep=waits)
        assert await take(model)
        await model.close()
    assert [request["authorization"] for request in scripted.requests] == [
        "Bearer first",
        "Bearer second",
    ]
