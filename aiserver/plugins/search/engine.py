"""Search the sessions of a store, of any kind, for the turns that match a query.

Invariants: a search doesn't block the event loop, because a child process stores and searches the
texts, and it covers one owner's sessions only.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Hashable, Mapping
from functools import partial
from itertools import islice
from typing import Any, Literal

from ...child_process import ChildEnded
from ...errors import SearchFailed
from ...models import SessionKey
from ...sessions.base import SessionManager
from .embeddings import is_installed
from .hits import SearchResult
from .process import SearchProcess
from .query import parse, split_filters
from .text_index import CellIds

PATIENCE = 1.0  # the maximum number of seconds that a search waits for sessions to be read

SearchMode = Literal["words", "meaning", "request"]
"""With ``request``, the query is a request, and the hits are turns with a similar request."""
SESSIONS_PER_READ = 64  # the maximum number of sessions that are read together, as a group

# The mark of each session. A session's mark changes whenever the session is written.
_Marks = Mapping[CellIds, Hashable]
_Call = Callable[..., Awaitable[Any]]


class SearchEngine:
    """Searches the sessions of a store."""

    def __init__(self, store: SessionManager, *, process: SearchProcess | None = None) -> None:
        self._store, self._process = store, process or SearchProcess()
        self._indexes: dict[str, OwnerIndex] = {}

    async def search(
        self,
        query: str,
        *,
        owner: str = "",
        notebook_id: str | None = None,
        except_notebook_id: str | None = None,
        by: SearchMode = "words",
        offset: int = 0,
        limit: int = 20,
        patience: float = PATIENCE,
    ) -> SearchResult:
        """Return at most ``limit`` hits, best first, beginning with the hit at index ``offset``.

        The search covers one notebook if ``notebook_id`` isn't None, and no turns of the notebook
        ``except_notebook_id``. If the package for embeddings isn't installed, a search by meaning
        is one by words. Before the search, new and changed sessions are read for at most
        ``patience`` seconds. The search covers the sessions that have been read by then;
        ``SearchResult.unread`` counts the sessions left out. Raises StorageError, SearchFailed.
        """
        words, filters = split_filters(query)
        if not (parse(words) or any(filters)):
            return SearchResult()
        if by == "meaning" and not is_installed():
            by = "words"
        for can_retry in (True, False):
            try:
                index = await self._index(owner)
                unread_count = await index.refresh(notebook_id, patience)
                call = partial(self._process.call, index.process_number)
                if by == "meaning":
                    not_embedded_count = await _embed(call, owner, notebook_id, patience)
                    unread_count = max(unread_count, not_embedded_count)
                scored_turns, total = await call(
                    "search", query, owner, notebook_id, by, except_notebook_id, offset, limit
                )
                # Each session is loaded once, because it may be large and have many hits.
                cells = list(dict.fromkeys((t.notebook_id, t.cell_id) for t in scored_turns))
                keys = [SessionKey(*cell, owner) for cell in cells]
                loaded = await self._store.load_raw_batch(keys)
                stored = dict(zip(cells, loaded, strict=True))
                hits = await call("hits", query, owner, scored_turns, stored)
                return SearchResult(hits, total, unread_count)
            except ChildEnded as reason:
                if not can_retry:
                    raise SearchFailed from reason
        raise AssertionError("unreachable")

    async def close(self) -> None:
        """Stop the search process and the background tasks."""
        await asyncio.gather(*(index.close() for index in self._indexes.values()))
        await self._process.close()

    async def _index(self, owner: str) -> OwnerIndex:
        """Start the search process if necessary, and return the owner's index in that process."""
        process_number = await self._process.start()
        index = self._indexes.get(owner)
        if index is None or index.process_number != process_number:
            # A new process has no texts yet, so the new index reads all sessions again.
            if index is not None:
                await index.close()
            index = OwnerIndex(self._store, owner, self._process, process_number)
            self._indexes[owner] = index
        return index


async def _embed(call: _Call, owner: str, notebook_id: str | None, patience: float) -> int:
    """Compute missing embeddings for ``patience`` seconds; return how many are still missing."""
    clock = asyncio.get_running_loop().time
    deadline = clock() + patience
    while (remaining := await call("embed", owner, notebook_id)) and clock() < deadline:
        pass
    return int(remaining)


class OwnerIndex:
    """Keeps the index of one owner's sessions up to date: it reads new and changed sessions.

    The index is in the search process with the number ``process_number``, and is lost when that
    process ends. The sessions of the requested notebook are read before those of other notebooks,
    and newer sessions before older ones if the store knows their order. The event loop does no work
    that grows with the total number of sessions.
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
        """Read sessions for at most ``patience`` seconds; return how many are still unread.

        If ``notebook_id`` isn't None, wait only for the sessions of this notebook, and count only
        them. A group of sessions that is being read is read to its end in the background. Raises
        StorageError, ChildEnded, SearchFailed.
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
        """Return the sessions to read, with their marks, and the sessions that were deleted."""

        def is_in_other_notebook(cell: CellIds) -> bool:
            return notebook_id is not None and cell[0] != notebook_id

        pending = {cell: mark for cell, mark in marks.items() if self._indexed.get(cell) != mark}
        pending |= {c: mark for c, mark in self._pending.items() if is_in_other_notebook(c)}
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
