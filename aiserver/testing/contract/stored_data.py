"""Stored data is read back exactly: any JSON, unknown keys, and sessions of other versions."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ...errors import InvalidRequest, SessionTooNew
from ...sessions.base import SessionManager
from ..backend import Backend
from ..records import KEY, OTHER_CELL, event, fresh_key, in_loop, turn
from .examples import many_examples


@in_loop
async def test_unknown_keys_survive(backend: Backend, example: dict[str, Any]) -> None:
    """P25: a save keeps keys that this version of AI Server doesn't know."""
    example["x_tool"] = {"deep": [1, None, {"é": "é"}]}
    example["meta"]["x_meta"] = "kept"
    example["interactions"][0]["user_request"]["x_request"] = 1.5
    example["interactions"][0]["ai_response"]["x_surrogate"] = "\ud83d"
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
    """After a write, the example session has all of its old data, and only optional new keys."""
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
    """P25: a session of a newer major version can be read, but not changed."""
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
    """P25: the turns of a newer session can be read, even if other parts of its format differ."""
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


numbers = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
leaves = st.none() | st.booleans() | numbers | st.text()
json_values = st.recursive(
    leaves, lambda v: st.lists(v) | st.dictionaries(st.text(), v), max_leaves=8
)


@many_examples
@given(data=st.dictionaries(st.text(), json_values), source=st.text(), depth=st.integers(0, 240))
def test_accepted_data_can_be_read(
    backend: Backend, data: dict[str, Any], source: str, depth: int
) -> None:
    """P22: an event's data is read back unchanged, whatever texts, numbers and depth it has."""
    for _ in range(depth):
        data = {"": data}
    key = fresh_key()
    [saved], _ = asyncio.run(backend.open().record_events(key, [event(data=data, source=source)]))
    session = asyncio.run(backend.open().load_session(key))
    assert session.events == [saved]
    assert session.events[0].data == data


@pytest.mark.parametrize("depth", [1_000, 100_000])
@in_loop
async def test_unencodable_data_is_rejected(store: SessionManager, depth: int) -> None:
    await store.save_interaction(KEY, turn())
    data: dict[str, Any] = {}
    for _ in range(depth):
        data = {"": data}
    for bad in (data, {"n": 10**5000}, {"o": object()}, {"b": b"\xff"}):
        with pytest.raises(InvalidRequest):
            await store.record_events(KEY, [event(data=bad)])
    session = await store.load_session(KEY)
    assert (session.revision, session.events) == (1, None)
    assert (await store.save_interaction(KEY, turn()))[1] == 2


@in_loop
async def test_lone_surrogates_and_empty_ids(backend: Backend) -> None:
    """P22, P36: ``get_history`` and ``record_events`` return a lone surrogate unchanged.

    Sending an event again returns the stored event, even if its id is empty.
    """
    store = backend.open()
    await store.save_interaction(KEY, turn("one", x_surrogate="\ud83d"))
    [saved_turn] = await store.get_history(KEY)
    assert saved_turn.to_dict()["x_surrogate"] == "\ud83d"
    for _ in range(2):
        [saved], revision = await store.record_events(KEY, [event(id="", x_surrogate="\ude00")])
        assert (saved.seq, revision, saved.to_dict()["x_surrogate"]) == (2, 2, "\ude00")
