"""The base class for databases that run as servers, with a pool of connections and with locks.

Invariants: a Jupyter server that hasn't used its database for a minute, and that holds no lock, has
no open connections to the database. If such servers stayed connected, the many Jupyter servers of a
JupyterHub could exceed the number of connections that the database accepts. A lock belongs to a
connection, so the database releases the lock when the connection ends.
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
    """A database that runs as a server, such as PostgreSQL."""

    def __init__(self, address: Address, **options: Any) -> None:
        super().__init__()
        self._engine = create_engine(
            address.url,
            connect_args={"connect_timeout": CONNECT_TIMEOUT, **options, **address.connect_args},
            isolation_level="READ COMMITTED",
            hide_parameters=True,
            pool_pre_ping=True,
            pool_recycle=300,
            pool_size=4,
            max_overflow=4,
            pool_timeout=CONNECT_TIMEOUT,
        )

    @abstractmethod
    def _lock_statements(self, name_digest: bytes) -> tuple[str, str]:
        """Return a statement that acquires a lock, and a statement that releases this lock.

        The first statement selects 1 if the lock was acquired. ``name_digest`` is the SHA-256 of
        the lock's name.
        """

    def _transaction(self, is_write: bool, work: Callable[[Connection], T]) -> T:
        with self._connect() as connection:
            if not is_write:  # all reads of the transaction see the same state
                connection.execution_options(isolation_level="REPEATABLE READ")
            with connection.begin():
                return work(connection)

    @contextlib.contextmanager
    def _connect(self) -> Iterator[Connection]:
        """Yield a connection from the pool, and put it back afterwards."""
        pool = self._engine.pool
        try:
            with self._engine.connect() as connection:
                yield connection
        finally:
            if pool is not self._engine.pool:
                # Meanwhile, ``_close_connections`` has replaced the pool, and has closed all
                # connections of the old pool except this one, which was in use.
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
            # Without autocommit, a transaction would stay open, and idle, while the lock is held.
            connection.execution_options(isolation_level="AUTOCOMMIT")
            if connection.execute(lock).scalar() != 1:
                raise StorageBusy
            try:
                yield
            finally:
                try:
                    connection.execute(unlock)
                except Exception:
                    connection.invalidate()  # closes the connection, which releases the lock

    def _create_tables(self) -> None:
        try:
            self._engine.connect().close()
        except (TypeError, ProgrammingError) as exc:  # the driver rejects an option of the URL
            message = "The database URL contains an option that its driver does not support."
            raise SettingError(message) from exc
        super()._create_tables()

    def close_idle(self) -> None:
        if not self._notebook_locks:
            self._close_connections()

    def _close_connections(self) -> None:
        self._engine.dispose()
