"""The session store in an SQL database: submits each operation to the database's own loop.

Invariants: those of ``base.py``, among all processes and machines that share the database. The
server's loop does none of the work. Creating a manager neither connects nor imports anything
large, so a database that doesn't respond can't keep a server from starting.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import weakref
from collections.abc import AsyncIterator, Callable, Collection, Coroutine, Sequence
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
from ...tokens import estimate_tokens
from ..base import SessionManager, VerifyResult
from ..record.filenames import check_sha256
from ..record.mutations import check_writable, select_newest
from .address import database_kind
from .event_loop import BackgroundLoop

if TYPE_CHECKING:
    from . import logs_and_blobs, operations, queries
    from . import verify as verification
    from .database import Database, NotebookLock
    from .rows import Counters

T = TypeVar("T")
_PAGE = 32  # turns per query when a history is read


def _create_database(*setting: Any) -> Database:
    """Create the database, importing the modules that need SQLAlchemy in its thread."""
    global logs_and_blobs, operations, queries, verification
    from . import logs_and_blobs, operations, queries
    from . import verify as verification
    from .database import Database

    return Database(*setting)


class SQLSessionManager(SessionManager):
    """Stores sessions in PostgreSQL, MySQL, MariaDB or SQLite. Durable if the database is."""

    password_file = Unicode(
        help="""A file whose first line is the password, so that it is not in the URL: with
        `--debug`, Jupyter logs its settings."""
    ).tag(config=True)

    shared = Bool(
        help="""Whether several users share the database; each then sees only their own histories.
        Default: true, except for SQLite."""
    ).tag(config=True)

    timeout = Float(30.0, help="Seconds after which a database operation times out.").tag(
        config=True
    )

    @default("shared")
    def _default_shared(self) -> bool:
        return database_kind(self.url) != "sqlite"

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        database_kind(self.url)  # raises early if a package is missing
        setting = (self.url, self.password_file, self.start_dir, self.timeout)
        self._loop = BackgroundLoop(partial(_create_database, *setting))
        # A manager that was never closed leaves no connection open.
        weakref.finalize(self, self._loop.abandon)

    async def start(self) -> list[str]:
        """Create or migrate the tables; return what the database does not guarantee."""
        return await self._run(lambda db: db.missing_guarantees())

    async def load_if_exists(self, key: SessionKey) -> Session | None:
        """The stored session, or None."""
        return await self._run(lambda db: db.read(operations.load, key))

    async def load_raw(self, key: SessionKey) -> tuple[bytes, int] | None:
        """The stored session as bytes and its revision, or None."""
        return await self._run(lambda db: db.read(operations.load_raw, key))

    async def save_interaction(
        self, key: SessionKey, turn: NewTurn, *, if_revision: int | None = None
    ) -> tuple[Interaction, int]:
        """Append one AI turn."""
        return await self._run(lambda db: db.write(operations.save_turn, key, turn, if_revision))

    async def record_events(
        self, key: SessionKey, events: Sequence[NewEvent], *, if_revision: int | None = None
    ) -> tuple[list[Event], int]:
        """Append events in one write."""
        return await self._run(
            lambda db: db.write(operations.save_events, key, events, if_revision)
        )

    async def get_history(
        self,
        key: SessionKey,
        *,
        max_messages: int | None = None,
        max_tokens: int | None = None,
        count_tokens: Callable[[str], int] = estimate_tokens,
    ) -> list[Interaction]:
        """The newest turns that fit; older turns are not read."""
        counters = await self._run(lambda db: db.read(operations.counters, key))
        bounds = max_messages, max_tokens, count_tokens
        try:
            turns = await self._newest(key, counters, *bounds) if counters else None
        except ValueError:  # a turn is damaged
            turns = None
        if turns is None:
            turns = (await self.load_session(key)).history()
        return select_newest(turns, *bounds)

    async def list_sessions(
        self,
        notebook_id: str | None = None,
        *,
        owner: str = "",
        offset: int = 0,
        limit: int | None = None,
    ) -> tuple[list[SessionSummary], int]:
        """One page of summaries; the sessions are not read."""
        if notebook_id is not None:
            check_id("notebookId", notebook_id)
        return await self._run(
            lambda db: db.read(operations.list_sessions, notebook_id, owner, offset, limit)
        )

    async def list_owners(self) -> list[str]:
        """The owners of the stored records."""
        return await self._run(lambda db: db.read(logs_and_blobs.list_owners))

    async def exists(self, key: SessionKey) -> bool:
        """Whether anything is stored under the key."""
        return await self._run(lambda db: db.read(operations.exists, key))

    async def delete(self, key: SessionKey, *, if_revision: int | None = None) -> bool:
        """Permanently delete a session."""
        return await self._run(lambda db: db.write(operations.delete, key, if_revision))

    async def fork(self, source: SessionKey, target: SessionKey) -> Session:
        """Copy a session to another cell."""
        return await self._run(lambda db: db.write(operations.fork, source, target))

    async def take_over(
        self, key: SessionKey, other: Session, *, merged_digests: Collection[str] = ()
    ) -> bool:
        """Merge another copy of the session into the stored one."""
        check_writable(other.meta, None)
        return await self._run(
            lambda db: db.write(operations.take_over, key, other, merged_digests)
        )

    @contextlib.asynccontextmanager
    async def exclusively(self, *, owner: str = "") -> AsyncIterator[None]:
        """Hold the notebook lock of the owner."""
        acquisition = asyncio.ensure_future(self._run(lambda db: db.notebook_lock(owner)))

        def release(acquired: asyncio.Future[NotebookLock]) -> None:
            if not acquired.cancelled() and acquired.exception() is None:
                closing = self._run(lambda _: acquired.result().aclose())
                self._releasing = asyncio.ensure_future(closing)

        try:
            lock = await asyncio.shield(acquisition)
        except asyncio.CancelledError:
            acquisition.add_done_callback(release)
            raise
        try:
            yield
        finally:
            await self._run(lambda _: lock.aclose())

    async def append_notebook_log(
        self, notebook_id: str, entries: Sequence[NewLogEntry], *, owner: str = ""
    ) -> list[NotebookLogEntry]:
        """Append entries to a notebook's log."""
        check_id("notebookId", notebook_id)
        if not entries:
            return []
        return await self._run(
            lambda db: db.write(logs_and_blobs.append_log, notebook_id, owner, entries)
        )

    async def read_notebook_log(
        self, notebook_id: str, *, owner: str = ""
    ) -> list[NotebookLogEntry]:
        """A notebook's log, oldest first."""
        check_id("notebookId", notebook_id)
        entries, damaged = await self._run(
            lambda db: db.read(logs_and_blobs.read_log, notebook_id, owner)
        )
        if damaged:
            self.log.warning("%d entries of a notebook's log are damaged.", damaged)
        return entries

    async def list_notebooks(self, *, owner: str = "") -> list[str]:
        """The ids of the notebooks that have a log, sorted."""
        return list(await self.notebook_marks(owner=owner))

    async def notebook_marks(self, *, owner: str = "") -> dict[str, int]:
        """For each notebook with a log, a number that changes with each write."""
        return await self._run(lambda db: db.read(logs_and_blobs.marks, owner))

    async def delete_notebook_log(self, notebook_id: str, *, owner: str = "") -> bool:
        """Permanently delete a notebook's log."""
        check_id("notebookId", notebook_id)
        return await self._run(lambda db: db.write(logs_and_blobs.delete_log, notebook_id, owner))

    async def put_blob(self, data: bytes, *, owner: str = "") -> str:
        """Store bytes under their SHA-256."""
        return await self._run(lambda db: db.write(logs_and_blobs.put_blob, bytes(data), owner))

    async def get_blob(self, sha256: str, *, owner: str = "") -> bytes | None:
        """The bytes under a hash, or None."""
        check_sha256(sha256)
        data = await self._run(lambda db: db.read(logs_and_blobs.get_blob, sha256, owner))
        if data is not None and hashlib.sha256(data).hexdigest() != sha256:
            self.log.warning("The blob %s is damaged.", sha256)
            return None
        return data

    async def list_blobs(self, *, owner: str = "") -> list[str]:
        """The hashes of all blobs, sorted."""
        return await self._run(lambda db: db.read(logs_and_blobs.list_blobs, owner))

    async def delete_blob(self, sha256: str, *, owner: str = "") -> bool:
        """Permanently delete a blob."""
        check_sha256(sha256)
        return await self._run(lambda db: db.write(logs_and_blobs.delete_blob, sha256, owner))

    async def verify(self, *, owner: str = "", repair: bool = False) -> AsyncIterator[VerifyResult]:
        """Verify the sessions, one by one, then the logs and blobs."""
        for key in await self._run(lambda db: db.read(queries.list_keys, owner)):
            yield await self._verify_session(key, repair)
        for notebook_id in await self.list_notebooks(owner=owner):
            yield await self._verify_log(notebook_id, owner)
        for sha256 in await self.list_blobs(owner=owner):
            yield await self._verify_blob(sha256, owner)

    async def writable(self) -> bool:
        """Whether the database accepts writes, as far as it reports."""
        try:
            return await self._run(lambda db: db.is_writable())
        except StorageError:
            return False

    async def close(self) -> None:
        """Close the connections, after the operations in progress."""
        await self._loop.close()

    async def _verify_session(self, key: SessionKey, repair: bool) -> VerifyResult:
        problems = await self._run(lambda db: db.read(verification.verify, key))
        repaired = False
        if problems and repair:
            problems, repaired = await self._run(lambda db: db.write(verification.repair, key))
        return VerifyResult(
            f"{key.notebook_id}/{key.cell_id}", "; ".join(problems) or None, repaired
        )

    async def _verify_log(self, notebook_id: str, owner: str) -> VerifyResult:
        return await self._run(lambda db: db.read(logs_and_blobs.verify_log, notebook_id, owner))

    async def _verify_blob(self, sha256: str, owner: str) -> VerifyResult:
        return await self._run(lambda db: db.read(logs_and_blobs.verify_blob, sha256, owner))

    async def _newest(
        self,
        key: SessionKey,
        counters: Counters,
        max_messages: int | None,
        max_tokens: int | None,
        count_tokens: Callable[[str], int],
    ) -> list[Interaction]:
        """At least the newest turns that fit. Raises ValueError if one is damaged."""
        max_turns = None if max_messages is None else max_messages // 2
        turns: list[Interaction] = []
        before = counters.next_index
        while max_turns is None or len(turns) < max_turns:
            limit = _PAGE if max_turns is None else min(_PAGE, max_turns - len(turns))
            page = await self._turns_before(key, counters.after_reset, before, limit)
            turns = [turn for _, turn in reversed(page)] + turns
            if len(page) < limit:
                break
            if len(select_newest(turns, None, max_tokens, count_tokens)) < len(turns):
                break
            before = page[-1][0]
        return turns

    async def _turns_before(
        self, key: SessionKey, first: int, before: int, limit: int
    ) -> list[tuple[int, Interaction]]:
        return await self._run(lambda db: db.read(queries.turns_before, key, first, before, limit))

    async def _run(self, operation: Callable[[Database], Coroutine[Any, Any, T]]) -> T:
        return await self._loop.run(operation)
