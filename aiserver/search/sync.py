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
from itertools import chain, islice

from ..models import SessionKey
from ..sessions.base import SessionManager
from .process import SearchProcess
from .text_index import Cell

BATCH = 64  # sessions per read
LINGER = 5.0  # seconds of reading without a caller; pages repeat their request sooner

_Marks = Mapping[Cell, Hashable]
_ByNotebook = dict[str, dict[str, Hashable]]  # the marks of cells


class OwnerIndex:
    """The sessions of an owner that the process with this number has indexed."""

    def __init__(
        self, store: SessionManager, owner: str, process: SearchProcess, number: int
    ) -> None:
        self._store, self._owner = store, owner
        self._process, self.number = process, number
        self._lock = asyncio.Lock()  # guards the next three, which a thread may use
        self._indexed: _ByNotebook = {}
        self._pending: _ByNotebook = {}  # to be read, in this order
        self._urgent = ""  # the requested notebook
        self._reading: asyncio.Task[None] | None = None
        self._progress = asyncio.Event()
        self._callers = 0
        self._read_until = 0.0  # the time until which to read without a caller

    async def refresh(self, notebook_id: str | None, patience: float) -> int:
        """Read changed sessions; return the number of those that are still to be read.

        Raises StorageError, Ended, SearchFailed.
        """
        clock = asyncio.get_running_loop().time
        self._callers += 1
        self._read_until = 0.0
        try:
            marks = await self._store.session_marks(notebook_id, owner=self._owner)
            # Shielded, so that a cancelled request leaves a consistent state.
            await asyncio.shield(self._update(marks, notebook_id))
            deadline = clock() + patience
            while remaining := await self._count_pending(notebook_id):
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
            pending, deleted = await asyncio.to_thread(self._compare, marks, notebook_id)
            if notebook_id is None:
                self._pending, self._urgent = pending, ""
            else:
                self._pending.pop(notebook_id, None)
                self._pending |= pending
                self._urgent = notebook_id
            if deleted:
                await self._process.call(self.number, "remove", self._owner, deleted)
            for notebook, cell in deleted:
                del self._indexed[notebook][cell]

    def _compare(self, marks: _Marks, notebook_id: str | None) -> tuple[_ByNotebook, list[Cell]]:
        by_notebook: _ByNotebook = {}
        for (notebook, cell), mark in marks.items():
            by_notebook.setdefault(notebook, {})[cell] = mark
        pending: _ByNotebook = {}
        for notebook, current in by_notebook.items():
            indexed = self._indexed.get(notebook, {})
            pending_cells = {
                cell: mark for cell, mark in current.items() if indexed.get(cell) != mark
            }
            if pending_cells:
                pending[notebook] = pending_cells
        deleted = [
            (notebook, cell)
            for notebook in (self._indexed if notebook_id is None else (notebook_id,))
            for cell in self._indexed.get(notebook, ())
            if cell not in by_notebook.get(notebook, ())
        ]
        return pending, deleted

    async def _count_pending(self, notebook_id: str | None) -> int:
        async with self._lock:
            if notebook_id is None:
                return sum(map(len, self._pending.values()))
            return len(self._pending.get(notebook_id, ()))

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
            async with self._lock:
                batch = self._next_batch()
            if not batch:
                return
            keys = [SessionKey(*cell, self._owner) for cell in batch]
            stored = await self._store.load_stored(keys)
            sessions = list(zip(batch, stored, strict=True))
            await self._process.call(self.number, "put", self._owner, sessions)
            async with self._lock:
                self._mark_done(batch)
            self._progress.set()

    def _next_batch(self) -> dict[Cell, Hashable]:
        pending_cells = (
            ((notebook, cell), mark)
            for notebook in chain((self._urgent,), self._pending)
            for cell, mark in self._pending.get(notebook, {}).items()
        )
        return dict(islice(pending_cells, BATCH))

    def _mark_done(self, batch: Mapping[Cell, Hashable]) -> None:
        # An unreadable session counts as done, too, and is not read again until it changes.
        for (notebook, cell), mark in batch.items():
            self._indexed.setdefault(notebook, {})[cell] = mark
            pending_cells = self._pending.get(notebook, {})
            if pending_cells.get(cell) == mark:
                del pending_cells[cell]
                if not pending_cells:
                    del self._pending[notebook]


def _consume_exception(task: asyncio.Task[None]) -> None:
    if not task.cancelled():
        task.exception()  # so that asyncio doesn't log an exception that was never retrieved
