"""Write sessions, logs and blobs from another source into a store, for copy and import.

Invariants:

- Writing is idempotent and never changes existing records, so interrupted work can be repeated.
- What can't be written is reported, and the rest continues.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from ..errors import InvalidRequest, SessionCorrupt, SessionTooNew
from ..models import NewLogEntry, NotebookLogEntry, Session, SessionKey
from ..sessions.base import SessionManager
from ..sessions.memory import InMemorySessionManager
from ..sessions.record import codec
from ..sessions.record.merge.digests import SeqsByDigest, seqs_by_digest
from ..sessions.record.merge.logs import missing_entries, renumber_entry


@dataclass
class Report:
    """Counts of what was written, and the reasons for what was skipped."""

    sessions: int = 0
    sessions_new: int = 0
    sessions_extended: int = 0
    turns: int = 0
    events: int = 0
    turns_new: int = 0
    events_new: int = 0
    logs: int = 0
    blobs: int = 0
    skipped: list[str] = field(default_factory=list)

    def lines(self) -> list[str]:
        """Return the lines of the summary."""
        unchanged = self.sessions - self.sessions_new - self.sessions_extended
        lines = [
            f"  new        {self.sessions_new:,} histories",
            f"  extended   {self.sessions_extended:,} histories",
            f"  unchanged  {unchanged:,} histories",
            f"  added      {self.turns_new:,} requests, {self.events_new:,} events",
        ]
        if self.logs or self.blobs:
            lines.append(f"  other      {self.logs:,} notebook logs, {self.blobs:,} blobs")
        return lines


class StoreWriter:
    """Writes into a store and counts. With ``dry_run`` it only counts."""

    def __init__(self, store: SessionManager, report: Report, *, dry_run: bool = False) -> None:
        self._store, self._dry_run = store, dry_run
        self.report = report
        self._trial: InMemorySessionManager = InMemorySessionManager()

    async def session(self, key: SessionKey, session: Session) -> None:
        """Merge a session into the store. Not concurrently for one key."""
        report = self.report
        try:
            store = await self._target(key)
            before = await store.load_if_exists(key)
            is_changed = await store.merge_copy(key, session)
            after = await store.load_if_exists(key) if before and is_changed else session
        except (SessionTooNew, SessionCorrupt) as error:
            report.skipped.append(f"{key.notebook_id}/{key.cell_id}: {error.message}")
            return
        turns, events = _counts(session)
        report.sessions += 1
        report.turns += turns
        report.events += events
        if is_changed:
            old, new = _counts(before), _counts(after)
            report.sessions_new += before is None
            report.sessions_extended += before is not None
            report.turns_new += new[0] - old[0]
            report.events_new += new[1] - old[1]

    async def _target(self, key: SessionKey) -> SessionManager:
        """Return the store; for a dry run one in memory, with a copy of the session."""
        if not self._dry_run:
            return self._store
        if not await self._trial.exists(key) and (ours := await self._store.load_if_exists(key)):
            await self._trial.merge_copy(key, ours)
        return self._trial

    async def log(self, notebook_id: str, owner: str, log: Sequence[NotebookLogEntry]) -> None:
        """Append the entries that the notebook's log doesn't have."""
        ours = await self._store.read_notebook_log(notebook_id, owner=owner)
        new = missing_entries(ours, log)
        if new:
            self.report.logs += 1
        if new and not self._dry_run:
            if ours:  # otherwise the entries' numbers stay valid
                seqs = await self._find_seqs(notebook_id, owner, new)
                new = [renumber_entry(entry, seqs.get) for entry in new]
            entries = [NewLogEntry.model_validate(_without_number(entry)) for entry in new]
            await self._store.append_notebook_log(notebook_id, entries, owner=owner)

    async def _find_seqs(
        self, notebook_id: str, owner: str, entries: Iterable[NotebookLogEntry]
    ) -> dict[str, SeqsByDigest]:
        """Find the seqs of the records that the entries name, in the merged sessions."""
        seqs: dict[str, SeqsByDigest] = {}
        for cell_id in {str(cell) for entry in entries for cell in entry.data.get("digests") or ()}:
            with contextlib.suppress(InvalidRequest, SessionCorrupt):
                key = SessionKey(notebook_id, cell_id, owner)
                if session := await self._store.load_if_exists(key):
                    seqs[cell_id] = await asyncio.to_thread(seqs_by_digest, session)
        return seqs

    async def blob(self, data: bytes, owner: str) -> None:
        """Store a blob unless it exists."""
        self.report.blobs += 1
        if not self._dry_run:
            await self._store.put_blob(data, owner=owner)


def _counts(session: Session | None) -> tuple[int, int]:
    """Return the numbers of turns and events."""
    return (len(session.interactions), len(session.events or [])) if session else (0, 0)


def _without_number(entry: NotebookLogEntry) -> dict[str, object]:
    return {name: value for name, value in codec.to_dict(entry).items() if name != "seq"}
