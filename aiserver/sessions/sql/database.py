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
import random
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, Concatenate, ParamSpec, TypeVar

from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from . import engines, schema
from .address import Address, resolve
from .errors import bad_option, classify
from .tables import VERSION

T = TypeVar("T")
P = ParamSpec("P")
Operation = Callable[Concatenate[AsyncConnection, P], Awaitable[T]]

_RETRY_DELAYS = (0.02, 0.05, 0.1, 0.2, 0.4, 0.8)  # seconds between two attempts, on average
_IDLE_TIMEOUT = 60.0  # seconds after which unused connections are closed


class Write:
    """The state of one writing operation across its attempts."""

    def __init__(self) -> None:
        self.id = secrets.randbits(63)
        """Stored in the rows that the operation inserts."""
        self.attempts = 0
        self.outcome_unknown = False
        """Whether a connection broke, so that an earlier attempt may have been committed."""
        self.result: Any = None
        """The result of the last attempt, should it have been committed."""


class NotebookLock(contextlib.AsyncExitStack):
    """A lock that ``aclose`` releases."""


class Database:
    """One database. Everything runs on one event loop, which is not the server's."""

    def __init__(self, url: str, password_file: str, start_dir: str, timeout: float) -> None:
        self._setting = (url, password_file, start_dir)
        self._timeout = timeout
        self._engine: AsyncEngine | None = None
        self._address: Address | None = None
        self._is_ready = False
        self._active_count = 0
        self._notebook_locks: set[NotebookLock] = set()
        self._idle_timer: asyncio.TimerHandle | None = None
        self._disposal: asyncio.Future[None] | None = None
        self._setup_lock = asyncio.Lock()
        self._sqlite_write_lock = asyncio.Lock()

    async def read(self, operation: Operation[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a reading operation in one transaction."""
        async with self._in_use():
            return await self._with_retries(
                lambda _: self._transaction(False, operation, *args, **kwargs)
            )

    async def write(
        self, operation: Operation[Concatenate[Write, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Run a writing operation in one transaction."""
        async with self._in_use():
            return await self._with_retries(
                lambda write: self._transaction(True, operation, write, *args, **kwargs)
            )

    async def notebook_lock(self, owner: str) -> NotebookLock:
        """Acquire an owner's notebook lock; closing it releases the lock."""
        lock = NotebookLock()
        await lock.enter_async_context(self._in_use())
        try:
            await lock.enter_async_context(await self._with_retries(lambda _: self._acquire(owner)))
        except BaseException:
            await lock.aclose()
            raise
        self._notebook_locks.add(lock)
        lock.callback(self._notebook_locks.discard, lock)
        return lock

    async def missing_guarantees(self) -> list[str]:
        """Connect and return sentences about what the database does not guarantee."""
        return await self.read(engines.missing_guarantees, await self._resolve_address())

    async def is_writable(self) -> bool:
        """Whether the database accepts writes, as far as it reports."""
        return await self.read(engines.is_writable, await self._resolve_address())

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
        for delay in (*_RETRY_DELAYS, None):
            try:
                write.attempts += 1
                return await asyncio.wait_for(attempt(write), self._timeout)
            except Exception as exc:
                failure = classify(exc)
                if failure is None:
                    raise
                if delay is None or not (failure.can_retry or failure.outcome_unknown):
                    raise failure.error from exc
                write.outcome_unknown = write.outcome_unknown or failure.outcome_unknown
            await asyncio.sleep(delay * random.uniform(0.5, 1.5))  # noqa: S311 (no secret)
        raise AssertionError("the last attempt returns or raises")

    async def _transaction(self, writes: bool, operation: Any, *args: Any, **kwargs: Any) -> Any:
        engine = await self._ready_engine()
        async with self._write_slot(writes), engine.connect() as connection:
            await connection.execution_options(writes=writes)
            async with connection.begin():
                return await operation(connection, *args, **kwargs)

    async def _acquire(self, owner: str) -> NotebookLock:
        engine, lock = await self._ready_engine(), NotebookLock()
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
                    await engines.configure(self._engine, address)
                    await self._ensure_tables(self._engine)
                except TypeError as exc:  # the URL has an option that the driver doesn't know
                    raise bad_option() from exc
                self._is_ready = True
            return self._engine

    async def _ensure_tables(self, engine: AsyncEngine) -> None:
        async with engine.connect() as connection:
            if await connection.run_sync(schema.current_version) == VERSION:
                return
        async with engine.connect() as connection:
            await connection.execution_options(writes=True)
            async with connection.begin():
                await connection.run_sync(schema.migrate)

    async def _resolve_address(self) -> Address:
        if self._address is None:
            self._address = resolve(*self._setting)
        return self._address

    def _write_slot(self, writes: bool) -> contextlib.AbstractAsyncContextManager[Any]:
        # SQLite allows one writer at a time: ours wait here for each other, without polling.
        is_sqlite = self._address is not None and self._address.kind == "sqlite"
        return self._sqlite_write_lock if writes and is_sqlite else contextlib.nullcontext()

    @contextlib.asynccontextmanager
    async def _in_use(self) -> AsyncIterator[None]:
        self._active_count += 1
        if self._idle_timer:
            self._idle_timer.cancel()
        try:
            yield
        finally:
            self._active_count -= 1
            if (
                not self._active_count
                and self._engine
                and self._address
                and not self._address.in_memory
            ):
                loop = asyncio.get_running_loop()
                self._idle_timer = loop.call_later(_IDLE_TIMEOUT, self._close_idle, self._engine)

    def _close_idle(self, engine: AsyncEngine) -> None:
        # A reference keeps the task from being garbage-collected before it has run.
        self._disposal = asyncio.ensure_future(engine.dispose())
