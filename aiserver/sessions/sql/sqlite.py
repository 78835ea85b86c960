"""SQLite databases, and warnings about where they are stored."""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from sqlite3 import OperationalError
from typing import Any, TypeVar

from filelock import FileLock, Timeout
from sqlalchemy import Connection, create_engine, event
from sqlalchemy.pool import NullPool

from ...durable import network_disk_warning
from ...errors import StorageBusy
from .address import Address
from .database import LOCK_TIMEOUT, Database

T = TypeVar("T")

_ERASE_TIMEOUT_MS = 200  # milliseconds to wait for other processes
_WAL_PAUSE = 0.02  # seconds between attempts to enable the log


class SQLiteDatabase(Database):
    """A database in an SQLite file or in memory."""

    def __init__(self, address: Address) -> None:
        super().__init__()
        self._file = address.file
        self._write_lock = threading.Lock()
        self._unused_connections: list[Connection] = []
        self._engine = create_engine(
            address.url,
            connect_args={"timeout": LOCK_TIMEOUT, "check_same_thread": False},
            hide_parameters=True,
            poolclass=NullPool,  # ``_transaction`` keeps the unused connections itself
        )
        event.listen(self._engine, "connect", self._configure)

    def is_writable(self) -> bool:
        return self._file is None or self.query(lambda _: os.access(str(self._file), os.W_OK))

    def missing_guarantees(self) -> list[str]:
        mode = self.query(
            lambda connection: connection.exec_driver_sql("PRAGMA journal_mode").scalar()
        )
        if not self._file:
            return ["Histories are kept in memory only, so they are lost when the server stops."]
        if network_disk_warning(self._file.parent):
            return [
                "The history database file is on a network disk, where SQLite's locks are not "
                "reliable. Use it from one machine only, or use PostgreSQL."
            ]
        if mode != "wal":
            return [
                "The file system of the history database does not support SQLite's write-ahead "
                "log, so servers that use it at the same time wait longer for each other."
            ]
        return []

    def erase_deleted(self) -> None:
        """Empty the write-ahead log, with deleted rows, unless another process reads."""
        if self._file is None:
            return
        with self._write_lock, contextlib.suppress(OperationalError):
            connection = self._take_connection()
            try:
                driver: Any = connection.connection.dbapi_connection
                driver.execute(f"PRAGMA busy_timeout = {_ERASE_TIMEOUT_MS}")
                driver.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
                driver.execute(f"PRAGMA busy_timeout = {int(LOCK_TIMEOUT * 1000)}")
            finally:
                connection.rollback()
                self._unused_connections.append(connection)

    def _transaction(self, is_write: bool, work: Callable[[Connection], T]) -> T:
        # SQLite allows one writer at a time, and polls more slowly than ``_write_lock``. Each
        # connection to ":memory:" has its own database, so all must use the same one.
        is_exclusive = is_write or self._file is None
        with self._write_lock if is_exclusive else contextlib.nullcontext():
            # SQLAlchemy's own transactions don't begin with BEGIN IMMEDIATE.
            connection = self._take_connection()
            driver: Any = connection.connection.dbapi_connection
            try:
                # After a plain BEGIN, SQLite may refuse to write later.
                driver.execute("BEGIN IMMEDIATE" if is_write else "BEGIN")
                result = work(connection)
                driver.commit()
                return result
            finally:
                # After a commit, this only ends SQLAlchemy's own transaction.
                connection.rollback()
                driver.rollback()
                self._unused_connections.append(connection)

    def _take_connection(self) -> Connection:
        try:
            return self._unused_connections.pop()
        except IndexError:
            return self._engine.connect()

    def _close_connections(self) -> None:
        while self._unused_connections:
            self._unused_connections.pop().close()

    @contextlib.contextmanager
    def _notebook_lock(self, owner: str) -> Iterator[None]:
        """All owners share the lock of a file next to the database. Raises StorageBusy."""
        lock = FileLock(f"{self._file}.lock", mode=0o600, thread_local=False)
        try:
            if self._file:
                lock.acquire(timeout=LOCK_TIMEOUT, poll_interval=0.01)
        except Timeout as exc:
            raise StorageBusy from exc
        except OSError:
            pass  # SQLite can't write into this folder, either
        try:
            yield
        finally:
            lock.release()

    def _ensure_tables(self) -> None:
        # Otherwise, writes would go to the deleted file, and end with us.
        if self._is_ready and self._file and not self._file.exists():
            with self._write_lock:
                self._close_connections()
                self._is_ready = False
        super()._ensure_tables()

    def _create_tables(self) -> None:
        if self._file:
            _create_private(self._file)
        super()._create_tables()

    def _configure(self, connection: Any, _: Any) -> None:
        connection.isolation_level = None  # ``_transaction`` executes BEGIN
        if self._file:
            _enable_wal(connection)
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA secure_delete = ON")  # overwrite deleted rows


def _enable_wal(connection: Any) -> None:
    """Raise OperationalError if the write-ahead log can't be enabled in time.

    While another connection writes or enables the log, SQLite doesn't wait, whatever the timeout.
    """
    deadline = time.monotonic() + LOCK_TIMEOUT
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except OperationalError as exc:
            if exc.args != ("database is locked",) or time.monotonic() > deadline:
                raise
        time.sleep(_WAL_PAUSE)


def _create_private(file: Path) -> None:
    with contextlib.suppress(OSError):  # SQLite raises an error later
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.close(os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
