"""Requests about selected lines, through the HTTP API: only these lines change."""

from __future__ import annotations

from typing import Any

import pytest

from ..conftest import SSE, request

SOURCE = "def total(items):\n    x = 0\n    for item in items:\n        x += item\n    return x"
CHANGED = "def total(items):\n    x = sum(items)\n    return x"
KEY = "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n-----END PRIVATE KEY-----"


def body(source: str, first: int, last: int, **more: Any) -> dict[str, Any]:
    context = {"selection": {"first": first, "last": last}}
    return request("shorter", source=source, context=context, **more)


def last_message(scripted: Any) -> str:
    return scripted.requests[-1]["body"]["messages"][-1]["content"]


async def test_an_answer_replaces_only_the_selected_lines(call, scripted):
    """P15: the preview shows the messages that are sent; the turn says which lines."""
    scripted.script({"chunks": ["```python\n", "x = su", "m(items)\n", "```\n", "It adds up."]})
    preview = await call("POST", "generate/preview", body(SOURCE, 2, 4))
    reply = await call("POST", "generate", body(SOURCE, 2, 4), headers=SSE)
    turn = reply.events[-1][1]["interaction"]
    tokens = [data for name, data in reply.events if name == "token"]
    streamed = "".join(token["text"] for token in tokens if token["part"] == "code")
    assert streamed == turn["ai_response"]["suggestion"] == CHANGED
    assert turn["ai_response"]["explanation"] == "It adds up."
    assert turn["user_request"]["current_code"] == SOURCE
    assert turn["selection"] == {"first": 2, "last": 4}
    sent = last_message(scripted)
    assert "\nx = 0\nfor item in items:\n    x += item\n</cell" in sent
    assert "\ndef total(items):\n</lines-above" in sent
    assert "\n    return x\n</lines-below" in sent
    assert preview.data["messages"][-1]["text"] == sent
    (step,) = (await call("GET", "sessions/nb/c1/replay")).data["steps"][1:]
    assert step["data"] == {"selection": {"first": 2, "last": 4}}


@pytest.mark.parametrize("text", ["It adds the items.", ""])
async def test_without_code_the_answer_has_no_lines_of_the_cell(call, scripted, text):
    scripted.script({"text": text})
    reply = await call("POST", "generate", body(SOURCE, 2, 4), headers=SSE)
    assert not [data for _, data in reply.events if data.get("part") == "code"]
    stored = (await call("GET", "sessions/nb/c1")).data["interactions"][0]
    assert stored["ai_response"]["suggestion"] == ""


async def test_lines_beyond_the_end_are_ignored(call, scripted):
    scripted.script({"text": "```python\nz = 3\n```"})
    turn = (await call("POST", "generate", body("x = 1\ny = 2", 2, 9))).data
    assert turn["ai_response"]["suggestion"] == "x = 1\nz = 3"


@pytest.mark.parametrize(("first", "last"), [(2, 2), (1, 2), (3, 4), (4, 4)])
async def test_a_secret_that_is_only_partly_selected_is_not_sent(
    call, scripted, remote_model, first, last
):
    """P5: a part of a key isn't recognised as one. So nothing is sent, and the person is told."""
    source = f'key = """{KEY}"""\nuse(key)'
    reply = await call("POST", "generate", body(source, first, last), headers=SSE)
    if (first, last) == (4, 4):
        assert reply.events[-1][0] == "done"
        assert "MIIEvQ" not in str(scripted.requests[-1]["body"])
    else:
        assert reply.events[-1][1]["code"] == "selection_cuts_secret"
        assert not scripted.requests
