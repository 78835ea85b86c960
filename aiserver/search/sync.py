"""Keeps the texts in the searching process as the store has them: one owner's sessions.

What must hold:

- An answer is of what the store holds when it is asked: sessions that are new or have another mark
  are read again, those that are gone are forgotten. Nothing is written anywhere.
- The newest are read first, before them those of the notebook that is asked for.
- Whoever asks waits only as long as he has patience. Reading goes on in the background for a
  while, for he will ask again; it ends when he doesn't, or went away.
- The event loop does nothing that grows with the number of sessions but to count notebooks.
"""

from __future__ import annotations

import asyncio
from collections.abc import Hashable, Mapping
from itertools import chain, islice

from ..models import SessionKey
from ..sessions.base import SessionManager
from .process import SearchProcess
from .text_index import Cell

BATCH = 64  # sessions that are read at once
LINGER = 5.0  # seconds that reading goes on for nobody: a page asks again after less

_Marks = Mapping[Cell, Hashable]
_ByNotebook = dict[str, dict[str, Hashable]]  # the marks of cells


class OwnerIndex:
    """Which of an owner's sessions the process of this number knows."""

    def __init__(
        self, store: SessionManager, owner: str, process: SearchProcess, number: int
    ) -> None:
        self._store, self._owner = store, owner
        self._process, self.number = process, number
        self._lock = asyncio.Lock()  # for the next three; a thread may have them
        self._known: _ByNotebook = {}
        self._pending: _ByNotebook = {}  # what is to be read, in this order
        self._urgent = ""  # the notebook that is asked for
        self._reading: asyncio.Task[None] | None = None
        self._progress = asyncio.Event()
        self._asking = 0
        self._until = 0.0  # how long to read for nobody

    async def refresh(self, notebook_id: str | None, patience: float) -> int:
        """Take in what changed; say how many sessions are still to be read.

        Raises StorageError, Ended, SearchFailed.
        """
        clock = asyncio.get_running_loop().time
        self._asking += 1
        self._until = 0.0
        try:
            there = await self._store.session_marks(notebook_id, owner=self._owner)
            # To the end, also if he who asked goes away meanwhile.
            await asyncio.shield(self._note(there, notebook_id))
            deadline = clock() + patience
            while left := await self._left(notebook_id):
                reading = self._begin()
                if clock() >= deadline:
                    break
                await self._some_more(reading, deadline - clock())
            self._until = clock() + LINGER
            return left
        finally:
            self._asking -= 1

    async def close(self) -> None:
        """Stop reading."""
        if self._reading is not None:
            self._reading.cancel()
            await asyncio.gather(self._reading, return_exceptions=True)

    async def _note(self, there: _Marks, notebook_id: str | None) -> None:
        """Find out what is to be read, and forget what is there no more."""
        async with self._lock:
            pending, gone = await asyncio.to_thread(self._compared, there, notebook_id)
            if notebook_id is None:
                self._pending, self._urgent = pending, ""
            else:
                self._pending.pop(notebook_id, None)
                self._pending |= pending
                self._urgent = notebook_id
            if gone:
                await self._process.call(self.number, "forget", self._owner, gone)
            for notebook, cell in gone:
                del self._known[notebook][cell]

    def _compared(self, there: _Marks, notebook_id: str | None) -> tuple[_ByNotebook, list[Cell]]:
        found: _ByNotebook = {}
        for (notebook, cell), mark in there.items():
            found.setdefault(notebook, {})[cell] = mark
        pending: _ByNotebook = {}
        for notebook, now in found.items():
            known = self._known.get(notebook, {})
            waiting = {cell: mark for cell, mark in now.items() if known.get(cell) != mark}
            if waiting:
                pending[notebook] = waiting
        gone = [
            (notebook, cell)
            for notebook in (self._known if notebook_id is None else (notebook_id,))
            for cell in self._known.get(notebook, ())
            if cell not in found.get(notebook, ())
        ]
        return pending, gone

    async def _left(self, notebook_id: str | None) -> int:
        async with self._lock:
            if notebook_id is None:
                return sum(map(len, self._pending.values()))
            return len(self._pending.get(notebook_id, ()))

    def _begin(self) -> asyncio.Task[None]:
        """Read, unless that goes on already."""
        if self._reading is None or self._reading.done():
            self._reading = asyncio.ensure_future(self._read())
            self._reading.add_done_callback(_retrieve)
        return self._reading

    async def _some_more(self, reading: asyncio.Task[None], timeout: float) -> None:
        """Wait till some more was read, or all was, or the time is over."""
        self._progress.clear()
        step = asyncio.ensure_future(self._progress.wait())
        try:
            await asyncio.wait({reading, step}, timeout=timeout, return_when="FIRST_COMPLETED")
        finally:
            step.cancel()
        if reading.done():
            reading.result()

    async def _read(self) -> None:
        clock = asyncio.get_running_loop().time
        while self._asking or clock() < self._until:
            async with self._lock:
                batch = self._next()
            if not batch:
                return
            keys = [SessionKey(*cell, self._owner) for cell in batch]
            stored = await self._store.load_stored(keys)
            sessions = list(zip(batch, stored, strict=True))
            await self._process.call(self.number, "take", self._owner, sessions)
            async with self._lock:
                self._done(batch)
            self._progress.set()

    def _next(self) -> dict[Cell, Hashable]:
        waiting = (
            ((notebook, cell), mark)
            for notebook in chain((self._urgent,), self._pending)
            for cell, mark in self._pending.get(notebook, {}).items()
        )
        return dict(islice(waiting, BATCH))

    def _done(self, batch: Mapping[Cell, Hashable]) -> None:
        # One that can't be read is done, too: it is not tried again till it changes.
        for (notebook, cell), mark in batch.items():
            self._known.setdefault(notebook, {})[cell] = mark
            waiting = self._pending.get(notebook, {})
            if waiting.get(cell) == mark:
                del waiting[cell]
                if not waiting:
                    del self._pending[notebook]


def _retrieve(task: asyncio.Task[None]) -> None:
    if not task.cancelled():
        task.exception()  # so that a fault nobody waited for logs nothing
