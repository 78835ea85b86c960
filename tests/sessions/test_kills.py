"""P19: a saving process is killed at random moments, again and again, for each durable store."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import sys
import time
from collections import Counter

import pytest

from aiserver.models import SessionKey
from aiserver.testing.records import turn

from ..examples import examples
from .conftest import DURABLE, DurableBackend, FileBackend
from .worker import Worker

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs fork and kill -9")

# Fewer kills are enough for stores that open a new connection for each save.
KILLS, KILLS_OF_FILES = 40, 500
EACH_CELL = 20  # kills per cell


@pytest.mark.thorough
@pytest.mark.timeout(240)
@pytest.mark.parametrize("backend", DURABLE, indirect=True)
def test_random_kills(worker: Worker, backend: DurableBackend) -> None:
    """P19: sessions are intact, acknowledged turns are present, and the next save works at once."""
    random_ = random.Random(19)  # the moment of each kill is not deterministic
    outcomes: Counter[str] = Counter()
    kills = KILLS_OF_FILES if isinstance(backend, FileBackend) else KILLS
    for number in range(examples(kills)):
        key = SessionKey("notebook", f"cell-{number // EACH_CELL}")
        [pid] = worker.start(backend.url, key.cell_id, turns=10_000)
        lines = worker.output_lines()
        output = [next(lines) for _ in range(random_.randrange(4))]
        time.sleep(random_.uniform(0, 0.006 if output else 0.03))
        os.kill(pid, signal.SIGKILL)
        output += lines
        assert {line.split()[0] for line in output} <= {"ack"}, output
        outcomes[asyncio.run(_look(backend, key, pid, output))] += 1
    asyncio.run(_verify(backend))
    print(dict(outcomes))


async def _look(backend: DurableBackend, key: SessionKey, pid: int, output: list[str]) -> str:
    """Check that the session is intact, and return the outcome of the interrupted save."""
    store = backend.open()
    # Save first: a server may still be processing the request of the killed process.
    saved, now = await store.save_interaction(key, turn("after"))
    session = await store.load_session(key)
    intents = [each.user_request.intent for each in session.interactions]
    assert [each.turn_id for each in session.interactions] == list(range(1, len(intents) + 1))
    items = len(intents) + len(session.events or [])
    assert [item.seq for item in session.ordered()] == list(range(1, items + 1))
    assert session.revision == items
    for place, line in enumerate(output):
        _, turn_id, revision = line.split()
        assert intents[int(turn_id) - 1] == f"{pid} {place}"
        assert int(revision) <= session.revision
    ours = [intent for intent in intents if intent.startswith(f"{pid} ")]
    assert ours == [f"{pid} {place}" for place in range(len(ours))]
    assert len(output) <= len(ours) <= len(output) + 1
    assert intents[saved.turn_id - 1] == "after"
    assert now <= session.revision
    await store.close()
    return "all of it" if len(ours) > len(output) else "nothing of it"


async def _verify(backend: DurableBackend) -> None:
    store = backend.open()
    assert not [checked async for checked in store.verify() if checked.problem]
    await store.close()
