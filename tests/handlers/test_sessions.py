"""Sessions over HTTP."""

from __future__ import annotations

import json

import pytest

from ..conftest import request


async def test_a_missing_session_is_404(call):
    reply = await call("GET", "sessions/nb/c1")
    assert reply.status == 404 and reply.data["code"] == "not_found"
    assert (await call("DELETE", "sessions/nb/c1")).status == 404


async def test_replay_of_a_cell_without_history_is_empty(call):
    reply = await call("GET", "sessions/nb/c1/replay")
    assert reply.status == 200 and reply.data["steps"] == [] and reply.data["revision"] == 0


async def test_session_is_sent_as_stored(call, jp_root_dir):
    await call("POST", "generate", request("读取"))
    reply = await call("GET", "sessions/nb/c1")
    (file,) = (p for p in (jp_root_dir / ".aiserver_sessions").iterdir() if p.suffix == ".json")
    assert reply.raw == file.read_bytes()
    assert reply.headers["ETag"] == f'"{reply.data["meta"]["revision"]}"'


@pytest.mark.parametrize("version", ["1.0", "2.0"])
async def test_a_number_that_is_not_json_is_sent_as_null(call, jp_root_dir, version):
    """Python's parser reads NaN and writes it; that of a browser refuses the whole answer."""
    await call("POST", "generate", request("fill NaN, please"))
    (file,) = (p for p in (jp_root_dir / ".aiserver_sessions").iterdir() if p.suffix == ".json")
    stored = json.loads(file.read_bytes())
    stored["meta"]["version"] = version
    stored["x_tool"] = [float("nan"), float("-inf")]
    stored["interactions"][0]["x_score"] = float("inf")
    file.write_text(json.dumps(stored))
    reply = await call("GET", "sessions/nb/c1")
    stored["x_tool"], stored["interactions"][0]["x_score"] = [None, None], None
    assert json.loads(reply.raw, parse_constant=pytest.fail) == stored


async def test_a_session_with_an_edited_file_is_sent_again(call, jp_root_dir):
    """An external edit doesn't change the revision."""
    await call("POST", "generate", request("secret"))
    before = await call("GET", "sessions/nb/c1")
    (file,) = (p for p in (jp_root_dir / ".aiserver_sessions").iterdir() if p.suffix == ".json")
    file.write_bytes(file.read_bytes().replace(b"secret", b"******"))
    headers = {"If-None-Match": before.headers["ETag"]}
    after = await call("GET", "sessions/nb/c1", headers=headers)
    assert after.status == 200
    assert after.data["interactions"][0]["user_request"]["intent"] == "******"


async def test_the_list_counts_requests_not_answers(call):
    """P49"""
    for _ in range(3):
        await call("POST", "generate", request("plot it"))
    (row,) = (await call("GET", "sessions?notebookId=nb")).data["sessions"]
    assert (row["turns"], row["failed"], row["lastIntent"]) == (1, 0, "plot it")


async def test_events_are_recorded_in_order_with_turns(call):
    await call("POST", "generate", request("one"))
    body = [{"type": "accept", "turnId": 1, "source": "x = 1"}, {"type": "edit", "source": "x = 2"}]
    reply = await call("POST", "sessions/nb/c1/events", body)
    assert reply.status == 201
    assert [event["seq"] for event in reply.data] == [2, 3]
    await call("POST", "generate", request("two"))
    stored = (await call("GET", "sessions/nb/c1")).data
    assert [turn["seq"] for turn in stored["interactions"]] == [1, 4]


async def test_an_event_that_is_sent_again_is_recorded_once(call):
    """P36"""
    body = [{"type": "accept", "turnId": 1, "id": "7d2f0c1e-52b8-4c0a-9d6b-0f7a3a5f6c01"}]
    first = await call("POST", "sessions/nb/c1/events", body)
    again = await call("POST", "sessions/nb/c1/events", body)
    assert (again.status, again.data, again.headers["ETag"]) == (201, first.data, '"1"')
    assert (await call("GET", "sessions/nb/c1")).data["events"] == first.data
    body[0]["id"] = "../no/id"
    assert (await call("POST", "sessions/nb/c1/events", body)).status == 400


async def test_a_stale_write_is_rejected(call):
    """P33: a write with an old revision gets 412 and changes nothing."""
    await call("POST", "generate", request())
    body = [{"type": "edit", "source": "x"}]
    fresh = await call("POST", "sessions/nb/c1/events", body, headers={"If-Match": '"1"'})
    assert fresh.status == 201 and fresh.headers["ETag"] == '"2"'
    stale = await call("POST", "sessions/nb/c1/events", body, headers={"If-Match": '"1"'})
    assert stale.status == 412 and stale.data["code"] == "stale_revision"
    assert len((await call("GET", "sessions/nb/c1")).data["events"]) == 1
    assert (await call("DELETE", "sessions/nb/c1", headers={"If-Match": '"1"'})).status == 412
    assert (await call("DELETE", "sessions/nb/c1", headers={"If-Match": '"2"'})).status == 204
    assert (await call("GET", "sessions/nb/c1")).status == 404


async def test_lists_are_paged(call):
    for cell in ("a", "b", "c"):
        await call("POST", "generate", request(f"in {cell}", cellId=cell))
    await call("POST", "generate", request("elsewhere", notebookId="other"))
    first = (await call("GET", "sessions?notebookId=nb&limit=2")).data
    rest = (await call("GET", "sessions?notebookId=nb&limit=2&offset=2")).data
    assert first["total"] == rest["total"] == 3
    assert [row["cellId"] for row in first["sessions"] + rest["sessions"]] == ["a", "b", "c"]
    assert first["sessions"][0]["lastIntent"] == "in a" and first["sessions"][0]["turns"] == 1
    assert (await call("GET", "sessions")).status == 400
    assert (await call("GET", "sessions?notebookId=nb&limit=0")).status == 400


async def test_lists_count_failed_requests(call, scripted):
    scripted.script({"status": 401}, {"text": "```python\nx = 1\n```"})
    await call("POST", "generate", request("one"))
    await call("POST", "generate", request("two"))
    [row] = (await call("GET", "sessions?notebookId=nb")).data["sessions"]
    assert (row["turns"], row["failed"]) == (2, 1)


async def test_replay_returns_the_steps(call, scripted):
    scripted.script({"text": "```python\nx = 1\n```"})
    await call("POST", "generate", request("set x"))
    await call(
        "POST", "sessions/nb/c1/events", [{"type": "accept", "turnId": 1, "source": "x = 1"}]
    )
    await call("POST", "generate", request("set y", source="x = 10"))
    reply = (await call("GET", "sessions/nb/c1/replay")).data
    kinds = [(step["kind"], step["author"]) for step in reply["steps"]]
    assert kinds == [("turn", "model"), ("edit", "unknown"), ("turn", "model")]
    assert [step["code"] for step in reply["steps"]][:2] == ["x = 1", "x = 10"]
    assert reply["steps"][0]["outcome"] == "accepted" and reply["revision"] == 3
