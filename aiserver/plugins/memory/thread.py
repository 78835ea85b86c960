"""Parse memories in a thread, without blocking the event loop.

Invariants: only one thread at a time parses memories, so many requests at once parse the same text
once, and leave the other threads to other work. Work that a caller no longer waits for isn't begun;
if it has begun, the next one waits for its end.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import lru_cache
from typing import TypeVar

T = TypeVar("T")


async def run_in_memory_thread(work: Callable[[], T]) -> T:
    """Return the result of ``work``, which runs in a thread."""
    loop = asyncio.get_running_loop()
    lock = _lock_of(loop)
    await lock.acquire()
    running = loop.run_in_executor(None, work)
    running.add_done_callback(lambda _: lock.release())
    return await asyncio.shield(running)


@lru_cache(maxsize=1)
def _lock_of(loop: asyncio.AbstractEventLoop) -> asyncio.Lock:
    return asyncio.Lock()
