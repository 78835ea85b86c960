"""A base class for stores that save each session, change log and blob as one value under a key.

A subclass only has to implement ``run`` and a ``Transaction``. Each write of the store is one
transaction. To append a record, this class reads the whole session and writes it again, which is
slow for long sessions. The SQL and Redis stores only write the new records, so they aren't based on
this class.
"""

from __future__ import annotations

import contextlib
import hashlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Sequence
from typing import TypeVar

from ..errors import SessionCorrupt
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
    check_id,
    new_session,
)
from .base import SessionManager
from .record import codec
from .record.filenames import check_sha256
from .record.merge.sessions import merge_into
from .record.mutations import (
    append_events,
    append_turn,
    check_writable,
    fork_session,
    number_entries,
)
from .record.summaries import sort_and_slice, summarise

T = TypeVar("T")

SESSION, LOG, BLOB = "session", "log", "blob"  # the kinds of values


class Transaction(ABC):
    """Reads and writes the values of a store in one transaction.

    The key of a value consists of three texts: the kind, the owner and the name. The kind has at
    most 7 ASCII letters. The owner can be any text, and is compared byte by byte. The name has at
    most 129 ASCII characters.
    """

    @abstractmethod
    def get(self, kind: str, owner: str, name: str) -> bytes | None:
        """Return the value under a key, or None if there is no value."""

    @abstractmethod
    def put(self, kind: str, owner: str, name: str, value: bytes) -> None:
        """Add or replace the value under a key."""

    @abstractmethod
    def delete(self, kind: str, owner: str, name: str) -> bool:
        """Delete the value under a key; return False if there was none."""

    @abstractmethod
    def names(self, kind: str, owner: str) -> list[str]:
        """Return the names of an owner's values of one kind."""

    @abstractmethod
    def owners(self) -> list[str]:
        """Return all owners who have at least one value, of any kind."""

    def load(self, key: SessionKey) -> Session | None:
        """Return the stored session, or None if it isn't stored. Raises SessionCorrupt."""
        data = self.get(*value_key(key))
        try:
            return None if data is None else codec.parse(data, key)
        except codec.DamagedData as exc:
            raise SessionCorrupt from exc

    def save(self, key: SessionKey, session: Session) -> None:
        """Add or replace a session."""
        self.put(*value_key(key), codec.encode(session))


class KeyValueSessionManager(SessionManager):
    """A store that saves each session, change log and blob as one value."""

    @abstractmethod
    async def run(self, work: Callable[[Transaction], T]) -> T:
        """Run ``work`` in one transaction and return the result of ``work``.

        When this method returns, all changes are durable. If ``work`` raises an error, nothing is
        changed. Among all processes that share the store, only one transaction runs at a time.
        While this method waits for the disk or the network, it must not block the event loop.
        Raises StorageError.
        """

    async def load_if_exists(self, key: SessionKey) -> Session | None:
        """Return the stored session, or None if it isn't stored."""
        return await self.run(lambda transaction: transaction.load(key))

    async def save_interaction(
        self, key: SessionKey, turn: NewTurn, *, if_revision: int | None = None
    ) -> tuple[Interaction, int]:
        """Append a turn; return the saved turn and the new revision."""
        return await self._change(key, if_revision, lambda session: append_turn(session, turn))

    async def record_events(
        self, key: SessionKey, events: Sequence[NewEvent], *, if_revision: int | None = None
    ) -> tuple[list[Event], int]:
        """Append events; return the saved events and the new revision."""
        return await self._change(key, if_revision, lambda session: append_events(session, events))

    async def list_sessions(
        self,
        notebook_id: str | None = None,
        *,
        owner: str = "",
        offset: int = 0,
        limit: int | None = None,
    ) -> tuple[list[SessionSummary], int]:
        """Return at most ``limit`` summaries from ``offset`` on, and the total number."""
        if notebook_id is not None:
            check_id("notebookId", notebook_id)

        def work(transaction: Transaction) -> tuple[list[SessionSummary], int]:
            summaries = []
            for name in transaction.names(SESSION, owner):
                session_notebook_id, cell_id = name.split("/")
                if notebook_id not in (None, session_notebook_id):
                    continue
                try:
                    if session := transaction.load(SessionKey(session_notebook_id, cell_id, owner)):
                        summaries.append(summarise(session))
                except SessionCorrupt:
                    self.log.warning("The session %s is damaged.", name)
            return sort_and_slice(summaries, offset, limit)

        return await self.run(work)

    async def list_owners(self) -> list[str]:
        """Return the owners of sessions, change logs or blobs, sorted."""
        return sorted(await self.run(lambda transaction: transaction.owners()))

    async def exists(self, key: SessionKey) -> bool:
        """Return whether anything is stored under the key."""
        return await self.run(lambda transaction: transaction.get(*value_key(key)) is not None)

    async def delete(self, key: SessionKey, *, if_revision: int | None = None) -> bool:
        """Delete a session; return False if there was none."""

        def work(transaction: Transaction) -> bool:
            with contextlib.suppress(SessionCorrupt):  # a damaged session can be deleted
                if session := transaction.load(key):
                    check_writable(session.meta, if_revision)
            return transaction.delete(*value_key(key))

        return await self.run(work)

    async def fork(self, source: SessionKey, target: SessionKey) -> Session:
        """Copy a session to another cell; if that cell already has a session, return it instead."""

        def work(transaction: Transaction) -> Session:
            if existing := transaction.load(target):
                return existing
            copy = fork_session(transaction.load(source), target)
            transaction.save(target, copy)
            return copy

        return await self.run(work)

    async def merge_copy(
        self, key: SessionKey, other: Session, *, merged_digests: Collection[str] = ()
    ) -> bool:
        """Merge another copy of the session into the stored one."""
        check_writable(other.meta, None)

        def merge(session: Session) -> bool:
            return merge_into(session, other, merged_digests)

        return (await self._change(key, None, merge))[0]

    async def append_notebook_log(
        self, notebook_id: str, entries: Sequence[NewLogEntry], *, owner: str = ""
    ) -> list[NotebookLogEntry]:
        """Append entries to a notebook's change log; return the saved entries."""
        check_id("notebookId", notebook_id)

        def work(transaction: Transaction) -> list[NotebookLogEntry]:
            log = transaction.get(LOG, owner, notebook_id) or b""
            saved = number_entries(codec.parse_log(log).entries, entries)
            if saved:
                lines = b"".join(codec.encode(entry, indent=None) for entry in saved)
                transaction.put(LOG, owner, notebook_id, log + lines)
            return saved

        return await self.run(work)

    async def read_notebook_log(
        self, notebook_id: str, *, owner: str = ""
    ) -> list[NotebookLogEntry]:
        """Return a notebook's change log, oldest entry first."""
        check_id("notebookId", notebook_id)
        data = await self.run(lambda transaction: transaction.get(LOG, owner, notebook_id))
        return codec.parse_log(data or b"").entries

    async def list_notebooks(self, *, owner: str = "") -> list[str]:
        """Return the ids of the notebooks that have a change log, sorted."""
        return sorted(await self.run(lambda transaction: transaction.names(LOG, owner)))

    async def delete_notebook_log(self, notebook_id: str, *, owner: str = "") -> bool:
        """Delete a notebook's change log; return False if there was none."""
        check_id("notebookId", notebook_id)
        return await self.run(lambda transaction: transaction.delete(LOG, owner, notebook_id))

    async def put_blob(self, data: bytes, *, owner: str = "") -> str:
        """Store bytes under their SHA-256; return the hash in hex."""
        digest = hashlib.sha256(data).hexdigest()
        await self.run(lambda transaction: transaction.put(BLOB, owner, digest, bytes(data)))
        return digest

    async def get_blob(self, sha256: str, *, owner: str = "") -> bytes | None:
        """Return the bytes that have this hash, or None if they aren't stored."""
        check_sha256(sha256)
        return await self.run(lambda transaction: transaction.get(BLOB, owner, sha256))

    async def list_blobs(self, *, owner: str = "") -> list[str]:
        """Return the hashes of all blobs, sorted."""
        return sorted(await self.run(lambda transaction: transaction.names(BLOB, owner)))

    async def delete_blob(self, sha256: str, *, owner: str = "") -> bool:
        """Delete a blob; return False if there was none."""
        check_sha256(sha256)
        return await self.run(lambda transaction: transaction.delete(BLOB, owner, sha256))

    async def _change(
        self, key: SessionKey, if_revision: int | None, change: Callable[[Session], T]
    ) -> tuple[T, int]:
        """Call ``change`` with a new or stored session; return the result and the new revision.

        If the result is empty or False, nothing has changed, so the session isn't saved.
        """

        def work(transaction: Transaction) -> tuple[T, int]:
            session = transaction.load(key) or new_session(key)
            check_writable(session.meta, if_revision)
            result = change(session)
            if result:
                transaction.save(key, session)
            return result, session.revision

        return await self.run(work)


def value_key(key: SessionKey) -> tuple[str, str, str]:
    """Return the kind, the owner and the name under which a session is stored."""
    return SESSION, key.owner, f"{key.notebook_id}/{key.cell_id}"  # ids contain no "/"
