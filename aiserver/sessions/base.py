"""The contract of a session store.

What must hold in each store:

- **Durable**: when ``save_interaction``, ``record_events``, ``fork``, ``take_over``,
  ``append_notebook_log`` or ``put_blob`` returns, the data survives the death of the process and
  of the machine. A store that can't promise that, or can't as it is set up, says so in what
  ``start`` returns.
- **Atomic**: a reader sees a session before or after a write, never in between. A write that
  raises has changed nothing, or (its answer was lost on the way) all.
- **Nothing lost**: concurrent writers, of this process or another, are serialised per session;
  each acknowledged turn is in the record.
- **Ordered**: ``turn_id`` and ``seq`` are given by the store, under its lock; clocks play no part.
- **Append-only**: only the methods called ``delete…`` remove anything.
- **Without secrets**: keys and passwords are taken out of turns and events before they are kept.
- A write that names a revision which is not the current one raises StaleRevision; without one it
  is put behind whatever is there.
- **Owners apart**: a key's owner, and ids, are compared byte by byte. What one owner has is never
  in what another asks for.
- **To the letter**: a session that is taken over into nothing, and loaded again, differs by
  nothing but ``meta.owner``, which follows the key; so a project can be copied to any store and
  back.
"""

from __future__ import annotations

import asyncio
import contextlib
from abc import ABCMeta, abstractmethod
from collections.abc import AsyncIterator, Callable, Collection, Hashable, Mapping, Sequence
from typing import NamedTuple

from traitlets import MetaHasTraits, Unicode
from traitlets.config import LoggingConfigurable

from ..errors import SessionCorrupt, SessionTooNew
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
    dumps,
    new_session,
)
from ..tokens import estimate_tokens
from .record.mutations import find_problems, select_newest
from .record.summaries import summary_marks


class _Meta(ABCMeta, MetaHasTraits):
    """Joins ABC's metaclass with that of traitlets, so that stores are configurable."""


class VerifyResult(NamedTuple):
    """One record that ``verify`` has looked at."""

    location: str
    """The record's name in the store, for a person: a file, a key, an id."""
    problem: str | None = None
    """What is wrong with it, in a sentence."""
    repaired: bool = False


class SessionManager(LoggingConfigurable, metaclass=_Meta):
    """Keeps what is known of every cell. All methods may be called from any asyncio task.

    Every method may raise StorageError or one of its children.
    """

    shared: bool = False
    """Whether people share it, so that keys must name their owner."""

    start_dir = Unicode(
        help="The server's root directory, for stores that keep files near the notebooks."
    )

    url = Unicode(help="Where the sessions are kept, if the store was chosen by an address.")

    async def start(self) -> list[str]:
        """Make ready, and say what a person should know of the store as it is set up.

        Sentences for the server's log, above all on what it does not guarantee. Calling it is no
        duty: the first use makes ready, too. Raises StorageError.
        """
        return await self.notices()

    async def notices(self) -> list[str]:
        """What a person should know of the store as it is set up. Changes nothing.

        Raises StorageError.
        """
        return []

    @abstractmethod
    async def load_if_exists(self, key: SessionKey) -> Session | None:
        """The stored session, or None."""

    async def load_session(self, key: SessionKey) -> Session:
        """The stored session, or a new, unsaved one."""
        return await self.load_if_exists(key) or new_session(key)

    async def load_raw(self, key: SessionKey) -> tuple[bytes, int] | None:
        """The session as stored (UTF-8 JSON) and its revision, or None."""
        session = await self.load_if_exists(key)
        return None if session is None else (dumps(session), session.revision)

    async def load_stored(self, keys: Sequence[SessionKey]) -> list[bytes | None]:
        """The bytes of sessions as they are stored, for whoever reads them elsewhere.

        They may be damaged. None for one that is gone, or of which nothing can be had.
        """

        found: dict[SessionKey, bytes] = {}
        todo = iter(keys)

        async def load() -> None:
            for key in todo:
                with contextlib.suppress(SessionCorrupt, SessionTooNew):
                    if raw := await self.load_raw(key):
                        found[key] = raw[0]

        await asyncio.gather(*(load() for _ in range(min(len(keys), 8))))
        return [found.get(key) for key in keys]

    @abstractmethod
    async def save_interaction(
        self, key: SessionKey, turn: NewTurn, *, if_revision: int | None = None
    ) -> tuple[Interaction, int]:
        """Append one AI turn; return it as saved, and the new revision.

        Raises StaleRevision if ``if_revision`` is not the current one, SessionTooNew if the
        stored session has a newer major version.
        """

    @abstractmethod
    async def record_events(
        self, key: SessionKey, events: Sequence[NewEvent], *, if_revision: int | None = None
    ) -> tuple[list[Event], int]:
        """Append events in one write; return them as saved, and the new revision.

        One whose ``id`` is there already is not appended again. Raises as ``save_interaction``.
        """

    async def get_history(
        self,
        key: SessionKey,
        *,
        max_messages: int | None = None,
        max_tokens: int | None = None,
        count_tokens: Callable[[str], int] = estimate_tokens,
    ) -> list[Interaction]:
        """The turns since the last ``context_reset``, oldest first: the newest that fit.

        A turn is two messages, what was asked and what was answered, and is never cut in two.
        Its tokens are those of the intent, the code there was, and the suggestion.
        """
        turns = (await self.load_session(key)).history()
        return select_newest(turns, max_messages, max_tokens, count_tokens)

    @abstractmethod
    async def list_sessions(
        self,
        notebook_id: str | None = None,
        *,
        owner: str = "",
        offset: int = 0,
        limit: int | None = None,
    ) -> tuple[list[SessionSummary], int]:
        """One page of summaries, ordered by (notebook_id, cell_id), and how many there are in all.

        A damaged session is left out, set aside and reported by the log; the others are listed.
        """

    async def session_marks(
        self, notebook_id: str | None = None, *, owner: str = ""
    ) -> Mapping[tuple[str, str], Hashable]:
        """Of each session, by notebook and cell, what is another as soon as it was written.

        The newest first, as far as the store can tell. One that is damaged may be among them.
        """
        listed = [await self.list_sessions(notebook_id, owner=owner)]
        # What is freed of many rows, a thread frees.
        return await asyncio.to_thread(lambda: summary_marks(listed.pop()[0]))

    @abstractmethod
    async def list_owners(self) -> list[str]:
        """Whose sessions, notebook logs or blobs there are, sorted; ``""`` for nobody's.

        For whoever looks after the store as a whole. A store that can't tell the names of owners
        (the file store keeps a hash of them) returns those it can.
        """

    @abstractmethod
    async def exists(self, key: SessionKey) -> bool:
        """Whether anything is stored under the key."""

    @abstractmethod
    async def delete(self, key: SessionKey, *, if_revision: int | None = None) -> bool:
        """Remove a session for good; False if there was none. Raises StaleRevision."""

    @abstractmethod
    async def fork(self, source: SessionKey, target: SessionKey) -> Session:
        """Copy a session to another cell, with ``meta.forked_from`` naming the origin.

        Raises NotFound if there is no source, SessionTooNew if it can't be copied whole. A target
        that exists is left as it is and returned.
        """

    @abstractmethod
    async def take_over(
        self, key: SessionKey, other: Session, *, taken: Collection[str] = ()
    ) -> bool:
        """Keep what another place knows of the cell as well; say whether that was anything new.

        See ``record/merge/sessions.py``. ``taken``: the digests of records that were taken over
        before; those that are no longer here don't come back. Where nothing was kept, what is now
        is the other to the letter. Raises SessionTooNew if either can't be joined whole.
        """

    def exclusively(self, *, owner: str = "") -> contextlib.AbstractAsyncContextManager[None]:
        """Be the only one, among all that share the store, who says which notebook is which.

        Of the owner's notebooks; others' need not wait, but may have to where the store can't
        tell. Not for two tasks of one process at once.
        """
        return contextlib.nullcontext()

    @abstractmethod
    async def append_notebook_log(
        self, notebook_id: str, entries: Sequence[NewLogEntry], *, owner: str = ""
    ) -> list[NotebookLogEntry]:
        """Append lines to a notebook's log; return them as saved."""

    @abstractmethod
    async def read_notebook_log(
        self, notebook_id: str, *, owner: str = ""
    ) -> list[NotebookLogEntry]:
        """A notebook's log, oldest first; empty if there is none."""

    @abstractmethod
    async def list_notebooks(self, *, owner: str = "") -> list[str]:
        """The ids of the notebooks that have a log, sorted."""

    async def notebook_marks(self, *, owner: str = "") -> Mapping[str, Hashable]:
        """For each notebook with a log, something that differs once its log has changed.

        So an index of the logs can be kept without reading them all each time.
        """
        logs = {
            id_: await self.read_notebook_log(id_, owner=owner)
            for id_ in await self.list_notebooks(owner=owner)
        }
        return {id_: log[-1].seq for id_, log in logs.items() if log}

    @abstractmethod
    async def delete_notebook_log(self, notebook_id: str, *, owner: str = "") -> bool:
        """Remove a notebook's log for good; False if there was none."""

    @abstractmethod
    async def put_blob(self, data: bytes, *, owner: str = "") -> str:
        """Keep bytes by content; return their SHA-256 in hex. Putting twice keeps one."""

    @abstractmethod
    async def get_blob(self, sha256: str, *, owner: str = "") -> bytes | None:
        """The bytes under a hash, or None. Raises InvalidRequest if it is no hash."""

    @abstractmethod
    async def list_blobs(self, *, owner: str = "") -> list[str]:
        """The hashes of all blobs, sorted."""

    @abstractmethod
    async def delete_blob(self, sha256: str, *, owner: str = "") -> bool:
        """Remove a blob for good; False if there was none. Raises InvalidRequest for no hash."""

    def verify(self, *, owner: str = "", repair: bool = False) -> AsyncIterator[VerifyResult]:
        """Look at each record, one by one; with ``repair`` mend what can be, losing no byte.

        A store that has flaws of its own kind (a torn file, a counter that lags behind) finds
        them, too. One that is whole yields ``flaw=None``.
        """
        return self._verify(owner)

    async def _verify(self, owner: str) -> AsyncIterator[VerifyResult]:
        rows, _ = await self.list_sessions(owner=owner)
        for row in rows:
            key = SessionKey(row.notebook_id, row.cell_id, owner)
            location = f"{row.notebook_id}/{row.cell_id}"
            try:
                session = await self.load_if_exists(key)
            except SessionCorrupt as error:
                yield VerifyResult(location, error.message)
                continue
            found = find_problems(session, key) if session else []
            yield VerifyResult(location, "; ".join(found) or None)

    async def writable(self) -> bool:
        """Whether a write would be taken now, as far as can be told without writing."""
        return True

    async def close(self) -> None:
        """Release what the store holds. Nothing is lost without it."""
        return
