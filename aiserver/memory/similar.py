"""Find entries that say nearly the same as a text, or something else about the same thing. Pure.

A person decides whether a similar entry is a duplicate or a contradiction: “use polars” and “use
pandas” differ in one word.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..search.query import MIN_SIMILARITY, similarity
from .listed import ListedEntry


def similar_entries(text: str, listed: Sequence[ListedEntry], limit: int = 3) -> list[ListedEntry]:
    """Return the entries that are most similar to a text, the most similar first."""
    scored = [(similarity(text, item.entry.text), item) for item in listed]
    similar = [pair for pair in scored if pair[0] >= MIN_SIMILARITY]
    return [item for _, item in sorted(similar, key=lambda pair: -pair[0])[:limit]]
