"""Read the usage of a notebook, or of all notebooks, from the store.

Invariant: each request counts once. If a cell or a notebook was copied, the copy's session contains
the turns of the original, too.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import datetime

from ..models import Interaction, Session, SessionKey, SessionSummary
from ..sessions.base import SessionManager
from ..sessions.record.damage.recovery import parse_or_recover
from .table import to_csv
from .totals import UsageTotals, time_of, totals_of

_SESSIONS_PER_READ = 64  # as many sessions are loaded and parsed together

KeyedTurn = tuple[SessionKey, Interaction]


class UsageReader:
    """Sums and lists the usage of an owner's sessions. Of damaged sessions, intact turns count."""

    def __init__(self, sessions: SessionManager, *, owner: str = "") -> None:
        self._sessions, self._owner = sessions, owner

    async def totals(
        self, notebook_id: str | None = None, since: datetime | None = None, *, user: str = ""
    ) -> UsageTotals:
        """Return the sums of the turns that were requested at ``since`` or later.

        With ``notebook_id``, only the turns of this notebook count, and with ``user`` only those of
        this person. Raises StorageError.
        """
        turns = await self._turns(notebook_id, since)

        def build() -> UsageTotals:
            return totals_of(
                (turn for _, turn in turns if not user or turn.user in (None, user)), since
            )

        return await asyncio.to_thread(build)

    async def table(self, notebook_id: str | None = None) -> str:
        """Return the table of all turns as CSV, oldest first. Raises StorageError."""
        turns = await self._turns(notebook_id, None)
        return await asyncio.to_thread(
            lambda: to_csv(sorted(turns, key=lambda entry: time_of(entry[1].timestamp)))
        )

    async def _turns(self, notebook_id: str | None, since: datetime | None) -> list[KeyedTurn]:
        """Return each turn of the sessions that were written at ``since`` or later once."""
        originals: list[KeyedTurn] = []
        copies: list[KeyedTurn] = []
        async for key, session in self._sessions_of(notebook_id, since):
            turns = copies if session.meta.forked_from else originals
            turns += [(key, turn) for turn in session.interactions]
        return await asyncio.to_thread(_unique, [*originals, *copies])

    async def _sessions_of(
        self, notebook_id: str | None, since: datetime | None
    ) -> AsyncIterator[tuple[SessionKey, Session]]:
        summaries, _ = await self._sessions.list_sessions(notebook_id, owner=self._owner)
        keys = await asyncio.to_thread(_keys_since, summaries, since, self._owner)
        for start in range(0, len(keys), _SESSIONS_PER_READ):
            batch = keys[start : start + _SESSIONS_PER_READ]
            data = await self._sessions.load_raw_batch(batch)
            for key, session in await asyncio.to_thread(_parse, batch, data):
                yield key, session


def _keys_since(
    summaries: list[SessionSummary], since: datetime | None, owner: str
) -> list[SessionKey]:
    return [
        SessionKey(summary.notebook_id, summary.cell_id, owner)
        for summary in summaries
        if summary.turns and (since is None or time_of(summary.last_updated) >= since)
    ]


def _unique(turns: list[KeyedTurn]) -> list[KeyedTurn]:
    """Return each request once; of several copies, the first one."""
    unique: dict[tuple[str, str | None, str], KeyedTurn] = {}
    for key, turn in turns:
        unique.setdefault((turn.timestamp, turn.model, turn.user_request.intent), (key, turn))
    return list(unique.values())


def _parse(keys: list[SessionKey], data: list[bytes | None]) -> list[tuple[SessionKey, Session]]:
    return [
        (key, session)
        for key, raw in zip(keys, data, strict=True)
        if raw is not None and (session := parse_or_recover(raw, key)) is not None
    ]
