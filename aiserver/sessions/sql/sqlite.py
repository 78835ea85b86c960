"""SQLite: run transactions in the calling thread, and lock the notebooks with a file.

Invariants: a commit is on disk when it returns; a process that dies while it holds a lock blocks
nobody.
"""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from filelock import FileLock, Timeout
from sqlalchemy import Connection, create_engine, event
from sqlalchemy.pool import NullPool

from ...durable.disks import network_disk
from ...errors import StorageBusy
from . import schema
from .address import resolve
from .attempts import Write
from .tables import VERSION

T = TypeVar("T")

_LOCK_TIMEOUT = 10  # seconds to wait for another writer


class SQLiteDatabase:
    """An SQLite file or a database in memory. Synchronous and thread-safe."""

    def __init__(self, url: str, password_file: str, start_dir: str, timeout: float) -> None:
        address = resolve(url, password_file, start_dir)
        self._file = address.file
        self._setup_lock, self._write_lock = threading.Lock(), threading.Lock()
        self._is_ready = False
        self._notebook_locks: set[FileLock] = set()
        self._engine = create_engine(
            address.url,
            connect_args={"timeout": _LOCK_TIMEOUT, "check_same_thread": False},
            hide_parameters=True,
            poolclass=NullPool,  # see _transaction
        )
        self._unused_connections: list[Connection] = []
        event.listen(self._engine, "connect", self._configure)

    def read(self, work: Callable[[Connection], T]) -> T:
        """Run a reading function in one transaction."""
        return self._with_retries(lambda _: self._transaction(False, work))

    def write(self, work: Callable[[Connection, Write], T]) -> T:
        """Run a writing function in one transaction."""
        return self._with_retries(
            lambda write: self._transaction(True, lambda connection: work(connection, write))
        )

    def lock_notebooks(self, owner: str) -> FileLock | None:
        """Lock the notebooks of all owners; None if no file can be locked."""
        self.read(lambda _: None)  # creates the folder
        if self._file is None:
            return None
        lock = FileLock(f"{self._file}.lock", mode=0o600, thread_local=False)
        try:
            lock.acquire(timeout=_LOCK_TIMEOUT, poll_interval=0.01)
        except Timeout as exc:
            raise StorageBusy from exc
        except OSError:  # then nobody can write either
            return None
        self._notebook_locks.add(lock)
        return lock

    def unlock_notebooks(self, lock: FileLock | None) -> None:
        """Release the result of ``lock_notebooks``."""
        if lock:
            self._notebook_locks.discard(lock)
            lock.release()

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

    def dispose(self) -> None:
        """Release the locks and close all connections."""
        for lock in list(self._notebook_locks):
            self.unlock_notebooks(lock)
        while self._unused_connections:
            self._unused_connections.pop().close()

    def _with_retries(self, attempt: Callable[[Write], T]) -> T:
        write = Write()
        while True:
            try:
                self._ensure_tables()
                return attempt(write)
            except Exception as exc:
                delay = write.retry_delay(exc)
            time.sleep(delay)

    def _transaction(self, writes: bool, work: Callable[[Connection], T]) -> T:
        # SQLite allows one writer at a time: ours wait here for each other, without polling.
        # Each connection to ":memory:" would be a database of its own, so there is only one.
        exclusive = writes or self._file is None
        with self._write_lock if exclusive else contextlib.nullcontext():
            # A pool's own work on each connection would take longer than a read.
            connection = self._take_connection()
            try:
                with connection.begin():
                    driver: Any = connection.connection.dbapi_connection
                    # SQLite may refuse to turn a reading transaction into a writing one.
                    driver.execute("BEGIN IMMEDIATE" if writes else "BEGIN")
                    return work(connection)
            finally:
                self._unused_connections.append(connection)

    def _take_connection(self) -> Connection:
        try:
            return self._unused_connections.pop()
        except IndexError:
            return self._engine.connect()

    def _ensure_tables(self) -> None:
        if self._is_ready:
            return
        with self._setup_lock:
            if self._file and not self._is_ready:
                _create_private(self._file)
            if self._transaction(False, schema.current_version) != VERSION:
                self._transaction(True, schema.migrate)
            self._is_ready = True

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
