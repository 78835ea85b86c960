"""Search the sessions of a store for the turns that match a query.

Invariants:

- The search works with every kind of store.
- A search doesn't block the event loop, because a child process stores and searches the texts, one
  search at a time.
- A search covers one owner's sessions only.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, Literal

from ...child_process import ChildEnded
from ...errors import SearchFailed
from ...models import SessionKey
from ...sessions.base import SessionManager
from .embeddings import is_installed
from .hits import SearchResult
from .process import SearchProcess
from .query import parse
from .sync import OwnerIndex

PATIENCE = 1.0  # the maximum number of seconds that a search waits for sessions to be read

SearchMode = Literal["words", "meaning", "request"]
"""With ``request``, the query is a request, and the hits are turns with a similar request."""
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
        ``except_notebook_id``.
        If the package for embeddings isn't installed, a search by meaning is one by words. Before
        the search, new and changed sessions are read for at most ``patience`` seconds. The search
        covers the sessions that have been read by then; ``SearchResult.unread`` counts the sessions
        left out. Raises StorageError, SearchFailed.
        """
        if not parse(query):
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
                cells = list(
                    dict.fromkeys((turn.notebook_id, turn.cell_id) for turn in scored_turns)
                )
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
    """Compute missing embeddings for at most ``patience`` seconds.

    Return the number of turns that still lack embeddings.
    """
    clock = asyncio.get_running_loop().time
    deadline = clock() + patience
    while (remaining := await call("embed", owner, notebook_id)) and clock() < deadline:
        pass
    return int(remaining)
