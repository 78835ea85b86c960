"""Rank the entries of memories by words and by meaning. Runs in the search process.

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

import math
import re
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .embeddings import Package, vectors
from .query import UNSPACED, split_words

Row = tuple[str, str]  # the text of an entry with its heading, and its ISO date or an empty text

_BATCH = 4  # texts; the slower package can need 0.2 seconds for them
_MAX_RANKED = 200  # by each ranking; later ranks add nearly nothing
_MAX_CHARS = 2000  # of a text; the rest is ignored
_SATURATION, _LENGTH_WEIGHT = 1.2, 0.75  # the usual parameters of BM25: k1 and b
# The endings and the single characters find more (``python -m benchmarks.memory_recall``).
_ENDING = re.compile(r"(?<=[a-z]{3})(?:ies|y|(?<!s)s|(?<=[a-z]{4})ed|(?<=[a-z]{4})ing|e)$")


class EntryIndex:
    """The entries of memories. They have numbers in the order of the rows."""

    def __init__(self) -> None:
        self._package: Package | None = None
        self._embeddings: dict[str, Any] = {}
        """The embedding of each text; None if it is missing."""
        self.replace([], None)

    def replace(self, rows: Sequence[Row], package: Package | None) -> None:
        """Replace all entries. ``package`` computes embeddings; None ranks by words only."""
        by_text = sorted(range(len(rows)), key=lambda number: rows[number][0])
        self._numbers = sorted(by_text, key=lambda number: rows[number][1], reverse=True)
        self._texts = [rows[number][0] for number in self._numbers]
        self._words = WordIndex(self._texts)
        old = self._embeddings if package == self._package else {}
        self._embeddings = {text: old.get(text) for text in self._texts} if package else {}
        self._package = package

    def embed(self, seconds: float) -> int:
        """Compute missing embeddings for some seconds; return how many are still missing."""
        deadline = time.monotonic() + seconds
        missing = self._missing()
        while missing and self._package:
            batch, missing = missing[:_BATCH], missing[_BATCH:]
            self._embeddings.update(zip(batch, vectors(batch, self._package), strict=True))
            if time.monotonic() >= deadline:
                break
        return len(missing)

    def rank(self, request: str, code: str, limit: int, fills: bool = True) -> list[int]:
        """Return the numbers of at most ``limit`` entries, the one that matters most first.

        If ``fills`` is true, those without a rank follow at the end, newest first.
        """
        rankings = [_ranks(self._words.scores(f"{request}\n{code}"))]
        if self._package and self._texts and not self._missing():
            rankings.append(_ranks(self._similarities(request, self._package)))
        sums: dict[int, float] = {}
        for ranks in rankings:
            for position, rank in ranks.items():
                sums[position] = sums.get(position, 0.0) + 1 / rank
        best = sorted(sums, key=lambda position: (-sums[position], position))
        if fills:
            best += [position for position in range(len(self._texts)) if position not in sums]
        return [self._numbers[position] for position in best[:limit]]

    def _missing(self) -> list[str]:
        return [text for text, embedding in self._embeddings.items() if embedding is None]

    def _similarities(self, request: str, package: Package) -> dict[int, float]:
        import numpy as np

        query = vectors([request], package)[0].astype(np.float32)
        matrix = np.array([self._embeddings[text] for text in self._texts], np.float32)
        # Rounded, because the results for equal texts can differ in the last digits.
        return dict(enumerate((matrix @ query).round(4).tolist()))


def _ranks(scores: Mapping[int, float]) -> dict[int, int]:
    """Return the ranks, from 1, of the highest scores. Equal scores have the same rank."""
    best = sorted(scores, key=lambda position: (-scores[position], position))[:_MAX_RANKED]
    ranks: dict[int, int] = {}
    rank, previous = 0, 0.0
    for index, position in enumerate(best, 1):
        rank = rank if scores[position] == previous else index
        ranks[position], previous = rank, scores[position]
    return ranks


class WordIndex:
    """Texts by their words.

    A request is a sentence, so most of its words, such as “show” and “the”, say nothing about the
    texts that matter. Therefore a word counts by its rarity in the texts, and rare words count much
    more than common ones. The formula is BM25, with the square of the rarity.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        counts = [Counter(split(text)) for text in texts]
        lengths = [count.total() for count in counts]
        mean_length = sum(lengths) / len(lengths) if lengths else 0.0
        texts_with: Counter[str] = Counter(word for count in counts for word in count)
        self._weights: dict[str, list[tuple[int, float]]] = {}
        """For each word, the numbers of the texts that contain it, with the word's weight there."""
        for number, (count, length) in enumerate(zip(counts, lengths, strict=True)):
            relative_length = length / mean_length if mean_length else 1.0
            penalty = _SATURATION * (1 - _LENGTH_WEIGHT + _LENGTH_WEIGHT * relative_length)
            for word, occurrences in count.items():
                rarity = math.log1p(
                    (len(texts) - texts_with[word] + 0.5) / (texts_with[word] + 0.5)
                )
                weight = rarity**2 * occurrences * (_SATURATION + 1) / (occurrences + penalty)
                self._weights.setdefault(word, []).append((number, weight))

    def scores(self, request: str) -> dict[int, float]:
        """Return the scores of the texts that share a word with a request, by their numbers."""
        scores: dict[int, float] = {}
        for word in dict.fromkeys(split(request)):
            for number, weight in self._weights.get(word, ()):
                scores[number] = scores.get(number, 0.0) + weight
        return scores


def split(text: str) -> Iterator[str]:
    """Yield the words of a text as they are compared.

    Words in English match with any ending: ``orders`` matches ``order``. In scripts without spaces,
    pairs of characters count as words, and so do single characters.
    """
    for word in split_words(text[:_MAX_CHARS]):
        if UNSPACED.match(word):
            yield from word
            yield from (word[index : index + 2] for index in range(len(word) - 1))
        else:
            yield _ENDING.sub("", word)
