"""What is kept of one owner's sessions, so that a search reads only what changed.

What must hold:

- An answer is of what the store holds when it is asked: sessions that are new or whose summary
  differs are read again, those that are gone are forgotten. Nothing is written anywhere.
- Memory is bounded: over half of ``room`` bytes texts are packed, and what goes over it is read
  anew for each search. It is the older sessions that this meets, for the newest are read first.
- A session that can't be read hides no other.
- Reading goes on in the background, and whoever asks waits only as long as he has patience.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import replace
from logging import Logger
from typing import NamedTuple

from ..errors import SessionCorrupt, SessionTooNew
from ..models import Session, SessionKey, SessionSummary
from ..sessions.base import SessionManager
from .texts import Entry, entry_of

BATCH = 32  # sessions that are read at once

Cell = tuple[str, str]


class _Pending(NamedTuple):
    last_updated: str
    mark: tuple[object, ...]


class OwnerIndex:
    """The texts of one owner's sessions. All its methods run on the event loop."""

    def __init__(self, store: SessionManager, owner: str, room: int, log: Logger) -> None:
        self._store, self._owner, self._room, self._log = store, owner, room, log
        self.entries: dict[Cell, Entry] = {}
        self._used = 0
        self._pending: dict[Cell, _Pending] = {}
        self._queue: list[Cell] = []  # the pending ones, what is to be read first at the end
        self._urgent: str | None = None  # the notebook that is asked for
        self._reading: asyncio.Task[None] | None = None
        self._progress = asyncio.Event()

    async def refresh(self, notebook_id: str | None, patience: float) -> int:
        """Take in what changed; say how many sessions are still to be read.

        Raises StorageError.
        """
        rows, _ = await self._store.list_sessions(notebook_id, owner=self._owner)
        self._note(await asyncio.to_thread(_marks, rows), notebook_id)
        if notebook_id != self._urgent:
            self._urgent, self._queue = notebook_id, []
        clock = asyncio.get_running_loop().time
        deadline = clock() + patience
        if self._reading is not None and self._reading.done():
            self._ended()  # how that ended, nobody waited to hear
        while left := self._left(notebook_id):
            if self._reading is None:
                self._reading = asyncio.ensure_future(self._read())
            step = asyncio.ensure_future(self._progress.wait())
            wait = max(0.0, deadline - clock())
            await asyncio.wait({self._reading, step}, timeout=wait, return_when="FIRST_COMPLETED")
            step.cancel()
            self._progress.clear()
            if self._reading is not None and self._reading.done() and (fault := self._ended()):
                raise fault
            if clock() >= deadline:
                left = self._left(notebook_id)
                break
        return left

    def of(self, notebook_id: str | None) -> list[Entry]:
        """What is known of a notebook's sessions; of all for None."""
        found = self.entries.values()
        return [entry for entry in found if notebook_id in (None, entry.notebook_id)]

    async def load(self, cells: Iterable[Cell]) -> list[Session]:
        """Sessions, read from the store; without those that are gone or damaged."""
        found = await asyncio.gather(*(self._load(cell) for cell in cells))
        return [session for session in found if session is not None]

    async def close(self) -> None:
        """Stop reading."""
        if self._reading is not None:
            self._reading.cancel()
            await asyncio.gather(self._reading, return_exceptions=True)

    def _ended(self) -> BaseException | None:
        done, self._reading = self._reading, None
        return done.exception() if done and not done.cancelled() else None

    def _note(self, there: dict[Cell, _Pending], notebook_id: str | None) -> None:
        for cell, row in there.items():
            known = self.entries.get(cell)
            if known is not None and known.mark == row.mark:
                self._pending.pop(cell, None)
            elif self._pending.get(cell) != row:
                self._pending[cell] = row
                self._queue = []
        for cell in [*self.entries, *self._pending]:
            if notebook_id in (None, cell[0]) and cell not in there:
                self._forget(cell)

    def _rank(self, cell: Cell) -> tuple[bool, str]:
        return cell[0] == self._urgent, self._pending[cell].last_updated

    def _left(self, notebook_id: str | None) -> int:
        if notebook_id is None:
            return len(self._pending)
        return sum(cell[0] == notebook_id for cell in self._pending)

    async def _read(self) -> None:
        while self._pending:
            if not self._queue:
                self._queue = sorted(self._pending, key=self._rank)
            batch, self._queue = self._queue[-BATCH:], self._queue[:-BATCH]
            marks = {cell: self._pending[cell].mark for cell in batch if cell in self._pending}
            sessions = await self.load(marks)
            entries = await asyncio.to_thread(_entries, sessions)
            for cell in marks:
                if self._pending.get(cell, _Pending("", ())).mark == marks[cell]:
                    self._forget(cell)
            for entry in entries:
                self._keep(replace(entry, mark=marks[entry.notebook_id, entry.cell_id]))
            for cell in marks:  # one that can't be read is not tried again till it changes
                self.entries.setdefault(cell, Entry(*cell, marks[cell]))
            self._progress.set()

    async def _load(self, cell: Cell) -> Session | None:
        try:
            return await self._store.load_if_exists(SessionKey(*cell, self._owner))
        except (SessionCorrupt, SessionTooNew) as error:
            self._log.warning("A session can't be searched: %s", error.message)
            return None

    def _keep(self, entry: Entry) -> None:
        cell = (entry.notebook_id, entry.cell_id)
        self._drop(cell)
        if self._used + entry.size > self._room / 2:
            entry = entry.packed()
        if self._used + entry.size > self._room:
            entry = replace(entry, kept=None)
        self._used += entry.size
        self.entries[cell] = entry

    def _forget(self, cell: Cell) -> None:
        self._pending.pop(cell, None)
        self._drop(cell)

    def _drop(self, cell: Cell) -> None:
        gone = self.entries.pop(cell, None)
        self._used -= gone.size if gone else 0


def _marks(rows: Iterable[SessionSummary]) -> dict[Cell, _Pending]:
    """What tells whether a session changed: all of its summary, for not every tool that writes
    such files counts revisions.
    """
    return {
        (row.notebook_id, row.cell_id): _Pending(row.last_updated, tuple(vars(row).values()))
        for row in rows
    }


def _entries(sessions: Iterable[Session]) -> list[Entry]:
    return [entry_of(session) for session in sessions]
