"""Stored data is read back exactly, and owners and ids are kept apart."""

from __future__ import annotations

import asyncio
import hashlib
import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ...errors import InvalidRequest, SessionTooNew
from ...models import SessionKey
from ...sessions.base import SessionManager
from .. import Backend
from ..records import KEY, NOTEBOOK, OTHER_CELL, event, fresh_key, in_loop, log_entry, turn

# The examples of a test share one store, so a test that writes must use a different key for each
# example. Each test runs 25 examples, or fewer if the Hypothesis profile has a lower maximum.
many_examples = settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture],
    deadline=None,
    max_examples=min(25, settings().max_examples),
)


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


@pytest.mark.parametrize("owner", ["alice", "Alice", "a@b.example", "../../x", "\0", "名" * 500])
@in_loop
async def test_owners_see_only_their_own_records(backend: Backend, owner: str) -> None:
    """P9: sessions, change logs and blobs of one owner are hidden from all other owners."""
    store = backend.open()
    key = SessionKey(KEY.notebook_id, KEY.cell_id, owner)
    long_key = SessionKey("N" * 64, "C" * 64, owner)
    for owned_key in (key, long_key):
        await store.save_interaction(owned_key, turn("theirs"))
    digest = await store.put_blob(b"theirs", owner=owner)
    await store.append_notebook_log(KEY.notebook_id, [log_entry(path="p")], owner=owner)
    await store.append_notebook_log("N" * 64, [log_entry(path="q")], owner=owner)

    for other_owner in ("", "bob", owner + " "):
        assert not await store.exists(SessionKey(KEY.notebook_id, KEY.cell_id, other_owner))
        assert await store.list_sessions(owner=other_owner) == ([], 0)
        assert await store.get_blob(digest, owner=other_owner) is None
        assert await store.read_notebook_log(KEY.notebook_id, owner=other_owner) == []
        assert await store.list_notebooks(owner=other_owner) == []
    rows, total = await backend.open().list_sessions(owner=owner)
    assert ([r.notebook_id for r in rows], total) == ([KEY.notebook_id, "N" * 64], 2)
    assert (await store.load_session(key)).meta.owner == owner
    assert await store.get_blob(digest, owner=owner) == b"theirs"
    assert await store.list_notebooks(owner=owner) == sorted([KEY.notebook_id, "N" * 64])
    assert len(await store.read_notebook_log("N" * 64, owner=owner)) == 1


BAD_PARTS = ["..", ".", "/", "\\", "%2e", "%2F", "\0", "~", " ", "\n", ":", "é", "root2", "a"]
bad_ids = st.one_of(
    st.text(max_size=80),
    st.lists(st.sampled_from(BAD_PARTS), max_size=30).map("".join),
    st.sampled_from(["/etc/passwd", "../root2/x", "a" * 10_240, "C:\\x", "a\n", "..%2fx", "é"]),
).filter(lambda text: not (text.isascii() and 0 < len(text) <= 64 and _is_valid(text)))


def _is_valid(text: str) -> bool:
    """Return whether an ASCII text contains only letters, digits, ``-`` and ``_``."""
    return text.replace("-", "").replace("_", "").isalnum() or not text.strip("-_")


@many_examples
@given(bad=bad_ids)
def test_invalid_ids_are_rejected(store: SessionManager, bad: str) -> None:
    """P5: an id can't contain a path, so it can't lead to a file outside of the store."""
    with pytest.raises(InvalidRequest):
        SessionKey(bad, "cell")
    with pytest.raises(InvalidRequest):
        SessionKey("notebook", bad)
    calls = (
        store.list_sessions,
        store.session_marks,
        store.read_notebook_log,
        store.delete_notebook_log,
        store.get_blob,
    )
    for call in calls:
        with pytest.raises(InvalidRequest):
            asyncio.run(call(bad))
    with pytest.raises(InvalidRequest):
        asyncio.run(store.append_notebook_log(bad, [log_entry()]))


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
