"""The threads that work with files: nothing that was begun is dropped."""

from __future__ import annotations

import asyncio
import gc
import threading
import weakref

import pytest

from aiserver.sessions.file.threads import Workers, respond

from ..records import in_loop


@in_loop
async def test_results_and_errors_come_back() -> None:
    workers = Workers(2)
    assert await workers.run(lambda: 7) == 7
    with pytest.raises(ZeroDivisionError):
        await workers.run(lambda: 1 // 0)
    assert await asyncio.gather(*(workers.run(lambda n=n: n) for n in range(50))) == list(range(50))
    workers.close()


@in_loop
async def test_so_many_at_once_and_no_more() -> None:
    workers, both = Workers(2), threading.Barrier(3)
    first = [workers.run(both.wait) for _ in range(2)]
    third = workers.run(threading.get_ident)
    await asyncio.to_thread(both.wait)
    assert not set(await asyncio.gather(*first)) - {0, 1, 2}
    assert await third != threading.get_ident()
    assert len(workers._threads) == 2
    workers.close()


@in_loop
async def test_what_is_begun_is_finished_though_nobody_waits() -> None:
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
async def test_who_waits_is_answered_before_the_work_is_over_and_once() -> None:
    workers, said, answered = Workers(1), [], threading.Event()

    def work() -> str:
        respond("answer")
        respond("another")
        answered.wait()
        said.append("after")
        raise OSError

    assert await workers.run(work) == "answer" and said == []
    answered.set()
    assert await workers.run(lambda: 7) == 7
    assert said == ["after"]
    workers.close()
    respond("to nobody")


@in_loop
async def test_who_forgets_to_close_leaves_no_threads() -> None:
    workers = Workers(1)
    await workers.run(int)
    threads, gone = workers._threads, weakref.ref(workers)
    del workers
    gc.collect()
    assert gone() is None
    for thread in threads:
        await asyncio.to_thread(thread.join, 10)
        assert not thread.is_alive()
