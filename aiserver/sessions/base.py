"""The contract of a session store, as the base class of all stores.

Invariants of each store:

- **Durability**: when a method that writes returns, the data survives a crash of the process or the
  machine. If the configuration of a store can't guarantee this, ``start`` returns a notice.
- **Atomicity**: a reader sees a session as it is before or after a write. A write that raises an
  error has changed nothing; it may be complete only if a database server's response was lost.
- **No lost updates**: writes to the same session, of any process, run one by one.
- **Order**: the store assigns ``turn_id`` and ``seq`` as part of the write. Clocks play no role.
- **Append-only**: only methods whose names begin with ``delete`` remove anything.
- **No secrets**: keys and passwords are redacted from turns and events before they are stored.
- **Optimistic locking**: a write with an outdated revision raises StaleRevision; a write without a
  revision is always appended.
- **Isolation of owners**: owners and ids are compared byte by byte. No owner ever sees another
  owner's records.
- **Exact copies**: a session that ``merge_copy`` stores under a new key is loaded unchanged, except
  that ``meta.owner`` is the owner in the key.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from abc import ABCMeta, abstractmethod
from collections.abc import AsyncIterator, Callable, Collection, Hashable, Mapping, Sequence
from typing import Any, NamedTuple

from traitlets import MetaHasTraits, Unicode
from traitlets.config import LoggingConfigurable

from ..errors.storage import SessionCorrupt, SessionTooNew
from ..models import (
    Event,
    Interaction,
    NewEvent,
    NewLogEntry,
    NewTurn,
    NotebookLogEntry,
    Session,
    SessionKey,
    SessionSummary,
    new_session,
)
from ..tokens import estimate_tokens
from .record import codec
from .record.mutations import find_problems, summary_marks

Logger = logging.Logger | logging.LoggerAdapter[Any]
"""The type of ``SessionManager.log``."""


class _Meta(ABCMeta, MetaHasTraits):
    """Makes stores both abstract and configurable."""


class VerifyResult(NamedTuple):
    """The result of verifying one session, change log or blob."""

    location: str
    """What was verified: a name that people can find in the store, such as a file name or an id."""
    problem: str | None = None
    """A sentence for people, or None if nothing is damaged."""
    repaired: bool = False
    """Whether the problem was repaired."""


class SessionManager(LoggingConfigurable, metaclass=_Meta):
    """Stores sessions, change logs and blobs. Its methods may be called from any asyncio task.

    Each may raise StorageError or one of its subclasses.
    """

    shared: bool = False
    """Whether several people share the store, so that each key must contain an owner."""

    start_dir = Unicode(
        help="The server's root directory, for stores that keep files near the notebooks."
    )

    url = Unicode(help="The URL of the store, if a URL was chosen.")

    async def start(self) -> list[str]:
        """Prepare the store and return ``notices``. Optional: the first use prepares it, too."""
        return await self.notices()

    async def notices(self) -> list[str]:
        """Return sentences for people, mainly about missing guarantees. Changes nothing."""
        return []

    @abstractmethod
    async def load_if_exists(self, key: SessionKey) -> Session | None:
        """Return the stored session, or None."""

    async def load_session(self, key: SessionKey) -> Session:
        """Return the stored session, or else a new one, which isn't saved."""
        return await self.load_if_exists(key) or new_session(key)

    async def load_raw(self, key: SessionKey) -> tuple[bytes, int] | None:
        """Return the session as UTF-8 JSON and its revision, or None."""
        session = await self.load_if_exists(key)
        return None if session is None else (codec.encode(session), session.revision)

    async def load_raw_batch(self, keys: Sequence[SessionKey]) -> list[bytes | None]:
        """Return each session's bytes, which may be damaged; None if it is missing or can't be
        read.

        A store on a network should load several at a time.
        """
        data = []
        for key in keys:
            raw = None
            with contextlib.suppress(SessionCorrupt, SessionTooNew):
                raw = await self.load_raw(key)
            data.append(raw and raw[0])
        return data

    @abstractmethod
    async def save_interaction(
        self, key: SessionKey, turn: NewTurn, *, if_revision: int | None = None
    ) -> tuple[Interaction, int]:
        """Append a turn; return the saved turn and the new revision.

        Raises StaleRevision if ``if_revision`` is outdated, SessionTooNew if the stored session has
        a newer major version.
        """

    @abstractmethod
    async def record_events(
        self, key: SessionKey, events: Sequence[NewEvent], *, if_revision: int | None = None
    ) -> tuple[list[Event], int]:
        """Append events in one write; return them as saved, and the new revision.

        If an event's ``id`` is stored already, the stored event is returned. Raises the same errors
        as ``save_interaction``.
        """

    async def get_history(
        self,
        key: SessionKey,
        *,
        max_messages: int | None = None,
        max_tokens: int | None = None,
        count_tokens: Callable[[str], int] = estimate_tokens,
    ) -> list[Interaction]:
        """Return the newest turns that fit into the limits, oldest first.

        Turns before the last ``context_reset`` event are left out. A turn counts as two messages
        and is never split. Its tokens are those of the intent, the code and the suggestion.
        """
        turns = (await self.load_session(key)).history()
        fitting: list[Interaction] = []
        for turn in (
            turns[::-1] if max_messages is None else turns[: -1 - max(0, max_messages // 2) : -1]
        ):
            if max_tokens is not None:
                request = turn.user_request
                texts = (request.intent, request.current_code, turn.ai_response.suggestion)
                max_tokens -= sum(map(count_tokens, texts))
                if max_tokens < 0:
                    break
            fitting.append(turn)
        return fitting[::-1]

    @abstractmethod
    async def list_sessions(
        self,
        notebook_id: str | None = None,
        *,
        owner: str = "",
        offset: int = 0,
        limit: int | None = None,
    ) -> tuple[list[SessionSummary], int]:
        """Return at most ``limit`` summaries from ``offset`` on, and the number of all.

        The order is (notebook_id, cell_id). An unreadable session is logged and skipped.
        """

    async def session_marks(
        self, notebook_id: str | None = None, *, owner: str = ""
    ) -> Mapping[tuple[str, str], Hashable]:
        """Return by notebook and cell id a value that changes with each write of the session.

        The newest session comes first, if the store knows the times. Damaged sessions may be
        included.
        """
        summaries, _ = await self.list_sessions(notebook_id, owner=owner)
        return await asyncio.to_thread(summary_marks, summaries)

    @abstractmethod
    async def list_owners(self) -> list[str]:
        """Return the owners of sessions, change logs or blobs, sorted; ``""`` for no owner.

        An owner of whom the store has only a hash is left out.
        """

    @abstractmethod
    async def exists(self, key: SessionKey) -> bool:
        """Return whether anything is stored under the key."""

    @abstractmethod
    async def delete(self, key: SessionKey, *, if_revision: int | None = None) -> bool:
        """Delete a session; return False if there was none.

        Raises the same errors as ``save_interaction``.
        """

    @abstractmethod
    async def fork(self, source: SessionKey, target: SessionKey) -> Session:
        """Copy a session to another cell; in the copy, ``meta.forked_from`` names the source.

        Return the copy, or the session that the target already has. Raises NotFound without a
        source, or SessionTooNew for a newer format.
        """

    @abstractmethod
    async def merge_copy(
        self, key: SessionKey, other: Session, *, merged_digests: Collection[str] = ()
    ) -> bool:
        """Merge another copy of a cell's session as ``merge_into`` does; return whether it changed.

        ``merged_digests`` are the digests of the records that earlier calls have merged. Those that
        are missing were deleted since, so they aren't added again. Raises SessionTooNew if either
        session has a newer format.
        """

    def notebook_id_lock(self, *, owner: str = "") -> contextlib.AbstractAsyncContextManager[None]:
        """Return the lock that must be held while one of the owner's notebooks gets its id.

        It works only between processes: two tasks of one must not use it at the same time. A store
        that several processes share must override this method. Some have one lock for all owners,
        so nobody may hold two.
        """
        return contextlib.nullcontext()

    @abstractmethod
    async def append_notebook_log(
        self, notebook_id: str, entries: Sequence[NewLogEntry], *, owner: str = ""
    ) -> list[NotebookLogEntry]:
        """Append entries to a notebook's change log; return the saved entries."""

    @abstractmethod
    async def read_notebook_log(
        self, notebook_id: str, *, owner: str = ""
    ) -> list[NotebookLogEntry]:
        """Return a notebook's change log, oldest entry first."""

    @abstractmethod
    async def list_notebooks(self, *, owner: str = "") -> list[str]:
        """Return the ids of the notebooks that have a change log, sorted."""

    async def notebook_marks(self, *, owner: str = "") -> Mapping[str, Hashable]:
        """Return for each notebook a value that changes with its log."""
        logs = {
            id_: await self.read_notebook_log(id_, owner=owner)
            for id_ in await self.list_notebooks(owner=owner)
        }
        return {id_: log[-1].seq for id_, log in logs.items() if log}

    @abstractmethod
    async def delete_notebook_log(self, notebook_id: str, *, owner: str = "") -> bool:
        """Delete a notebook's change log; return False if there was none."""

    @abstractmethod
    async def put_blob(self, data: bytes, *, owner: str = "") -> str:
        """Store bytes under their SHA-256; return the hash in hex. Equal bytes are stored once."""

    @abstractmethod
    async def get_blob(self, sha256: str, *, owner: str = "") -> bytes | None:
        """Return the bytes that have this hash, or None.

        Raises InvalidRequest if ``sha256`` isn't 64 lower-case hex digits.
        """

    @abstractmethod
    async def list_blobs(self, *, owner: str = "") -> list[str]:
        """Return the hashes of all blobs, sorted."""

    @abstractmethod
    async def delete_blob(self, sha256: str, *, owner: str = "") -> bool:
        """Delete a blob; return False if there was none.

        Raises InvalidRequest if ``sha256`` isn't 64 lower-case hex digits.
        """

    async def verify(self, *, owner: str = "", repair: bool = False) -> AsyncIterator[VerifyResult]:
        """Verify an owner's sessions, change logs and blobs; yield a result for each.

        ``repair`` repairs damaged data and quarantines its bytes. This base class verifies only
        sessions, and repairs nothing.
        """
        summaries, _ = await self.list_sessions(owner=owner)
        for summary in summaries:
            key = SessionKey(summary.notebook_id, summary.cell_id, owner)
            location = f"{summary.notebook_id}/{summary.cell_id}"
            try:
                session = await self.load_if_exists(key)
            except SessionCorrupt as error:
                yield VerifyResult(location, error.message)
                continue
            yield VerifyResult(location, find_problems(session, key) if session else None)

    async def has_damage(
        self, notebook_id: str, cell_id: str | None = None, *, owner: str = ""
    ) -> bool:
        """Return whether a session, or a change log, has damaged or quarantined bytes.

        Deleting it deletes these bytes, too.
        """
        return False

    async def writable(self) -> bool:
        """Return whether the store would accept a write now, without writing anything."""
        return True

    async def close(self) -> None:
        """Release the store's resources. Optional."""
        return
