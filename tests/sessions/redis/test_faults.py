"""P19, P20, P23 for Redis: crashes, full memory, errors, lost responses and concurrency."""

from __future__ import annotations

import asyncio
import hashlib
import random
import subprocess
import sys
import time
from collections.abc import Coroutine, Iterator
from typing import Any

import pytest
import redis

from aiserver.errors import StorageError, StorageFull, StorageReadOnly, StorageUnreachable
from aiserver.models import Session, SessionKey
from aiserver.plugins.memory.stores.base import KeyValueMemoryStore
from aiserver.sessions.base import SessionManager
from aiserver.sessions.factory import create_session_manager
from aiserver.sessions.memory import InMemorySessionManager
from aiserver.sessions.redis import RedisSessionManager
from aiserver.testing.records import KEY, event, in_loop, log_entry, turn

from ...ports import ReservedPort
from ...servers import PASSWORD, Redis
from ..conftest import RedisBackend
from ..wire import AFTER, Wire
from ..worker import Worker

OTHER = SessionKey(KEY.notebook_id, "other")


@pytest.fixture
def admin(redis_server: Redis) -> Iterator[redis.Redis]:
    with redis.Redis.from_url(redis_server.url, decode_responses=True) as client:
        yield client


def store_of(redis_server: Redis, **traits: Any) -> RedisSessionManager:
    store = create_session_manager(redis_server.url, **traits)
    assert isinstance(store, RedisSessionManager)
    return store


def test_a_killed_server_keeps_what_it_acknowledged(redis_server: Redis) -> None:
    """P19: Redis, with “appendfsync always”, is killed during saves and restarted."""
    random_ = random.Random(4)
    worker = Worker("aiserver.sessions.redis")
    acknowledged: dict[str, list[tuple[int, int]]] = {}
    try:
        for number in range(12):
            cell = f"cell-{number // 4}"
            worker.start(redis_server.url, cell, 40, count=2)
            lines = worker.output_lines()
            acks: list[str] = []
            for _ in range(random_.randrange(1, 30)):
                acks.append(next(lines))
            time.sleep(random_.uniform(0, 0.003))  # at any point of a save
            redis_server.kill()
            redis_server.start()
            acks += lines
            assert len(acks) == 80, "some saves failed"
            assert {ack.split()[0] for ack in acks} == {"ack"}
            acknowledged.setdefault(cell, []).extend(_numbers(ack) for ack in acks)
    finally:
        worker.close()

    async def look() -> None:
        store = store_of(redis_server)
        for cell, acked in acknowledged.items():
            session = await store.load_session(SessionKey("notebook", cell))
            ids = [each.turn_id for each in session.interactions]
            assert sorted(turn_id for turn_id, _ in acked) == ids == list(range(1, len(ids) + 1))
            assert len({each.user_request.intent for each in session.interactions}) == len(ids)
            assert session.revision == len(ids) + len(session.events or [])
        async for checked in store.verify():
            assert checked.problem is None, checked

    asyncio.run(look())


def _numbers(ack: str) -> tuple[int, int]:
    _, turn_id, revision = ack.split()
    return int(turn_id), int(revision)


@in_loop
async def test_an_unreachable_server_raises(
    redis_server: Redis, caplog: pytest.LogCaptureFixture
) -> None:
    """P20, P8: the error is clear and has no password; saved data is available afterwards."""
    store = store_of(redis_server, patience=0.1)
    await store.save_interaction(KEY, turn("before"))
    redis_server.kill()
    for work in (
        store.save_interaction(KEY, turn("in vain")),
        store.load_raw(KEY),
        store.list_sessions(),
        store.put_blob(b"x"),
        store.start(),
    ):
        with pytest.raises(StorageUnreachable) as caught:
            await work
        assert PASSWORD not in f"{caught.value!r} {caught.value.message} {caught.value.__cause__!r}"
    assert not await store.writable()
    redis_server.start()
    await store.save_interaction(KEY, turn("after"))
    session = await store.load_session(KEY)
    assert [each.user_request.intent for each in session.interactions] == ["before", "after"]
    assert PASSWORD not in caplog.text


@in_loop
async def test_no_memory_left(redis_server: Redis, admin: redis.Redis) -> None:
    """P20: saved data stays intact, and can be read and deleted, which frees memory."""
    store = store_of(redis_server)
    await store.record_events(KEY, [event(id="known")])
    await store.save_interaction(OTHER, turn())
    await store.append_notebook_log(KEY.notebook_id, [log_entry()])
    assert await store.writable()
    admin.config_set("maxmemory", admin.info("memory")["used_memory"] + 200_000)
    saved = 0
    with pytest.raises(StorageFull) as caught:
        while True:
            await store.save_interaction(KEY, turn(code="x" * 5000))
            saved += 1
    assert "maxmemory" in caught.value.message
    assert saved > 3
    before = await store.load_raw(KEY)
    admin.config_set("maxmemory", admin.info("memory")["used_memory"] - 50_000)
    for write in (
        store.record_events(KEY, [event()]),
        store.merge_copy(KEY, await store.load_session(OTHER)),
        store.fork(KEY, SessionKey("a", "copy")),
        store.append_notebook_log(KEY.notebook_id, [log_entry()]),
        store.put_blob(b"picture" * 1000),
    ):
        with pytest.raises(StorageFull):
            await write
    async with store.notebook_id_lock():
        pass  # writes fail
    assert not await store.writable()
    again, _ = await store.record_events(KEY, [event(id="known")])
    assert again[0].seq == 1, "an existing event was not recognized"
    assert await store.load_raw(KEY) == before
    assert len(await store.get_history(KEY)) == saved
    assert [checked.problem async for checked in store.verify()] == [None] * 3
    assert await store.delete(OTHER)
    assert await store.delete_notebook_log(KEY.notebook_id)
    admin.config_set("maxmemory", 0)
    number_turn, _ = await store.save_interaction(KEY, turn())
    assert number_turn.turn_id == saved + 1


@in_loop
async def test_a_read_only_copy(redis_server: Redis, admin: redis.Redis) -> None:
    """P20: a read-only replica can be read, and writes raise an error."""
    store = store_of(redis_server)
    await store.save_interaction(KEY, turn())
    unreachable = ReservedPort()
    admin.replicaof("127.0.0.1", unreachable.number)
    assert not await store.writable()
    assert len(await store.get_history(KEY)) == 1
    for write in (
        store.save_interaction(KEY, turn()),
        store.append_notebook_log("notebook", [log_entry()]),
        store.put_blob(b"x"),
        store.delete(KEY),
        store.fork(KEY, OTHER),
    ):
        with pytest.raises(StorageReadOnly):
            await write
    async with store.notebook_id_lock():
        pass
    assert any("a replica" in sentence for sentence in await store.start())
    admin.replicaof("NO", "ONE")
    unreachable.release()
    assert (await store.save_interaction(KEY, turn()))[1] == 2


@in_loop
async def test_a_server_that_cannot_write_its_disk(redis_server: Redis, admin: redis.Redis) -> None:
    """P20: Redis rejects writes that it could not persist."""
    store = store_of(redis_server)
    await store.save_interaction(KEY, turn())
    (redis_server.folder / "dump.rdb").mkdir()  # so that a snapshot can't be written
    (redis_server.folder / "dump.rdb" / "x").touch()
    admin.config_set("save", "3600 1")
    admin.bgsave()
    while admin.info("persistence")["rdb_last_bgsave_status"] == "ok":
        await asyncio.sleep(0.01)
    with pytest.raises(StorageFull, match="disk"):
        await store.save_interaction(KEY, turn())
    assert len(await store.get_history(KEY)) == 1
    assert any("snapshot" in sentence for sentence in await store.start())
    admin.config_set("save", "")  # otherwise it would not shut down


@in_loop
async def test_authentication_errors_are_reported(redis_server: Redis, admin: redis.Redis) -> None:
    """P8, P20: a wrong password, and a user without rights."""
    wrong = redis_server.url.replace(PASSWORD, "canary-wrong")
    admin.acl_setuser("reader", enabled=True, passwords=["+" + PASSWORD], commands=["+get"])
    limited = redis_server.url.replace("redis://:", "redis://reader:")
    for url, kind in ((wrong, StorageUnreachable), (limited, StorageReadOnly)):
        store = create_session_manager(url, patience=0.1)
        with pytest.raises(kind) as caught:
            await store.save_interaction(KEY, turn())
        details = f"{caught.value!r} {caught.value.__cause__!r}"
        assert "canary" not in details
        assert "user" in caught.value.message


@in_loop
async def test_keys_of_other_programs_are_not_overwritten(redis_backend: RedisBackend) -> None:
    """A write fails before it changes anything if another program uses one of our keys."""
    store, session = redis_backend.open(), await record_of(KEY)
    server = redis_backend.server

    def works() -> list[Coroutine[Any, Any, Any]]:
        return [
            store.save_interaction(KEY, turn()),
            store.record_events(KEY, [event(id="x")]),
            store.merge_copy(KEY, session.model_copy(deep=True)),
            store.append_notebook_log("notebook", [log_entry()]),
            store.put_blob(b"x"),
            KeyValueMemoryStore(store).replace("memory", None, b"x"),
        ]

    for work in works():
        await work
    names = list(redis_backend.content())
    refused = 0
    for name in names:
        redis_backend.empty()
        server.set(name, "theirs")
        for work in works():
            before = redis_backend.content()
            try:
                await work
            except StorageError as error:
                assert "other data" in error.message
                assert redis_backend.content() == before
                refused += 1
        assert server.get(name) == b"theirs"
    assert refused >= len(names)


async def record_of(key: SessionKey) -> Session:
    """Return a session of some turns and events."""
    place = InMemorySessionManager()
    await place.save_interaction(key, turn("theirs"))
    await place.record_events(key, [event(id="theirs")])
    return await place.load_session(key)


@in_loop
async def test_a_write_with_a_lost_response_is_not_repeated(redis_backend: RedisBackend) -> None:
    """P19, P23: the connection breaks after the write; the retry doesn't write again."""
    straight = redis_backend.open()
    other = await record_of(KEY)
    with Wire(redis_backend.url) as wire:
        lossy = create_session_manager(wire.url)

        def works(store: SessionManager, name: str) -> list[Coroutine[Any, Any, Any]]:
            key = SessionKey(name, "cell")
            other.meta.notebook_id = name
            return [
                store.save_interaction(key, turn("one"), if_revision=0),
                store.record_events(key, [event(id="a"), event(), event(id="a")], if_revision=1),
                store.merge_copy(key, other.model_copy(deep=True)),
                store.fork(key, SessionKey(name, "copy")),
                store.append_notebook_log(name, [log_entry(), log_entry()]),
                store.put_blob(b"x", owner=name),
                store.delete_blob(hashlib.sha256(b"x").hexdigest(), owner=name),
                store.delete(SessionKey(name, "copy")),
                store.delete_notebook_log(name),
            ]

        for ours, theirs in zip(works(straight, "aaa"), works(lossy, "bbb"), strict=True):
            expected = await ours
            wire.cut = (b"once:", AFTER)
            actual = await theirs
            if isinstance(expected, Session):
                assert actual.interactions == expected.interactions
            else:
                assert actual == expected
        assert wire.cuts == 9, "not all connections were cut"
        first, second = [
            await straight.load_session(SessionKey(name, "cell")) for name in ("aaa", "bbb")
        ]
        assert (first.interactions, first.events) == (second.interactions, second.events)
        assert first.revision == second.revision
        await lossy.close()
        await straight.close()


@in_loop
async def test_cancelled_saves_are_atomic(redis_backend: RedisBackend) -> None:
    """A cancelled save is stored completely or not at all, and connections stay usable."""
    store = redis_backend.open()
    await store.save_interaction(KEY, turn("first"))
    for number in range(60):
        save = asyncio.ensure_future(store.save_interaction(KEY, turn(f"{number}", "x" * 100_000)))
        reads = [asyncio.ensure_future(store.load_raw(KEY)) for _ in range(3)]
        for _ in range(number):
            await asyncio.sleep(0)
        save.cancel()
        await asyncio.wait([save, *reads])
        for read in reads:
            session = Session.model_validate_json((await read or (b"",))[0])
            assert session.interactions[0].user_request.intent == "first"
    session = await store.load_session(KEY)
    assert session.revision == len(session.interactions)
    assert len({each.user_request.intent for each in session.interactions}) == session.revision


HOLDER = """
import asyncio, sys
from aiserver.sessions.redis import RedisSessionManager

async def hold():
    store = RedisSessionManager(url=sys.argv[1])
    store.lock_ttl = 0.3
    async with store.notebook_id_lock(owner="ada"):
        print("held", flush=True)
        await asyncio.sleep(600)

asyncio.run(hold())
"""


@in_loop
async def test_the_lock_of_a_killed_holder_ends(redis_backend: RedisBackend) -> None:
    """P23: the lock of a running holder doesn't expire, however long the work takes."""
    name = f"{redis_backend.prefix}2:alone:ada"
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, redis_backend.url], stdout=subprocess.PIPE
    )
    try:
        assert holder.stdout and holder.stdout.readline() == b"held\n"
        store = redis_backend.open()
        store.lock_timeout = 0.9  # three times the lock's lifetime
        with pytest.raises(StorageError, match="is writing"):
            async with store.notebook_id_lock(owner="ada"):
                pytest.fail("two at once")
        async with store.notebook_id_lock(owner="bob"):
            pass  # other notebooks don't wait
    finally:
        holder.kill()
        holder.communicate()
    store.lock_timeout = 30
    async with store.notebook_id_lock(owner="ada"):
        assert redis_backend.server.pttl(name) > 0
    assert not redis_backend.server.exists(name)


@in_loop
async def test_the_notebook_lock_is_exclusive(redis_backend: RedisBackend) -> None:
    """P23"""
    inside = 0

    async def enter(store: SessionManager) -> None:
        nonlocal inside
        for _ in range(10):
            async with store.notebook_id_lock():
                inside += 1
                assert inside == 1
                await asyncio.sleep(0.001)
                inside -= 1

    await asyncio.gather(*(enter(redis_backend.open()) for _ in range(4)))
