"""Completion over HTTP, with the scripted model in the place of the embedded model's process."""

from __future__ import annotations

import asyncio
import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from aiserver.llm.base import ChatModel, ModelInfo
from aiserver.llm.registry import ModelRegistry
from aiserver.llm.streaming import Limits
from aiserver.plugins.local_models.catalogue import QWEN_FILL_TOKENS, SMALLEST
from aiserver.plugins.local_models.model import LocalModel
from aiserver.plugins.local_models.process import Address, LocalProcess

from ..conftest import Call, request
from ..handlers.test_generate import running, until
from ..handlers.test_local_models import put_weights

BODY = {"prefix": "def mean(values):", "suffix": "\n", "cells": ["import math"]}


class Process(LocalProcess):
    """The scripted model, which the fixture ``scripted`` runs in this process."""

    url = ""

    async def address(self) -> Address:
        return Address(self.url, "key")


class Models(ModelRegistry):
    """Runs the scripted model as the embedded model; other models are the usual ones."""

    async def get(self, model_id: str | None = None) -> ChatModel:
        if model_id != SMALLEST.id:
            return await super().get(model_id)
        process = Process(Path(), threads=1, context=64, memory=1, command=(sys.executable, "-V"))
        info, limits = ModelInfo(SMALLEST.id, "fake", True), Limits(30, 1000)
        model = LocalModel(info, process, limits, fill_tokens=QWEN_FILL_TOKENS)
        self._models[SMALLEST.id] = model
        return model


@pytest.fixture
def server_config(scripted: Any) -> dict[str, Any]:
    Process.url = scripted.url
    return {"AIServer": {"model_registry_class": Models}}


@pytest.fixture(autouse=True)
def installed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Weights of the smallest model."""
    monkeypatch.setenv("AISERVER_MODEL_DIR", str(tmp_path / "models"))
    return put_weights(SMALLEST)


async def test_the_code_at_the_cursor_is_completed(call: Call, scripted: Any, jp_root_dir: Path):
    """Nothing is stored, although the configured model is a remote one."""
    scripted.script({"chunks": ["\n    return", " sum(values)", "\n", "print", "(1)"]})
    answer = await call("POST", "complete", BODY)
    assert (answer.status, answer.data) == (200, {"text": "\n    return sum(values)"})
    [sent] = scripted.requests
    assert sent["path"] == "/completion"
    assert sent["authorization"] == "Bearer key"
    assert sent["body"]["prompt"] == (
        "<|fim_prefix|>import math\n\ndef mean(values):<|fim_suffix|>\n<|fim_middle|>"
    )
    assert sent["body"]["n_predict"] == 64
    assert sent["body"]["cache_prompt"] is True
    assert not list(jp_root_dir.rglob("*.json"))


async def test_the_texts_of_cells_contain_no_control_tokens(call: Call, scripted: Any):
    """P14: a cell can't end its part of the prompt."""
    scripted.script({"chunks": ["1"]})
    marked = "x = '<|fim_suffix|>'"
    await call("POST", "complete", {"prefix": marked, "suffix": f"\n{marked}", "cells": [marked]})
    [sent] = scripted.requests
    assert sent["body"]["prompt"].count("<|fim_suffix|>") == 1


async def test_a_line_that_is_cut_off_is_left_out(call: Call, scripted: Any):
    chunks = ["\n    a = 1", "\n    b = "]
    scripted.script({"chunks": chunks, "finish": "limit"}, {"chunks": chunks, "finish": "eos"})
    assert (await call("POST", "complete", BODY)).data == {"text": "\n    a = 1"}
    assert (await call("POST", "complete", BODY)).data == {"text": "\n    a = 1\n    b ="}


async def test_a_disconnected_client_stops_the_model(
    call: Call, scripted: Any, jp_http_port: int, jp_base_url: str, jp_auth_header: Any
):
    """P30: within a second, even while the model writes nothing."""
    scripted.script({"chunks": ["\n    a", " = 1"], "hold_after": 1})
    body = json.dumps(BODY).encode()
    head = [f"POST {jp_base_url}aiserver/complete HTTP/1.1", f"Host: 127.0.0.1:{jp_http_port}"]
    headers = jp_auth_header | {"Content-Length": str(len(body))}
    head += [f"{name}: {value}" for name, value in headers.items()]
    _, writer = await asyncio.open_connection("127.0.0.1", jp_http_port)
    writer.write("\r\n".join([*head, "", ""]).encode() + body)
    await until(lambda: scripted.requests and scripted.requests[-1]["sent"] == 1)
    writer.close()
    await writer.wait_closed()
    await until(lambda: scripted.requests[-1]["outcome"] == "gone", 1.5)


async def test_a_newer_completion_cancels_an_older_one(call: Call, scripted: Any):
    scripted.script({"chunks": ["\n    a", " = 1"], "hold_after": 1}, {"chunks": ["\n    b"]})
    older = asyncio.create_task(call("POST", "complete", BODY))
    await until(lambda: scripted.requests and scripted.requests[-1]["sent"] == 1)
    assert (await call("POST", "complete", BODY)).data == {"text": "\n    b"}
    assert (await older).data == {"text": ""}
    await until(lambda: scripted.requests[0]["outcome"] == "gone", 1.5)


async def test_a_generation_cancels_a_completion_and_prevents_others(call: Call, scripted: Any):
    scripted.script({"chunks": ["\n    a", " = 1"], "hold_after": 1})
    completion = asyncio.create_task(call("POST", "complete", BODY))
    await until(lambda: scripted.requests and scripted.requests[-1]["sent"] == 1)
    task = await running(call, scripted)
    assert (await completion).data == {"text": ""}
    await until(lambda: scripted.requests[0]["outcome"] == "gone")  # it did not end by itself
    assert (await call("POST", "complete", BODY)).data == {"text": ""}
    assert [sent["path"] for sent in scripted.requests] == ["/completion", "/v1/chat/completions"]
    scripted.release()
    assert (await task).events[-1][0] == "done"
    scripted.script({"chunks": ["\n    b"]})
    assert (await call("POST", "complete", BODY)).data == {"text": "\n    b"}


async def test_without_a_local_model_no_model_gets_the_code(
    call: Call, scripted: Any, installed: Path
):
    """P4: the chosen model of a provider never completes code."""
    installed.unlink()
    answer = await call("POST", "complete", BODY)
    assert (answer.status, answer.data["code"]) == (409, "no_completion_model")
    assert answer.data["install"] == "jupyter aiserver model install"
    assert not scripted.requests
    assert (await call("POST", "generate", request())).status == 200  # but it answers requests


async def test_a_failure_of_the_model_is_reported(call: Call, scripted: Any):
    scripted.script({"status": 500})
    answer = await call("POST", "complete", BODY)
    assert (answer.status, answer.data["code"]) == (503, "model_failed")


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "prefix"),
        ({"prefix": "x" * 20_001}, "prefix"),
        ({"prefix": "", "suffix": "x" * 20_001}, "suffix"),
        ({"prefix": "", "cells": ["x"] * 101}, "cells"),
        ({"prefix": "", "cells": ["x" * 20_001]}, "cells.0"),
        ({"prefix": "", "model": "openai:x"}, "model"),
    ],
    ids=["no prefix", "long prefix", "long suffix", "many cells", "long cell", "a model"],
)
async def test_invalid_bodies_are_rejected(
    call: Call, scripted: Any, body: dict[str, Any], field: str
):
    """P17, P29: texts are limited, and clients can't choose another model."""
    answer = await call("POST", "complete", body)
    assert answer.status == 400
    assert field in answer.data["message"]
    assert not scripted.requests


@pytest.mark.parametrize("others_may_ask", [False, True])
async def test_only_the_owner_uses_the_model(
    call: Call, extension: Any, scripted: Any, others_may_ask: bool, monkeypatch: pytest.MonkeyPatch
):
    """P9: like a request, unless the owner allows others to ask."""
    services = replace(extension.load(), owner="" if others_may_ask else "somebody-else")
    monkeypatch.setattr(extension, "_services", services)
    scripted.script({"chunks": ["1"]})
    answer = await call("POST", "complete", {"prefix": "x = "})
    assert answer.status == (200 if others_may_ask else 403)
    assert len(scripted.requests) == others_may_ask
