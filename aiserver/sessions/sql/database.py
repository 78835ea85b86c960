"""Transactions: begun, tried again where that is safe, and their failures as our errors.

What must hold:

- A piece of work is done whole or not at all, once, also where the connection broke in the moment
  of the commit: the work is told so (``Write.lost``) and finds out whether it was done.
- Tries are few and end within some seconds.
- No connection is held by a server that nobody uses: a hub has more servers than its database has
  room for connections.
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
from .errors import bad_option, fault
from .tables import VERSION

T = TypeVar("T")
P = ParamSpec("P")
Work = Callable[Concatenate[AsyncConnection, P], Awaitable[T]]

_PAUSES = (0.02, 0.05, 0.1, 0.2, 0.4, 0.8)  # seconds between the tries, on average
_REST = 60.0  # seconds after which connections that nobody uses are closed


class Write:
    """One piece of work that changes something, over all its tries."""

    def __init__(self) -> None:
        self.id = secrets.randbits(63)
        """Stands in the rows that are added."""
        self.tries = 0
        self.lost = False
        """Whether a connection broke, so that it may have been done."""
        self.result: Any = None
        """What the last try would have returned."""


class Hold(contextlib.AsyncExitStack):
    """What is held until it is closed."""


class Database:
    """One database. All of it runs on one loop, which is not the server's."""

    def __init__(self, url: str, password_file: str, start_dir: str, timeout: float) -> None:
        self._setting = (url, password_file, start_dir)
        self._timeout = timeout
        self._engine: AsyncEngine | None = None
        self._address: Address | None = None
        self._is_ready = False
        self._users = 0
        self._held: set[Hold] = set()
        self._resting: asyncio.TimerHandle | None = None
        self._disposing: asyncio.Future[None] | None = None
        self._one_at_a_time = asyncio.Lock()  # makes ready
        self._one_writer = asyncio.Lock()

    async def read(self, work: Work[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Do what only reads, in one transaction."""
        async with self._in_use():
            return await self._tried(lambda _: self._once(False, work, *args, **kwargs))

    async def write(
        self, work: Work[Concatenate[Write, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Do what writes, in one transaction."""
        async with self._in_use():
            return await self._tried(lambda write: self._once(True, work, write, *args, **kwargs))

    async def hold(self, owner: str) -> Hold:
        """Take the one lock of an owner; it is free again when that is closed."""
        held = Hold()
        await held.enter_async_context(self._in_use())
        try:
            await held.enter_async_context(await self._tried(lambda _: self._hold(owner)))
        except BaseException:
            await held.aclose()
            raise
        self._held.add(held)
        held.callback(self._held.discard, held)
        return held

    async def unsure(self) -> list[str]:
        """Make ready, and say what the database does not guarantee."""
        return await self.read(engines.unsure, await self._resolved())

    async def is_writable(self) -> bool:
        """Whether the database takes writes, as far as it says."""
        return await self.read(engines.is_writable, await self._resolved())

    async def dispose(self) -> None:
        """Close all connections."""
        if self._resting:
            self._resting.cancel()
        for held in list(self._held):
            await held.aclose()
        engine, self._engine, self._is_ready = self._engine, None, False
        if engine:
            await engine.dispose()

    async def _tried(self, attempt: Callable[[Write], Awaitable[T]]) -> T:
        write = Write()
        for pause in (*_PAUSES, None):
            try:
                write.tries += 1
                return await asyncio.wait_for(attempt(write), self._timeout)
            except Exception as exc:
                found = fault(exc)
                if found is None:
                    raise
                if pause is None or not (found.again or found.lost):
                    raise found.error from exc
                write.lost = write.lost or found.lost
            await asyncio.sleep(pause * random.uniform(0.5, 1.5))  # noqa: S311 (no secret)
        raise AssertionError("the last try returns or raises")

    async def _once(self, writes: bool, work: Any, *args: Any, **kwargs: Any) -> Any:
        engine = await self._ready()
        async with self._turn(writes), engine.connect() as connection:
            await connection.execution_options(writes=writes)
            async with connection.begin():
                return await work(connection, *args, **kwargs)

    async def _hold(self, owner: str) -> Hold:
        engine, held = await self._ready(), Hold()
        await held.enter_async_context(engines.alone(engine, await self._resolved(), owner))
        return held

    async def _ready(self) -> AsyncEngine:
        """The engine of a database that has our tables."""
        async with self._one_at_a_time:
            address = await self._resolved()
            if self._engine is None:
                self._engine = engines.make_engine(address)
            if not self._is_ready:
                try:
                    await engines.settle(self._engine, address)
                    await self._have_tables(self._engine)
                except TypeError as exc:  # the driver was given a keyword out of the address
                    raise bad_option() from exc
                self._is_ready = True
            return self._engine

    async def _have_tables(self, engine: AsyncEngine) -> None:
        async with engine.connect() as connection:
            if await connection.run_sync(schema.version) == VERSION:
                return
        async with engine.connect() as connection:
            await connection.execution_options(writes=True)
            async with connection.begin():
                await connection.run_sync(schema.migrate)

    async def _resolved(self) -> Address:
        if self._address is None:
            self._address = resolve(*self._setting)
        return self._address

    def _turn(self, writes: bool) -> contextlib.AbstractAsyncContextManager[Any]:
        # SQLite has one writer at a time: ours wait for each other here, without polling.
        is_sqlite = self._address is not None and self._address.kind == "sqlite"
        return self._one_writer if writes and is_sqlite else contextlib.nullcontext()

    @contextlib.asynccontextmanager
    async def _in_use(self) -> AsyncIterator[None]:
        self._users += 1
        if self._resting:
            self._resting.cancel()
        try:
            yield
        finally:
            self._users -= 1
            if not self._users and self._engine and self._address and not self._address.in_memory:
                loop = asyncio.get_running_loop()
                self._resting = loop.call_later(_REST, self._rest, self._engine)

    def _rest(self, engine: AsyncEngine) -> None:
        # Kept, or it could be collected before it has run.
        self._disposing = asyncio.ensure_future(engine.dispose())
