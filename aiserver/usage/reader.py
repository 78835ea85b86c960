"""Read the usage of a notebook, or of all notebooks, from the store.

Invariant: each request and each summary counts once. If a cell or a notebook was copied, the copy's
session contains the records of the original, too.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import datetime

from ..models import SessionKey, SessionSummary
from ..sessions.base import SessionManager
from ..sessions.record.damage.recovery import parse_or_recover
from .records import UsageRecord, usage_of
from .table import to_csv
from .totals import UsageTotals, time_of, totals_of

_SESSIONS_PER_READ = 64  # as many sessions are loaded and parsed together


class UsageReader:
    """Sums and lists the usage of an owner's sessions. Of damaged sessions, intact turns count."""

    def __init__(self, sessions: SessionManager, *, owner: str = "") -> None:
        self._sessions, self._owner = sessions, owner

    async def totals(
        self, notebook_id: str | None = None, since: datetime | None = None, *, user: str = ""
    ) -> UsageTotals:
        """Return the sums of the requests and summaries of ``since`` or later.

        With ``notebook_id``, only those of this notebook count, and with ``user`` only those of
        this person. Raises StorageError.
        """
        records = await self._records(notebook_id, since)

        def build() -> UsageTotals:
            return totals_of(
                (each for each in records if not user or each.user in (None, user)), since
            )

        return await asyncio.to_thread(build)

    async def table(self, notebook_id: str | None = None) -> str:
        """Return the table of all requests as CSV, oldest first. Raises StorageError."""
        records = await self._records(notebook_id, None)
        return await asyncio.to_thread(
            lambda: to_csv(sorted(records, key=lambda record: time_of(record.time)))
        )

    async def _records(self, notebook_id: str | None, since: datetime | None) -> list[UsageRecord]:
        """Return each record of the sessions that were written at ``since`` or later once."""
        originals: list[UsageRecord] = []
        copies: list[UsageRecord] = []
        async for is_copy, records in self._records_by_session(notebook_id, since):
            (copies if is_copy else originals).extend(records)
        return await asyncio.to_thread(_unique, [*originals, *copies])

    async def _records_by_session(
        self, notebook_id: str | None, since: datetime | None
    ) -> AsyncIterator[tuple[bool, list[UsageRecord]]]:
        """Yield the records of each session, and whether the session is a copy of another one."""
        summaries, _ = await self._sessions.list_sessions(notebook_id, owner=self._owner)
        keys = await asyncio.to_thread(_keys_since, summaries, since, self._owner)
        for start in range(0, len(keys), _SESSIONS_PER_READ):
            batch = keys[start : start + _SESSIONS_PER_READ]
            data = await self._sessions.load_raw_batch(batch)
            for item in await asyncio.to_thread(_parse, batch, data):
                yield item


def _keys_since(
    summaries: list[SessionSummary], since: datetime | None, owner: str
) -> list[SessionKey]:
    return [
        SessionKey(summary.notebook_id, summary.cell_id, owner)
        for summary in summaries
        if summary.turns and (since is None or time_of(summary.last_updated) >= since)
    ]


def _unique(records: list[UsageRecord]) -> list[UsageRecord]:
    """Return each request and summary once; of several copies, the first one."""
    unique: dict[tuple[str, str, str, bool], UsageRecord] = {}
    for record in records:
        identity = (record.time, record.model, record.text, record.is_summary)
        unique.setdefault(identity, record)
    return list(unique.values())


def _parse(
    keys: list[SessionKey], data: list[bytes | None]
) -> list[tuple[bool, list[UsageRecord]]]:
    return [
        (bool(session.meta.forked_from), list(usage_of(key, session)))
        for key, raw in zip(keys, data, strict=True)
        if raw is not None and (session := parse_or_recover(raw, key)) is not None
    ]
