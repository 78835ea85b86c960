"""The contract suite for every store. Stores are registered in ``conftest.py``."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Hashable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from aiserver.errors import InvalidRequest, NotFound, SessionTooNew, StaleRevision
from aiserver.models import Session, SessionKey
from aiserver.sessions.base import SessionManager
from aiserver.sessions.memory import InMemorySessionManager
from aiserver.sessions.record import codec
from aiserver.sessions.record import mutations as steps
from aiserver.sessions.record.merge.digests import digest

from .conftest import Backend
from .records import KEY, event, fresh_key, in_loop, log_entry, turn

OTHER_CELL = SessionKey(KEY.notebook_id, "another")
NOTEBOOK = "0" * 8

# Many examples share one store, so each uses a different key.
with_store = settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=25
)


@in_loop
async def test_missing_records(store: SessionManager) -> None:
    assert await store.load_if_exists(KEY) is None
    assert await store.load_raw(KEY) is None
    assert not await store.exists(KEY)
    assert not await store.delete(KEY)
    assert await store.list_sessions() == ([], 0)
    assert await store.get_history(KEY) == []
    session = await store.load_session(KEY)
    assert (session.revision, session.interactions) == (0, [])
    assert not await store.exists(KEY), "loading has created the session"


@in_loop
async def test_a_turn_is_stored(backend: Backend) -> None:
    asked = turn(intent="画一个图 📈", code="plot()\n", model="fake:one", usage={"output": 3})
    saved, revision = await backend.open().save_interaction(KEY, asked)
    assert (saved.turn_id, saved.seq, revision) == (1, 1, 1)

    session = await backend.open().load_session(KEY)
    assert session.interactions == [saved]
    assert session.meta.notebook_id == KEY.notebook_id
    assert session.meta.cell_id == KEY.cell_id
    assert saved.to_dict() == {"turn_id": 1, **asked.to_dict(), "seq": 1}

    raw, revision = await backend.open().load_raw(KEY) or (b"", 0)
    assert (json.loads(raw), revision) == (session.to_dict(), 1)
    assert "画一个图 📈".encode() in raw


@in_loop
async def test_turns_and_events_share_one_order(store: SessionManager) -> None:
    """P26"""
    await store.save_interaction(KEY, turn("one"))
    saved, revision = await store.record_events(KEY, [event("accept", turn_id=1), event("run")])
    assert [e.seq for e in saved] == [2, 3]
    assert revision == 2, "several events were several writes"
    await store.save_interaction(KEY, turn("two"))
    session = await store.load_session(KEY)
    order = [getattr(item, "type", None) or item.turn_id for item in session.ordered()]
    assert order == [1, "accept", "run", 2]


@in_loop
async def test_no_events_write_nothing(store: SessionManager) -> None:
    assert await store.record_events(KEY, []) == ([], 0)
    assert not await store.exists(KEY)
    await store.save_interaction(KEY, turn())
    assert await store.record_events(KEY, []) == ([], 1)


@in_loop
async def test_an_event_that_is_sent_again_is_stored_once(backend: Backend) -> None:
    """P36: a client without a response sends the events again, even to a restarted server."""
    ids = ["7d2f0c1e-52b8-4c0a-9d6b-0f7a3a5f6c01", "7d2f0c1e-52b8-4c0a-9d6b-0f7a3a5f6c02"]
    first, revision = await backend.open().record_events(KEY, [event("accept", id=ids[0])])
    store = backend.open()
    again, unchanged = await store.record_events(KEY, [event("accept", id=ids[0])])
    assert (again, unchanged) == (first, revision)
    both = [event("accept", id=ids[0]), event("edit", id=ids[1]), event("edit", id=ids[1])]
    saved, _ = await store.record_events(KEY, both)
    assert [e.seq for e in saved] == [1, 2, 2]
    await store.record_events(
        KEY, [event("run"), event("run")]
    )  # events without ids are stored each time
    events = (await store.load_session(KEY)).events or []
    assert [(e.seq, e.id) for e in events] == [(1, ids[0]), (2, ids[1]), (3, None), (4, None)]
    other = SessionKey("notebook", "other")
    moved, _ = await store.record_events(other, [event("accept", id=ids[0])])
    assert moved[0].seq == 1, "ids of events are not per session"


@in_loop
async def test_history_begins_after_start_afresh(store: SessionManager) -> None:
    await store.save_interaction(KEY, turn("one"))
    await store.record_events(KEY, [event("context_reset")])
    for intent in ("two", "three", "four"):
        await store.save_interaction(KEY, turn(intent))
    history = await store.get_history(KEY)
    assert [t.user_request.intent for t in history] == ["two", "three", "four"]
    assert await store.get_history(KEY, max_messages=0) == []
    assert len((await store.load_session(KEY)).interactions) == 4, "turns were deleted"


@in_loop
async def test_history_is_the_newest_turns_that_fit(store: SessionManager) -> None:
    for intent in ("一", "二二", "三三三"):
        await store.save_interaction(KEY, turn(intent, code=""))

    async def intents(**bounds: Any) -> list[str]:
        turns = await store.get_history(KEY, **bounds)
        return [t.user_request.intent for t in turns]

    assert await intents() == ["一", "二二", "三三三"]
    assert await intents(max_messages=5) == ["二二", "三三三"], "a turn was split"
    assert await intents(max_messages=99) == ["一", "二二", "三三三"]
    assert await intents(max_tokens=4, count_tokens=len) == ["三三三"]
    assert await intents(max_tokens=5, count_tokens=len) == ["二二", "三三三"]
    assert await intents(max_messages=2, max_tokens=5, count_tokens=len) == ["三三三"]
    assert await intents(max_tokens=2, count_tokens=len) == [], "an older turn was returned instead"
    assert await intents(max_tokens=12) == ["一", "二二", "三三三"], (
        "Chinese characters are counted as one letter"
    )
    assert await intents(max_tokens=8) == ["二二", "三三三"]


@in_loop
async def test_returned_objects_are_copies(store: SessionManager) -> None:
    saved, _ = await store.save_interaction(KEY, turn("first"))
    saved.user_request.intent = "changed by the caller"
    [happened], _ = await store.record_events(KEY, [event(data={"a": 1})])
    happened.data = {"a": 2}
    loaded = await store.load_session(KEY)
    loaded.interactions.clear()
    rows, _ = await store.list_sessions()
    rows[0].turns = 99
    await store.save_interaction(KEY, turn("second"))

    session = await store.load_session(KEY)
    assert [t.user_request.intent for t in session.interactions] == ["first", "second"]
    assert [e.data for e in session.events or []] == [{"a": 1}]
    assert (await store.list_sessions())[0][0].turns == 2


@in_loop
async def test_a_stale_write_is_refused(store: SessionManager) -> None:
    """P33"""
    await store.save_interaction(KEY, turn(), if_revision=0)
    await store.save_interaction(KEY, turn(), if_revision=1)
    writes = [
        store.save_interaction(KEY, turn(), if_revision=1),
        store.record_events(KEY, [event()], if_revision=1),
        store.delete(KEY, if_revision=1),
    ]
    for write in writes:
        with pytest.raises(StaleRevision) as caught:
            await write
        assert (caught.value.expected, caught.value.actual) == (1, 2)
    session = await store.load_session(KEY)
    assert (session.revision, len(session.interactions), session.events) == (2, 2, None)
    assert await store.delete(KEY, if_revision=2)


@in_loop
async def test_unknown_keys_survive(backend: Backend, example: dict[str, Any]) -> None:
    """P25"""
    example["x_tool"] = {"deep": [1, None, {"é": "é"}]}
    example["meta"]["x_meta"] = "kept"
    example["interactions"][0]["user_request"]["x_request"] = 1.5
    example["interactions"][0]["ai_response"]["x_half"] = "\ud83d"
    backend.plant(KEY, json.dumps(example).encode())

    await backend.open().save_interaction(KEY, turn(x_turn=[True]))
    raw, _ = await backend.open().load_raw(KEY) or (b"", 0)
    saved_content = json.loads(raw)
    assert saved_content["interactions"].pop()["x_turn"] == [True]
    assert saved_content["meta"].pop("revision") == 1
    saved_content["meta"]["last_updated"] = example["meta"]["last_updated"]
    assert saved_content == example


@in_loop
async def test_a_write_adds_only_optional_keys(backend: Backend, example: dict[str, Any]) -> None:
    """The example file can be loaded, saved and loaded again."""
    backend.plant(KEY, json.dumps(example).encode())
    assert (await backend.open().load_session(KEY)).to_dict() == example

    await backend.open().record_events(KEY, [event("accept", turn_id=1)])
    session = await backend.open().load_session(KEY)
    assert session.events and session.events[0].seq == 2
    stored = session.to_dict()
    del stored["events"]
    assert stored["meta"].pop("revision") == 1
    assert stored["meta"].pop("last_updated") > example["meta"].pop("last_updated")
    assert stored == example


@in_loop
async def test_a_newer_session_is_read_only(backend: Backend, example: dict[str, Any]) -> None:
    """P25"""
    example["meta"]["version"] = "2.0"
    backend.plant(KEY, json.dumps(example).encode())
    store = backend.open()
    assert [t.turn_id for t in (await store.load_session(KEY)).interactions] == [1]
    for write in (
        store.save_interaction(KEY, turn()),
        store.record_events(KEY, [event()]),
        store.delete(KEY),
        store.fork(KEY, OTHER_CELL),
    ):
        with pytest.raises(SessionTooNew):
            await write
    raw, _ = await store.load_raw(KEY) or (b"", 0)
    assert json.loads(raw) == example
    rows, total = await store.list_sessions()
    assert (total, rows[0].turns) == (1, 1)
    assert not await store.exists(OTHER_CELL)


@pytest.mark.parametrize("version", ["2.0", "10.1", "2", "2.0.1", 3])
@in_loop
async def test_a_newer_session_is_read_as_far_as_possible(
    backend: Backend, example: dict[str, Any], version: Any
) -> None:
    """P25"""
    example["meta"] |= {"version": version, "revision": "seven", "created_at": 17}
    example["interactions"].append({"turn": 2, "everything": "else"})
    example["events"] = {"now": "an object"}
    backend.plant(KEY, json.dumps(example).encode())
    store = backend.open()
    session = await store.load_session(KEY)
    assert [t.turn_id for t in session.interactions] == [1]
    assert session.meta.last_updated == example["meta"]["last_updated"]
    with pytest.raises(SessionTooNew):
        await store.save_interaction(KEY, turn())
    assert (await store.list_sessions())[1] == 1


@in_loop
async def test_lists_are_ordered_and_paged(store: SessionManager) -> None:
    keys = [SessionKey(n, c) for n in ("B", "a", "a_b") for c in ("z", "Z", "_", "0", "c_d")]
    for key in reversed(keys):
        await store.save_interaction(key, turn(f"for {key.cell_id}", code="a\n" * 30))
    await store.save_interaction(SessionKey("a", "z", owner="somebody else"), turn())

    rows, total = await store.list_sessions()
    assert [(r.notebook_id, r.cell_id) for r in rows] == sorted(
        (k.notebook_id, k.cell_id) for k in keys
    )
    assert total == len(keys)
    assert await store.list_sessions(offset=3, limit=4) == (rows[3:7], total)
    assert await store.list_sessions(offset=99) == ([], total)

    rows, total = await store.list_sessions("a", limit=2)
    assert ([r.cell_id for r in rows], total) == (["0", "Z"], 5)
    assert (rows[0].last_intent, rows[0].last_status) == ("for 0", "success")
    assert rows[0].last_source.startswith("a\na\n")
    assert len(rows[0].last_source) < 40, "the source is not shortened"
    with pytest.raises(InvalidRequest):
        await store.list_sessions("../a")


@in_loop
async def test_a_list_follows_every_write(store: SessionManager) -> None:
    for count in range(1, 6):
        await store.save_interaction(KEY, turn(f"turn {count}"))
        [row], _ = await store.list_sessions(KEY.notebook_id)
        assert (row.turns, row.last_intent, row.revision) == (count, f"turn {count}", count)
    await store.record_events(KEY, [event("edit", source="by hand\n")])
    [row], _ = await store.list_sessions(KEY.notebook_id)
    assert (row.events, row.last_source) == (1, "by hand\n")
    await store.delete(KEY)
    assert await store.list_sessions(KEY.notebook_id) == ([], 0)


@in_loop
async def test_marks_change_with_their_sessions(store: SessionManager) -> None:
    keys = [SessionKey("a", "1"), SessionKey("a", "Two_2"), SessionKey("b", "1")]
    for key in keys:
        await store.save_interaction(key, turn())
    cells = [(key.notebook_id, key.cell_id) for key in keys]

    async def settled() -> dict[tuple[str, str], Hashable]:
        """Return marks once two reads agree, since a file's stamp is not trusted at once."""
        before: dict[tuple[str, str], Hashable] = {}
        while (now := dict(await store.session_marks())) != before:
            before = now
        return now

    first = await settled()
    assert first.keys() == set(cells)
    assert dict(await store.session_marks("a")).keys() == set(cells[:2])
    assert await store.session_marks("nothing") == {}
    assert await store.session_marks(owner="somebody") == {}
    with pytest.raises(InvalidRequest):
        await store.session_marks("../a")
    await store.record_events(keys[1], [event("run")])
    second = dict(await store.session_marks())
    assert {cell for cell in cells if second[cell] != first[cell]} == {cells[1]}
    await store.delete(keys[0])
    assert (await store.session_marks()).keys() == set(cells[1:])
    stored = await store.load_stored(keys)
    assert stored[0] is None
    assert [codec.parse(data or b"") for data in stored[1:]] == [
        await store.load_session(key) for key in keys[1:]
    ]


@in_loop
async def test_delete_removes_for_good(backend: Backend) -> None:
    await backend.open().save_interaction(KEY, turn("canary"))
    await backend.open().save_interaction(OTHER_CELL, turn())
    assert await backend.open().delete(KEY)
    assert not await backend.open().delete(KEY)
    assert await backend.open().load_if_exists(KEY) is None
    assert await backend.open().exists(OTHER_CELL)
    saved, revision = await backend.open().save_interaction(KEY, turn())
    assert (saved.turn_id, revision) == (1, 1)


@in_loop
async def test_fork_copies_and_names_the_origin(backend: Backend) -> None:
    store = backend.open()
    with pytest.raises(NotFound):
        await store.fork(KEY, OTHER_CELL)
    await store.save_interaction(KEY, turn("before"))
    copy = await store.fork(KEY, OTHER_CELL)
    assert copy.meta.forked_from == {
        "notebook_id": KEY.notebook_id,
        "cell_id": KEY.cell_id,
        "revision": 1,
    }
    await store.save_interaction(KEY, turn("original"))
    await store.save_interaction(OTHER_CELL, turn("copy"))
    again = await store.fork(KEY, OTHER_CELL)
    assert again == await backend.open().load_session(OTHER_CELL), (
        "the existing session was changed"
    )
    for key, last in ((KEY, "original"), (OTHER_CELL, "copy")):
        session = await backend.open().load_session(key)
        assert (session.meta.notebook_id, session.meta.cell_id) == (key.notebook_id, key.cell_id)
        assert [t.user_request.intent for t in session.interactions] == ["before", last]


@pytest.mark.parametrize("owner", ["alice", "Alice", "a@b.example", "../../x", "\0", "名" * 500])
@in_loop
async def test_owners_see_only_their_own_records(backend: Backend, owner: str) -> None:
    """P9"""
    store = backend.open()
    key = SessionKey(KEY.notebook_id, KEY.cell_id, owner)
    long_key = SessionKey("N" * 64, "C" * 64, owner)
    for each in (key, long_key):
        await store.save_interaction(each, turn("theirs"))
    digest = await store.put_blob(b"theirs", owner=owner)
    await store.append_notebook_log(KEY.notebook_id, [log_entry(path="p")], owner=owner)
    await store.append_notebook_log("N" * 64, [log_entry(path="q")], owner=owner)

    for nobody in ("", "bob", owner + " "):
        assert not await store.exists(SessionKey(KEY.notebook_id, KEY.cell_id, nobody))
        assert await store.list_sessions(owner=nobody) == ([], 0)
        assert await store.get_blob(digest, owner=nobody) is None
        assert await store.read_notebook_log(KEY.notebook_id, owner=nobody) == []
        assert await store.list_notebooks(owner=nobody) == []
    rows, total = await backend.open().list_sessions(owner=owner)
    assert ([r.notebook_id for r in rows], total) == ([KEY.notebook_id, "N" * 64], 2)
    assert (await store.load_session(key)).meta.owner == owner
    assert await store.get_blob(digest, owner=owner) == b"theirs"
    assert await store.list_notebooks(owner=owner) == sorted([KEY.notebook_id, "N" * 64])
    assert len(await store.read_notebook_log("N" * 64, owner=owner)) == 1


@in_loop
async def test_notebook_logs_grow(backend: Backend) -> None:
    store = backend.open()
    assert await store.list_notebooks() == []
    assert await store.read_notebook_log(NOTEBOOK) == []
    assert await store.append_notebook_log(NOTEBOOK, []) == []
    assert await store.list_notebooks() == [], "an empty list was written"
    first = await store.append_notebook_log(NOTEBOOK, [log_entry(path="a"), log_entry(path="分析")])
    marks = dict(await backend.open().notebook_marks())
    await backend.open().append_notebook_log("A_b", [log_entry(path="b", x_unknown=[1])])
    assert (await backend.open().notebook_marks())[NOTEBOOK] == marks[NOTEBOOK]
    more = await backend.open().append_notebook_log(NOTEBOOK, [log_entry(path="c")])
    assert [entry.seq for entry in first + more] == [1, 2, 3]
    assert await backend.open().read_notebook_log(NOTEBOOK) == first + more
    assert (await backend.open().notebook_marks())[NOTEBOOK] != marks[NOTEBOOK]
    assert await backend.open().list_notebooks() == [NOTEBOOK, "A_b"]
    for bad in ("../x", "", "a" * 65):
        with pytest.raises(InvalidRequest):
            await store.append_notebook_log(bad, [log_entry()])
        with pytest.raises(InvalidRequest):
            await store.read_notebook_log(bad)


@in_loop
async def test_blobs_are_stored_by_content(backend: Backend) -> None:
    for data in (b"", b"\0\xff" * 5000):
        digest = await backend.open().put_blob(data)
        assert digest == hashlib.sha256(data).hexdigest()
        assert await backend.open().put_blob(data) == digest
        assert await backend.open().get_blob(digest) == data
    assert await backend.open().get_blob("0" * 64) is None
    for bad in ("../" * 20, "A" * 64, "0" * 63, "", "0" * 64 + "\n"):
        with pytest.raises(InvalidRequest):
            await backend.open().get_blob(bad)


@in_loop
async def test_many_tasks_lose_nothing(store: SessionManager) -> None:
    """P23"""
    saves = [store.save_interaction(KEY, turn(f"turn {n}")) for n in range(30)]
    records = [store.record_events(KEY, [event(data={"n": n})]) for n in range(30)]
    done: list[Any] = await asyncio.gather(*saves, *records)
    session = await store.load_session(KEY)
    assert {t.user_request.intent for t in session.interactions} == {f"turn {n}" for n in range(30)}
    assert sorted(t.turn_id for t in session.interactions) == list(range(1, 31))
    assert [item.seq for item in session.ordered()] == list(range(1, 61))
    assert sorted(revision for _, revision in done) == list(range(1, 61))
    for (saved, _), asked in zip(done[:30], range(30), strict=True):
        assert session.interactions[saved.turn_id - 1].user_request.intent == f"turn {asked}"


@in_loop
async def test_order_does_not_come_from_clocks(
    backend: Backend, monkeypatch: pytest.MonkeyPatch
) -> None:
    """P26"""
    days = ["2026-01-28", "2026-01-26", "2026-01-27", "2026-01-25", "2026-01-29"]
    for number, day in enumerate(days):
        now = f"{day}T12:00:00.000Z"
        monkeypatch.setattr(steps, "utc_now", lambda now=now: now)
        await backend.open().save_interaction(KEY, turn(str(number), timestamp=now))
        await backend.open().record_events(KEY, [event("run", timestamp=now)])
    session = await backend.open().load_session(KEY)
    assert [item.seq for item in session.ordered()] == list(range(1, 11))
    history = await backend.open().get_history(KEY, max_messages=6)
    assert [t.user_request.intent for t in history] == ["2", "3", "4"]
    [row], _ = await backend.open().list_sessions()
    assert (row.last_intent, row.revision) == ("4", 10)
    await backend.open().record_events(
        KEY, [event("context_reset", timestamp="1999-01-01T00:00:00.000Z")]
    )
    assert await backend.open().get_history(KEY) == []


BAD_PARTS = ["..", ".", "/", "\\", "%2e", "%2F", "\0", "~", " ", "\n", ":", "é", "root2", "a"]
bad_ids = st.one_of(
    st.text(max_size=80),
    st.lists(st.sampled_from(BAD_PARTS), max_size=30).map("".join),
    st.sampled_from(["/etc/passwd", "../root2/x", "a" * 10_240, "C:\\x", "a\n", "..%2fx", "é"]),
).filter(lambda text: not (text.isascii() and 0 < len(text) <= 64 and _plain(text)))


def _plain(text: str) -> bool:
    return text.replace("-", "").replace("_", "").isalnum() or not text.strip("-_")


@with_store
@given(bad=bad_ids)
def test_invalid_ids_are_rejected(store: SessionManager, bad: str) -> None:
    """P5"""
    with pytest.raises(InvalidRequest):
        SessionKey(bad, "cell")
    with pytest.raises(InvalidRequest):
        SessionKey("notebook", bad)
    for call in (store.list_sessions, store.read_notebook_log, store.get_blob):
        with pytest.raises(InvalidRequest):
            asyncio.run(call(bad))
    with pytest.raises(InvalidRequest):
        asyncio.run(store.append_notebook_log(bad, [log_entry()]))


numbers = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
leaves = st.none() | st.booleans() | numbers | st.text()
json_values = st.recursive(
    leaves, lambda v: st.lists(v) | st.dictionaries(st.text(), v), max_leaves=8
)


@with_store
@given(data=st.dictionaries(st.text(), json_values), source=st.text(), depth=st.integers(0, 240))
def test_accepted_data_can_be_read(
    backend: Backend, data: dict[str, Any], source: str, depth: int
) -> None:
    """P22: no data of a client can create a damaged record."""
    for _ in range(depth):
        data = {"": data}
    key = fresh_key()
    [saved], _ = asyncio.run(backend.open().record_events(key, [event(data=data, source=source)]))
    session = asyncio.run(backend.open().load_session(key))
    assert session.events == [saved]
    assert session.events[0].data == data


@pytest.mark.parametrize("deep", [1_000, 100_000])
@in_loop
async def test_unencodable_data_is_rejected(store: SessionManager, deep: int) -> None:
    await store.save_interaction(KEY, turn())
    data: dict[str, Any] = {}
    for _ in range(deep):
        data = {"": data}
    for bad in (data, {"n": 10**5000}, {"o": object()}, {"b": b"\xff"}):
        with pytest.raises(InvalidRequest):
            await store.record_events(KEY, [event(data=bad)])
    session = await store.load_session(KEY)
    assert (session.revision, session.events) == (1, None)
    assert (await store.save_interaction(KEY, turn()))[1] == 2


@in_loop
async def test_take_over_merges_both_sessions(backend: Backend) -> None:
    """P23: records of another store are merged, and merging again changes nothing."""
    store, key = backend.open(), fresh_key()
    other = await session_of_another_store(key, "theirs")
    assert await store.take_over(key, other)
    await store.save_interaction(key, turn("ours"))
    store = backend.open()
    assert not await store.take_over(key, other)
    assert [each.user_request.intent for each in await store.get_history(key)] == [
        "theirs",
        "ours",
    ]
    await store.delete(key)
    assert not await store.take_over(key, other, merged_digests={digest(other.interactions[0])})
    assert not await store.exists(key)
    other.meta.version = "2.0"
    with pytest.raises(SessionTooNew):
        await store.take_over(key, other)


async def session_of_another_store(key: SessionKey, *intents: str) -> Session:
    """Return a session of the cell from another store."""
    place = InMemorySessionManager()
    for intent in intents:
        await place.save_interaction(key, turn(intent))
    return await place.load_session(key)


@in_loop
async def test_sessions_can_be_written_under_the_notebook_lock(backend: Backend) -> None:
    store, key = backend.open(), fresh_key()
    for _ in range(2):
        async with store.exclusively():
            await asyncio.gather(*(store.save_interaction(key, turn(str(n))) for n in range(9)))
    assert len(await store.get_history(key)) == 18


@in_loop
async def test_lone_surrogates_and_empty_ids(backend: Backend) -> None:
    """P22, P36: they are read again, in the history and in an event that is sent twice."""
    store = backend.open()
    await store.save_interaction(KEY, turn("one", x_half="\ud83d"))
    [saved_content] = await store.get_history(KEY)
    assert saved_content.to_dict()["x_half"] == "\ud83d"
    for _ in range(2):
        [saved], revision = await store.record_events(KEY, [event(id="", x_half="\ude00")])
        assert (saved.seq, revision, saved.to_dict()["x_half"]) == (2, 2, "\ude00")


@in_loop
async def test_the_first_of_several_events_with_the_same_id_counts(
    backend: Backend, example: dict[str, Any]
) -> None:
    """P27: a merged session may contain several, and every store returns the first one."""
    example["events"] = [
        event(id="one", x_which=which).to_dict() | {"seq": seq}
        for seq, which in ((10, "first"), (11, "second"))
    ]
    assert await backend.open().take_over(KEY, Session.model_validate(example))
    for _ in range(2):
        [saved], _ = await backend.open().record_events(KEY, [event(id="one")])
        assert saved.to_dict()["x_which"] == "first"


@in_loop
async def test_nothing_remains_of_deleted_sessions(backend: Backend) -> None:
    """This includes the ids of events and the owner, so a new session starts empty."""
    store = backend.open()
    key = SessionKey(KEY.notebook_id, KEY.cell_id, "ada")
    await store.record_events(key, [event(id="one"), event("context_reset")])
    await store.append_notebook_log("notebook", [log_entry()], owner="ada")
    digest = await store.put_blob(b"x", owner="ada")
    assert "ada" in await store.list_owners()
    assert await store.delete(key)
    assert await store.delete_notebook_log("notebook", owner="ada")
    if store.shared:
        assert await store.list_owners() == ["ada"]
    assert await store.delete_blob(digest, owner="ada")
    assert "ada" not in await backend.open().list_owners()

    [saved], revision = await backend.open().record_events(key, [event(id="one")])
    assert (saved.seq, revision) == (1, 1)
    await backend.open().save_interaction(key, turn())
    assert len(await backend.open().get_history(key)) == 1
