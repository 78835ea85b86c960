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
    """Call ``work`` for each item, at most ``limit`` at a time.

    After an exception, no new call begins, and one exception is raised when all running calls have
    ended.
    """
    queue = deque(items)

    async def process_queue() -> None:
        while queue:
            try:
                await work(queue.popleft())
            except BaseException:
                queue.clear()
                raise

    failures = await asyncio.gather(
        *(process_queue() for _ in range(limit)), return_exceptions=True
    )
    for failure in filter(None, failures):
        raise failure
