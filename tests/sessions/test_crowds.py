"""P23 for each store that several processes can open."""

from __future__ import annotations

import asyncio
import sys

import pytest

from aiserver.models import SessionKey

from ..servers import on_servers
from .conftest import DurableBackend
from .worker import Worker

FEW = 4, 25
# Not with files: each save writes the whole session. ``file/test_faults.py`` uses many cells.
MANY = 8, 500
CROWDS = [
    *[pytest.param("file", *FEW), pytest.param("sqlite", *FEW)],
    pytest.param("sqlite", *MANY, marks=pytest.mark.thorough),
    *on_servers("postgresql", "mysql", "redis", more=MANY),
]


@pytest.mark.timeout(240)
@pytest.mark.skipif(sys.platform == "win32", reason="needs fork")
@pytest.mark.parametrize(("backend", "processes", "turns"), CROWDS, indirect=["backend"])
def test_a_crowd_of_processes_loses_nothing(
    worker: Worker, backend: DurableBackend, processes: int, turns: int
) -> None:
    """P23: the processes save turns to one cell, with events in between."""
    worker.start(backend.url, "cell", turns, count=processes)
    acknowledged = [line.split() for line in worker.output_lines()]
    assert {kind for kind, *_ in acknowledged} == {"ack"}, acknowledged
    numbers = [(int(turn_id), int(revision)) for _, turn_id, revision in acknowledged]
    asyncio.run(_look(backend, numbers, processes, turns))


async def _look(
    backend: DurableBackend, acknowledged: list[tuple[int, int]], processes: int, turns: int
) -> None:
    store = backend.open()
    session = await store.load_session(SessionKey("notebook", "cell"))
    every = list(range(1, processes * turns + 1))
    assert [each.turn_id for each in session.interactions] == every
    assert sorted(turn_id for turn_id, _ in acknowledged) == every
    assert len({revision for _, revision in acknowledged}) == len(every)
    assert len({each.user_request.intent for each in session.interactions}) == len(every)
    assert len(session.events or []) == processes * (turns // 3)
    assert [each.seq for each in session.ordered()] == list(range(1, session.revision + 1))
    assert not [checked async for checked in store.verify() if checked.problem]
    await store.close()
