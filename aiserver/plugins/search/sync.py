"""Bring the text index in the search process up to date with the sessions in the store.

Nothing is written to the store.

Invariants:

- Each refresh compares the index with the store: it reads new and changed sessions, and it removes
  deleted sessions from the index.
- The sessions of the requested notebook are read before the sessions of other notebooks, and newer
  sessions before older sessions if the store knows their order.
- ``refresh`` reads sessions in groups of ``SESSIONS_PER_READ``, for at most ``patience`` seconds.
  If it is still reading a group when this time is over, the group is read to its end in the
  background. The page repeats its search, and the next ``refresh`` reads the remaining sessions.
- The event loop does no work that grows with the total number of sessions. It only counts the
  unread sessions of the requested notebook.
"""

from __future__ import annotations

import asyncio
from collections.abc import Hashable, Mapping
from itertools import islice

from ...models import SessionKey
from ...sessions.base import SessionManager
from .process import SearchProcess
from .text_index import CellIds

SESSIONS_PER_READ = 64  # the maximum number of sessions that are read together, as a group

# The mark of each session. A session's mark changes whenever the session is written.
_Marks = Mapping[CellIds, Hashable]


class OwnerIndex:
    """Keeps the index of one owner's sessions up to date.

    The index is in the search process with the number ``process_number``, and is lost when that
    process ends.
    """

    def __init__(
        self, store: SessionManager, owner: str, process: SearchProcess, process_number: int
    ) -> None:
        self._store, self._owner = store, owner
        self._process, self.process_number = process, process_number
        # Protects ``_indexed`` and ``_pending``: they change only under this lock, because
        # ``_compare`` iterates over them in a thread while the lock is held.
        self._lock = asyncio.Lock()
        self._indexed: dict[CellIds, Hashable] = {}
        """The mark that each session had when it was read."""
        self._pending: dict[CellIds, Hashable] = {}
        """The marks of the unread sessions, in the order in which the sessions will be read."""
        self._reading: asyncio.Task[None] | None = None

    async def refresh(self, notebook_id: str | None, patience: float) -> int:
        """Read new and changed sessions; return the number of sessions that are still unread.

        Wait for the reading for at most ``patience`` seconds. If ``notebook_id`` isn't None, wait
        only for the sessions of this notebook, and count only them. Raises StorageError,
        ChildEnded, SearchFailed.
        """
        clock = asyncio.get_running_loop().time
        marks = await self._store.session_marks(notebook_id, owner=self._owner)
        # Shielded, so that the update is completed even if the search is cancelled.
        await asyncio.shield(self._update(marks, notebook_id))
        deadline = clock() + patience
        while remaining := self._count_pending(marks, notebook_id):
            if self._reading is None or self._reading.done():
                self._reading = asyncio.ensure_future(self._read_next_group())
                self._reading.add_done_callback(_consume_exception)
            if clock() >= deadline:
                break
            finished, _ = await asyncio.wait({self._reading}, timeout=deadline - clock())
            for task in finished:
                task.result()  # raises the exception of a failed read
        return remaining

    async def close(self) -> None:
        """Stop reading sessions."""
        if self._reading is not None:
            self._reading.cancel()
            await asyncio.gather(self._reading, return_exceptions=True)

    async def _update(self, marks: _Marks, notebook_id: str | None) -> None:
        """Determine which sessions to read, and remove deleted sessions from the index."""
        async with self._lock:
            self._pending, deleted = await asyncio.to_thread(self._compare, marks, notebook_id)
            if deleted:
                await self._process.call(self.process_number, "remove", self._owner, deleted)
            for cell in deleted:
                del self._indexed[cell]

    def _compare(
        self, marks: _Marks, notebook_id: str | None
    ) -> tuple[dict[CellIds, Hashable], list[CellIds]]:
        """Return the sessions to read, each with its mark, and the sessions that were deleted.

        If ``notebook_id`` isn't None, ``marks`` only contains the sessions of this notebook. In
        that case, pending sessions of other notebooks stay pending, and no session of another
        notebook counts as deleted.
        """

        def is_in_other_notebook(cell: CellIds) -> bool:
            return notebook_id is not None and cell[0] != notebook_id

        pending = {cell: mark for cell, mark in marks.items() if self._indexed.get(cell) != mark}
        pending |= {
            cell: mark for cell, mark in self._pending.items() if is_in_other_notebook(cell)
        }
        deleted = [
            cell for cell in self._indexed if cell not in marks and not is_in_other_notebook(cell)
        ]
        return pending, deleted

    def _count_pending(self, marks: _Marks, notebook_id: str | None) -> int:
        if notebook_id is None:
            return len(self._pending)
        return sum(cell in self._pending for cell in marks)

    async def _read_next_group(self) -> None:
        group = dict(islice(self._pending.items(), SESSIONS_PER_READ))
        keys = [SessionKey(*cell, self._owner) for cell in group]
        stored = await self._store.load_raw_batch(keys)
        sessions = list(zip(group, stored, strict=True))
        await self._process.call(self.process_number, "put", self._owner, sessions)
        async with self._lock:
            # An unreadable session also counts as indexed, so that it is read again only after it
            # has changed.
            self._indexed |= group
            for cell, mark in group.items():
                if self._pending.get(cell) == mark:
                    del self._pending[cell]


def _consume_exception(task: asyncio.Task[None]) -> None:
    if not task.cancelled():
        task.exception()  # otherwise, asyncio would log that the exception was never retrieved
