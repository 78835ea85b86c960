"""The use case: a query becomes hits, each at the step of its cell.

What must hold: it works on any store; the event loop never waits for a search, nor for the memory
that one takes; owners' sessions are never looked through together; one search at a time, so that
typing doesn't pile them up; of one that nobody waits for any more only a slice is finished.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, Literal

from ..errors import SearchFailed
from ..models import SessionKey
from ..sessions.base import SessionManager
from .embeddings import is_installed
from .hits import Found
from .process import Ended, SearchProcess
from .query import parsed
from .sync import OwnerIndex

PATIENCE = 1.0  # seconds that a search waits for sessions that were not read yet

By = Literal["words", "meaning"]
_Ask = Callable[..., Awaitable[Any]]


class SearchEngine:
    """Searches the sessions of a store."""

    def __init__(self, store: SessionManager, *, process: SearchProcess | None = None) -> None:
        self._store, self._process = store, process or SearchProcess()
        self._indexes: dict[str, OwnerIndex] = {}
        self._one_at_a_time = asyncio.Lock()

    async def search(
        self,
        query: str,
        *,
        owner: str = "",
        notebook_id: str | None = None,
        by: By = "words",
        offset: int = 0,
        limit: int = 20,
        patience: float = PATIENCE,
    ) -> Found:
        """The turns that fit, best first; by words if meaning is not to be had.

        Raises StorageError, SearchFailed.
        """
        if not parsed(query):
            return Found()
        if not is_installed():
            by = "words"
        for may_end in (True, False):
            try:
                index = await self._index(owner)
                unread = await index.refresh(notebook_id, patience)
                ask = partial(self._process.call, index.number)
                async with self._one_at_a_time:
                    if by == "meaning":
                        lacking = await _embed(ask, owner, notebook_id, patience)
                        unread = max(unread, lacking)
                    await ask("begin", query, owner, notebook_id, by)
                    while await ask("go_on"):
                        pass  # in between other requests have their turn, and this one may end
                    rows, total = await ask("page", offset, limit)
                # Many rows may be of one cell, whose session may be large.
                cells = list(dict.fromkeys((row.notebook_id, row.cell_id) for row in rows))
                keys = [SessionKey(*cell, owner) for cell in cells]
                loaded = await self._store.load_stored(keys)
                stored = dict(zip(cells, loaded, strict=True))
                return Found(await ask("hits", query, owner, rows, stored), total, unread)
            except Ended as reason:
                if not may_end:
                    raise SearchFailed from reason
        raise AssertionError("unreachable")

    async def close(self) -> None:
        """End the process, and what goes on in the background."""
        await asyncio.gather(*(index.close() for index in self._indexes.values()))
        await self._process.close()

    async def _index(self, owner: str) -> OwnerIndex:
        number = await self._process.start()
        index = self._indexes.get(owner)
        if index is None or index.number != number:  # a new process knows nothing
            if index is not None:
                await index.close()
            index = self._indexes[owner] = OwnerIndex(self._store, owner, self._process, number)
        return index


async def _embed(ask: _Ask, owner: str, notebook_id: str | None, patience: float) -> int:
    """Have vectors made for so many seconds; say how many sessions lack theirs then."""
    clock = asyncio.get_running_loop().time
    deadline = clock() + patience
    while (left := await ask("embed", owner, notebook_id)) and clock() < deadline:
        pass
    return int(left)
