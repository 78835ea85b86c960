"""Lone surrogates: from a model, and in a file of another program."""

from __future__ import annotations

import json

import pytest

from aiserver.generation.generation import Generation
from aiserver.surrogates import fix_surrogates

from ..conftest import SSE, request

OPEN = "```python\nx = '"
PIECES = {
    "joined": ([OPEN, "\ud83d", "\ude00'\n```"], "x = '😀'"),
    "in the middle of a piece": ([OPEN + "a\ud83d", "\ude00b'\n```"], "x = 'a😀b'"),
    "a first half alone": ([OPEN, "\ud83d", "b'\n```"], "x = '\ufffdb'"),
    "a second half alone": ([OPEN, "\ude00'\n```"], "x = '\ufffd'"),
    "two first halves": ([OPEN, "\ud83d", "\ud83d", "\ude00'\n```"], "x = '\ufffd😀'"),
    "at the very end": (["```python\nx = 1\n```\nGood ", "\ud83d"], "x = 1"),
}


@pytest.mark.parametrize(("chunks", "code"), PIECES.values(), ids=PIECES.keys())
@pytest.mark.parametrize("headers", [SSE, {}], ids=["stream", "at once"])
async def test_a_model_may_send_lone_surrogates(call, scripted, chunks, code, headers):
    """P32: the answer ends normally, and the saved turn can be read."""
    scripted.script({"chunks": chunks})
    answer = await call("POST", "generate", request(), headers=headers)
    turn = answer.data
    if headers:
        name, end = answer.events[-1]
        tokens = "".join(d["text"] for n, d in answer.events if d.get("part") == "code")
        assert (name, tokens.strip("\n")) == ("done", code)
        turn = end["interaction"]
    assert turn["ai_response"]["suggestion"] == code
    assert turn["ai_response"]["status"] == "success"
    if "Good" in chunks[0]:
        assert turn["ai_response"]["explanation"] == "Good \ufffd"
    assert (await call("GET", "sessions/nb/c1")).data["interactions"] == [turn]


async def test_a_lone_surrogate_in_a_file_hides_nothing(call, scripted, jp_root_dir, remote_model):
    """P22: the cell's history, the list of sessions and the next answer work."""
    await call("POST", "generate", request("one"))
    await call("POST", "generate", request("other", cellId="c2"))
    [path] = (jp_root_dir / ".aiserver_sessions").glob("nb_c1.json")
    session = json.loads(path.read_text())
    turn = session["interactions"][0]
    turn["user_request"]["intent"] = "one \ud83d"
    turn["ai_response"]["suggestion"] = "x = '\ud83d'"
    turn["x_other"] = turn["mode"] = "\ud83d"
    turn["dataframes"] = [{"name": "a\ud83d", "row_count": 1, "column_count": 0, "columns": []}]
    session["events"] = [
        {"seq": 9, "type": "edit", "timestamp": turn["timestamp"], "data": {"x": "\ud83d"}}
    ]
    path.write_text(json.dumps(session))

    listed = (await call("GET", "sessions?notebookId=nb")).data["sessions"]
    assert {row["cellId"]: row["lastIntent"] for row in listed} == {
        "c1": "one \ufffd",
        "c2": "other",
    }
    assert (await call("GET", "sessions/nb/c1/replay")).status == 200
    preview = await call("POST", "generate/preview", request("two"))
    assert "x = '\ufffd'" in json.dumps(preview.data, ensure_ascii=False)
    answer = await call("POST", "generate", request("two"), headers=SSE)
    assert answer.events[-1][0] == "done"
    turns = json.loads(path.read_bytes())["interactions"]
    assert [turn["turn_id"] for turn in turns] == [1, 2]
    assert turns[0]["x_other"] == "\ud83d", "unknown fields are changed"


async def test_a_stream_ends_after_an_internal_error(call, scripted, monkeypatch):
    """P32: even if the error happens after the headers were sent."""

    def broken(self: Generation, idle: float | None = None):
        raise UnicodeError

    monkeypatch.setattr(Generation, "tokens", broken)
    answer = await call("POST", "generate", request(), headers=SSE)
    assert [name for name, _ in answer.events] == ["start", "error"]
    sentence = "Something went wrong."
    text = {"template": sentence, "params": []}
    assert answer.events[-1][1] == {"code": "error", "message": sentence, "text": text}


def test_valid_text_is_not_changed() -> None:
    for text in ("", "plain", "价格 😀", "‹é›"):
        assert fix_surrogates(text) is text
