"""Databases on servers: a pool of connections, and locks that end with their connection.

Invariants: an idle server has no open connections: a hub runs more servers than its database
accepts connections.
"""

from __future__ import annotations

import contextlib
import hashlib
from abc import abstractmethod
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from sqlalchemy import Connection, create_engine, text
from sqlalchemy.exc import ProgrammingError

from ...errors import SettingError, StorageBusy
from .address import Address
from .database import Database
from .owners import owner_key

T = TypeVar("T")

CONNECT_TIMEOUT = 10  # seconds


class ServerDatabase(Database):
    """A database on a server."""

    def __init__(self, address: Address, **options: Any) -> None:
        super().__init__()
        self._engine = create_engine(
            address.url,
            connect_args={"connect_timeout": CONNECT_TIMEOUT, **options, **address.connect_args},
            paramstyle="format",
            isolation_level="READ COMMITTED",
            hide_parameters=True,
            pool_pre_ping=True,
            pool_recycle=300,
            pool_size=4,
            max_overflow=4,
            pool_timeout=CONNECT_TIMEOUT,
        )

    @abstractmethod
    def _lock_statements(self, name: bytes) -> tuple[str, str]:
        """Statements that acquire the lock of this name, returning 1, and release it."""

    def _transaction(self, writes: bool, work: Callable[[Connection], T]) -> T:
        with self._connect() as connection, connection.begin():
            return work(connection)

    @contextlib.contextmanager
    def _connect(self) -> Iterator[Connection]:
        pool = self._engine.pool
        try:
            with self._engine.connect() as connection:
                yield connection
        finally:
            if pool is not self._engine.pool:
                # The connections were closed meanwhile, except this one, which was in use.
                pool.dispose()

    def _notebook_lock(self, owner: str) -> contextlib.AbstractContextManager[None]:
        return self._lock(f"notebooks of {owner_key(owner)}")

    def _tables_lock(self) -> contextlib.AbstractContextManager[None]:
        return self._lock("tables")

    @contextlib.contextmanager
    def _lock(self, name: str) -> Iterator[None]:
        """Hold a lock that the database releases if this process dies."""
        digest = hashlib.sha256(name.encode()).digest()
        lock, unlock = map(text, self._lock_statements(digest))
        with self._connect() as connection:
            connection.execution_options(isolation_level="AUTOCOMMIT")
            if connection.execute(lock).scalar() != 1:
                raise StorageBusy
            try:
                yield
            finally:
                try:
                    connection.execute(unlock)
                except Exception:
                    connection.invalidate()  # the lock ends with the connection

    def _create_tables(self) -> None:
        try:
            self._engine.connect().close()
        except (TypeError, ProgrammingError) as exc:  # the driver doesn't know an option of the URL
            message = "The database URL contains an option that its driver does not support."
            raise SettingError(message) from exc
        super()._create_tables()

    def close_idle(self) -> None:
        """Close the connections, unless one holds a lock."""
        if not self._notebook_locks:
            self._close_connections()

    def _close_connections(self) -> None:
        self._engine.dispose()
