"""Run operations in transactions, retry them where that is safe, and map their errors.

Invariants:

- An operation is atomic and runs exactly once, even if the connection breaks during the commit:
  then ``Write.outcome_unknown`` is set, and the next attempt looks for the result of the last one.
- Retries are few and end within some seconds.
- A commit is on disk when it returns, as far as the connection's settings decide this.
- A process that dies while it holds a lock blocks the others for a minute at most.
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

from sqlalchemy import Connection

from . import schema
from .errors import classify

T = TypeVar("T")

LOCK_TIMEOUT = 10  # seconds to wait for another writer of the same session
_RETRY_DELAYS = (0.02, 0.05, 0.1, 0.2, 0.4, 0.8)  # seconds between two attempts, on average


class Write:
    """The state of one operation across its attempts."""

    def __init__(self) -> None:
        self.id = secrets.randbits(63)
        """Stored in the rows that the operation inserts."""
        self.attempts = 1
        self.outcome_unknown = False
        """Whether a connection broke, so that an earlier attempt may have been committed."""
        self.result: Any = None
        """The result of the last attempt, should it have been committed."""

    def retry_delay(self, error: Exception) -> float:
        """Begin the next attempt: return the seconds to wait before it.

        Raises ``error``, or the StorageError for it, if there is no further attempt.
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
    """A database with our tables, which the first operation creates. Thread-safe."""

    def __init__(self) -> None:
        self._is_ready = False
        self._setup_lock = threading.Lock()
        self._notebook_locks: set[ExitStack] = set()

    def read(self, work: Callable[[Connection], T]) -> T:
        """Run a reading function in one transaction."""
        return self._with_retries(lambda _: self._transaction(False, work))

    def write(self, work: Callable[[Connection, Write], T]) -> T:
        """Run a writing function in one transaction."""
        return self._with_retries(
            lambda write: self._transaction(True, lambda connection: work(connection, write))
        )

    def lock_notebooks(self, owner: str) -> ExitStack:
        """Acquire an owner's notebook lock. Raises StorageBusy after ``LOCK_TIMEOUT``."""
        lock = ExitStack()
        self._with_retries(lambda _: lock.enter_context(self._notebook_lock(owner)))
        self._notebook_locks.add(lock)
        return lock

    def unlock_notebooks(self, lock: ExitStack) -> None:
        """Release the result of ``lock_notebooks``."""
        self._notebook_locks.discard(lock)
        lock.close()

    @abstractmethod
    def missing_guarantees(self) -> list[str]:
        """Connect and return sentences about what the database does not guarantee."""

    @abstractmethod
    def is_writable(self) -> bool:
        """Whether the database accepts writes, as far as it reports."""

    def close_idle(self) -> None:
        """Close connections that should not stay open unused."""
        return

    def dispose(self) -> None:
        """Release the locks and close all connections."""
        for lock in list(self._notebook_locks):
            self.unlock_notebooks(lock)
        self._close_connections()

    @abstractmethod
    def _transaction(self, writes: bool, work: Callable[[Connection], T]) -> T: ...

    @abstractmethod
    def _notebook_lock(self, owner: str) -> contextlib.AbstractContextManager[None]: ...

    def _tables_lock(self) -> contextlib.AbstractContextManager[None]:
        """Keep out other processes, unless the transaction does that."""
        return contextlib.nullcontext()

    @abstractmethod
    def _close_connections(self) -> None: ...

    def _with_retries(self, attempt: Callable[[Write], T]) -> T:
        write = Write()
        while True:
            try:
                self._ensure_tables()
                return attempt(write)
            except Exception as exc:
                delay = write.retry_delay(exc)
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
