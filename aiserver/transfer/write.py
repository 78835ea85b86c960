"""Puts what was read elsewhere into a store: what both copy and import end with.

What must hold:

- Nothing is taken twice, and nothing that is there is changed: taking again changes nothing, so
  work that was stopped is simply done again.
- What can't be taken is said, and the rest goes on.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from ..errors import InvalidRequest, SessionCorrupt, SessionTooNew
from ..models import NewLogEntry, NotebookLogEntry, Session, SessionKey
from ..sessions.base import SessionManager
from ..sessions.memory import InMemorySessionManager
from ..sessions.record import codec
from ..sessions.record.merge.digests import SeqsByDigest, seqs_by_digest
from ..sessions.record.merge.logs import missing_entries, renumber_entry
from ..sessions.record.merge.sessions import count_records

T = TypeVar("T")
_AT_ONCE = 8
_NOTHING = (0, 0, False)


@dataclass
class Report:
    """What was taken, in numbers, and what was not."""

    sessions: int = 0
    sessions_new: int = 0
    sessions_grown: int = 0
    turns: int = 0
    events: int = 0
    turns_new: int = 0
    events_new: int = 0
    logs: int = 0
    blobs: int = 0
    not_taken: list[str] = field(default_factory=list)

    def lines(self) -> list[str]:
        """It as a person reads it."""
        there = self.sessions - self.sessions_new - self.sessions_grown
        lines = [
            f"  new        {self.sessions_new:,} histories",
            f"  extended   {self.sessions_grown:,} histories",
            f"  unchanged  {there:,} histories",
            f"  added      {self.turns_new:,} requests, {self.events_new:,} events",
        ]
        if self.logs or self.blobs:
            lines.append(f"  other      {self.logs:,} notebook logs, {self.blobs:,} blobs")
        return lines


class Taker:
    """Takes into one store, and counts. With ``dry_run`` it only counts."""

    def __init__(self, store: SessionManager, report: Report, *, dry_run: bool = False) -> None:
        self._store, self._dry_run = store, dry_run
        self.report = report
        self._trial: InMemorySessionManager = InMemorySessionManager()
        self._one_at_a_time: dict[SessionKey, asyncio.Lock] = {}

    async def session(self, key: SessionKey, session: Session) -> bool:
        """Take one session; say whether anything of it was new."""
        report = self.report
        async with self._one_at_a_time.setdefault(key, asyncio.Lock()):
            try:
                before, after, grown = await self._taken(key, session)
            except (SessionTooNew, SessionCorrupt) as error:
                report.not_taken.append(f"{key.notebook_id}/{key.cell_id}: {error.message}")
                return False
        report.sessions += 1
        report.turns += len(session.interactions)
        report.events += len(session.events or [])
        if grown:
            report.sessions_new += before == _NOTHING
            report.sessions_grown += before != _NOTHING
            report.turns_new += after[0] - before[0]
            report.events_new += after[1] - before[1]
        return grown

    async def _taken(
        self, key: SessionKey, session: Session
    ) -> tuple[tuple[int, int, bool], tuple[int, int, bool], bool]:
        store: SessionManager = self._store
        ours = await store.load_if_exists(key)
        before = _counts(ours)
        if self._dry_run:  # the same steps, where they leave no trace
            if ours is not None and not await self._trial.exists(key):
                await self._trial.take_over(key, ours)
            store = self._trial
            before = _counts(await store.load_if_exists(key))
        grown = await store.take_over(key, session)
        if not grown:
            return before, before, False
        taken_whole = before == _NOTHING
        return before, _counts(session if taken_whole else await store.load_if_exists(key)), True

    async def log(self, notebook_id: str, owner: str, log: Sequence[NotebookLogEntry]) -> None:
        """Take what a notebook's log lacks."""
        ours = await self._store.read_notebook_log(notebook_id, owner=owner)
        new = missing_entries(ours, log)
        if new:
            self.report.logs += 1
        if new and not self._dry_run:
            if ours:  # else all is as it was there
                found = await self._places(notebook_id, owner, new)
                new = [renumber_entry(entry, found.get) for entry in new]
            entries = [NewLogEntry.model_validate(_without_number(entry)) for entry in new]
            await self._store.append_notebook_log(notebook_id, entries, owner=owner)

    async def _places(
        self, notebook_id: str, owner: str, lines: Iterable[NotebookLogEntry]
    ) -> dict[str, SeqsByDigest]:
        """Where the records are that the lines name, in the sessions that were taken before."""
        found: dict[str, SeqsByDigest] = {}
        for cell_id in {str(one) for line in lines for one in line.data.get("digests") or ()}:
            with contextlib.suppress(InvalidRequest, SessionCorrupt):
                key = SessionKey(notebook_id, cell_id, owner)
                if session := await self._store.load_if_exists(key):
                    found[cell_id] = await asyncio.to_thread(seqs_by_digest, session)
        return found

    async def blob(self, data: bytes, owner: str) -> None:
        """Take a blob that isn't there yet."""
        self.report.blobs += 1
        if not self._dry_run:
            await self._store.put_blob(data, owner=owner)


async def each(items: Iterable[T], work: Callable[[T], Awaitable[object]]) -> None:
    """Do the work for each item, some at once. The first that fails ends it, when all have."""
    pending = iter(items)

    async def worker() -> None:
        for item in pending:
            await work(item)

    workers = [asyncio.ensure_future(worker()) for _ in range(_AT_ONCE)]
    try:
        await asyncio.gather(*workers)
    finally:
        for one in workers:
            one.cancel()
        await asyncio.gather(*workers, return_exceptions=True)


def _counts(session: Session | None) -> tuple[int, int, bool]:
    """How many turns and events there are, and whether there is a session at all."""
    if session is None:
        return _NOTHING
    turns = len(session.interactions)
    return turns, count_records(session) - turns, True


def _without_number(entry: NotebookLogEntry) -> dict[str, object]:
    return {name: value for name, value in codec.to_dict(entry).items() if name != "seq"}
