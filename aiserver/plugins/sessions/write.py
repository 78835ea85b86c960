"""Write copied or imported sessions, change logs and blobs into a store.

Invariants:

- Existing records are never changed, and writing the same data again changes nothing, so an
  interrupted copy or import can be repeated.
- A session that is damaged or has a newer format is reported and left out.
"""

from __future__ import annotations

import asyncio
import contextlib
import sys
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from ...cli.terminal import make_safe
from ...errors import InvalidRequest, SessionCorrupt, SessionTooNew
from ...models import Event, Interaction, NewLogEntry, NotebookLogEntry, Session, SessionKey
from ...sessions.base import SessionManager
from ...sessions.memory import InMemorySessionManager
from ...sessions.record import codec
from ...sessions.record.merge import (
    SeqsByDigest,
    missing_entries,
    record_content,
    renumber_entry,
    seqs_by_digest,
)


@dataclass
class Report:
    """Counts what a copy or import has read, written and skipped.

    ``session_count`` and ``blob_count`` include what the store had; ``log_count`` is that of logs
    with new entries. ``skipped`` are messages with reasons.
    """

    session_count: int = 0
    new_session_count: int = 0
    extended_session_count: int = 0
    turn_count: int = 0
    event_count: int = 0
    new_turn_count: int = 0
    new_event_count: int = 0
    log_count: int = 0
    blob_count: int = 0
    skipped: list[str] = field(default_factory=list)

    def show(self, title: str, skipped: str) -> None:
        """Print what was skipped, under this word for it, and the counts."""
        for reason in self.skipped:
            print(f"{skipped.capitalize()}: {make_safe(reason)}", file=sys.stderr)
        unchanged_count = self.session_count - self.new_session_count - self.extended_session_count
        print(
            f"{title}\n"
            f"  new        {self.new_session_count:,} histories\n"
            f"  extended   {self.extended_session_count:,} histories\n"
            f"  unchanged  {unchanged_count:,} histories\n"
            f"  added      {self.new_turn_count:,} requests, {self.new_event_count:,} events"
        )
        if self.log_count or self.blob_count:
            print(f"  other      {self.log_count:,} notebook logs, {self.blob_count:,} blobs")
        if self.skipped:
            print(f"  {skipped:10} {len(self.skipped):,}, see above")


class StoreWriter:
    """Writes into a store, or only counts with ``dry_run``."""

    def __init__(self, store: SessionManager, report: Report, *, dry_run: bool = False) -> None:
        self._store, self._dry_run = store, dry_run
        self.report = report
        self._dry_run_store: InMemorySessionManager = InMemorySessionManager()

    async def write_session(
        self, key: SessionKey, session: Session, *, has_times: bool = True
    ) -> None:
        """Merge a session. Calls for the same key must not run at the same time.

        Without ``has_times``, records are compared without their times.
        """
        report = self.report
        try:
            store = await self._store_for(key)
            old_session = await store.load_if_exists(key)
            if old_session and not has_times:
                _copy_times(old_session, session)
            is_changed = await store.merge_copy(key, session)
            is_extended = old_session is not None and is_changed
            merged_session = await store.load_if_exists(key) if is_extended else session
        except (SessionTooNew, SessionCorrupt) as error:
            report.skipped.append(f"{key.notebook_id}/{key.cell_id}: {error.message}")
            return
        turn_count, event_count = _count_records(session)
        report.session_count += 1
        report.turn_count += turn_count
        report.event_count += event_count
        if is_changed:
            old_turn_count, old_event_count = _count_records(old_session)
            merged_turn_count, merged_event_count = _count_records(merged_session)
            report.new_session_count += old_session is None
            report.extended_session_count += old_session is not None
            report.new_turn_count += merged_turn_count - old_turn_count
            report.new_event_count += merged_event_count - old_event_count

    async def _store_for(self, key: SessionKey) -> SessionManager:
        """Return the store to write to; for a dry run, one in memory with a copy of the session."""
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
        stored_log = await self._store.read_notebook_log(notebook_id, owner=owner)
        new_entries = missing_entries(stored_log, log)
        if new_entries:
            self.report.log_count += 1
        if new_entries and not self._dry_run:
            # Merging the sessions may have changed the seqs to which entries refer.
            if stored_log:
                seqs = await self._find_seqs(notebook_id, owner, new_entries)
                new_entries = [renumber_entry(entry, seqs.get) for entry in new_entries]
            fields = [codec.to_dict(entry) for entry in new_entries]
            for each in fields:
                each.pop("seq", None)
            entries = [NewLogEntry.model_validate(each) for each in fields]
            await self._store.append_notebook_log(notebook_id, entries, owner=owner)

    async def _find_seqs(
        self, notebook_id: str, owner: str, entries: Iterable[NotebookLogEntry]
    ) -> dict[str, SeqsByDigest]:
        seqs_by_cell: dict[str, SeqsByDigest] = {}
        digests = [entry.data.get("digests") for entry in entries]
        for cell_id in {cell for cells in digests if isinstance(cells, dict) for cell in cells}:
            with contextlib.suppress(InvalidRequest, SessionCorrupt):
                key = SessionKey(notebook_id, cell_id, owner)
                if session := await self._store.load_if_exists(key):
                    seqs_by_cell[cell_id] = await asyncio.to_thread(seqs_by_digest, session)
        return seqs_by_cell

    async def write_blob(self, data: bytes, owner: str) -> None:
        self.report.blob_count += 1
        if not self._dry_run:
            await self._store.put_blob(data, owner=owner)


def _copy_times(stored: Session, session: Session) -> None:
    """Give records of ``session`` the times of the stored ones that are equal except for these."""
    times = defaultdict[str, list[str]](list)
    for record in stored.ordered():
        times[_content_without_time(record)].append(record.timestamp)
    for record in session.ordered():
        if same := times[_content_without_time(record)]:
            record.timestamp = same.pop(0)


def _content_without_time(record: Interaction | Event) -> str:
    return record_content(record.model_copy(update={"timestamp": ""}))


def _count_records(session: Session | None) -> tuple[int, int]:
    return (len(session.interactions), len(session.events or [])) if session else (0, 0)
