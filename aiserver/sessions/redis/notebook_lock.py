"""A lock that all Jupyter servers with the same Redis share.

A server holds this lock while it gives a notebook an id.

Invariants: the lock has only one holder at a time. The holder renews the lock again and again until
its work is done, however long this takes. If the holder's server is killed, the lock expires after
some seconds.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable

from ...errors import StorageBusy, StorageError, StorageFull, StorageReadOnly
from ..base import Logger
from .client import Client

_TTL = 10.0  # seconds until the lock expires if its holder is killed
_POLL_DELAYS = 0.005, 0.1  # seconds between two attempts: the first and the longest delay


@contextlib.asynccontextmanager
async def notebook_lock(
    client: Client, name: str, timeout: float, log: Logger, ttl: float = _TTL
) -> AsyncIterator[None]:
    """Hold the lock whose key is ``name``.

    Raises StorageBusy if the lock still has another holder after ``timeout`` seconds. If Redis
    accepts no writes, nothing is locked, because no server can store a new notebook id then. If
    the server is killed, its lock expires after ``ttl`` seconds.
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
            # The last attempt may have acquired the lock although its result was lost.
            await client.run("unlock", [name], holder)
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
    """Call ``acquire`` until it returns True. Raises StorageBusy after ``timeout`` seconds."""
    loop = asyncio.get_running_loop()
    deadline, (delay, longest_delay) = loop.time() + timeout, _POLL_DELAYS
    while not await acquire():
        if loop.time() > deadline:
            raise StorageBusy
        await asyncio.sleep(delay * random.uniform(0.5, 1))  # noqa: S311
        delay = min(2 * delay, longest_delay)
