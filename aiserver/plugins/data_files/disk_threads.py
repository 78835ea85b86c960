"""Read files in threads of their own, so that nothing else waits for a disk that hangs.

A network disk can hang for hours, and its readers can't be stopped. In the pool of
``asyncio.to_thread``, a few would stop the whole server.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Literal, TypeVar

from ...sessions.threads import Workers

T = TypeVar("T")
# Rules files have their own threads, because they are usually on another disk.
_POOLS = {"data": Workers(8), "rules": Workers(8)}


async def read_in_thread(
    work: Callable[[], T], timeout: float, pool: Literal["data", "rules"]
) -> T | None:
    """Return the result of ``work``; None if the disk doesn't respond in ``timeout`` seconds.

    Work that waits for a thread until then is never begun.
    """
    try:
        return await asyncio.wait_for(_POOLS[pool].run(work), timeout)
    except (TimeoutError, asyncio.TimeoutError):
        return None
