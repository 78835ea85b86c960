"""The store: the contract, handed on to the database's own loop.

What must hold: that of ``base.py``, among all processes and machines that share the database. The
server's loop does none of the work. Making a manager connects to nothing and imports nothing
large, so a database that doesn't answer keeps no server from starting.
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
from .address import kind_of
from .event_loop import OwnLoop

if TYPE_CHECKING:
    from . import logs_and_blobs as beside
    from . import operations as sessions
    from . import queries as records
    from . import verify as mending
    from .database import Database, Hold
    from .rows import Counters

T = TypeVar("T")
_PAGE = 32  # turns that are read at once for a history


def _database(*setting: Any) -> Database:
    """Import what is large, in the database's thread. What is done there finds it by its name."""
    global beside, mending, records, sessions
    from . import logs_and_blobs as beside
    from . import operations as sessions
    from . import queries as records
    from . import verify as mending
    from .database import Database

    return Database(*setting)


class SQLSessionManager(SessionManager):
    """Keeps sessions in PostgreSQL, MySQL, MariaDB or SQLite. Durable, if the database is."""

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
        return kind_of(self.url) != "sqlite"

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        kind_of(self.url)  # what is missing is said at once
        setting = (self.url, self.password_file, self.start_dir, self.timeout)
        self._loop = OwnLoop(partial(_database, *setting))
        # Whoever forgets to close it leaves no connection open.
        weakref.finalize(self, self._loop.abandon)

    async def start(self) -> list[str]:
        """Make the tables, if there are none, and say what the database doesn't guarantee."""
        return await self._do(lambda db: db.unsure())

    async def load_if_exists(self, key: SessionKey) -> Session | None:
        """The stored session, or None."""
        return await self._do(lambda db: db.read(sessions.load, key))

    async def load_raw(self, key: SessionKey) -> tuple[bytes, int] | None:
        """The stored records put together, and the revision, or None."""
        return await self._do(lambda db: db.read(sessions.load_raw, key))

    async def save_interaction(
        self, key: SessionKey, turn: NewTurn, *, if_revision: int | None = None
    ) -> tuple[Interaction, int]:
        """Append one AI turn."""
        return await self._do(lambda db: db.write(sessions.save_turn, key, turn, if_revision))

    async def record_events(
        self, key: SessionKey, events: Sequence[NewEvent], *, if_revision: int | None = None
    ) -> tuple[list[Event], int]:
        """Append events in one write."""
        return await self._do(lambda db: db.write(sessions.save_events, key, events, if_revision))

    async def get_history(
        self,
        key: SessionKey,
        *,
        max_messages: int | None = None,
        max_tokens: int | None = None,
        count_tokens: Callable[[str], int] = estimate_tokens,
    ) -> list[Interaction]:
        """The newest turns that fit; the others are not read."""
        found = await self._do(lambda db: db.read(sessions.counters, key))
        bounds = max_messages, max_tokens, count_tokens
        try:
            turns = await self._newest(key, found, *bounds) if found else None
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
        return await self._do(
            lambda db: db.read(sessions.listed, notebook_id, owner, offset, limit)
        )

    async def list_owners(self) -> list[str]:
        """Whose records there are."""
        return await self._do(lambda db: db.read(beside.list_owners))

    async def exists(self, key: SessionKey) -> bool:
        """Whether anything is stored under the key."""
        return await self._do(lambda db: db.read(sessions.exists, key))

    async def delete(self, key: SessionKey, *, if_revision: int | None = None) -> bool:
        """Remove a session for good."""
        return await self._do(lambda db: db.write(sessions.remove, key, if_revision))

    async def fork(self, source: SessionKey, target: SessionKey) -> Session:
        """Copy a session to another cell."""
        return await self._do(lambda db: db.write(sessions.fork, source, target))

    async def take_over(
        self, key: SessionKey, other: Session, *, taken: Collection[str] = ()
    ) -> bool:
        """Keep what another place knows of the cell as well."""
        check_writable(other.meta, None)
        return await self._do(lambda db: db.write(sessions.take_over, key, other, taken))

    @contextlib.asynccontextmanager
    async def exclusively(self, *, owner: str = "") -> AsyncIterator[None]:
        """Be the only one who says which of an owner's notebooks is which."""
        held = asyncio.ensure_future(self._do(lambda db: db.hold(owner)))

        def leave(done: asyncio.Future[Hold]) -> None:
            if not done.cancelled() and done.exception() is None:
                left = self._do(lambda _: done.result().aclose())
                self._leaving = asyncio.ensure_future(left)

        try:
            hold = await asyncio.shield(held)
        except asyncio.CancelledError:
            held.add_done_callback(leave)
            raise
        try:
            yield
        finally:
            await self._do(lambda _: hold.aclose())

    async def append_notebook_log(
        self, notebook_id: str, entries: Sequence[NewLogEntry], *, owner: str = ""
    ) -> list[NotebookLogEntry]:
        """Append lines to a notebook's log."""
        check_id("notebookId", notebook_id)
        if not entries:
            return []
        return await self._do(lambda db: db.write(beside.append_log, notebook_id, owner, entries))

    async def read_notebook_log(
        self, notebook_id: str, *, owner: str = ""
    ) -> list[NotebookLogEntry]:
        """A notebook's log, oldest first."""
        check_id("notebookId", notebook_id)
        entries, damaged = await self._do(lambda db: db.read(beside.read_log, notebook_id, owner))
        if damaged:
            self.log.warning("%d lines of a notebook's log are damaged.", damaged)
        return entries

    async def list_notebooks(self, *, owner: str = "") -> list[str]:
        """The ids of the notebooks that have a log, sorted."""
        return list(await self.notebook_marks(owner=owner))

    async def notebook_marks(self, *, owner: str = "") -> dict[str, int]:
        """For each notebook with a log, a number that differs after each write."""
        return await self._do(lambda db: db.read(beside.marks, owner))

    async def delete_notebook_log(self, notebook_id: str, *, owner: str = "") -> bool:
        """Remove a notebook's log for good."""
        check_id("notebookId", notebook_id)
        return await self._do(lambda db: db.write(beside.remove_log, notebook_id, owner))

    async def put_blob(self, data: bytes, *, owner: str = "") -> str:
        """Keep bytes by content."""
        return await self._do(lambda db: db.write(beside.put_blob, bytes(data), owner))

    async def get_blob(self, sha256: str, *, owner: str = "") -> bytes | None:
        """The bytes under a hash, or None."""
        check_sha256(sha256)
        data = await self._do(lambda db: db.read(beside.get_blob, sha256, owner))
        if data is not None and hashlib.sha256(data).hexdigest() != sha256:
            self.log.warning("The blob %s is damaged.", sha256)
            return None
        return data

    async def list_blobs(self, *, owner: str = "") -> list[str]:
        """The hashes of all blobs, sorted."""
        return await self._do(lambda db: db.read(beside.list_blobs, owner))

    async def delete_blob(self, sha256: str, *, owner: str = "") -> bool:
        """Remove a blob for good."""
        check_sha256(sha256)
        return await self._do(lambda db: db.write(beside.remove_blob, sha256, owner))

    async def verify(self, *, owner: str = "", repair: bool = False) -> AsyncIterator[VerifyResult]:
        """Look at each session's rows, one session by one, then at each log and blob."""
        for key in await self._do(lambda db: db.read(records.keys, owner)):
            yield await self._checked(key, repair)
        for notebook_id in await self.list_notebooks(owner=owner):
            yield await self._log_checked(notebook_id, owner)
        for sha256 in await self.list_blobs(owner=owner):
            yield await self._blob_checked(sha256, owner)

    async def writable(self) -> bool:
        """Whether the database takes writes, as far as it says."""
        try:
            return await self._do(lambda db: db.is_writable())
        except StorageError:
            return False

    async def close(self) -> None:
        """Close the connections, after what was begun."""
        await self._loop.close()

    async def _checked(self, key: SessionKey, repair: bool) -> VerifyResult:
        said = await self._do(lambda db: db.read(mending.check, key))
        mended = False
        if said and repair:
            said, mended = await self._do(lambda db: db.write(mending.mended, key))
        return VerifyResult(f"{key.notebook_id}/{key.cell_id}", "; ".join(said) or None, mended)

    async def _log_checked(self, notebook_id: str, owner: str) -> VerifyResult:
        return await self._do(lambda db: db.read(beside.check_log, notebook_id, owner))

    async def _blob_checked(self, sha256: str, owner: str) -> VerifyResult:
        return await self._do(lambda db: db.read(beside.check_blob, sha256, owner))

    async def _newest(
        self,
        key: SessionKey,
        found: Counters,
        max_messages: int | None,
        max_tokens: int | None,
        count_tokens: Callable[[str], int],
    ) -> list[Interaction]:
        """At least the newest turns that fit, read from the end. Raises ValueError."""
        most = None if max_messages is None else max_messages // 2
        turns: list[Interaction] = []
        before = found.next_index
        while most is None or len(turns) < most:
            many = _PAGE if most is None else min(_PAGE, most - len(turns))
            page = await self._turns_before(key, found.after_reset, before, many)
            turns = [turn for _, turn in reversed(page)] + turns
            if len(page) < many:
                break
            if len(select_newest(turns, None, max_tokens, count_tokens)) < len(turns):
                break
            before = page[-1][0]
        return turns

    async def _turns_before(
        self, key: SessionKey, first: int, before: int, many: int
    ) -> list[tuple[int, Interaction]]:
        return await self._do(lambda db: db.read(records.turns_before, key, first, before, many))

    async def _do(self, work: Callable[[Database], Coroutine[Any, Any, T]]) -> T:
        return await self._loop.run(work)
