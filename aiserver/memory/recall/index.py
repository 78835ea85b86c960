"""Rank the entries of memories by words and by meaning. Runs in a child process.

Both rankings are combined by reciprocal rank: an entry gets 1 if a ranking has it first, 1/2 if
second, and so on, and the sums are compared. So neither ranking needs a threshold, and an entry
that one of them has first is always near the top.

Invariants:

- The result doesn't depend on the order of the entries. Of entries with equal sums, the newest
  comes first; entries without a date are the oldest.
- The ranking by meaning is used once all entries have embeddings.
- Nothing of an entry remains in memory after the entries were replaced by others.
"""

from __future__ import annotations

import heapq
import itertools
import time
from collections.abc import Mapping, Sequence
from typing import Any

from ...search.embeddings import Package, vectors
from .words import WordIndex

Row = tuple[str, str]  # the text of an entry with its heading, and its ISO date or an empty text

_BATCH = 4  # texts; the slower package can need 0.2 seconds for them
_MAX_RANKED = 200  # by each ranking; later ranks add nearly nothing


class EntryIndex:
    """The entries of memories. They have numbers in the order in which they were added."""

    def __init__(self) -> None:
        self._added: list[Row] = []
        self._entries = _Entries([], None, {})

    def add(self, rows: Sequence[Row], is_first: bool) -> None:
        """Add entries to those for the next call of ``replace``; ``is_first`` begins anew."""
        self._added = [*([] if is_first else self._added), *rows]

    def replace(self, package: Package | None) -> None:
        """Replace all entries by those that were added.

        ``package`` computes their embeddings; None ranks by words only.
        """
        old = self._entries
        embeddings = old.embeddings if old.package == package else {}
        self._entries = _Entries(self._added, package, embeddings)
        self._added = []

    def embed(self, seconds: float) -> int:
        """Compute missing embeddings for some seconds; return how many are still missing."""
        entries, deadline = self._entries, time.monotonic() + seconds
        if entries.package is None:
            return 0
        missing = entries.missing()
        while missing:
            batch, missing = missing[:_BATCH], missing[_BATCH:]
            entries.embeddings.update(zip(batch, vectors(batch, entries.package), strict=True))
            if time.monotonic() >= deadline:
                break
        return len(missing)

    def rank(self, request: str, code: str, limit: int, fills: bool = True) -> list[int]:
        """Return the numbers of at most ``limit`` entries.

        The entry that matters most for a request comes first. If ``fills`` is true, those without a
        rank follow at the end, newest first.
        """
        entries = self._entries
        rankings = [_ranks(entries.words.scores(f"{request}\n{code}"))]
        if entries.package is not None and entries.texts and not entries.missing():
            query = vectors([request], entries.package)
            rankings.append(_ranks(entries.similarities(query)))
        sums: dict[int, float] = {}
        for ranks in rankings:
            for position, rank in ranks.items():
                sums[position] = sums.get(position, 0.0) + 1 / rank
        best = heapq.nsmallest(limit, sums, key=lambda position: (-sums[position], position))
        if fills:
            others = (position for position in range(len(entries.texts)) if position not in sums)
            best += itertools.islice(others, limit - len(best))
        return [entries.numbers[position] for position in best]


class _Entries:
    """Entries that are sorted, newest first, then by their texts."""

    def __init__(
        self, rows: Sequence[Row], package: Package | None, embeddings: Mapping[str, Any]
    ) -> None:
        by_text = sorted(range(len(rows)), key=lambda number: rows[number][0])
        self.numbers = sorted(by_text, key=lambda number: rows[number][1], reverse=True)
        self.texts = [rows[number][0] for number in self.numbers]
        self.words = WordIndex(self.texts)
        self.package = package
        self.embeddings = {text: embeddings[text] for text in self.texts if text in embeddings}
        self._matrix: Any = None

    def missing(self) -> list[str]:
        """Return the distinct texts that lack an embedding."""
        if self._matrix is not None:
            return []
        return list(dict.fromkeys(text for text in self.texts if text not in self.embeddings))

    def similarities(self, query: Any) -> dict[int, float]:
        """Return the similarities of the most similar entries to the embedding of a query."""
        import numpy as np

        if self._matrix is None:
            self._matrix = np.array([self.embeddings[text] for text in self.texts], np.float32)
        # Rounded, because the results for equal texts can differ in the last digits.
        similarities = (self._matrix @ query[0].astype(np.float32)).round(4)
        most_similar = np.argsort(-similarities, kind="stable")[:_MAX_RANKED].tolist()
        return {position: float(similarities[position]) for position in most_similar}


def _ranks(scores: Mapping[int, float]) -> dict[int, int]:
    """Return the ranks, from 1, of the highest scores. Equal scores have the same rank."""
    lowest = sorted(scores.values())[-_MAX_RANKED:][0] if scores else 0.0
    high = [(-score, position) for position, score in scores.items() if score >= lowest]
    ranks: dict[int, int] = {}
    rank, previous = 0, 0.0
    for index, (score, position) in enumerate(sorted(high), 1):
        rank = rank if score == previous else index
        ranks[position], previous = rank, score
    return ranks
