"""Rank texts by the words that they share with a request. Pure.

A request is a sentence, so most of its words, such as “show” and “the”, say nothing about the texts
that matter. Therefore a word counts by its rarity in the texts, and rare words count much more than
common ones. The formula is BM25, with the square of the rarity.

Invariants:

- A word that is in all texts counts almost nothing.
- Words in English match with any ending: ``orders`` matches ``order``. In scripts without spaces,
  pairs of characters count as words, and so do single characters.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence

from .query import UNSPACED, split_words

_MAX_CHARS = 2000  # of a text; the rest is ignored
_SATURATION, _LENGTH_WEIGHT = 1.2, 0.75  # the usual parameters of BM25: k1 and b
# The endings and the single characters find more (``python -m benchmarks.memory_recall``).
_ENDING = re.compile(r"(?<=[a-z]{3})(?:ies|y|(?<!s)s|(?<=[a-z]{4})ed|(?<=[a-z]{4})ing|e)$")


class WordIndex:
    """Texts by their words."""

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
    """Yield the words of a text as they are compared: without endings, and pairs of characters."""
    for word in split_words(text[:_MAX_CHARS]):
        if UNSPACED.match(word):
            yield from word
            yield from (word[index : index + 2] for index in range(len(word) - 1))
        else:
            yield _ENDING.sub("", word)
