"""Run asynchronous work for many items, a few at a time."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Iterable
from typing import TypeVar

T = TypeVar("T")


async def for_each(
    items: Iterable[T], work: Callable[[T], Awaitable[object]], *, limit: int = 8
) -> None:
    """Run ``work`` for all items, at most ``limit`` at a time.

    After a failure, no further item begins; it is raised once the running ones have ended.
    """
    queue = deque(items)

    async def run() -> None:
        while queue:
            try:
                await work(queue.popleft())
            except BaseException:
                queue.clear()
                raise

    results = await asyncio.gather(*(run() for _ in range(limit)), return_exceptions=True)
    for failure in filter(None, results):
        raise failure
