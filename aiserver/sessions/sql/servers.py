"""Run operations in transactions, retry them where that is safe, and map their errors.

Invariants:

- An operation is atomic and runs exactly once, even if the connection breaks during the commit:
  then ``Write.outcome_unknown`` is set and the next attempt looks whether it was committed.
- Retries are few and end within some seconds.
- An idle server has no open connections: a hub runs more servers than its database accepts
  connections.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import TypeVar

from sqlalchemy import Connection
from sqlalchemy.ext.asyncio import AsyncEngine

from . import engines, schema
from .address import Address, resolve
from .attempts import Write
from .errors import bad_option
from .tables import VERSION

T = TypeVar("T")

_IDLE_TIMEOUT = 60.0  # seconds after which unused connections are closed


class ServerDatabase:
    """A database of PostgreSQL, MySQL or MariaDB.

    Everything runs on one event loop, which is not the server's.
    """

    def __init__(self, url: str, password_file: str, start_dir: str, timeout: float) -> None:
        self._setting = (url, password_file, start_dir)
        self._timeout = timeout
        self._engine: AsyncEngine | None = None
        self._address: Address | None = None
        self._is_ready = False
        self._active_count = 0
        self._notebook_locks: set[contextlib.AsyncExitStack] = set()
        self._idle_timer: asyncio.TimerHandle | None = None
        self._disposal: asyncio.Future[None] | None = None
        self._setup_lock = asyncio.Lock()

    async def read(self, work: Callable[[Connection], T]) -> T:
        """Run a reading function in one transaction."""
        async with self._in_use():
            return await self._with_retries(lambda _: self._transaction(work))

    async def write(self, work: Callable[[Connection, Write], T]) -> T:
        """Run a writing function in one transaction."""
        async with self._in_use():
            return await self._with_retries(
                lambda write: self._transaction(lambda connection: work(connection, write))
            )

    async def lock_notebooks(self, owner: str) -> contextlib.AsyncExitStack:
        """Acquire an owner's notebook lock."""
        lock = contextlib.AsyncExitStack()
        await lock.enter_async_context(self._in_use())
        try:
            await lock.enter_async_context(await self._with_retries(lambda _: self._acquire(owner)))
        except BaseException:
            await lock.aclose()
            raise
        self._notebook_locks.add(lock)
        return lock

    async def unlock_notebooks(self, lock: contextlib.AsyncExitStack) -> None:
        """Release the result of ``lock_notebooks``."""
        self._notebook_locks.discard(lock)
        await lock.aclose()

    async def missing_guarantees(self) -> list[str]:
        """Connect and return sentences about what the database does not guarantee."""
        return await self.read(engines.missing_guarantees)

    async def is_writable(self) -> bool:
        """Whether the database accepts writes, as far as it reports."""
        return await self.read(engines.is_writable)

    async def dispose(self) -> None:
        """Close all connections."""
        if self._idle_timer:
            self._idle_timer.cancel()
        for lock in list(self._notebook_locks):
            await lock.aclose()
        engine, self._engine, self._is_ready = self._engine, None, False
        if engine:
            await engine.dispose()

    async def _with_retries(self, attempt: Callable[[Write], Awaitable[T]]) -> T:
        write = Write()
        while True:
            try:
                return await asyncio.wait_for(attempt(write), self._timeout)
            except Exception as exc:
                delay = write.retry_delay(exc)
            await asyncio.sleep(delay)

    async def _transaction(self, work: Callable[[Connection], T]) -> T:
        engine = await self._ready_engine()
        async with engine.begin() as connection:
            return await connection.run_sync(work)

    async def _acquire(self, owner: str) -> contextlib.AsyncExitStack:
        engine, lock = await self._ready_engine(), contextlib.AsyncExitStack()
        address = await self._resolve_address()
        await lock.enter_async_context(engines.notebook_lock(engine, address, owner))
        return lock

    async def _ready_engine(self) -> AsyncEngine:
        """The engine, after the tables were created or migrated."""
        async with self._setup_lock:
            address = await self._resolve_address()
            if self._engine is None:
                self._engine = engines.make_engine(address)
            if not self._is_ready:
                try:
                    await self._ensure_tables(self._engine)
                except TypeError as exc:  # the URL has an option that the driver doesn't know
                    raise bad_option() from exc
                self._is_ready = True
            return self._engine

    async def _ensure_tables(self, engine: AsyncEngine) -> None:
        async with engine.connect() as connection:
            if await connection.run_sync(schema.current_version) == VERSION:
                return
        async with engine.begin() as connection:
            await connection.run_sync(schema.migrate)

    async def _resolve_address(self) -> Address:
        if self._address is None:
            self._address = resolve(*self._setting)
        return self._address

    @contextlib.asynccontextmanager
    async def _in_use(self) -> AsyncIterator[None]:
        self._active_count += 1
        if self._idle_timer:
            self._idle_timer.cancel()
        try:
            yield
        finally:
            self._active_count -= 1
            if not self._active_count and self._engine:
                loop = asyncio.get_running_loop()
                self._idle_timer = loop.call_later(_IDLE_TIMEOUT, self._close_idle, self._engine)

    def _close_idle(self, engine: AsyncEngine) -> None:
        # A reference keeps the task from being garbage-collected before it has run.
        self._disposal = asyncio.ensure_future(engine.dispose())
