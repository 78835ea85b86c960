"""Run operations in transactions, retry them where that is safe, and map their errors.

Invariants:

- An operation is atomic. It takes effect only once, even if it is attempted several times. If the
  connection breaks during the commit, the commit may or may not have succeeded. In this case,
  ``WriteState.outcome_unknown`` is set, and the next attempt first checks whether the previous
  attempt was committed.
- There are few retries, and the pauses between them add up to less than three seconds.
- When a commit returns, its data is on disk, as far as settings of the connection can ensure this.
- If a process dies while it holds a lock, other processes can acquire the lock after a minute at
  most.
"""

from __future__ import annotations

import contextlib
import random
import secrets
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any, TypeVar

from sqlalchemy import Connection, Table, inspect

from . import schema
from .errors import classify

T = TypeVar("T")

LOCK_TIMEOUT = 10  # the maximum number of seconds to wait for a lock of another writer
_RETRY_DELAYS = (0.02, 0.05, 0.1, 0.2, 0.4, 0.8)  # seconds between two attempts, on average


class WriteState:
    """The state of one operation across its attempts.

    A function that writes uses this state to find out whether an earlier attempt was committed. In
    an operation that only reads, the state only counts the attempts.
    """

    def __init__(self) -> None:
        self.id = secrets.randbits(63)
        """A random number, stored in the rows that the operation inserts."""
        self.attempts = 1
        """The number of attempts that were begun, including the current one."""
        self.outcome_unknown = False
        """Whether an earlier attempt may have been committed, because its connection broke."""
        self.result: Any = None
        """The result of the previous attempt. If the previous attempt turns out to be committed,
        the operation returns this result."""

    def begin_retry(self, error: Exception) -> float:
        """Begin the next attempt, and return the number of seconds to wait before it.

        ``error`` is the exception that ended the previous attempt. If the database didn't cause
        this exception, raise it again. If the database caused it, but another attempt can't help or
        there were too many attempts, raise the corresponding StorageError.
        """
        failure = classify(error)
        if failure is None:
            raise error
        can_retry = failure.can_retry or failure.outcome_unknown
        if not can_retry or self.attempts > len(_RETRY_DELAYS):
            raise failure.error from error
        self.outcome_unknown = self.outcome_unknown or failure.outcome_unknown
        delay = _RETRY_DELAYS[self.attempts - 1]
        self.attempts += 1
        return delay * random.uniform(0.5, 1.5)  # noqa: S311 (no secret)


class Database(ABC):
    """A database with AI Server's tables, which the first operation creates. Thread-safe."""

    def __init__(self) -> None:
        self._is_ready = False
        self._setup_lock = threading.Lock()
        self._notebook_locks: set[ExitStack] = set()
        self._added_tables: set[str] = set()
        """The names of tables outside of the version (``tables.py``) that certainly exist."""

    def read(self, work: Callable[[Connection], T]) -> T:
        """Run ``work``, which changes nothing, in one transaction, and return its result."""
        return self._with_retries(lambda _: self._transaction(False, work))

    def write(self, work: Callable[[Connection, WriteState], T]) -> T:
        """Run ``work``, which may write, in one transaction, and return its result."""
        return self._with_retries(
            lambda state: self._transaction(True, lambda connection: work(connection, state))
        )

    def has_table(self, connection: Connection, table: Table) -> bool:
        """Return whether a table that isn't part of the version exists."""
        if table.name not in self._added_tables and inspect(connection).has_table(table.name):
            self._added_tables.add(table.name)
        return table.name in self._added_tables

    def create_table(self, table: Table) -> None:
        """Create a table that isn't part of the version, unless it exists."""

        def attempt(_: WriteState) -> None:
            with self._tables_lock():
                self._transaction(
                    True, lambda connection: table.create(connection, checkfirst=True)
                )

        if not self.read(lambda connection: self.has_table(connection, table)):
            self._with_retries(attempt)

    def lock_notebook_ids(self, owner: str) -> ExitStack:
        """Acquire the lock that a process needs to give one of the owner's notebooks its id.

        Return the lock, for ``unlock_notebook_ids``. Raises StorageBusy if another process still
        has the lock after ``LOCK_TIMEOUT`` seconds.
        """
        lock = ExitStack()
        self._with_retries(lambda _: lock.enter_context(self._notebook_lock(owner)))
        self._notebook_locks.add(lock)
        return lock

    def unlock_notebook_ids(self, lock: ExitStack) -> None:
        """Release a lock that ``lock_notebook_ids`` returned."""
        self._notebook_locks.discard(lock)
        lock.close()

    @abstractmethod
    def missing_guarantees(self) -> list[str]:
        """Connect, and return a sentence for each guarantee that the database lacks."""

    @abstractmethod
    def is_writable(self) -> bool:
        """Return whether the database reports that it accepts writes."""

    def erase_deleted(self) -> None:
        """Erase the bytes of deleted rows, as far as this process can.

        By default, this method does nothing: a database server erases them by itself, later.
        """
        return

    def close_idle(self) -> None:
        """Close idle connections.

        By default, this method does nothing. The classes for database servers override it.
        """
        return

    def dispose(self) -> None:
        """Release the locks and close all connections."""
        for lock in list(self._notebook_locks):
            self.unlock_notebook_ids(lock)
        self._close_connections()

    @abstractmethod
    def _transaction(self, is_write: bool, work: Callable[[Connection], T]) -> T:
        """Run ``work`` in one transaction, without retries, and return its result."""

    @abstractmethod
    def _notebook_lock(self, owner: str) -> contextlib.AbstractContextManager[None]:
        """Return a context manager that holds the owner's notebook lock."""

    def _tables_lock(self) -> contextlib.AbstractContextManager[None]:
        """Return a context manager that allows one process at a time to create the tables.

        By default, the context manager does nothing, which suffices for a database that allows only
        one writing transaction at a time. The classes for other databases override this method.
        """
        return contextlib.nullcontext()

    @abstractmethod
    def _close_connections(self) -> None: ...

    def _with_retries(self, attempt: Callable[[WriteState], T]) -> T:
        state = WriteState()
        while True:
            try:
                self._ensure_tables()
                return attempt(state)
            except Exception as exc:
                delay = state.begin_retry(exc)
            time.sleep(delay)

    def _ensure_tables(self) -> None:
        if self._is_ready:
            return
        with self._setup_lock:
            if not self._is_ready:
                self._create_tables()
                self._is_ready = True

    def _create_tables(self) -> None:
        if self._transaction(False, schema.current_version) != schema.VERSION:
            with self._tables_lock():
                self._transaction(True, schema.create_tables)
