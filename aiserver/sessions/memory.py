"""The in-memory store, for tests and experiments.

Invariants: it behaves like every other store, except that its data is lost with the process.
Records are stored as bytes, so that callers can't modify them through references.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Sequence
from typing import Any

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
    check_writable,
    fork_session,
    number_entries,
)
from .record.splice import SessionBytes
from .record.summaries import page, summarise


class InMemorySessionManager(SessionManager):
    """Stores sessions in memory (``memory://``). **Not durable**: the data ends with the process.

    Never awaits, so each method is atomic.
    """

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._sessions: dict[SessionKey, SessionBytes] = {}
        self._logs: dict[tuple[str, str], list[bytes]] = {}
        self._blobs: dict[tuple[str, str], bytes] = {}

    async def start(self) -> list[str]:
        """Warn that the store is not durable."""
        return ["Histories are kept in memory only, so they are lost when the server stops."]

    async def load_if_exists(self, key: SessionKey) -> Session | None:
        """Return the stored session, or None."""
        return self._load(key)

    async def save_interaction(
        self, key: SessionKey, turn: NewTurn, *, if_revision: int | None = None
    ) -> tuple[Interaction, int]:
        """Append a turn."""
        session = self._sessions.get(key) or SessionBytes(new_session(key))
        check_writable(session, if_revision)
        saved = session.add_turn(turn)
        self._sessions[key] = session
        return saved, session.revision

    async def record_events(
        self, key: SessionKey, events: Sequence[NewEvent], *, if_revision: int | None = None
    ) -> tuple[list[Event], int]:
        """Append events."""
        session = self._sessions.get(key) or SessionBytes(new_session(key))
        check_writable(session, if_revision)
        saved = session.add_events(events)
        if saved:
            self._sessions[key] = session
        return saved, session.revision

    async def list_sessions(
        self,
        notebook_id: str | None = None,
        *,
        owner: str = "",
        offset: int = 0,
        limit: int | None = None,
    ) -> tuple[list[SessionSummary], int]:
        """Return a page of summaries."""
        if notebook_id is not None:
            check_id("notebookId", notebook_id)
        rows = [
            summarise(codec.parse(session.to_bytes()))
            for key, session in self._sessions.items()
            if key.owner == owner and notebook_id in (None, key.notebook_id)
        ]
        return page(rows, offset, limit)

    async def list_owners(self) -> list[str]:
        """Return the owners of any records, sorted."""
        owners = {key.owner for key in self._sessions}
        return sorted(owners | {owner for owner, _ in [*self._logs, *self._blobs]})

    async def exists(self, key: SessionKey) -> bool:
        """Return whether anything is stored under the key."""
        return key in self._sessions

    async def delete(self, key: SessionKey, *, if_revision: int | None = None) -> bool:
        """Delete a session."""
        session = self._sessions.get(key)
        if session is None:
            return False
        check_writable(session, if_revision)
        del self._sessions[key]
        return True

    async def fork(self, source: SessionKey, target: SessionKey) -> Session:
        """Copy a session to another cell."""
        existing = self._load(target)
        if existing is not None:
            return existing
        copy = fork_session(self._load(source), target)
        self._sessions[target] = SessionBytes(copy)
        return copy

    async def take_over(
        self, key: SessionKey, other: Session, *, merged_digests: Collection[str] = ()
    ) -> bool:
        """Merge another copy of the session into the stored one."""
        check_writable(other.meta, None)
        session = self._load(key) or new_session(key)
        check_writable(session.meta, None)
        has_changed = merge_into(session, other, merged_digests)
        if has_changed:
            self._sessions[key] = SessionBytes(session)
        return has_changed

    async def append_notebook_log(
        self, notebook_id: str, entries: Sequence[NewLogEntry], *, owner: str = ""
    ) -> list[NotebookLogEntry]:
        """Append entries to a notebook's change log."""
        saved = number_entries(self._log(notebook_id, owner), entries)
        if saved:
            lines = self._logs.setdefault((owner, notebook_id), [])
            lines += [codec.encode(entry, indent=None) for entry in saved]
        return saved

    async def read_notebook_log(
        self, notebook_id: str, *, owner: str = ""
    ) -> list[NotebookLogEntry]:
        """Return a notebook's change log, oldest entry first."""
        return self._log(notebook_id, owner)

    async def list_notebooks(self, *, owner: str = "") -> list[str]:
        """Return the ids of the notebooks that have a change log, sorted."""
        return sorted(notebook_id for log_owner, notebook_id in self._logs if log_owner == owner)

    async def delete_notebook_log(self, notebook_id: str, *, owner: str = "") -> bool:
        """Delete a notebook's change log."""
        return self._logs.pop((owner, check_id("notebookId", notebook_id)), None) is not None

    async def put_blob(self, data: bytes, *, owner: str = "") -> str:
        """Store bytes under their hash."""
        digest = hashlib.sha256(data).hexdigest()
        self._blobs[owner, digest] = bytes(data)
        return digest

    async def get_blob(self, sha256: str, *, owner: str = "") -> bytes | None:
        """Return the bytes with a hash, or None."""
        return self._blobs.get((owner, check_sha256(sha256)))

    async def list_blobs(self, *, owner: str = "") -> list[str]:
        """Return the hashes of all blobs, sorted."""
        return sorted(digest for blob_owner, digest in self._blobs if blob_owner == owner)

    async def delete_blob(self, sha256: str, *, owner: str = "") -> bool:
        """Delete a blob."""
        return self._blobs.pop((owner, check_sha256(sha256)), None) is not None

    def _load(self, key: SessionKey) -> Session | None:
        session = self._sessions.get(key)
        return None if session is None else codec.parse(session.to_bytes(), key)

    def _log(self, notebook_id: str, owner: str) -> list[NotebookLogEntry]:
        lines = self._logs.get((owner, check_id("notebookId", notebook_id)), [])
        return codec.parse_log(b"".join(lines)).entries
