"""Memories in Redis: lost responses, restarts, and sessions under the same prefix."""

from __future__ import annotations

from typing import Any

import pytest

from aiserver.errors import StorageError, StorageUnreachable
from aiserver.memory.manager import MemoryManager
from aiserver.memory.stores.redis import RedisMemoryStore
from aiserver.sessions.redis import RedisSessionManager
from aiserver.testing.records import KEY, in_loop, turn

from ...servers import Redis
from ...sessions.conftest import RedisBackend, redis_server  # noqa: F401
from ...sessions.wire import AFTER, BEFORE, Wire


@pytest.mark.parametrize("when", [BEFORE, AFTER])
@in_loop
async def test_a_lost_response_changes_no_result(redis_backend: RedisBackend, when: str) -> None:
    """P19: the connection breaks before the write arrives, or before its response does."""
    with Wire(redis_backend.url) as wire:
        sessions = RedisSessionManager(url=wire.url)
        window = MemoryManager(RedisMemoryStore(sessions), None)

        async def cut(work: Any) -> Any:
            wire.cut = (b"once:", when)
            before = wire.cuts
            result = await work
            assert wire.cuts == before + 1
            return result

        first = await cut(window.propose("Use polars", "person", "request"))
        second = await cut(window.propose("Titles in Chinese", "person", "request"))
        assert await window.pending() == [first, second]
        entry = await cut(window.confirm(first.id))
        await cut(window.reject(second.id))
        assert await window.pending() == []
        assert [listed.entry for listed in await window.list_entries()] == [entry]
        assert (await cut(window.forget("person", entry.id))).id == entry.id
        assert await window.list_entries() == []
        await sessions.close()


@in_loop
async def test_a_killed_server_keeps_proposals_and_entries(redis_server: Redis) -> None:  # noqa: F811
    """P19"""
    sessions = RedisSessionManager(url=redis_server.url)
    window = MemoryManager(RedisMemoryStore(sessions), None, owner="ada")
    entry = await window.add("person", "Use polars")
    proposal = await window.propose("Titles in Chinese", "person", "request")
    redis_server.kill()
    redis_server.start()
    assert [listed.entry for listed in await window.list_entries()] == [entry]
    assert await window.pending() == [proposal]
    impatient = RedisSessionManager(url=redis_server.url, patience=0.1)
    redis_server.kill()
    with pytest.raises(StorageUnreachable):
        await MemoryManager(RedisMemoryStore(impatient), None, owner="ada").pending()
    redis_server.start()
    await impatient.close()
    await sessions.close()


@in_loop
async def test_sessions_and_memories_dont_affect_each_other(redis_backend: RedisBackend) -> None:
    """P25: an AI Server without memories sees nothing of them."""
    sessions = redis_backend.open()
    store = RedisMemoryStore(sessions)
    assert await store.replace("memory", None, b"- a\n", owner="ada")
    assert await sessions.list_owners() == []
    assert [r.problem async for r in sessions.verify(owner="ada")] == []
    await sessions.save_interaction(KEY, turn())
    await sessions.delete(KEY)
    assert await store.read("memory", owner="ada") == b"- a\n"
    assert await store.replace("memory", b"- a\n", None, owner="ada")
    remaining = [key for key in redis_backend.content() if b"memory" in key]
    assert remaining == []


@in_loop
async def test_data_of_another_program_is_not_overwritten(redis_backend: RedisBackend) -> None:
    key = redis_backend.names.owner_key("memory", "ada")
    redis_backend.server.set(key, b"theirs")
    store = RedisMemoryStore(redis_backend.open())
    for work in (
        store.read("memory", owner="ada"),
        store.replace("memory", None, b"x", owner="ada"),
    ):
        with pytest.raises(StorageError, match="other data"):
            await work
    assert redis_backend.server.get(key) == b"theirs"
