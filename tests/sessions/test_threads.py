"""Threads for file operations complete everything that was started."""

from __future__ import annotations

import asyncio
import gc
import threading
import weakref
from functools import partial

import pytest

from aiserver.sessions.threads import Workers
from aiserver.testing.records import in_loop


@in_loop
async def test_results_and_errors_come_back() -> None:
    workers = Workers(2)
    assert await workers.run(lambda: 7) == 7
    with pytest.raises(ZeroDivisionError):
        await workers.run(lambda: 1 // 0)
    runs = [workers.run(partial(int, n)) for n in range(50)]
    assert await asyncio.gather(*runs) == list(range(50))
    workers.close()


@in_loop
async def test_the_number_of_threads_is_limited() -> None:
    workers, both = Workers(2), threading.Barrier(3)
    first = [workers.run(both.wait) for _ in range(2)]
    third = workers.run(threading.get_ident)
    await asyncio.to_thread(both.wait)
    assert not set(await asyncio.gather(*first)) - {0, 1, 2}
    assert await third != threading.get_ident()
    assert len(workers._threads) == 2
    workers.close()


@in_loop
async def test_cancelled_work_is_finished() -> None:
    """P19"""
    workers = Workers(1)
    begun, go, done = threading.Event(), threading.Event(), threading.Event()

    def work() -> None:
        begun.set()
        go.wait()
        done.set()

    task = asyncio.ensure_future(workers.run(work))
    never = workers.run(lambda: pytest.fail("it was given up before its turn"))
    await asyncio.to_thread(begun.wait)
    task.cancel()
    never.cancel()
    go.set()
    await asyncio.to_thread(workers.close)
    assert done.is_set() and not any(thread.is_alive() for thread in workers._threads)


@in_loop
async def test_threads_end_without_close() -> None:
    workers = Workers(1)
    await workers.run(int)
    threads, workers_ref = workers._threads, weakref.ref(workers)
    del workers
    gc.collect()
    assert workers_ref() is None
    for thread in threads:
        await asyncio.to_thread(thread.join, 10)
        assert not thread.is_alive()
