"""Run transactions, retry them where that is safe, and map their errors.

Invariants:

- A transaction is atomic, and takes effect only once: if the connection breaks during the commit,
  the next attempt first checks whether it was committed.
- A transaction that writes locks each row that it gets, so writes to one session wait for each
  other. If two create the same row, one of them is attempted again.
- There are few retries, with less than three seconds between the first and the last.
- When a commit returns, its data is on disk, as far as settings of the connection can ensure this.
- If a process dies while it holds a lock, others can acquire the lock after a minute at most.
"""

from __future__ import annotations

import contextlib
import json
import random
import secrets
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any, TypeVar

from sqlalchemy import Connection, bindparam, delete, insert, select, update

from ..key_value import BLOB, LOG, MEMORY, SESSION, Transaction
from . import schema
from .errors import classify
from .schema import can_be_key, owner_key, values

T = TypeVar("T")

LOCK_TIMEOUT = 10  # seconds to wait for another writer
_RETRY_DELAYS = (0.02, 0.05, 0.1, 0.2, 0.4, 0.8)  # seconds between attempts, on average
_OWNER = "owner"
"""The kind of a value with an owner's name in JSON, if the name can't be the key."""
_Key = tuple[str, str, str]

# Building a statement takes longer than running it in SQLite (benchmarks/stores.py).
_columns = values.c
_AT_KEY = (
    (_columns.kind == bindparam("at_kind"))
    & (_columns.owner == bindparam("at_owner"))
    & (_columns.name == bindparam("at_name"))
)
_GET = select(_columns.value).where(_AT_KEY)
_GET_LOCKED = _GET.with_for_update()
_FIND_LOCKED = select(_columns.write_id).where(_AT_KEY).with_for_update()
_INSERT = insert(values)
_UPDATE = update(values).where(_AT_KEY)
_DELETE = delete(values).where(_AT_KEY)
_IN_RANGE = (
    (_columns.owner == bindparam("at_owner"))
    & (_columns.kind == bindparam("at_kind"))
    & (_columns.name >= bindparam("first"))
    & (_columns.name < bindparam("end"))
)
_NAMES = select(_columns.name).where(_IN_RANGE)
_VALUES = select(_columns.name, _columns.value).where(_IN_RANGE).order_by(_columns.name)
_DELETE_RANGE = delete(values).where(_IN_RANGE)
_AFTER_ALL_NAMES = "\x7f"  # names are ASCII


class WriteState:
    """The state of one transaction across its attempts."""

    def __init__(self) -> None:
        self.id = secrets.randbits(63)
        """A random number, stored in the rows that the transaction writes."""
        self.attempts = 1
        """The number of attempts that were begun, including the current one."""
        self.outcome_unknown = False
        """Whether an earlier attempt may have been committed, because its connection broke."""
        self.result: Any = None
        """The result of the previous attempt, which counts if that attempt was committed."""
        self.put_keys: set[_Key] = set()
        """The keys of the rows that the previous attempt wrote."""
        self.deleted_keys: set[_Key] = set()
        self.must_erase = False
        """Whether bytes that were deleted or replaced must not stay in the database's file."""

    def was_committed(self, connection: Connection) -> bool:
        """Return whether a broken connection had committed."""
        if not self.outcome_unknown:
            return False
        if not self.put_keys:
            keys = self.deleted_keys
            return bool(keys) and not any(_find(connection, key) for key in keys)
        return any(_find(connection, key) == self.id for key in self.put_keys)

    def begin_retry(self, error: Exception) -> float:
        """Begin the next attempt; return the seconds to wait before it.

        Raises ``error`` if the database didn't cause it, a StorageError if another attempt can't
        help.
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
        return delay * random.SystemRandom().uniform(0.5, 1.5)


def _at(key: _Key) -> dict[str, str]:
    return dict(zip(("at_kind", "at_owner", "at_name"), key, strict=True))


def _range(kind: str, owner: str, prefix: str) -> dict[str, str]:
    end = prefix[:-1] + chr(ord(prefix[-1]) + 1) if prefix else _AFTER_ALL_NAMES
    return {"at_owner": owner_key(owner), "at_kind": kind, "first": prefix, "end": end}


def _find(connection: Connection, key: _Key) -> int | None:
    return connection.execute(_FIND_LOCKED, _at(key)).scalar()


class SQLTransaction(Transaction):
    """A transaction; ``state`` is None if it only reads."""

    def __init__(self, connection: Connection, state: WriteState | None) -> None:
        self._connection, self._state = connection, state
        self._exists: dict[_Key, bool] = {}
        """Whether rows exist; they are locked, so that no other transaction changes this."""

    def get(self, kind: str, owner: str, name: str) -> bytes | None:
        key = kind, owner_key(owner), name
        query = _GET_LOCKED if self._state else _GET
        value = self._connection.execute(query, _at(key)).scalar()
        self._exists[key] = value is not None
        return None if value is None else bytes(value)

    def put(self, kind: str, owner: str, name: str, value: bytes) -> None:
        assert self._state
        if not can_be_key(owner) and kind != _OWNER:
            self._put((_OWNER, owner_key(owner), ""), json.dumps(owner).encode())
        self._state.must_erase |= kind == MEMORY
        self._put((kind, owner_key(owner), name), value)
        self._state.put_keys.add((kind, owner_key(owner), name))

    def _put(self, key: _Key, value: bytes) -> None:
        assert self._state
        kind, owner, name = key
        content = {"value": value, "write_id": self._state.id}
        if key not in self._exists:
            self._exists[key] = _find(self._connection, key) is not None
        if self._exists[key]:
            self._connection.execute(_UPDATE, content | _at(key))
        else:
            row = {"owner": owner, "kind": kind, "name": name, **content}
            self._connection.execute(_INSERT, row)
        self._exists[key] = True

    def delete(self, kind: str, owner: str, name: str) -> bool:
        assert self._state
        key = kind, owner_key(owner), name
        self._exists[key] = False
        count = self._connection.execute(_DELETE, _at(key)).rowcount
        if count:
            self._state.deleted_keys.add(key)
            self._state.must_erase |= kind in (BLOB, MEMORY)
        return count > 0

    def names(self, kind: str, owner: str) -> list[str]:
        return list(self._connection.execute(_NAMES, _range(kind, owner, "")).scalars())

    def values(self, kind: str, owner: str, prefix: str) -> dict[str, bytes]:
        rows = self._connection.execute(_VALUES, _range(kind, owner, prefix))
        return {name: bytes(value) for name, value in rows}

    def delete_all(self, kind: str, owner: str, prefix: str) -> bool:
        # What is known about other rows stays valid.
        for key in [key for key in self._exists if key[:2] == (kind, owner_key(owner))]:
            del self._exists[key]
        return self._connection.execute(_DELETE_RANGE, _range(kind, owner, prefix)).rowcount > 0

    def owners(self) -> list[str]:
        kinds = values.c.kind.in_((SESSION, LOG, BLOB))
        keys = self._connection.execute(select(values.c.owner).where(kinds).distinct()).scalars()
        query = select(values.c.owner, values.c.value).where(values.c.kind == _OWNER)
        names = {key: json.loads(bytes(name)) for key, name in self._connection.execute(query)}
        return [names.get(key, key) for key in keys]


class Database(ABC):
    """A database with AI Server's table, which the first operation creates. Thread-safe."""

    def __init__(self) -> None:
        self._is_ready = False
        self._setup_lock = threading.Lock()
        self._notebook_locks: set[ExitStack] = set()

    def read(self, work: Callable[[Transaction], T]) -> T:
        """Run ``work``, which changes nothing, in one transaction."""
        return self.query(lambda connection: work(SQLTransaction(connection, None)))

    def query(self, work: Callable[[Connection], T]) -> T:
        """Run ``work``, which changes nothing, with a connection."""
        return self._with_retries(lambda _: self._transaction(False, work))

    def write(self, work: Callable[[Transaction], T]) -> T:
        """Run ``work``, which may write, in one transaction."""

        def attempt(state: WriteState) -> T:
            def run(connection: Connection) -> T:
                if state.was_committed(connection):
                    committed: T = state.result
                    return committed
                state.put_keys, state.deleted_keys = set(), set()
                state.result = result = work(SQLTransaction(connection, state))
                return result

            result = self._transaction(True, run)
            if state.must_erase:
                self.erase_deleted()
            return result

        return self._with_retries(attempt)

    def lock_notebook_ids(self, owner: str) -> ExitStack:
        """Return the owner's lock, acquired. Raises StorageBusy after ``LOCK_TIMEOUT``."""
        lock = ExitStack()
        self._with_retries(lambda _: lock.enter_context(self._notebook_lock(owner)))
        self._notebook_locks.add(lock)
        return lock

    def unlock_notebook_ids(self, lock: ExitStack) -> None:
        self._notebook_locks.discard(lock)
        lock.close()

    @abstractmethod
    def missing_guarantees(self) -> list[str]:
        """Connect, and return a sentence for each guarantee that the database lacks."""

    @abstractmethod
    def is_writable(self) -> bool:
        """Return whether the database says that it accepts writes."""

    def erase_deleted(self) -> None:
        """Erase the bytes of deleted rows; a database server does it by itself."""
        return

    def close_idle(self) -> None:
        return

    def dispose(self) -> None:
        for lock in list(self._notebook_locks):
            self.unlock_notebook_ids(lock)
        self._close_connections()

    @abstractmethod
    def _transaction(self, is_write: bool, work: Callable[[Connection], T]) -> T:
        """Run ``work`` in one transaction, without retries."""

    @abstractmethod
    def _notebook_lock(self, owner: str) -> contextlib.AbstractContextManager[None]:
        """Return the owner's lock."""

    def _tables_lock(self) -> contextlib.AbstractContextManager[None]:
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
                self._transaction(True, _create_tables)


def _create_tables(connection: Connection) -> None:
    schema.create_tables(connection, lambda: SQLTransaction(connection, WriteState()))
