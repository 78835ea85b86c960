"""Search the sessions of a store: find hits for a query, each with the step of its cell.

Invariants: any store works; neither a search nor its memory blocks the event loop; a search covers
one owner's sessions only; searches run one at a time, so typing doesn't pile them up; a cancelled
search ends after the current slice.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, Literal

from ..child_process import ChildEnded
from ..errors import SearchFailed
from ..models import SessionKey
from ..sessions.base import SessionManager
from .embeddings import is_installed
from .hits import SearchResult
from .process import SearchProcess
from .query import parse
from .sync import OwnerIndex

PATIENCE = 1.0  # seconds that a search waits for unread sessions

By = Literal["words", "meaning"]
_Call = Callable[..., Awaitable[Any]]


class SearchEngine:
    """Searches the sessions of a store."""

    def __init__(self, store: SessionManager, *, process: SearchProcess | None = None) -> None:
        self._store, self._process = store, process or SearchProcess()
        self._indexes: dict[str, OwnerIndex] = {}
        self._lock = asyncio.Lock()

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
    ) -> SearchResult:
        """The matching turns, best first. Searches by words if embeddings aren't installed.

        Waits at most ``patience`` seconds for unread sessions. Raises StorageError, SearchFailed.
        """
        if not parse(query):
            return SearchResult()
        if not is_installed():
            by = "words"
        for can_retry in (True, False):
            try:
                index = await self._index(owner)
                unread = await index.refresh(notebook_id, patience)
                call = partial(self._process.call, index.number)
                async with self._lock:
                    if by == "meaning":
                        missing = await _embed(call, owner, notebook_id, patience)
                        unread = max(unread, missing)
                    await call("begin", query, owner, notebook_id, by)
                    while await call("advance"):
                        pass  # other requests run in between, and this one can be cancelled
                    rows, total = await call("page", offset, limit)
                # Each session is loaded once, because it may be large and have many rows.
                cells = list(dict.fromkeys((row.notebook_id, row.cell_id) for row in rows))
                keys = [SessionKey(*cell, owner) for cell in cells]
                loaded = await self._store.load_stored(keys)
                stored = dict(zip(cells, loaded, strict=True))
                return SearchResult(await call("hits", query, owner, rows, stored), total, unread)
            except ChildEnded as reason:
                if not can_retry:
                    raise SearchFailed from reason
        raise AssertionError("unreachable")

    async def close(self) -> None:
        """Stop the process and the background tasks."""
        await asyncio.gather(*(index.close() for index in self._indexes.values()))
        await self._process.close()

    async def _index(self, owner: str) -> OwnerIndex:
        number = await self._process.start()
        index = self._indexes.get(owner)
        if index is None or index.number != number:  # a new process has no texts
            if index is not None:
                await index.close()
            index = self._indexes[owner] = OwnerIndex(self._store, owner, self._process, number)
        return index


async def _embed(call: _Call, owner: str, notebook_id: str | None, patience: float) -> int:
    """Compute embeddings for at most ``patience`` seconds; return how many sessions lack them."""
    clock = asyncio.get_running_loop().time
    deadline = clock() + patience
    while (remaining := await call("embed", owner, notebook_id)) and clock() < deadline:
        pass
    return int(remaining)
