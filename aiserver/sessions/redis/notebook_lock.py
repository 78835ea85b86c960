"""An expiring lock that all servers with the same Redis share.

Invariants: one holder at a time; the lock of a killed holder expires soon; a living holder renews
it, however long its work takes.
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
from .client import Client

_TTL = 10.0  # seconds until the lock of a killed holder expires
_POLL_DELAYS = 0.005, 0.1  # seconds between two attempts: the first, and the longest

Logger = logging.Logger | logging.LoggerAdapter[Any]


@contextlib.asynccontextmanager
async def notebook_lock(
    client: Client, name: str, timeout: float, log: Logger, ttl: float = _TTL
) -> AsyncIterator[None]:
    """Hold the lock of that name. Raises StorageBusy if it isn't free within ``timeout`` seconds.

    Does not lock if Redis accepts no writes, because then nobody can register a notebook.
    """
    holder = secrets.token_hex(16)

    async def acquire() -> bool:
        return bool(await client.run("lock", [name], holder, int(ttl * 1000)))

    async def renew() -> None:
        while True:
            await asyncio.sleep(ttl / 4)
            with contextlib.suppress(StorageError):
                await acquire()

    try:
        await _poll(acquire, timeout)
    except (StorageFull, StorageReadOnly):
        yield
        return
    except BaseException:
        with contextlib.suppress(StorageError):
            await client.run("unlock", [name], holder)  # it may have been acquired meanwhile
        raise
    renewal = asyncio.ensure_future(renew())
    try:
        yield
    finally:
        renewal.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await renewal
        if not await client.run("unlock", [name], holder):
            log.warning("A lock in Redis expired early, because this server was blocked too long.")


async def _poll(acquire: Callable[[], Awaitable[bool]], timeout: float) -> None:
    loop = asyncio.get_running_loop()
    deadline, (delay, longest) = loop.time() + timeout, _POLL_DELAYS
    while not await acquire():
        if loop.time() > deadline:
            raise StorageBusy
        await asyncio.sleep(delay * random.uniform(0.5, 1))  # noqa: S311
        delay = min(2 * delay, longest)
