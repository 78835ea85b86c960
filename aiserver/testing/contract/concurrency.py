"""Concurrent writers, and merging with another store."""

from __future__ import annotations

import asyncio

import pytest

from ...errors import SessionTooNew
from ...models import Session, SessionKey
from ...sessions.base import SessionManager
from ...sessions.memory import InMemorySessionManager
from ...sessions.record.merge import digest
from .. import Backend
from ..records import KEY, event, fresh_key, in_loop, turn


@in_loop
async def test_many_tasks_lose_nothing(store: SessionManager) -> None:
    """P23: the turns and events of all tasks are stored, and each record has its own ``seq``."""
    turn_saves = [store.save_interaction(KEY, turn(f"turn {n}")) for n in range(30)]
    event_saves = [store.record_events(KEY, [event(data={"n": n})]) for n in range(30)]
    turns, events = await asyncio.gather(asyncio.gather(*turn_saves), asyncio.gather(*event_saves))
    session = await store.load_session(KEY)
    assert {t.user_request.intent for t in session.interactions} == {f"turn {n}" for n in range(30)}
    assert sorted(t.turn_id for t in session.interactions) == list(range(1, 31))
    assert [record.seq for record in session.ordered()] == list(range(1, 61))
    assert sorted(revision for _, revision in [*turns, *events]) == list(range(1, 61))
    for n, (saved, _) in enumerate(turns):
        assert session.interactions[saved.turn_id - 1].user_request.intent == f"turn {n}"


@in_loop
async def test_merge_copy_merges_both_sessions(backend: Backend) -> None:
    """P23: records of another store are merged, and merging again changes nothing."""
    store, key = backend.open(), fresh_key()
    other = await session_of_another_store(key, "from the other store")
    assert await store.merge_copy(key, other)
    await store.save_interaction(key, turn("from this store"))
    store = backend.open()
    assert not await store.merge_copy(key, other)
    assert [t.user_request.intent for t in await store.get_history(key)] == [
        "from the other store",
        "from this store",
    ]
    await store.delete(key)
    assert not await store.merge_copy(key, other, merged_digests={digest(other.interactions[0])})
    assert not await store.exists(key)
    other.meta.version = "2.0"
    with pytest.raises(SessionTooNew):
        await store.merge_copy(key, other)


async def session_of_another_store(key: SessionKey, *intents: str) -> Session:
    """Save a turn for each intent in another store, and return the resulting session."""
    other_store = InMemorySessionManager()
    for intent in intents:
        await other_store.save_interaction(key, turn(intent))
    return await other_store.load_session(key)


@in_loop
async def test_sessions_can_be_written_under_the_notebook_lock(backend: Backend) -> None:
    """Sessions can be written while ``notebook_id_lock`` is locked."""
    store, key = backend.open(), fresh_key()
    for _ in range(2):
        async with store.notebook_id_lock():
            await asyncio.gather(*(store.save_interaction(key, turn(str(n))) for n in range(9)))
    assert len(await store.get_history(key)) == 18


@in_loop
async def test_a_cancelled_wait_for_the_notebook_lock_leaves_it_free(backend: Backend) -> None:
    """Nobody holds ``notebook_id_lock`` after the task that waited for it was cancelled."""
    store = backend.open()

    async def lock_once() -> None:
        async with store.notebook_id_lock():
            pass

    async with store.notebook_id_lock():
        waiting = asyncio.create_task(lock_once())
        # A store that only one process can use may have no lock, so this task may have ended.
        await asyncio.wait([waiting], timeout=0.1)
        waiting.cancel()
    await asyncio.wait([waiting])
    await lock_once()
