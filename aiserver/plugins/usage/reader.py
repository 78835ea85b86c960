"""Read the usage of a notebook, or of all notebooks, from the store.

Invariants: each request and each summary counts once. If a cell or a notebook was copied, the
copy's session contains the records of the original, too. A session is read again only if its mark
has changed (``benchmarks/large_notebooks.py``).
"""

from __future__ import annotations

import asyncio
from collections.abc import Hashable, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from ...models import SessionKey
from ...sessions.base import SessionManager
from ...sessions.record.lru_cache import LRUCache
from ...sessions.record.recovery import parse_or_recover
from .records import UsageRecord, UsageTotals, time_of, to_csv, totals_of, usage_of

_SESSIONS_PER_READ = 64  # as many sessions are loaded and parsed together
_MAX_CACHED = 100_000  # sessions, and records of all sessions; each takes about half a kilobyte


class _SessionUsage(NamedTuple):
    """The usage in a session that had this mark, and whether the session is a copy of another."""

    mark: Hashable
    is_copy: bool
    records: tuple[UsageRecord, ...]


class UsageReader:
    """Sums and lists the usage of an owner's sessions. Of damaged sessions, intact turns count."""

    def __init__(self, sessions: SessionManager, *, owner: str = "") -> None:
        self._sessions, self._owner = sessions, owner
        self._cache: LRUCache[tuple[str, str], _SessionUsage] = LRUCache(
            _MAX_CACHED, limit=_MAX_CACHED, weight=lambda usage: len(usage.records)
        )

    async def totals(
        self, notebook_id: str | None = None, since: datetime | None = None, *, user: str = ""
    ) -> UsageTotals:
        """Return the sums since a time, of one notebook or person or all. Raises StorageError."""
        records = await self._records(notebook_id)

        def build() -> UsageTotals:
            return totals_of(
                (each for each in records if not user or each.user in (None, user)), since
            )

        return await asyncio.to_thread(build)

    async def table(self, notebook_id: str | None = None) -> str:
        """Return the table of all requests as CSV, oldest first. Raises StorageError."""
        records = await self._records(notebook_id)
        return await asyncio.to_thread(
            lambda: to_csv(sorted(records, key=lambda record: time_of(record.time)))
        )

    async def _records(self, notebook_id: str | None) -> list[UsageRecord]:
        marks = await self._sessions.session_marks(notebook_id, owner=self._owner)
        cells = sorted(marks)
        usages: dict[tuple[str, str], _SessionUsage] = {}
        for cell in cells:
            cached = self._cache.get(cell)
            if cached and cached.mark == marks[cell]:
                usages[cell] = cached
        unread = [cell for cell in cells if cell not in usages]
        for start in range(0, len(unread), _SESSIONS_PER_READ):
            group = unread[start : start + _SESSIONS_PER_READ]
            keys = [SessionKey(*cell, self._owner) for cell in group]
            data = await self._sessions.load_raw_batch(keys)
            parsed = await asyncio.to_thread(_parse, keys, data, marks)
            for cell, usage in zip(group, parsed, strict=True):
                usages[cell] = usage
                self._cache.put(cell, usage)
        return await asyncio.to_thread(_unique, [usages[cell] for cell in cells])


def _unique(usages: Sequence[_SessionUsage]) -> list[UsageRecord]:
    """Return each request and summary once; of several copies, the original or the first one."""
    unique: dict[tuple[str, str, int, bool], UsageRecord] = {}
    for usage in sorted(usages, key=lambda usage: usage.is_copy):
        for record in usage.records:
            identity = (record.time, record.model, record.text_hash, record.is_summary)
            unique.setdefault(identity, record)
    return list(unique.values())


def _parse(
    keys: Sequence[SessionKey],
    data: Sequence[bytes | None],
    marks: Mapping[tuple[str, str], Hashable],
) -> list[_SessionUsage]:
    usages = []
    for key, raw in zip(keys, data, strict=True):
        session = parse_or_recover(raw, key) if raw else None
        is_copy = session is not None and bool(session.meta.forked_from)
        records = tuple(usage_of(key, session)) if session else ()
        usages.append(_SessionUsage(marks[key.notebook_id, key.cell_id], is_copy, records))
    return usages
