"""Find entries that say nearly the same as a text, or something else about the same thing. Pure.

A person decides whether a similar entry is a duplicate or a contradiction: “use polars” and “use
pandas” differ in one word.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

from ..search.query import UNSPACED, split_words
from .listed import ListedEntry

_MIN_SIMILARITY = 0.5
# Words that say nothing about the subject. “Use” isn't one: “use polars” contradicts “use pandas”.
_COMMON = frozenset(["a", "an", "and", "are", "be", "is", "of", "our", "that", "the", "的", "了"])


def similar_entries(text: str, listed: Sequence[ListedEntry], limit: int = 3) -> list[ListedEntry]:
    """Return the entries that are most similar to a text, the most similar first."""
    scored = [(similarity(text, item.entry.text), item) for item in listed]
    similar = [pair for pair in scored if pair[0] >= _MIN_SIMILARITY]
    return [item for _, item in sorted(similar, key=lambda pair: -pair[0])[:limit]]


def similarity(left: str, right: str) -> float:
    """Return the share of words that two texts have in common, from 0 to 1 (Dice's coefficient)."""
    left_parts, right_parts = _parts(left), _parts(right)
    size = len(left_parts) + len(right_parts)
    return 2 * len(left_parts & right_parts) / max(size, 1)


@lru_cache(maxsize=4096)
def _parts(text: str) -> frozenset[str]:
    """Return the words of a text and, in scripts without spaces, the pairs of its characters."""
    return frozenset(part for word in split_words(text) for part in _split(word))


def _split(word: str) -> Iterable[str]:
    if UNSPACED.match(word) and len(word) > 1:
        yield from (word[index : index + 2] for index in range(len(word) - 1))
    elif word not in _COMMON:
        yield word
