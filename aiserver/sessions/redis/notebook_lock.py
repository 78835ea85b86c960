"""One lock for all that share a Redis, for as long as its holder lives.

What must hold: there is one holder at a time; the lock of one that was killed ends by itself, soon;
one that lives keeps it, however long its work takes.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import random
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

from ...errors import StorageBusy, StorageError, StorageFull, StorageReadOnly
from .client import Wire

_LASTS = 10.0  # seconds, after which the lock of a killed holder ends
_POLLS = 0.005, 0.1  # seconds between two tries: the first, and the longest

Logger = logging.Logger | logging.LoggerAdapter[Any]


@contextlib.asynccontextmanager
async def alone(
    wire: Wire, name: str, timeout: float, log: Logger, lasts: float = _LASTS
) -> AsyncIterator[None]:
    """Hold the lock of that name. Raises StorageBusy if somebody keeps it longer than the timeout.

    Where nothing can be written, nobody can say anything new: then there is no lock.
    """
    holder = secrets.token_hex(16)

    async def hold() -> bool:
        return bool(await wire.run("hold", [name], holder, int(lasts * 1000)))

    async def keep() -> None:
        while True:
            await asyncio.sleep(lasts / 4)
            with contextlib.suppress(StorageError):
                await hold()

    try:
        await _take(hold, timeout)
    except (StorageFull, StorageReadOnly):
        yield
        return
    except BaseException:
        with contextlib.suppress(StorageError):
            await wire.run("release", [name], holder)  # it may have come while we gave up
        raise
    keeping = asyncio.ensure_future(keep())
    try:
        yield
    finally:
        keeping.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await keeping
        if not await wire.run("release", [name], holder):
            log.warning("A lock in Redis ended before its time: this server stood still too long.")


async def _take(hold: Callable[[], Awaitable[bool]], timeout: float) -> None:
    loop = asyncio.get_running_loop()
    until, (wait, longest) = loop.time() + timeout, _POLLS
    while not await hold():
        if loop.time() > until:
            raise StorageBusy
        await asyncio.sleep(wait * random.uniform(0.5, 1))  # noqa: S311
        wait = min(2 * wait, longest)
