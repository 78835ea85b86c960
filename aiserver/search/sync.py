"""Keep the search process in step with the store: one owner's sessions.

Invariants:

- A search covers the current content of the store: new and changed sessions are read, deleted ones
  removed. Nothing is written to the store.
- The sessions of the requested notebook are read first, then the newest.
- ``refresh`` waits at most ``patience`` seconds. Reading continues in the background for a while,
  because the page repeats its request; it stops if the page doesn't, or cancelled its request.
- The event loop does no work that grows with the number of sessions, except to count per notebook.
"""

from __future__ import annotations

import asyncio
from collections.abc import Hashable, Mapping
from itertools import islice

from ..models import SessionKey
from ..sessions.base import SessionManager
from .process import SearchProcess
from .text_index import Cell

BATCH = 64  # sessions per read
LINGER = 5.0  # seconds of reading without a caller; pages repeat their request sooner

_Marks = Mapping[Cell, Hashable]


class OwnerIndex:
    """The sessions of an owner that the process with this number has indexed."""

    def __init__(
        self, store: SessionManager, owner: str, process: SearchProcess, number: int
    ) -> None:
        self._store, self._owner = store, owner
        self._process, self.number = process, number
        self._lock = asyncio.Lock()  # held to change the next two, which a thread may read
        self._indexed: dict[Cell, Hashable] = {}
        self._pending: dict[Cell, Hashable] = {}  # to be read, in this order
        self._reading: asyncio.Task[None] | None = None
        self._progress = asyncio.Event()
        self._callers = 0
        self._read_until = 0.0  # the time until which to read without a caller

    async def refresh(self, notebook_id: str | None, patience: float) -> int:
        """Read changed sessions; return the number of those that are still to be read.

        Raises StorageError, ChildEnded, SearchFailed.
        """
        clock = asyncio.get_running_loop().time
        self._callers += 1
        self._read_until = 0.0
        try:
            marks = await self._store.session_marks(notebook_id, owner=self._owner)
            # Shielded, so that a cancelled request leaves a consistent state.
            await asyncio.shield(self._update(marks, notebook_id))
            deadline = clock() + patience
            while remaining := self._count_pending(marks, notebook_id):
                reading = self._start_reading()
                if clock() >= deadline:
                    break
                await self._wait_for_progress(reading, deadline - clock())
            self._read_until = clock() + LINGER
            return remaining
        finally:
            self._callers -= 1

    async def close(self) -> None:
        """Stop reading."""
        if self._reading is not None:
            self._reading.cancel()
            await asyncio.gather(self._reading, return_exceptions=True)

    async def _update(self, marks: _Marks, notebook_id: str | None) -> None:
        """Determine the sessions to read, and remove deleted ones from the index."""
        async with self._lock:
            self._pending, deleted = await asyncio.to_thread(self._compare, marks, notebook_id)
            if deleted:
                await self._process.call(self.number, "remove", self._owner, deleted)
            for cell in deleted:
                del self._indexed[cell]

    def _compare(
        self, marks: _Marks, notebook_id: str | None
    ) -> tuple[dict[Cell, Hashable], list[Cell]]:
        def is_other(cell: Cell) -> bool:
            return notebook_id is not None and cell[0] != notebook_id

        pending = {cell: mark for cell, mark in marks.items() if self._indexed.get(cell) != mark}
        pending |= {cell: mark for cell, mark in self._pending.items() if is_other(cell)}
        deleted = [cell for cell in self._indexed if cell not in marks and not is_other(cell)]
        return pending, deleted

    def _count_pending(self, marks: _Marks, notebook_id: str | None) -> int:
        if notebook_id is None:
            return len(self._pending)
        return sum(cell in self._pending for cell in marks)

    def _start_reading(self) -> asyncio.Task[None]:
        """Start to read in the background, unless that is running."""
        if self._reading is None or self._reading.done():
            self._reading = asyncio.ensure_future(self._read())
            self._reading.add_done_callback(_consume_exception)
        return self._reading

    async def _wait_for_progress(self, reading: asyncio.Task[None], timeout: float) -> None:
        """Wait until a batch or everything was read, or until the timeout."""
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
        while self._callers or clock() < self._read_until:
            batch = dict(islice(self._pending.items(), BATCH))
            if not batch:
                return
            keys = [SessionKey(*cell, self._owner) for cell in batch]
            stored = await self._store.load_stored(keys)
            sessions = list(zip(batch, stored, strict=True))
            await self._process.call(self.number, "put", self._owner, sessions)
            async with self._lock:
                # An unreadable session counts as indexed, too: it is read again if it changes.
                self._indexed |= batch
                for cell, mark in batch.items():
                    if self._pending.get(cell) == mark:
                        del self._pending[cell]
            self._progress.set()


def _consume_exception(task: asyncio.Task[None]) -> None:
    if not task.cancelled():
        task.exception()  # so that asyncio doesn't log an exception that was never retrieved
