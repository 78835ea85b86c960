"""Find entries that say nearly the same as a text, or something else about the same thing. Pure.

A person decides whether a similar entry is a duplicate or a contradiction: “use polars” and “use
pandas” differ in one word.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..search.query import MIN_SIMILARITY, compared_parts, similarity
from .listed import ListedEntry


class ComparedEntries:
    """Entries that are compared with several texts."""

    def __init__(self, listed: Sequence[ListedEntry]) -> None:
        by_text: dict[str, list[ListedEntry]] = {}
        for item in listed:
            by_text.setdefault(item.entry.text, []).append(item)
        self._entries = [(compared_parts(text), items) for text, items in by_text.items()]

    def similar_to(self, text: str, limit: int = 3) -> list[ListedEntry]:
        """Return the entries that are most similar to a text, the most similar first."""
        parts = compared_parts(text)
        scored = [(similarity(parts, other), items) for other, items in self._entries]
        similar = [pair for pair in scored if pair[0] >= MIN_SIMILARITY]
        best = sorted(similar, key=lambda pair: -pair[0])[:limit]
        return [item for _, items in best for item in items][:limit]
