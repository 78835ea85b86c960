"""The store in Redis. Each transaction runs in a thread.

Invariants: ``start`` returns a sentence for each guarantee that Redis lacks.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
import secrets
import weakref
from collections.abc import AsyncIterator, Callable
from typing import Any, TypeVar

from traitlets import Float, Unicode

from ...errors import StorageBusy, StorageError, StorageFull, StorageReadOnly
from ..key_value import KeyValueSessionManager, Transaction
from ..runner import Runner
from . import guarantees
from .client import DEFAULT_URL, Client, connection_options, url_prefix
from .convert import convert
from .transaction import encode_owner, run_transaction

T = TypeVar("T")

_RANDOM = random.SystemRandom()
_POLL_DELAYS = 0.005, 0.1  # seconds between attempts to lock: first and longest


class RedisSessionManager(KeyValueSessionManager):
    """Stores sessions in Redis. What survives a crash depends on the settings of Redis."""

    shared = True

    prefix = Unicode(
        "aiserver:",
        help="""Prefix of all Redis keys, so that the database can be shared with other
        applications. Can also be set with `?prefix=` in the URL.""",
    ).tag(config=True)

    password_file = Unicode(
        help="""A file whose first line is the Redis password, so that it is not in the URL, which
        `--debug` logs."""
    ).tag(config=True)

    patience = Float(
        5.0,
        help="""Seconds to keep retrying if Redis does not respond, for example while it
        restarts.""",
    ).tag(config=True)

    lock_timeout = Float(
        30.0, help="Seconds to wait for the notebook registration lock of other servers."
    ).tag(config=True)

    lock_ttl = 10.0
    """Seconds until the notebook registration lock of a killed server expires."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        url = self.url or DEFAULT_URL
        prefix = url_prefix(url)
        self._prefix = self.prefix if prefix is None else prefix
        connection_options(url)  # raises SettingError early
        # New connections read the password file again.
        self._runner = Runner(
            lambda: Client(lambda: connection_options(url, self.password_file), self.patience)
        )
        self._is_converted = False
        # Close the connections even if nobody calls ``close``.
        weakref.finalize(self, self._runner.dispose)

    async def start(self) -> list[str]:
        return await self._runner.run(
            lambda client: guarantees.missing_guarantees(client.info(), client.config())
        )

    async def run(self, work: Callable[[Transaction], T]) -> T:
        def run(client: Client) -> T:
            if not self._is_converted:
                convert(client, self._prefix, lambda work: self._transact(client, work))
                self._is_converted = True
            return self._transact(client, work)

        return await self._runner.run(run)

    @contextlib.asynccontextmanager
    async def notebook_id_lock(self, *, owner: str = "") -> AsyncIterator[None]:
        """Hold the owner's lock for notebook ids, which is renewed until it is released.

        Raises StorageBusy after ``lock_timeout`` seconds. If Redis accepts no writes, nothing is
        locked: no server can store an id.
        """
        name = f"{self._prefix}2:alone:{encode_owner(owner)}"
        holder = secrets.token_hex(16)

        async def run(script: str, *args: Any) -> bool:
            return bool(
                await self._runner.run(lambda client: client.run(script, [name], holder, *args))
            )

        async def acquire() -> bool:
            return await run("lock", int(self.lock_ttl * 1000))

        async def renew() -> None:
            while True:
                await asyncio.sleep(self.lock_ttl / 4)
                with contextlib.suppress(StorageError):
                    await acquire()

        try:
            await _poll(acquire, self.lock_timeout)
        except (StorageFull, StorageReadOnly):
            yield
            return
        except BaseException:
            with contextlib.suppress(StorageError):
                # The last attempt may have got the lock, although its result was lost.
                await run("unlock")
            raise
        renewal = asyncio.ensure_future(renew())
        try:
            yield
        finally:
            renewal.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await renewal
            if not await run("unlock"):
                self.log.warning("A lock in Redis expired early, because this server was blocked.")

    async def writable(self) -> bool:
        """Return whether Redis responds, isn't a read-only replica, and has memory left."""
        try:
            info = await self._runner.run(lambda client: client.info())
        except StorageError:
            return False
        return info.get("role") != "slave" and not guarantees.is_full(info)

    async def close(self) -> None:
        await self._runner.close()

    def _transact(self, client: Client, work: Callable[[Transaction], T]) -> T:
        return run_transaction(client, self._prefix, work, self.lock_timeout)


async def _poll(acquire: Callable[[], Any], timeout: float) -> None:
    """Call ``acquire`` until it succeeds. Raises StorageBusy after ``timeout`` seconds."""
    loop = asyncio.get_running_loop()
    deadline, (delay, longest_delay) = loop.time() + timeout, _POLL_DELAYS
    while not await acquire():
        if loop.time() > deadline:
            raise StorageBusy
        await asyncio.sleep(delay * _RANDOM.uniform(0.5, 1))
        delay = min(2 * delay, longest_delay)
