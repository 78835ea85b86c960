"""The store in an SQL database. Each transaction runs in a thread.

Invariants: creating a manager doesn't connect, so a Jupyter server starts even if the database
doesn't respond.
"""

from __future__ import annotations

import asyncio
import contextlib
import weakref
from collections.abc import AsyncIterator, Callable
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from traitlets import Bool, Float, Unicode, default

from ...errors import StorageError
from ..key_value import KeyValueSessionManager, Transaction
from ..runner import Runner
from .address import Address, database_kind, resolve_address

if TYPE_CHECKING:
    from .database import Database

T = TypeVar("T")


def _create_database(url: str, password_file: str, start_dir: str) -> Database:
    """Runs in a thread, because importing SQLAlchemy is slow."""
    from .servers import MySQLDatabase, PostgreSQLDatabase
    from .sqlite import SQLiteDatabase

    address = resolve_address(url, password_file, start_dir)
    classes: dict[str, Callable[[Address], Database]] = {
        "sqlite": SQLiteDatabase,
        "postgresql": PostgreSQLDatabase,
        "mysql": MySQLDatabase,
    }
    return classes[address.kind](address)


class SQLSessionManager(KeyValueSessionManager):
    """Stores sessions in PostgreSQL, MySQL, MariaDB or SQLite.

    A save is as durable as a commit in this database.
    """

    password_file = Unicode(
        help="""A file whose first line is the password, so that it is not in the URL: with
        `--debug`, Jupyter logs its settings."""
    ).tag(config=True)

    shared = Bool(
        help="""Whether several users share the database; each then sees only their own histories.
        Default: true, except for SQLite."""
    ).tag(config=True)

    timeout = Float(
        30.0,
        help="""Seconds to wait for a database operation, including its retries. An operation that
        has begun is completed even if nobody waits for its result.""",
    ).tag(config=True)

    @default("shared")
    def _default_shared(self) -> bool:
        return database_kind(self.url) != "sqlite"

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        database_kind(self.url)  # raises SettingError early
        self._runner = Runner(
            partial(_create_database, self.url, self.password_file, self.start_dir)
        )
        # Close the connections even if nobody calls ``close``.
        weakref.finalize(self, self._runner.dispose)

    async def start(self) -> list[str]:
        return await self.run_operation(lambda db: db.missing_guarantees())

    async def run(self, work: Callable[[Transaction], T]) -> T:
        return await self.run_operation(lambda db: db.write(work))

    async def read(self, work: Callable[[Transaction], T]) -> T:
        return await self.run_operation(lambda db: db.read(work))

    async def run_operation(self, operation: Callable[[Any], T]) -> T:
        """Run an operation on the ``Database`` in a thread.

        Raises StorageUnreachable after ``timeout`` seconds.
        """
        return await self._runner.run(operation, self.timeout)

    @contextlib.asynccontextmanager
    async def notebook_id_lock(self, *, owner: str = "") -> AsyncIterator[None]:
        # No ``self.timeout``: the thread could acquire the lock later, and nobody would release it.
        # ``lock_notebook_ids`` has its own timeout.
        acquisition = asyncio.ensure_future(
            self._runner.run(lambda db: db.lock_notebook_ids(owner))
        )

        def unlock(acquisition: asyncio.Future[Any]) -> None:
            if not acquisition.cancelled() and acquisition.exception() is None:
                lock = acquisition.result()
                unlocking = self.run_operation(lambda db: db.unlock_notebook_ids(lock))
                # The event loop's own reference is weak.
                self._unlock_task = asyncio.ensure_future(unlocking)

        try:
            lock = await asyncio.shield(acquisition)
        except asyncio.CancelledError:
            acquisition.add_done_callback(unlock)  # the thread still waits for the lock
            raise
        try:
            yield
        finally:
            await self.run_operation(lambda db: db.unlock_notebook_ids(lock))

    async def writable(self) -> bool:
        try:
            return await self.run_operation(lambda db: db.is_writable())
        except StorageError:
            return False

    async def close(self) -> None:
        await self._runner.close()
