"""What the databases of PostgreSQL and MySQL have in common.

Invariants: an idle server has no open connections: a hub runs more servers than its database
accepts connections.
"""

from __future__ import annotations

import contextlib
import hashlib
import threading
import time
from abc import abstractmethod
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from sqlalchemy import Connection, create_engine, text
from sqlalchemy.exc import ProgrammingError

from ...errors import StorageBusy
from .address import Address
from .database import Database
from .errors import bad_option
from .owners import owner_key

T = TypeVar("T")

CONNECT_TIMEOUT = 10  # seconds
_IDLE_TIMEOUT = 60.0  # seconds after which unused connections are closed


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
        self._guard = threading.Lock()
        self._active_count, self._last_use = 0, 0.0
        self._idle_timer: threading.Timer | None = None

    @abstractmethod
    def _lock_statements(self, name: bytes) -> tuple[str, str]:
        """Statements that acquire the lock of this name, returning 1, and release it."""

    def _transaction(self, writes: bool, work: Callable[[Connection], T]) -> T:
        with self._in_use(), self._engine.begin() as connection:
            return work(connection)

    @contextlib.contextmanager
    def _notebook_lock(self, owner: str) -> Iterator[None]:
        """Hold a lock that the database releases if this process dies."""
        name = hashlib.sha256(f"notebooks of {owner_key(owner)}".encode()).digest()
        lock, unlock = map(text, self._lock_statements(name))
        with self._in_use(), self._engine.connect() as connection:
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
            raise bad_option() from exc
        super()._create_tables()

    @contextlib.contextmanager
    def _in_use(self) -> Iterator[None]:
        with self._guard:
            self._active_count += 1
        try:
            yield
        finally:
            with self._guard:
                self._active_count -= 1
                self._last_use = time.monotonic()
                if self._idle_timer is None:
                    self._start_timer(_IDLE_TIMEOUT)

    def _start_timer(self, seconds: float) -> None:
        self._idle_timer = threading.Timer(seconds, self._close_idle)
        self._idle_timer.daemon = True
        self._idle_timer.start()

    def _close_idle(self) -> None:
        with self._guard:
            remaining = self._last_use + _IDLE_TIMEOUT - time.monotonic()
            if self._active_count or remaining > 0:
                self._start_timer(_IDLE_TIMEOUT if self._active_count else remaining)
            else:
                self._idle_timer = None
                self._engine.dispose()

    def _close_connections(self) -> None:
        with self._guard:
            if self._idle_timer:
                self._idle_timer.cancel()
        self._engine.dispose()
