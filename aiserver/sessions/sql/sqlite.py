"""SQLite: run transactions in the calling thread, and lock the notebooks with a file."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

from filelock import FileLock, Timeout
from sqlalchemy import Connection, create_engine, event
from sqlalchemy.pool import NullPool

from ...durable.disks import network_disk
from ...errors import StorageBusy
from .address import Address
from .database import LOCK_TIMEOUT, Database

T = TypeVar("T")


class SQLiteDatabase(Database):
    """An SQLite file or a database in memory."""

    def __init__(self, address: Address) -> None:
        super().__init__()
        self._file = address.file
        self._write_lock = threading.Lock()
        self._unused_connections: list[Connection] = []
        self._engine = create_engine(
            address.url,
            connect_args={"timeout": LOCK_TIMEOUT, "check_same_thread": False},
            hide_parameters=True,
            poolclass=NullPool,  # see _transaction
        )
        event.listen(self._engine, "connect", self._configure)

    def is_writable(self) -> bool:
        """Whether the database accepts writes, as far as the file's mode tells."""
        return self._file is None or self.read(lambda _: os.access(str(self._file), os.W_OK))

    def missing_guarantees(self) -> list[str]:
        """Connect and return sentences about what the database does not guarantee."""
        mode = self.read(
            lambda connection: connection.exec_driver_sql("PRAGMA journal_mode").scalar()
        )
        if not self._file:
            return ["Histories are kept in memory only, so they are lost when the server stops."]
        if network_disk(self._file.parent):
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

    def _transaction(self, writes: bool, work: Callable[[Connection], T]) -> T:
        # SQLite allows one writer at a time: ours wait here for each other, without polling.
        # Each connection to ":memory:" would be a database of its own, so there is only one.
        exclusive = writes or self._file is None
        with self._write_lock if exclusive else contextlib.nullcontext():
            # SQLAlchemy's pool and transactions take longer than a read (benchmarks/stores.py).
            connection = self._take_connection()
            driver: Any = connection.connection.dbapi_connection
            try:
                # SQLite may refuse to turn a reading transaction into a writing one.
                driver.execute("BEGIN IMMEDIATE" if writes else "BEGIN")
                result = work(connection)
                driver.commit()
                return result
            finally:
                # After a commit, these only end what SQLAlchemy regards as a transaction.
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
        """Lock the notebooks of all owners, unless no file can be locked."""
        lock = FileLock(f"{self._file}.lock", mode=0o600, thread_local=False)
        try:
            if self._file:
                lock.acquire(timeout=LOCK_TIMEOUT, poll_interval=0.01)
        except Timeout as exc:
            raise StorageBusy from exc
        except OSError:  # then nobody can write either
            pass
        try:
            yield
        finally:
            lock.release()

    def _create_tables(self) -> None:
        if self._file:
            _create_private(self._file)
        super()._create_tables()

    def _configure(self, connection: Any, _: Any) -> None:
        connection.isolation_level = None  # transactions begin explicitly, see _transaction
        if self._file:
            connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")


def _create_private(file: Path) -> None:
    """Create the file with mode 0600; SQLite gives its adjacent files the same mode."""
    with contextlib.suppress(OSError):  # SQLite reports it if it matters
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.close(os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
