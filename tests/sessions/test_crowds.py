"""P23 for each database store; ``file/test_faults.py`` tests files."""

from __future__ import annotations

import asyncio
import sys

import pytest

from aiserver.models import SessionKey

from .conftest import DATABASES, DurableBackend
from .worker import Worker

PROCESSES, TURNS = 8, 500


@pytest.mark.timeout(240)
@pytest.mark.skipif(sys.platform == "win32", reason="needs fork")
@pytest.mark.parametrize("backend", [*DATABASES, "redis"], indirect=True)
def test_a_crowd_of_processes_loses_nothing(backend: DurableBackend) -> None:
    """P23: 8 processes save 500 turns to one cell, with events in between."""
    worker = Worker("redis.asyncio", "aiserver.sessions.sql.operations")
    try:
        worker.start(backend.url, "cell", TURNS, count=PROCESSES)
        acknowledged = [line.split() for line in worker.output_lines()]
    finally:
        worker.close()
    assert {kind for kind, *_ in acknowledged} == {"ack"}, acknowledged
    asyncio.run(
        _look(backend, [(int(turn_id), int(revision)) for _, turn_id, revision in acknowledged])
    )


async def _look(backend: DurableBackend, acknowledged: list[tuple[int, int]]) -> None:
    store = backend.open()
    session = await store.load_session(SessionKey("notebook", "cell"))
    every = list(range(1, PROCESSES * TURNS + 1))
    assert [each.turn_id for each in session.interactions] == every
    assert sorted(turn_id for turn_id, _ in acknowledged) == every
    assert len({revision for _, revision in acknowledged}) == len(every)
    assert len({each.user_request.intent for each in session.interactions}) == len(every)
    assert len(session.events or []) == PROCESSES * (TURNS // 3)
    assert [each.seq for each in session.ordered()] == list(range(1, session.revision + 1))
    assert not [checked async for checked in store.verify() if checked.problem]
    await store.close()
