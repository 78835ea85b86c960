"""Damage in the stores of values by key: heads, parts, logs and blobs."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from aiserver.errors import SessionCorrupt
from aiserver.models import SessionKey
from aiserver.sessions.key_value import (
    BLOB,
    DAMAGED,
    LOG,
    LOG_PART,
    PART,
    KeyValueSessionManager,
    Transaction,
    value_key,
)
from aiserver.sessions.memory import InMemorySessionManager
from aiserver.testing import Backend
from aiserver.testing.records import KEY, OTHER_CELL, event, in_loop, log_entry, turn

from ..servers import on_servers
from .conftest import DATABASES, backend_of

NAME = value_key(KEY)[2]
SECOND = f"{NAME}/00000001"
DAMAGE: dict[str, Callable[[Transaction], Any]] = {
    "a part": lambda stored: stored.put(PART, "", SECOND, b'{"turns":[{"turn_id": 2, "te'),
    "a part isn't UTF-8": lambda stored: stored.put(PART, "", SECOND, b"\xff\xfe"),
    "a part is missing": lambda stored: stored.delete(PART, "", SECOND),
    "the head": lambda stored: stored.put(*value_key(KEY), b"no JSON"),
    "the head is missing": lambda stored: stored.delete(*value_key(KEY)),
}


@pytest.fixture(params=["memory", *DATABASES, *on_servers("redis")])
def backend(request: pytest.FixtureRequest) -> Backend:
    return backend_of(request, request.param)


def opened(backend: Backend) -> KeyValueSessionManager:
    store = backend.open()
    assert isinstance(store, KeyValueSessionManager)
    return store


def damage_head(key: SessionKey, stored: Transaction) -> None:
    stored.put(*value_key(key), b"\0")


async def problems(store: KeyValueSessionManager, repair: bool = False) -> list[tuple[Any, bool]]:
    return [(each.problem, each.repaired) async for each in store.verify(repair=repair)]


@pytest.mark.parametrize("how", ["repair", "save"])
@pytest.mark.parametrize("what", DAMAGE)
@in_loop
async def test_intact_records_of_a_damaged_session_stay(
    backend: Backend, what: str, how: str
) -> None:
    """P22: they are read, a repair preserves the damaged bytes, and an event reports it.

    A save does the same if it reads the damaged value: it reads only the head.
    """
    store = opened(backend)
    for number in range(3):
        await store.save_interaction(KEY, turn(f"turn {number}"))
    await store.record_events(KEY, [event("edit", id="a", source="by hand\n")])
    await store.save_interaction(OTHER_CELL, turn())
    assert await problems(store) == [(None, False)] * 2
    await store.run(DAMAGE[what])
    lost = "part" in what
    intents = ["turn 0", "turn 2"] if lost else ["turn 0", "turn 1", "turn 2"]
    for _ in range(2):
        session = await opened(backend).load_session(KEY)
        assert [each.user_request.intent for each in session.interactions] == intents
        assert [each.type for each in session.events or []] == ["edit", "recovered"]
    messages = [problem for problem, _ in await problems(store) if problem]
    assert messages == [f"damaged; {len(intents)} requests and 1 events are readable"]
    if how == "repair":
        assert [each for _, each in await problems(store, repair=True)].count(True) == 1
    else:
        saved, _ = await store.save_interaction(KEY, turn("later"))
        assert saved.turn_id == 4
        intents.append("later")
        if lost:
            session = await opened(backend).load_session(KEY)
            assert [each.user_request.intent for each in session.interactions] == intents
            assert [each for _, each in await problems(store, repair=True)].count(True) == 1
    assert await problems(store) == [(None, False)] * 2
    session = await opened(backend).load_session(KEY)
    assert [each.user_request.intent for each in session.interactions] == intents
    [again], _ = await store.record_events(KEY, [event("edit", id="a")])
    assert again.source == "by hand\n"
    preserved = await store.read(lambda stored: stored.values(DAMAGED, "", f"{NAME}/"))
    assert len(preserved) == 1
    assert await store.delete(KEY)
    assert await store.read(lambda stored: stored.names(DAMAGED, "")) == []


@in_loop
async def test_a_session_without_intact_records_is_corrupt(backend: Backend) -> None:
    """P22: it hides no other, a save preserves its bytes, and it can be deleted."""
    store = opened(backend)
    for key in (KEY, OTHER_CELL):
        await store.save_interaction(key, turn())
        await store.run(partial(damage_head, key))
    await store.run(lambda stored: stored.put(PART, "", f"{NAME}/00000000", b"{"))
    with pytest.raises(SessionCorrupt):
        await store.load_session(KEY)
    assert [row.cell_id for row in (await store.list_sessions())[0]] == [OTHER_CELL.cell_id]
    assert (await store.save_interaction(KEY, turn()))[0].turn_id == 1
    assert len(await store.get_history(KEY)) == 1
    await store.run(lambda stored: stored.put(*value_key(OTHER_CELL), b""))
    assert await store.delete(OTHER_CELL)


@in_loop
async def test_damaged_logs_and_blobs_are_reported(backend: Backend) -> None:
    """P22: intact entries are still returned, and new ones get the next numbers."""
    store = opened(backend)
    for path in ("a", "b", "c"):
        await store.append_notebook_log("notebook", [log_entry(path=path)])
    digest = await store.put_blob(b"picture")
    assert await problems(store) == [(None, False)] * 2
    await store.run(lambda stored: stored.put(LOG_PART, "", "notebook/00000001", b"no JSON\n"))
    await store.run(lambda stored: stored.put(LOG, "", "notebook", b"no JSON"))
    await store.run(lambda stored: stored.put(BLOB, "", digest, b"other"))
    assert [problem for problem, _ in await problems(store)] == [
        "2 damaged entries",
        "content does not match its hash",
    ]
    [saved] = await store.append_notebook_log("notebook", [log_entry(path="d")])
    assert saved.seq == 4
    entries = await store.read_notebook_log("notebook")
    assert [entry.data["path"] for entry in entries] == ["a", "c", "d"]
    assert await store.get_blob(digest) is None
    assert await store.put_blob(b"picture") == digest
    assert await store.get_blob(digest) == b"picture"


@in_loop
async def test_a_save_reads_no_earlier_parts(backend: Backend) -> None:
    """A save takes as long in a long session as in a short one."""
    store = opened(backend)
    for _ in range(3):
        await store.save_interaction(KEY, turn())
    await store.run(lambda stored: stored.put(PART, "", SECOND, b"not read"))
    assert (await store.save_interaction(KEY, turn()))[0].turn_id == 4
    assert (await store.list_sessions())[0][0].turns == 4


@in_loop
async def test_concurrent_first_writes_lose_nothing(backend: Backend) -> None:
    """P23: several servers create the same sessions at once."""
    stores = [opened(backend) for _ in range(4)]
    keys = [SessionKey("notebook", f"cell-{number}") for number in range(5)]
    await asyncio.gather(*(store.save_interaction(key, turn()) for key in keys for store in stores))
    for key in keys:
        ids = [each.turn_id for each in (await stores[0].load_session(key)).interactions]
        assert ids == [1, 2, 3, 4]


@in_loop
async def test_many_sessions_are_loaded_a_few_at_a_time() -> None:
    """A database operation has a timeout, which must not begin while others are in the way."""
    running, most = 0, 0

    class Waiting(InMemorySessionManager):
        async def run(self, work: Callable[[Transaction], Any]) -> Any:
            nonlocal running, most
            running += 1
            most = max(most, running)
            await asyncio.sleep(0)
            running -= 1
            return await super().run(work)

    keys = [SessionKey("nb", f"c{number}") for number in range(100)]
    store = Waiting()
    await store.save_interaction(keys[7], turn())
    loaded = await store.load_raw_batch(keys)
    assert [data is not None for data in loaded] == [key == keys[7] for key in keys]
    assert 1 < most <= 8
