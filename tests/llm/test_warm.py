"""Two local models stay in memory if it suffices, with scripted models in the children's place."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from aiserver.llm.streaming import Limits
from aiserver.plugins.local_models.model import LocalModel
from aiserver.plugins.local_models.process import LocalProcess
from aiserver.plugins.local_models.warm import RESERVE, WarmModels

from .test_local import ASK, CHILD, INFO, child, take

NEED = 2 * 10**9
Create = Callable[[int | None], list[LocalModel]]


@pytest.fixture
def create(
    tmp_path: Path, jp_asyncio_loop: Any, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Create]:
    """Create three models that need ``NEED`` bytes each, on a machine with so much memory."""
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))
    monkeypatch.delenv("PYTHONSAFEPATH", raising=False)
    models: list[LocalModel] = []

    def _create(available: int | None) -> list[LocalModel]:
        warm_models = WarmModels(lambda: available)
        for number in range(3):
            path = tmp_path / f"{number}.gguf"
            path.write_text("serve")
            process = LocalProcess(path, threads=1, context=4096, memory=NEED, command=CHILD)
            limits = Limits(30, 10_000, requires_finish_reason=True)
            models.append(LocalModel(INFO, process, limits, warm_models=warm_models))
        return models

    yield _create
    for model in models:
        jp_asyncio_loop.run_until_complete(model.close())


def running(models: list[LocalModel]) -> list[bool]:
    return [model.process.pid is not None for model in models]


async def until_ended(model: LocalModel) -> None:
    for _ in range(500):
        if model.process.pid is None:
            return
        await asyncio.sleep(0.02)
    raise AssertionError("the process still runs")


async def test_two_models_stay_warm_and_the_oldest_is_ended_for_a_third(create: Create) -> None:
    models = create(100 * NEED)
    first, second, third = models
    await take(first)
    await take(second)
    assert running(models) == [True, True, False]
    pids = [first.process.pid, second.process.pid]
    await take(first)  # now the second is the one that wasn't used for longest
    assert [first.process.pid, second.process.pid] == pids
    await take(third)
    assert running(models) == [True, False, True]
    assert await take(second) == await take(first)  # an ended model starts again


@pytest.mark.parametrize("available", [2 * NEED + RESERVE - 1, 0, None])
async def test_one_model_stays_warm_if_memory_is_short_or_unknown(
    create: Create, available: int | None
) -> None:
    models = create(available)
    await take(models[0])
    await take(models[1])
    assert running(models) == [False, True, False]


async def test_the_needs_and_the_reserve_may_take_all_available_memory(create: Create) -> None:
    models = create(2 * NEED + RESERVE)
    await take(models[0])
    await take(models[1])
    assert running(models) == [True, True, False]


async def test_a_model_that_answers_is_ended_afterwards(create: Create) -> None:
    """P32: an answer is never cut off because another model needs the memory."""
    models = create(0)
    busy, other, _ = models
    await child(busy, "POST", "/script", [{"text": "x = 1", "hold_after": 1}])
    answer = asyncio.create_task(take(busy))
    while not busy.is_answering or not await child(busy, "GET", "/requests"):
        await asyncio.sleep(0.02)
    await take(other)
    assert running(models) == [True, True, False]
    await child(busy, "POST", "/release")
    assert "x = 1" in await asyncio.wait_for(answer, 20)
    await until_ended(busy)
    assert running(models) == [False, True, False]


async def test_a_model_that_is_used_again_is_not_ended(create: Create) -> None:
    models = create(0)
    busy, other, _ = models
    await child(busy, "POST", "/script", [{"text": "x = 1", "hold_after": 1}])
    async with contextlib.aclosing(busy.stream(ASK, language="python")) as stream:
        await anext(stream)
        await take(other)  # marks the first model, which is to be ended after its answer
        await take(busy)  # a second answer of the first model ends the other one
        assert running(models) == [True, False, False]
    await asyncio.sleep(0.1)
    assert running(models) == [True, False, False]
