"""The prompts, tokens and costs of turns, over HTTP."""

from __future__ import annotations

import json

import pytest

from aiserver.errors import StorageFull
from aiserver.models import SessionKey

from ..conftest import SSE, request

USAGE = {
    "prompt_tokens": 1200,
    "completion_tokens": 30,
    "total_tokens": 1230,
    "prompt_tokens_details": {"cached_tokens": 1000},
}
PASSWORD = "hunter2-canary-7c1"
SOURCE = f'password = "{PASSWORD}"\nx = 1'


async def test_a_turn_keeps_its_usage_and_times(call, scripted):
    scripted.script({"text": "```python\nx = 2\n```", "usage": USAGE})
    turn = (await call("POST", "generate", request())).data
    assert turn["usage"] == {
        "input_tokens": 1200,
        "output_tokens": 30,
        "total_tokens": 1230,
        "cached_tokens": 1000,
    }
    assert 0 <= turn["timing"]["first_token"] <= turn["timing"]["total"] < 60_000
    assert "cost" not in turn  # the server isn't the provider's own (P47)
    step = (await call("GET", "sessions/nb/c1/replay")).data["steps"][-1]
    assert step["receipt"] | {"firstTokenMs": 0, "totalMs": 0} == {
        "inputTokens": 1200,
        "cachedTokens": 1000,
        "outputTokens": 30,
        "firstTokenMs": 0,
        "totalMs": 0,
        "hasPrompt": True,
    }


async def test_thoughts_are_only_shown_with_their_turn(call, scripted):
    """P51: neither exports nor searches have them, nor the list of steps."""
    scripted.script({"text": "<think>canary</think>\n```python\nx = “2”\n```"})
    await call("POST", "notebooks", {"path": "a.ipynb", "notebookId": "nb", "cellIds": ["c1"]})
    await call("POST", "generate", request())
    await call("POST", "sessions/nb/c1/events", [{"type": "accept", "turnId": 1}])
    assert (await call("GET", "sessions/nb/c1/turns/1/prompt")).data["thoughts"] == "canary"
    replay = (await call("GET", "sessions/nb/c1/replay")).data
    receipt = replay["steps"][-1]["receipt"]
    assert receipt["hasThoughts"] is True
    assert receipt["replacedCharacters"] == ["quotes"]
    assert "canary" not in str(replay)
    for format in ("html", "md", "ipynb"):
        page = (await call("POST", "notebooks/nb/export", {"format": format})).data["content"]
        assert "x = " in page
        assert "canary" not in page
    assert (await call("POST", "search", {"query": "canary"})).data["results"] == []


@pytest.mark.parametrize(
    "server_config",
    [{"AIServer": {"model_prices": {"openai:*": {"input": 1000, "output": 2000}}}}],
)
async def test_a_configured_price_gives_a_cost(call, scripted):
    scripted.script({"text": "```python\nx = 2\n```", "usage": USAGE})
    turn = (await call("POST", "generate", request())).data
    assert turn["cost"] == pytest.approx(1.26)
    totals = (await call("GET", "usage?notebookId=nb")).data
    assert totals["cost"] == pytest.approx(1.26) and totals["requests"] == 1
    assert totals["unpriced"] == 0
    assert (await call("GET", "usage?since=2999-01-01T00:00:00Z")).data["requests"] == 0
    assert "1.260000000" in (await call("GET", "usage/table")).data["content"]
    assert (await call("GET", "usage?since=yesterday")).status == 400


@pytest.mark.parametrize(
    ("is_remote", "server_config"),
    [(True, {}), (False, {"ModelRegistry": {"local_servers": ["*"]}})],
)
async def test_the_stored_prompt_is_what_was_sent(
    call, scripted, extension, is_remote, server_config
):
    """P43, P16: byte for byte, except for secrets, which are stored nowhere."""
    body = request("加一列，再画图", source=SOURCE)
    scripted.script({"text": "```python\nx = 2\n```"})
    preview = (await call("POST", "generate/preview", body)).data
    assert (await call("POST", "generate", body, headers=SSE)).status == 200
    sent = scripted.requests[-1]["body"]["messages"]
    prompt = (await call("GET", "sessions/nb/c1/turns/1/prompt")).data
    texts = [(message["role"], message["text"]) for message in prompt["messages"]]
    if is_remote:
        assert texts == [(message["role"], message["content"]) for message in sent]
        assert prompt["hidden"] == preview["hidden"] == 1
        assert prompt["messages"] == preview["messages"]
    else:
        assert PASSWORD in json.dumps(sent)
        assert len(texts) == len(sent)
    assert PASSWORD not in json.dumps(prompt)
    for sha256 in await extension.sessions.list_blobs():
        assert PASSWORD.encode() not in await extension.sessions.get_blob(sha256)
    assert prompt["items"] == preview["items"]
    assert prompt["model"] == "openai:scripted"


async def test_a_missing_prompt_is_no_error(call, scripted, extension):
    await call("POST", "generate", request())
    session = await extension.sessions.load_session(SessionKey("nb", "c1"))
    sha256 = session.interactions[0].prompt
    assert json.loads(await extension.sessions.get_blob(sha256))["version"] == 1
    await extension.sessions.delete_blob(sha256)
    prompt = await call("GET", "sessions/nb/c1/turns/1/prompt")
    assert prompt.status == 200 and prompt.data["messages"] is None
    assert (await call("GET", "sessions/nb/c1/turns/2/prompt")).status == 404
    assert (await call("GET", "sessions/nb/c9/turns/1/prompt")).status == 404


@pytest.mark.parametrize("fault", [StorageFull(), RuntimeError("a bug")])
async def test_a_prompt_that_cant_be_stored_loses_no_turn(
    call, scripted, extension, monkeypatch, fault
):
    """P20: the prompt is less important than the turn."""

    async def put_blob(data, *, owner=""):
        raise fault

    monkeypatch.setattr(extension.sessions, "put_blob", put_blob)
    answer = await call("POST", "generate", request())
    assert answer.status == 200 and "prompt" not in answer.data


PEM = (
    "-----BEGIN PRIVATE KEY-----\nMIIcanary0pem1line\nMIIcanary0pem2line\n-----END PRIVATE KEY-----"
)
LOCAL = {"ModelRegistry": {"local_servers": ["*"]}}


@pytest.mark.parametrize("server_config", [LOCAL])
@pytest.mark.parametrize(
    ("body", "canary"),
    [
        (request("my password is hunter2canary7"), "hunter2canary7"),
        (request(source='key = "sk-proj-canary" "4d5e6f7081920a1b2c3d4e5f6071"\n'), "canary"),
        (request(source=f'KEY = """{PEM}"""\nx = 1'), "canary0pem"),
        (
            request(
                source=f'KEY = """{PEM}"""\nx = 1',
                context={"selection": {"first": 2, "last": 2}},
            ),
            "canary0pem",
        ),
    ],
)
async def test_no_secret_of_a_local_model_is_stored(call, scripted, extension, body, canary):
    """P16: in a sentence, split literals and keys of several lines, also if lines are selected."""
    scripted.script({"text": "```python\nx = 2\n```"})
    assert (await call("POST", "generate", body)).status == 200
    assert canary in json.dumps(scripted.requests[-1]["body"])
    for sha256 in await extension.sessions.list_blobs():
        assert canary.encode() not in await extension.sessions.get_blob(sha256)
    stored = await call("GET", "sessions/nb/c1")
    assert canary not in json.dumps(stored.data)


async def test_numbers_of_other_tools_break_nothing(call, scripted, extension, jp_root_dir):
    """P22, P47: a value that isn't a finite number from 0 counts as missing."""
    turn = (await call("POST", "generate", request())).data
    file = jp_root_dir / ".aiserver_sessions" / "nb_c1.json"
    session = json.loads(file.read_text("utf-8"))
    odd = {"cost": -1, "timing": {"total": 1.5, "first_token": True}, "prompt": 7}
    usage = {"input_tokens": -4, "output_tokens": 1e300}
    session["interactions"][0] = turn | odd | {"usage": usage}
    file.write_text(json.dumps(session).replace('"cost": -1', '"cost": NaN'), "utf-8")
    step = (await call("GET", "sessions/nb/c1/replay")).data["steps"][-1]
    assert step["receipt"] == {"hasPrompt": False}
    assert (await call("GET", "usage?notebookId=nb")).data["cost"] is None
    assert (await call("GET", "sessions/nb/c1/turns/1/prompt")).data["messages"] is None
    assert "nan" not in (await call("GET", "usage/table")).data["content"].lower()


async def test_deleting_a_history_deletes_its_prompts(call, scripted, extension):
    """A prompt is deleted with its session, unless a copy of the cell still has it."""
    await call("POST", "generate", request())
    await call("POST", "generate", request("again"))
    original, copy = SessionKey("nb", "c1"), SessionKey("nb", "c2")
    await extension.sessions.fork(original, copy)
    assert len(await extension.sessions.list_blobs()) == 2
    assert (await call("DELETE", "sessions/nb/c1")).status == 204
    assert len(await extension.sessions.list_blobs()) == 2
    assert (await call("DELETE", "sessions/nb/c2")).status == 204
    assert await extension.sessions.list_blobs() == []
