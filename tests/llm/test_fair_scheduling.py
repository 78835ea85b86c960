"""Many concurrent streams leave the event loop free for other work."""

from __future__ import annotations

import asyncio
import itertools
import time
from typing import Any

import pytest
from langchain_core.messages import AIMessageChunk
from langchain_core.outputs import ChatGenerationChunk

from aiserver.llm import fair_scheduling as turns
from aiserver.llm.streaming import Limits, stream_chat

LIMITS = Limits(timeout=30, characters=100_000)


class Eager:
    """A fake of a provider's library that has all chunks at once and never waits."""

    def __init__(self, pieces: int | None, log: list[int], number: int = 0) -> None:
        self.pieces, self.log, self.number = pieces, log, number
        self.left = ""

    async def _astream(self, messages, **options):
        try:
            for piece in itertools.count() if self.pieces is None else range(self.pieces):
                if self.pieces is None and piece % 10 == 9:
                    await asyncio.sleep(0)
                self.log.append(self.number)
                yield ChatGenerationChunk(message=AIMessageChunk(content="x"))
        except BaseException as reason:
            self.left = type(reason).__name__
            raise


@pytest.fixture
def clock(monkeypatch):
    """A clock that advances by a quarter of a slice on each reading."""
    ticks = itertools.count()
    monkeypatch.setattr(time, "perf_counter", lambda: next(ticks) * turns.SLICE / 4)


async def read_all(model):
    return "".join([delta.text async for delta in stream_chat(model, [], LIMITS)])


async def test_streams_alternate_and_the_loop_runs_in_between(clock):
    """P30: a hundred streams that never wait don't block the loop."""
    log: list[int] = []
    rounds: list[int] = []

    def count() -> None:  # once in each round of the loop
        rounds.append(len(log))
        if len(log) < 100 * 50:
            asyncio.get_running_loop().call_soon(count)

    models = [Eager(50, log, number) for number in range(100)]
    asyncio.get_running_loop().call_soon(count)
    answers = await asyncio.gather(*map(read_all, models))

    assert answers == ["x" * 50] * 100
    # The first round lets each begin; then so many streams, each for one slice of four pieces.
    steps = [after - before for before, after in itertools.pairwise(rounds)]
    assert max(steps[3:]) <= turns.STREAMS_PER_ITERATION * 5
    half = log[: len(log) // 2]
    assert set(half) == set(range(100)), "all go on side by side"


async def test_a_single_stream_is_not_delayed():
    """A stream that has the loop to itself waits only one round for each turn."""
    assert await read_all(Eager(1000, [])) == "x" * 1000


async def test_a_cancellation_during_a_pause_reaches_the_library(monkeypatch):
    """P32: only there does the library close its connection at once."""
    monkeypatch.setattr(turns, "SLICE", 0)  # a pause after each piece
    model: Any = Eager(None, [])
    answer = stream_chat(model, [], LIMITS)
    await anext(answer)
    await answer.aclose()
    assert model.left == "CancelledError"
