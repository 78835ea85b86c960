"""Sessions are stored exactly in rows, and read without loading all rows."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from aiserver.models import Interaction, NewEvent, Session, SessionKey
from aiserver.sessions.base import SessionManager
from aiserver.sessions.memory import InMemorySessionManager
from aiserver.sessions.record import codec
from aiserver.sessions.record.mutations import find_problems
from aiserver.sessions.sql.rows import Counters, split
from aiserver.sessions.sql.tables import items
from aiserver.sessions.sql.verify import verify
from aiserver.testing.records import KEY, NOON, event, fresh_key, in_loop, turn

from ...examples import examples
from ..databases import Database

numbers = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
# JSON may contain lone surrogates; complete texts are plain text.
names = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
texts = st.text(max_size=12) | st.sampled_from(["\ud83d", "图\n", "\0", '"', "\u2028", "}\n"])
leaves = st.none() | st.booleans() | numbers | texts
values = st.recursive(
    leaves, lambda v: st.lists(v, max_size=3) | st.dictionaries(names, v, max_size=3), max_leaves=6
)
unknown = st.dictionaries(names.map(lambda name: f"x_{name}"), values, max_size=2)


@st.composite
def turns(draw: st.DrawFn, number: int) -> dict[str, Any]:
    content: dict[str, Any] = {
        "turn_id": draw(st.integers(1, 9) | st.just(number) | st.integers(1, 10**30)),
        "timestamp": NOON,
        "user_request": {"intent": draw(names)} | draw(unknown),
        "ai_response": {
            "suggestion": draw(names),
            "status": draw(st.sampled_from(["success", "error"])),
        }
        | draw(unknown),
    }
    if draw(st.booleans()):
        content["seq"] = draw(st.just(2 * number) | st.integers(1, 10**30) | st.none())
    return content | draw(unknown)


@st.composite
def events(draw: st.DrawFn, number: int) -> dict[str, Any]:
    content: dict[str, Any] = {
        "seq": draw(st.just(2 * number + 1) | st.integers(1, 10**30)),
        "type": draw(st.sampled_from(["run", "edit", "context_reset"])),
        "timestamp": NOON,
    }
    if draw(st.booleans()):
        content["id"] = draw(st.sampled_from(["a", "\0", "é"]))
    if draw(st.booleans()):
        content["source"] = draw(names)
    return content | draw(unknown)


@st.composite
def contents(draw: st.DrawFn) -> dict[str, Any]:
    """Draw a session that any tool may have written."""
    count = draw(st.integers(0, 4))
    content: dict[str, Any] = {
        "meta": {
            "version": draw(st.sampled_from(["1.0", "1.7"])),
            "notebook_id": KEY.notebook_id,
            "cell_id": KEY.cell_id,
            "created_at": NOON,
            "last_updated": NOON,
        }
        | draw(unknown),
        "interactions": [draw(turns(number)) for number in range(1, count + 1)],
    }
    if draw(st.booleans()):
        content["meta"]["revision"] = draw(st.integers(0, 10**30) | st.none())
    kind = draw(st.sampled_from(["absent", "null", "empty", "list"]))
    if kind != "absent":
        listed = [draw(events(number)) for number in range(1, draw(st.integers(1, 4)) + 1)]
        content["events"] = {"null": None, "empty": [], "list": listed}[kind]
    return content | draw(unknown)


def session_of(content: dict[str, Any], key: SessionKey) -> Session:
    content["meta"] |= {"notebook_id": key.notebook_id, "cell_id": key.cell_id}
    return codec.parse(json.dumps(content).encode(), key)


generated = settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    deadline=None,
    max_examples=examples(40),
)


@generated
@given(content=contents())
def test_a_session_is_stored_exactly(database: Database, content: dict[str, Any]) -> None:
    """P25: a copy in an empty store is identical, and grows like in every other store."""
    key = fresh_key()
    session = session_of(content, key)
    ids = [event("run", id="a"), event("edit", id="new", source="x")]

    async def grow(store: SessionManager) -> list[Any]:
        results: list[Any] = [await store.merge_copy(key, session)]
        stored = await store.load_session(key)
        raw, revision = await store.load_raw(key) or (b"", -1)
        assert (json.loads(raw), revision) == (stored.to_dict(), stored.revision)
        results += [stored.to_dict(), await summary(store)]
        results += [await store.get_history(key), await store.get_history(key, max_messages=3)]
        saved, _ = await store.save_interaction(key, turn())
        events_, _ = await store.record_events(key, ids)
        results += [(saved.turn_id, saved.seq), [item.seq for item in events_]]
        results += [await store.get_history(key, max_messages=5)]
        later = (await store.load_session(key)).to_dict()
        later["meta"].pop("last_updated")
        return [*results, later]

    async def summary(store: SessionManager) -> Any:
        rows, _ = await store.list_sessions(key.notebook_id)
        return [row for row in rows if row.cell_id == key.cell_id]

    async def compare() -> None:
        store = database.open()
        ours, theirs = await grow(store), await grow(InMemorySessionManager())
        assert ours == theirs
        if content["meta"].get("revision"):
            assert ours[1] == session.to_dict()
        problems = find_problems(await store.load_session(key), key)
        assert await store._read(lambda connection: verify(connection, key)) == problems
        await store.close()

    asyncio.run(compare())


@generated
@given(content=contents())
def test_the_bytes_of_rows_are_joined_without_parsing(content: dict[str, Any]) -> None:
    """The joined bytes equal those of the codec."""
    session = session_of(content, KEY)
    stored, counters = split(session)
    assert stored.load(KEY) == session
    assert stored.load(KEY).model_fields_set == session.model_fields_set
    composed = stored.to_bytes()
    assert codec.parse(composed, KEY) == session
    if "\\ud83d" not in json.dumps(content):  # in that case the codec writes other bytes
        assert composed == codec.encode(session)
    assert Counters.model_validate_json(counters.dump()) == counters


def test_counters_that_could_not_be_read_again_are_not_written() -> None:
    with pytest.raises(ValueError, match="digits"):
        Counters(next_seq=10**4300).dump()


@in_loop
async def test_a_save_reads_no_rows_of_turns(database: Database) -> None:
    """A save writes one row for any session size, and events are found by their ids."""
    store = database.open()
    await store.save_interaction(KEY, turn("one"))
    await store.record_events(KEY, [event("run", id="first")])
    broken = items.update().where(items.c.item_index == 0).values(content="no JSON")
    database.ask(lambda connection: connection.execute(broken))
    saved, revision = await store.save_interaction(KEY, turn("two"))
    assert (saved.turn_id, saved.seq, revision) == (2, 3, 3)
    again, _ = await store.record_events(KEY, [NewEvent(type="run", timestamp=NOON, id="first")])
    assert again[0].seq == 2
    [row], _ = await store.list_sessions()
    assert (row.turns, row.events, row.last_intent) == (2, 1, "two")
    history = await store.get_history(KEY, max_messages=2)
    assert [turn_.user_request.intent for turn_ in history] == ["two"]
    await store.close()


@in_loop
async def test_a_long_history_is_read_from_its_end(database: Database) -> None:
    store = database.open()
    for number in range(40):
        await store.save_interaction(KEY, turn(str(number), code=""))
        if number == 2:
            await store.record_events(KEY, [event("context_reset")])
    history = await store.get_history(KEY)
    assert [turn_.user_request.intent for turn_ in history] == [str(n) for n in range(3, 40)]
    some = await store.get_history(KEY, max_tokens=64, count_tokens=len)
    assert [turn_.user_request.intent for turn_ in some] == [str(n) for n in range(6, 40)]
    assert await store.get_history(KEY, max_messages=68) == history[-34:]
    await store.close()


@in_loop
async def test_loading_does_not_block_the_event_loop(database: Database) -> None:
    """The event loop runs while a thousand turns are read."""
    store = database.open()
    session = await store.load_session(KEY)
    for number in range(1, 1001):
        new = turn(code="x = 1\n" * 300).to_dict() | {"turn_id": number, "seq": number}
        session.interactions.append(Interaction.model_validate(new))
    session.meta.revision = 1000
    await store.merge_copy(KEY, session)
    for read in (store.load_session, store.load_raw):
        done = asyncio.ensure_future(read(KEY))
        rounds = 0
        while not done.done():
            await asyncio.sleep(0)
            rounds += 1
        assert rounds > 20, "the event loop was blocked"
    await store.close()
