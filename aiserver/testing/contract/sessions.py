"""Saving, loading, copying and deleting sessions."""

from __future__ import annotations

import json

import pytest

from ...errors import NotFound, StaleRevision
from ...models import SessionKey
from ...sessions.base import SessionManager
from ..backend import Backend
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
