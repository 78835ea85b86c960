"""Saving, loading, listing, copying and deleting sessions, events, and the order of records."""

from __future__ import annotations

import json
from collections.abc import Hashable
from typing import Any

import pytest

from ...errors import InvalidRequest, NotFound, StaleRevision
from ...models import CONDENSED_TURNS, Session, SessionKey
from ...sessions.base import SessionManager
from ...sessions.record import codec, mutations
from .. import Backend
from ..records import KEY, OTHER_CELL, event, in_loop, log_entry, turn


@in_loop
async def test_a_missing_session(store: SessionManager) -> None:
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
    new_turn = turn(intent="画一个图 📈", code="plot()\n", model="fake:one", usage={"output": 3})
    saved, revision = await backend.open().save_interaction(KEY, new_turn)
    assert (saved.turn_id, saved.seq, revision) == (1, 1, 1)

    session = await backend.open().load_session(KEY)
    assert session.interactions == [saved]
    assert session.meta.notebook_id == KEY.notebook_id
    assert session.meta.cell_id == KEY.cell_id
    assert saved.to_dict() == {"turn_id": 1, **new_turn.to_dict(), "seq": 1}

    raw, revision = await backend.open().load_raw(KEY) or (b"", 0)
    assert (json.loads(raw), revision) == (session.to_dict(), 1)
    assert "画一个图 📈".encode() in raw


@in_loop
async def test_returned_objects_are_copies(store: SessionManager) -> None:
    saved, _ = await store.save_interaction(KEY, turn("first"))
    saved.user_request.intent = "changed by the caller"
    [saved_event], _ = await store.record_events(KEY, [event(data={"a": 1})])
    saved_event.data = {"a": 2}
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
    """P33: a write that expects an older revision raises StaleRevision and changes nothing."""
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


@in_loop
async def test_nothing_remains_of_deleted_sessions(backend: Backend) -> None:
    """A deleted session's event ids are deleted, too, so the cell's next session starts empty.

    The store also forgets an owner whose last data is deleted.
    """
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


@in_loop
async def test_turns_and_events_share_one_order(store: SessionManager) -> None:
    """P26: turns and events are numbered together, in the order in which they were saved."""
    await store.save_interaction(KEY, turn("one"))
    saved, revision = await store.record_events(KEY, [event("accept", turn_id=1), event("run")])
    assert [e.seq for e in saved] == [2, 3]
    assert revision == 2, "the two events were written one by one"
    await store.save_interaction(KEY, turn("two"))
    session = await store.load_session(KEY)
    order = [getattr(record, "type", None) or record.turn_id for record in session.ordered()]
    assert order == [1, "accept", "run", 2]


@in_loop
async def test_no_events_write_nothing(store: SessionManager) -> None:
    assert await store.record_events(KEY, []) == ([], 0)
    assert not await store.exists(KEY)
    await store.save_interaction(KEY, turn())
    assert await store.record_events(KEY, []) == ([], 1)


@in_loop
async def test_an_event_that_is_sent_again_is_stored_once(backend: Backend) -> None:
    """P36: an event is stored once, even if it is sent again after a restart of the server.

    A client that got no response sends its events again.
    """
    ids = ["7d2f0c1e-52b8-4c0a-9d6b-0f7a3a5f6c01", "7d2f0c1e-52b8-4c0a-9d6b-0f7a3a5f6c02"]
    first, revision = await backend.open().record_events(KEY, [event("accept", id=ids[0])])
    store = backend.open()
    again, unchanged = await store.record_events(KEY, [event("accept", id=ids[0])])
    assert (again, unchanged) == (first, revision)
    both = [event("accept", id=ids[0]), event("edit", id=ids[1]), event("edit", id=ids[1])]
    saved, _ = await store.record_events(KEY, both)
    assert [e.seq for e in saved] == [1, 2, 2]
    # Events without ids are stored each time that they are sent.
    await store.record_events(KEY, [event("run"), event("run")])
    events = (await store.load_session(KEY)).events or []
    assert [(e.seq, e.id) for e in events] == [(1, ids[0]), (2, ids[1]), (3, None), (4, None)]
    other = SessionKey("notebook", "other")
    same_id, _ = await store.record_events(other, [event("accept", id=ids[0])])
    assert same_id[0].seq == 1, "ids of events are not separate for each session"


@in_loop
async def test_a_summary_of_older_turns_is_stored_like_any_event(backend: Backend) -> None:
    """P16: the data of the event is stored completely, without secrets, and no turn changes."""
    for intent in ("one", "two"):
        await backend.open().save_interaction(KEY, turn(intent))
    before = (await backend.open().load_session(KEY)).interactions
    key = "sk-proj-Ab3dE6gH9jK2mN5pQ8sT1vW4"
    data = {
        "text": f"- 两位小数\n- with {key}",
        "turns": 2,
        "last": "0123456789abcdef",
        "covers": "fedcba9876543210",
        "usage": {"input_tokens": 12, "output_tokens": 3},
        "cost": 0.000012,
    }
    model = {"kind": "model", "name": "openai:gpt-4.1-mini"}
    store = backend.open()
    [saved], revision = await store.record_events(
        KEY, [event(CONDENSED_TURNS, data=data, contributor=model)], if_revision=2
    )
    assert (saved.seq, revision) == (3, 3)
    session = await backend.open().load_session(KEY)
    [stored] = session.events or []
    assert stored.to_dict() == saved.to_dict()
    assert stored.data == data | {"text": "- 两位小数\n- with ‹redacted:openai-key›"}
    assert stored.contributor is not None and stored.contributor.to_dict() == model
    assert session.interactions == before == await backend.open().get_history(KEY)


@in_loop
async def test_the_first_of_several_events_with_the_same_id_counts(
    backend: Backend, example: dict[str, Any]
) -> None:
    """P27: of several events with the same id, ``record_events`` returns the first.

    A merged session may contain such events.
    """
    example["events"] = [
        event(id="one", x_which=which).to_dict() | {"seq": seq}
        for seq, which in ((10, "first"), (11, "second"))
    ]
    assert await backend.open().merge_copy(KEY, Session.model_validate(example))
    for _ in range(2):
        [saved], _ = await backend.open().record_events(KEY, [event(id="one")])
        assert saved.to_dict()["x_which"] == "first"


@in_loop
async def test_order_does_not_come_from_clocks(
    backend: Backend, monkeypatch: pytest.MonkeyPatch
) -> None:
    """P26: turns and events are in the order in which they were saved, whatever their times are."""
    days = ["2026-01-28", "2026-01-26", "2026-01-27", "2026-01-25", "2026-01-29"]
    for number, day in enumerate(days):
        now = f"{day}T12:00:00.000Z"
        monkeypatch.setattr(mutations, "utc_now", lambda now=now: now)
        await backend.open().save_interaction(KEY, turn(str(number), timestamp=now))
        await backend.open().record_events(KEY, [event("run", timestamp=now)])
    session = await backend.open().load_session(KEY)
    assert [record.seq for record in session.ordered()] == list(range(1, 11))
    history = await backend.open().get_history(KEY, max_messages=6)
    assert [t.user_request.intent for t in history] == ["2", "3", "4"]
    [row], _ = await backend.open().list_sessions()
    assert (row.last_intent, row.revision) == ("4", 10)
    await backend.open().record_events(
        KEY, [event("context_reset", timestamp="1999-01-01T00:00:00.000Z")]
    )
    assert await backend.open().get_history(KEY) == []


@in_loop
async def test_history_begins_after_a_context_reset(store: SessionManager) -> None:
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
    # A turn has two messages: the request and the answer.
    assert await intents(max_messages=5) == ["二二", "三三三"], "a turn was split"
    assert await intents(max_messages=99) == ["一", "二二", "三三三"]
    assert await intents(max_tokens=4, count_tokens=len) == ["三三三"]
    assert await intents(max_tokens=5, count_tokens=len) == ["二二", "三三三"]
    assert await intents(max_messages=2, max_tokens=5, count_tokens=len) == ["三三三"]
    assert await intents(max_tokens=2, count_tokens=len) == [], "an older turn was returned instead"
    assert await intents(max_tokens=12) == ["一", "二二", "三三三"], (
        "a Chinese character is counted like a Latin letter"
    )
    assert await intents(max_tokens=8) == ["二二", "三三三"]


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

    async def stable_marks() -> dict[tuple[str, str], Hashable]:
        """Read the marks until two reads are equal, and return them.

        Shortly after a write to a file, the file store returns a different mark at each read.
        """
        before: dict[tuple[str, str], Hashable] = {}
        while (now := dict(await store.session_marks())) != before:
            before = now
        return now

    first = await stable_marks()
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
    stored = await store.load_raw_batch(keys)
    assert stored[0] is None
    assert [codec.parse(data or b"") for data in stored[1:]] == [
        await store.load_session(key) for key in keys[1:]
    ]
