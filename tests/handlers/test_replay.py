"""The replay of a cell and of a notebook, over HTTP."""

from __future__ import annotations

from ..conftest import request


async def _history(call, scripted) -> None:
    """Record a turn, accepted and edited, in ``c1``; delete ``c2``; send the order twice."""
    scripted.script({"text": "```python\na = 1\nb = 2\n```"})
    await call(
        "POST", "notebooks", {"path": "a.ipynb", "notebookId": "nb", "cellIds": ["c2", "c1"]}
    )
    await call("POST", "generate", request("make two"))
    events = [
        {"type": "accept", "turnId": 1, "source": "a = 1\nb = 2"},
        {"type": "edit", "source": "a = 1\nb = 3", "data": {"trigger": "run"}},
    ]
    await call("POST", "sessions/nb/c1/events", events)
    deletion = [{"type": "delete", "source": "old", "data": {"index": 0}}]
    await call("POST", "sessions/nb/c2/events", deletion)
    await call("POST", "notebooks", {"path": "a.ipynb", "notebookId": "nb", "cellIds": ["c1"]})


async def test_blame_has_the_turn_and_the_person(call, scripted):
    await _history(call, scripted)
    reply = await call("POST", "sessions/nb/c1/blame", {})
    assert reply.status == 200 and reply.headers["ETag"] == f'"{reply.data["revision"]}"'
    first, second = reply.data["lines"]
    assert (first["author"], first["turnId"], first["intent"]) == ("model", 1, "make two")
    assert (second["author"], second["step"], second["seq"]) == ("person", 1, 3)
    then = (await call("POST", "sessions/nb/c1/blame", {"step": 0})).data["lines"]
    assert [line["author"] for line in then] == ["model", "model"]
    now = {"source": "a = 1\nnew"}
    lines = (await call("POST", "sessions/nb/c1/blame", now)).data["lines"]
    assert [line["step"] for line in lines] == [0, None]


async def test_blame_of_a_cell_without_history_is_unknown(call):
    lines = (await call("POST", "sessions/nb/c1/blame", {"source": "a\nb"})).data["lines"]
    assert lines == [{"author": "unknown", "step": None, "seq": None}] * 2
    reply = await call("POST", "sessions/nb/c1/blame", {"step": 0})
    assert reply.status == 404


async def test_the_timeline_and_a_snapshot_of_each_moment(call, scripted):
    await _history(call, scripted)
    reply = await call("GET", "notebooks/nb/timeline")
    assert reply.headers["ETag"] == f'"{reply.data["version"]}"'
    moments, cells = reply.data["moments"], reply.data["cells"]
    assert [m["index"] for m in moments] == list(range(len(moments)))
    assert [m["kind"] for m in moments if m["cellId"] == "c1"] == ["turn", "edit"]
    assert [(c["cellId"], c["deleted"], c["turns"]) for c in cells] == [
        ("c1", False, 1),
        ("c2", True, 0),
    ]
    last = (await call("GET", f"notebooks/nb/moments/{len(moments) - 1}")).data
    assert [(c["cellId"], c["source"]) for c in last["cells"]] == [("c1", "a = 1\nb = 3")]
    assert [(c["cellId"], c["source"]) for c in last["deleted"]] == [("c2", "old")]
    first = (await call("GET", "notebooks/nb/moments/0")).data
    assert [c["cellId"] for c in first["cells"]] == ["c2", "c1"] and first["deleted"] == []
    assert (await call("GET", f"notebooks/nb/moments/{len(moments)}")).status == 404


async def test_a_timeline_is_updated_after_each_record(call, scripted):
    await _history(call, scripted)
    before = await call("GET", "notebooks/nb/timeline")
    etag = {"If-None-Match": before.headers["ETag"]}
    assert (await call("GET", "notebooks/nb/timeline", headers=etag)).status == 304
    await call("POST", "sessions/nb/c1/events", [{"type": "edit", "source": "newest"}])
    after = await call("GET", "notebooks/nb/timeline", headers=etag)
    assert after.status == 200 and after.data["version"] != before.data["version"]
    assert len(after.data["moments"]) == len(before.data["moments"]) + 1
    await call("DELETE", "sessions/nb/c1")
    left = (await call("GET", "notebooks/nb/timeline")).data
    assert {m["cellId"] for m in left["moments"]} <= {None, "c2"}


async def test_moments_of_an_older_timeline_stay_available(call, scripted):
    await _history(call, scripted)
    timeline = (await call("GET", "notebooks/nb/timeline")).data
    last = f"notebooks/nb/moments/{len(timeline['moments']) - 1}?version={timeline['version']}"
    before = (await call("GET", last)).data
    await call("POST", "sessions/nb/c1/events", [{"type": "edit", "source": "newest"}])
    assert (await call("GET", last)).data == before
    assert before["version"] == timeline["version"]
    assert (await call("GET", f"notebooks/nb/moments/0?version={'x' * 65}")).status == 400


async def test_the_report_counts_lines_by_hand_and_by_model(call, scripted):
    await _history(call, scripted)
    report = (await call("GET", "notebooks/nb/report")).data
    total = {
        "lines": 2,
        "byModel": 1,
        "byPerson": 1,
        "byAgent": 0,
        "byProgram": 0,
        "byUnknown": 0,
        "existing": 0,
        "turns": 1,
        "models": {"openai:scripted": 1},
        "names": {},
    }
    assert report == {"cells": [{"cellId": "c1", "type": "code", **total}], "total": total}


async def test_an_unknown_notebook_has_an_empty_timeline(call):
    timeline = (await call("GET", "notebooks/none/timeline")).data
    assert (timeline["moments"], timeline["cells"]) == ([], [])
    assert (await call("GET", "notebooks/none/moments/0")).status == 404
    assert (await call("GET", "notebooks/none/report")).data["total"]["lines"] == 0
    assert (await call("GET", "notebooks/no~id/timeline")).status == 400
