"""Keep the search process in step with the store: one owner's sessions.

Invariants:

- A search covers the current content of the store: new and changed sessions are read, deleted ones
  removed. Nothing is written to the store.
- The sessions of the requested notebook are read first, then the newest.
- ``refresh`` waits at most ``patience`` seconds. It reads batch by batch; the last batch is
  finished in the background. The page repeats its request, which goes on from there.
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

    async def refresh(self, notebook_id: str | None, patience: float) -> int:
        """Read changed sessions; return the number of those that are still to be read.

        Raises StorageError, ChildEnded, SearchFailed.
        """
        clock = asyncio.get_running_loop().time
        marks = await self._store.session_marks(notebook_id, owner=self._owner)
        # Shielded, so that a cancelled request leaves a consistent state.
        await asyncio.shield(self._update(marks, notebook_id))
        deadline = clock() + patience
        while remaining := self._count_pending(marks, notebook_id):
            if self._reading is None or self._reading.done():
                self._reading = asyncio.ensure_future(self._read_batch())
                self._reading.add_done_callback(_consume_exception)
            if clock() >= deadline:
                break
            done, _ = await asyncio.wait({self._reading}, timeout=deadline - clock())
            for batch in done:
                batch.result()
        return remaining

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

    async def _read_batch(self) -> None:
        batch = dict(islice(self._pending.items(), BATCH))
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


def _consume_exception(task: asyncio.Task[None]) -> None:
    if not task.cancelled():
        task.exception()  # so that asyncio doesn't log an exception that was never retrieved
