"""Write copied or imported sessions, change logs and blobs into a store.

Invariants:

- Writing the same data again changes nothing, and existing records are never changed. So an
  interrupted copy or import can be repeated.
- A session that can't be written is reported, and the copy or import continues with the next one.
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
    """The result of a copy or import: numbers of read and written data, and what was skipped."""

    session_count: int = 0
    """The number of sessions that were read, whether or not the store had them already."""
    new_session_count: int = 0
    extended_session_count: int = 0
    """The number of sessions that the store had already and that got new records."""
    turn_count: int = 0
    event_count: int = 0
    new_turn_count: int = 0
    new_event_count: int = 0
    log_count: int = 0
    """The number of change logs with new entries."""
    blob_count: int = 0
    skipped: list[str] = field(default_factory=list)
    """What was not written, each with the reason."""

    def lines(self) -> list[str]:
        """Return the lines of the summary that is printed."""
        unchanged_count = self.session_count - self.new_session_count - self.extended_session_count
        lines = [
            f"  new        {self.new_session_count:,} histories",
            f"  extended   {self.extended_session_count:,} histories",
            f"  unchanged  {unchanged_count:,} histories",
            f"  added      {self.new_turn_count:,} requests, {self.new_event_count:,} events",
        ]
        if self.log_count or self.blob_count:
            lines.append(
                f"  other      {self.log_count:,} notebook logs, {self.blob_count:,} blobs"
            )
        return lines


class StoreWriter:
    """Writes into a store, and counts what it writes in a report.

    With ``dry_run`` it only counts what it would write.
    """

    def __init__(self, store: SessionManager, report: Report, *, dry_run: bool = False) -> None:
        self._store, self._dry_run = store, dry_run
        self.report = report
        self._dry_run_store: InMemorySessionManager = InMemorySessionManager()

    async def write_session(self, key: SessionKey, session: Session) -> None:
        """Merge a session into the store. Must not run twice at the same time for one key."""
        report = self.report
        try:
            store = await self._store_for(key)
            before = await store.load_if_exists(key)
            is_changed = await store.merge_copy(key, session)
            after = await store.load_if_exists(key) if before and is_changed else session
        except (SessionTooNew, SessionCorrupt) as error:
            report.skipped.append(f"{key.notebook_id}/{key.cell_id}: {error.message}")
            return
        turn_count, event_count = _count_records(session)
        report.session_count += 1
        report.turn_count += turn_count
        report.event_count += event_count
        if is_changed:
            (old_turns, old_events), (turns, events) = _count_records(before), _count_records(after)
            report.new_session_count += before is None
            report.extended_session_count += before is not None
            report.new_turn_count += turns - old_turns
            report.new_event_count += events - old_events

    async def _store_for(self, key: SessionKey) -> SessionManager:
        """Return the store that a session is written to.

        For a dry run this is a store in memory, with a copy of the session that already exists.
        """
        if not self._dry_run:
            return self._store
        if not await self._dry_run_store.exists(key):
            existing = await self._store.load_if_exists(key)
            if existing is not None:
                await self._dry_run_store.merge_copy(key, existing)
        return self._dry_run_store

    async def write_log(
        self, notebook_id: str, owner: str, log: Sequence[NotebookLogEntry]
    ) -> None:
        """Append the entries of ``log`` that the notebook's change log in the store lacks."""
        stored_log = await self._store.read_notebook_log(notebook_id, owner=owner)
        new_entries = missing_entries(stored_log, log)
        if new_entries:
            self.report.log_count += 1
        if new_entries and not self._dry_run:
            # Entries refer to records by seq. Merging with an existing history renumbers records;
            # without one, the seqs are those that the entries already contain.
            if stored_log:
                seqs = await self._find_seqs(notebook_id, owner, new_entries)
                new_entries = [renumber_entry(entry, seqs.get) for entry in new_entries]
            entries = [NewLogEntry.model_validate(_without_seq(entry)) for entry in new_entries]
            await self._store.append_notebook_log(notebook_id, entries, owner=owner)

    async def _find_seqs(
        self, notebook_id: str, owner: str, entries: Iterable[NotebookLogEntry]
    ) -> dict[str, SeqsByDigest]:
        """Return, by cell id, the present seqs of the records that the entries refer to."""
        seqs_by_cell: dict[str, SeqsByDigest] = {}
        for cell_id in {str(cell) for entry in entries for cell in entry.data.get("digests") or ()}:
            with contextlib.suppress(InvalidRequest, SessionCorrupt):
                key = SessionKey(notebook_id, cell_id, owner)
                if session := await self._store.load_if_exists(key):
                    seqs_by_cell[cell_id] = await asyncio.to_thread(seqs_by_digest, session)
        return seqs_by_cell

    async def write_blob(self, data: bytes, owner: str) -> None:
        """Store a blob unless it exists."""
        self.report.blob_count += 1
        if not self._dry_run:
            await self._store.put_blob(data, owner=owner)


def _count_records(session: Session | None) -> tuple[int, int]:
    """Return the numbers of turns and events."""
    return (len(session.interactions), len(session.events or [])) if session else (0, 0)


def _without_seq(entry: NotebookLogEntry) -> dict[str, object]:
    return {name: value for name, value in codec.to_dict(entry).items() if name != "seq"}
