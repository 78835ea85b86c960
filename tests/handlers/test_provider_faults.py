"""Each failure of a provider ends in one state and one message, as a stream and as JSON."""

from __future__ import annotations

import asyncio
import random
import re
import socket
import time
from email.utils import formatdate
from typing import Any

import pytest

from ..conftest import API_KEY, SSE, Call, request
from ..examples import examples
from ..ports import ReservedPort
from ..scripted_model import stream_of

CHUNKS = ["```python\n", "# 读取数据\n", "df = ", "1\n", "```"]
USAGE = {"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3}
ENDS = {"done", "error", "cancelled"}
OF_THE_ANSWER = {
    "bad_answer",
    "answer_cut",
    "answer_broken_off",
}  # which are not the provider's fault


@pytest.fixture
def server_config() -> dict[str, Any]:
    return {"ModelRegistry": {"max_output_tokens": 200}}


@pytest.fixture
def jp_server_config(scripted: Any, server_config: dict[str, Any]) -> dict[str, Any]:
    options = {"base_url": scripted.base_url, "api_key": API_KEY}
    registry = {"model_options": options} | server_config.get("ModelRegistry", {})
    return {
        "ServerApp": {"jpserver_extensions": {"aiserver": True, "jupyter_server_terminals": False}},
        "AIServer": {"model": "openai:scripted"},
        "ModelRegistry": registry,
    }


async def both_ways(call: Call, scripted: Any, *answers: dict[str, Any]) -> tuple[str, str]:
    """Ask as a stream and as JSON, which must agree. Return code and message."""
    scripted.script(*answers)
    streamed = await call("POST", "generate", request(cellId="sse"), headers=SSE)
    names = [name for name, _ in streamed.events]
    assert names[0] == "start" and [name for name in names if name in ENDS] == names[-1:]
    end = streamed.events[-1][1]
    if end["code"] not in OF_THE_ANSWER:
        # The message names the host of an address that isn't the provider's default.
        assert end["provider"]["name"] == "openai"
        assert re.fullmatch(r"OpenAI \(127\.0\.0\.1:\d+\)", end["provider"]["label"])
    scripted.clear()
    scripted.script(*answers)
    turn = (await call("POST", "generate", request(cellId="json"))).data
    scripted.clear()
    assert turn["ai_response"]["status"] == "error"
    assert turn["ai_response"]["error"] == end["message"]
    stored = (await call("GET", "sessions/nb/sse")).data["interactions"][-1]
    assert stored == end["interaction"]
    assert "canary" not in streamed.raw.decode() and API_KEY not in streamed.raw.decode()
    return end["code"], end["message"]


FAULTS = [
    ({"status": 401}, "model_auth_failed", "rejected the API key"),
    ({"status": 403}, "model_forbidden", "does not allow this model"),
    ({"status": 404}, "model_unknown", "no model with this name"),
    ({"status": 400}, "model_refused_request", "rejected the request"),
    ({"status": 500}, "model_failed", "internal error"),
    ({"status": 429, "message": "insufficient_quota"}, "model_no_credit", "quota left"),
    ({"status": 429, "retry_after": 3600}, "model_rate_limited", "Rate limited by"),
    ({"hang": True}, "model_timeout", "in time"),
    ({"chunks": CHUNKS, "hold_after": 2}, "model_timeout", "in time"),
    ({"garbage": True}, "model_unavailable", "could not be read"),
    ({"chunks": CHUNKS, "cut_after": 3}, "answer_broken_off", "interrupted before it was"),
    ({"text": "x = 1\n", "endless": True}, "answer_cut", "cut off"),
    ({"text": "", "endless": True, "chunks": [""]}, "answer_cut", "cut off"),
    (
        {"text": "<html>log in</html>", "content_type": "text/html"},
        "model_no_answer",
        "valid model response",
    ),
    ({"text": "{}", "content_type": "application/json"}, "model_no_answer", "valid model response"),
]


@pytest.mark.parametrize(
    ("answer", "code", "sentence"), FAULTS, ids=[str(fault[0])[:40] for fault in FAULTS]
)
async def test_each_failure_has_one_state_and_one_message(
    call: Call,
    scripted: Any,
    extension: Any,
    answer: Any,
    code: str,
    sentence: str,
    monkeypatch: Any,
):
    """P8, P17, P31, P32"""
    if code == "model_timeout":
        extension.models.timeout = 0.6
    monkeypatch.setattr("aiserver.llm.remote.model.FIRST_WAIT", 0.01)
    outcome = await both_ways(call, scripted, *[{"message": "canary-text"} | answer] * 3)
    assert outcome[0] == code
    assert sentence in outcome[1]


async def test_retry_after_may_be_a_date(call: Call, scripted: Any):
    """P31"""
    answer = {"status": 429, "retry_after": formatdate(time.time() + 3600, usegmt=True)}
    code, _ = await both_ways(call, scripted, answer)
    assert code == "model_rate_limited"
    scripted.script(answer)
    events = (await call("POST", "generate", request(cellId="date"), headers=SSE)).events
    assert 3500 < events[-1][1]["retryAfter"] <= 3600


@pytest.mark.parametrize("address", ["http://127.0.0.1:{unused}", "https://127.0.0.1:{scripted}"])
async def test_an_unreachable_address_is_reported(
    call: Call, scripted: Any, extension: Any, address: str, monkeypatch: Any
):
    """P31: nothing listens there, or a server without TLS."""
    monkeypatch.setattr("aiserver.llm.remote.model.FIRST_WAIT", 0.01)
    port = scripted.url.rpartition(":")[2]
    with ReservedPort() as unused:
        url = address.format(unused=unused.number, scripted=port)
        extension.models.model_options = {"base_url": url, "api_key": API_KEY}
        code, sentence = await both_ways(call, scripted)
    assert (code, "t connect to" in sentence) == ("model_unavailable", True)


async def test_an_unknown_host_is_reported(call: Call, extension: Any, monkeypatch: Any):
    """P31"""

    loop = asyncio.get_running_loop()
    original = loop.getaddrinfo

    async def getaddrinfo(host: Any, *args: Any, **more: Any) -> Any:
        if "canary" in str(host):
            raise socket.gaierror(-2, "Name or service not known: canary.invalid")
        return await original(host, *args, **more)

    monkeypatch.setattr("aiserver.llm.remote.model.FIRST_WAIT", 0.01)
    monkeypatch.setattr(loop, "getaddrinfo", getaddrinfo)
    options = {"base_url": "http://canary.invalid/v1", "api_key": API_KEY}
    extension.models.model_options = options
    reply = await call("POST", "generate", request())
    assert "t connect to" in reply.data["ai_response"]["error"]


@pytest.mark.parametrize("server_config", [{"ModelRegistry": {"model_options": {}}}])
async def test_a_missing_key_is_not_reported_as_rejected(
    call: Call, scripted: Any, server_config: Any, monkeypatch: Any, extension: Any
):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    turn = (await call("POST", "generate", request())).data["ai_response"]
    assert turn["error"].startswith("No API key for OpenAI.")
    # A server on this machine needs no key, unless it responds with 401.
    extension.models.model_options = {"base_url": scripted.base_url}
    await extension.models.close()
    scripted.script({"status": 401})
    turn = (await call("POST", "generate", request())).data["ai_response"]
    assert "No API key for OpenAI" in turn["error"]


async def test_a_truncated_stream_is_an_error_and_keeps_its_text(
    call: Call, scripted: Any, monkeypatch: Any
):
    """P32: it may end anywhere, even inside a character or JSON; the received text is saved."""
    monkeypatch.setattr("aiserver.llm.remote.model.FIRST_WAIT", 0.001)
    body = stream_of(CHUNKS, USAGE)
    last_frame = body.index(b'"finish_reason": "stop"')
    character = body.index("读".encode())
    offsets = {*range(character - 1, character + 4), 0, 1, last_frame - 1}
    offsets |= set(random.Random(32).sample(range(last_frame), examples(80)))
    for offset in sorted(offsets):
        scripted.script(*[{"chunks": CHUNKS, "cut_at": offset}] * 3)
        body_of = request(cellId=f"at-{offset}")
        events = (await call("POST", "generate", body_of, headers=SSE)).events
        names = [name for name, _ in events]
        assert [name for name in names if name in ENDS] == ["error"] and names[-1] == "error", (
            offset
        )
        code = "".join(data["text"] for name, data in events if data.get("part") == "code")
        assert "# 读取数据\ndf = 1\n".startswith(code), offset
        end = events[-1][1]
        assert end["interaction"]["ai_response"]["status"] == "error"
        assert end["interaction"]["ai_response"]["suggestion"] == code.strip("\n"), offset
        scripted.clear()


async def test_parallel_requests_to_a_dead_provider_all_end(
    call: Call, scripted: Any, extension: Any
):
    """P31"""
    extension.models.timeout = 0.6
    scripted.script(*[{"hang": True}] * 20)
    bodies = [request(cellId=f"c{number}") for number in range(20)]
    replies = await asyncio.gather(*(call("POST", "generate", body) for body in bodies))
    assert {reply.data["ai_response"]["status"] for reply in replies} == {"error"}
