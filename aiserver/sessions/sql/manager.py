"""The session store in an SQL database. It runs each operation in a thread.

Invariants: the invariants of ``base.py`` hold among all processes and machines that share the
database. No operation runs in the thread of the event loop. Creating a manager doesn't connect to
the database, so a Jupyter server starts even if the database doesn't respond.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import weakref
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from traitlets import Bool, Float, Unicode, default

from ...errors import StorageError
from ...models import (
    Event,
    Interaction,
    NewEvent,
    NewLogEntry,
    NewTurn,
    NotebookLogEntry,
    Session,
    SessionKey,
    SessionSummary,
    check_id,
)
from ..base import SessionManager, VerifyResult
from ..record.filenames import check_sha256
from ..record.mutations import check_writable
from .address import Address, database_kind, resolve_address
from .runner import Runner

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from . import logs_and_blobs, operations, queries
    from . import verify as verification
    from .database import Database, WriteState

T = TypeVar("T")


def _create_database(url: str, password_file: str, start_dir: str) -> Database:
    """Return the ``Database`` for a URL.

    This function runs in a thread, because importing SQLAlchemy is slow. The modules that it
    imports become global variables, which the methods of ``SQLSessionManager`` use.
    """
    global logs_and_blobs, operations, queries, verification
    from . import logs_and_blobs, operations, queries
    from . import verify as verification
    from .mysql import MySQLDatabase
    from .postgresql import PostgreSQLDatabase
    from .sqlite import SQLiteDatabase

    address = resolve_address(url, password_file, start_dir)
    classes: dict[str, Callable[[Address], Database]] = {
        "sqlite": SQLiteDatabase,
        "postgresql": PostgreSQLDatabase,
        "mysql": MySQLDatabase,
    }
    return classes[address.kind](address)


class SQLSessionManager(SessionManager):
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
        database_kind(self.url)  # raises early if the URL isn't supported or a package is missing
        self._runner = Runner(
            partial(_create_database, self.url, self.password_file, self.start_dir)
        )
        # Close the connections even if nobody calls ``close``.
        weakref.finalize(self, self._runner.dispose)

    async def start(self) -> list[str]:
        """Create the tables, and return a sentence for each guarantee that the database lacks."""
        return await self.run(lambda db: db.missing_guarantees())

    async def load_if_exists(self, key: SessionKey) -> Session | None:
        """Return the stored session, or None if no session is stored."""
        return await self._read(lambda db: operations.load(db, key))

    async def load_raw(self, key: SessionKey) -> tuple[bytes, int] | None:
        """Return the stored session as bytes, and its revision, or None if there is no session."""
        return await self._read(lambda db: operations.load_raw(db, key))

    async def save_interaction(
        self, key: SessionKey, turn: NewTurn, *, if_revision: int | None = None
    ) -> tuple[Interaction, int]:
        """Append one turn; return the saved turn and the new revision."""
        return await self._write(
            lambda db, state: operations.save_turn(db, state, key, turn, if_revision)
        )

    async def record_events(
        self, key: SessionKey, events: Sequence[NewEvent], *, if_revision: int | None = None
    ) -> tuple[list[Event], int]:
        """Append events in one write; return the saved events and the new revision."""
        return await self._write(
            lambda db, state: operations.save_events(db, state, key, events, if_revision)
        )

    async def _newest_turns(
        self, key: SessionKey, limit: int | None
    ) -> tuple[list[Interaction], bool]:
        return await self._read(lambda db: operations.newest_turns(db, key, limit))

    async def list_sessions(
        self,
        notebook_id: str | None = None,
        *,
        owner: str = "",
        offset: int = 0,
        limit: int | None = None,
    ) -> tuple[list[SessionSummary], int]:
        """Return at most ``limit`` summaries from ``offset`` on, and the total number of sessions.

        The summaries are stored. A session itself is only read if its stored summary is damaged.
        """
        if notebook_id is not None:
            check_id("notebookId", notebook_id)
        summaries, total, unreadable_count = await self._read(
            lambda db: operations.list_sessions(db, notebook_id, owner, offset, limit)
        )
        if unreadable_count:
            self.log.warning("%d sessions can't be read.", unreadable_count)
        return summaries, total

    async def list_owners(self) -> list[str]:
        """Return the owners of sessions, change logs or blobs, sorted."""
        return await self._read(lambda db: logs_and_blobs.list_owners(db))

    async def exists(self, key: SessionKey) -> bool:
        """Return whether anything is stored under the key."""
        return await self._read(lambda db: queries.read_head(db, key)) is not None

    async def delete(self, key: SessionKey, *, if_revision: int | None = None) -> bool:
        """Permanently delete a session; return False if there was none."""
        return await self._write(lambda db, state: operations.delete(db, state, key, if_revision))

    async def fork(self, source: SessionKey, target: SessionKey) -> Session:
        """Copy a session to another cell; if that cell already has a session, return it instead."""
        return await self._write(lambda db, state: operations.fork(db, state, source, target))

    async def merge_copy(
        self, key: SessionKey, other: Session, *, merged_digests: Collection[str] = ()
    ) -> bool:
        """Merge ``other``, another copy of the session, into the stored session."""
        check_writable(other.meta, None)
        return await self._write(
            lambda db, state: operations.merge_copy(db, state, key, other, merged_digests)
        )

    @contextlib.asynccontextmanager
    async def notebook_id_lock(self, *, owner: str = "") -> AsyncIterator[None]:
        """Hold the lock that a process needs to give one of the owner's notebooks its id."""
        # The acquisition doesn't use ``self.timeout``: after this timeout, the thread could still
        # acquire the lock, and nobody would release it. ``lock_notebook_ids`` has a timeout of its
        # own.
        acquisition = asyncio.ensure_future(
            self._runner.run(lambda db: db.lock_notebook_ids(owner))
        )

        def unlock(acquisition: asyncio.Future[Any]) -> None:
            if not acquisition.cancelled() and acquisition.exception() is None:
                lock = acquisition.result()
                unlocking = self.run(lambda db: db.unlock_notebook_ids(lock))
                # The event loop has only a weak reference to the task. With this attribute, the
                # task isn't deleted before it has ended.
                self._unlock_task = asyncio.ensure_future(unlocking)

        try:
            lock = await asyncio.shield(acquisition)
        except asyncio.CancelledError:
            acquisition.add_done_callback(unlock)  # the thread still tries to acquire the lock
            raise
        try:
            yield
        finally:
            await self.run(lambda db: db.unlock_notebook_ids(lock))

    async def append_notebook_log(
        self, notebook_id: str, entries: Sequence[NewLogEntry], *, owner: str = ""
    ) -> list[NotebookLogEntry]:
        """Append entries to a notebook's change log."""
        check_id("notebookId", notebook_id)
        if not entries:
            return []
        return await self._write(
            lambda db, state: logs_and_blobs.append_log(db, state, notebook_id, owner, entries)
        )

    async def read_notebook_log(
        self, notebook_id: str, *, owner: str = ""
    ) -> list[NotebookLogEntry]:
        """Return a notebook's change log, oldest entry first."""
        check_id("notebookId", notebook_id)
        entries, damaged_count = await self._read(
            lambda db: logs_and_blobs.read_log(db, notebook_id, owner)
        )
        if damaged_count:
            self.log.warning("%d entries of a notebook's change log are damaged.", damaged_count)
        return entries

    async def list_notebooks(self, *, owner: str = "") -> list[str]:
        """Return the ids of the notebooks that have a change log, sorted."""
        return list(await self.notebook_marks(owner=owner))

    async def notebook_marks(self, *, owner: str = "") -> dict[str, int]:
        """Return a mark for each change log, by notebook id: a number that each write changes."""
        return await self._read(lambda db: logs_and_blobs.notebook_marks(db, owner))

    async def delete_notebook_log(self, notebook_id: str, *, owner: str = "") -> bool:
        """Permanently delete a notebook's change log; return False if there was none."""
        check_id("notebookId", notebook_id)
        return await self._write(
            lambda db, state: logs_and_blobs.delete_log(db, state, notebook_id, owner)
        )

    async def put_blob(self, data: bytes, *, owner: str = "") -> str:
        """Store bytes under their SHA-256; return the hash in hex."""
        return await self._write(
            lambda db, state: logs_and_blobs.put_blob(db, state, bytes(data), owner)
        )

    async def get_blob(self, sha256: str, *, owner: str = "") -> bytes | None:
        """Return the bytes with this hash, or None if the blob is missing or damaged."""
        check_sha256(sha256)
        data = await self._read(lambda db: logs_and_blobs.get_blob(db, sha256, owner))
        if data is not None and hashlib.sha256(data).hexdigest() != sha256:
            self.log.warning("The blob %s is damaged.", sha256)
            return None
        return data

    async def list_blobs(self, *, owner: str = "") -> list[str]:
        """Return the hashes of all blobs, sorted."""
        return await self._read(lambda db: logs_and_blobs.list_blobs(db, owner))

    async def delete_blob(self, sha256: str, *, owner: str = "") -> bool:
        """Permanently delete a blob; return False if there was none."""
        check_sha256(sha256)
        was_deleted = await self._write(
            lambda db, state: logs_and_blobs.delete_blob(db, state, sha256, owner)
        )
        if was_deleted:  # a blob can contain a person's data or a memory that was forgotten
            await self.run(lambda db: db.erase_deleted())
        return was_deleted

    async def verify(self, *, owner: str = "", repair: bool = False) -> AsyncIterator[VerifyResult]:
        """Verify the owner's sessions one by one, then the change logs and blobs."""
        for key in await self._read(lambda db: queries.list_keys(db, owner)):
            problems, repaired = await self._read(partial(verification.verify, key=key)), False
            if problems and repair:
                problems, repaired = await self._write(partial(verification.repair, key=key))
            location = f"{key.notebook_id}/{key.cell_id}"
            yield VerifyResult(location, "; ".join(problems) or None, repaired)
        for notebook_id in await self.list_notebooks(owner=owner):
            yield await self._read(
                partial(logs_and_blobs.verify_log, notebook_id=notebook_id, owner=owner)
            )
        for sha256 in await self.list_blobs(owner=owner):
            yield await self._read(partial(logs_and_blobs.verify_blob, sha256=sha256, owner=owner))

    async def writable(self) -> bool:
        """Return whether the database reports that it accepts writes."""
        try:
            return await self.run(lambda db: db.is_writable())
        except StorageError:
            return False

    async def close(self) -> None:
        """Close the connections once the operations in progress have ended."""
        await self._runner.close()

    async def run(self, operation: Callable[[Any], T]) -> T:
        """Run an operation on the ``Database`` in a thread, and return its result.

        Raises StorageUnreachable if it hasn't ended after ``timeout`` seconds.
        """
        return await self._runner.run(operation, self.timeout)

    async def _read(self, work: Callable[[Connection], T]) -> T:
        return await self.run(lambda db: db.read(work))

    async def _write(self, work: Callable[[Connection, WriteState], T]) -> T:
        return await self.run(lambda db: db.write(work))
