"""Read files in threads of their own, so that nothing else waits for a disk that hangs.

A network disk can hang for hours, and a thread that reads from it can't be stopped. In the pool
that ``asyncio.to_thread`` uses, a few such threads would stop the whole server.

Invariant: at most ``_THREADS`` threads of a pool exist, and a caller waits at most its timeout.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import lru_cache
from typing import Literal, TypeVar

from ...sessions.threads import Workers

T = TypeVar("T")
Pool = Literal["data", "rules"]
_THREADS = 8


async def read_in_thread(work: Callable[[], T], timeout: float, pool: Pool) -> T | None:
    """Return the result of ``work``; None if the disk doesn't respond within ``timeout`` seconds.

    Data files don't share their threads with rules files, which are usually on another disk.
    """
    try:
        return await asyncio.wait_for(_read(work, pool), timeout)
    except (TimeoutError, asyncio.TimeoutError):
        return None


async def _read(work: Callable[[], T], pool: Pool) -> T:
    workers, free_threads = _pool_of(asyncio.get_running_loop(), pool)
    await free_threads.acquire()
    reading = workers.run(work)
    reading.add_done_callback(lambda _: free_threads.release())
    # If the caller stops waiting, the thread isn't free before it has ended the work.
    return await asyncio.shield(reading)


@lru_cache(maxsize=2)
def _pool_of(loop: asyncio.AbstractEventLoop, pool: Pool) -> tuple[Workers, asyncio.Semaphore]:
    return Workers(_THREADS), asyncio.Semaphore(_THREADS)
