"""Entries with their scopes and the person's decisions, read from the texts of memories. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ...errors import MemoryUnreadable
from ..search.query import MIN_SIMILARITY, compared_parts, similarity
from . import document
from .entries import MemoryEntry, Scope
from .reviews import Review, review_of


@dataclass(frozen=True)
class ListedEntry:
    """An entry with its scope, and the person's decision about it.

    The entries of the person's own memory, and those that the person added here, are ``used``.
    """

    scope: Scope
    entry: MemoryEntry
    review: Review


class ComparedEntries:
    """Entries that are compared with several texts.

    A person decides whether a similar entry is a duplicate or a contradiction: “use polars” and
    “use pandas” differ in one word.
    """

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


def digests_of(text: str) -> set[str]:
    """Return the digests of the entries in a text."""
    return {entry.digest for entry in document.parse(text)}


def list_entries(texts: Mapping[Scope, str], decisions: Mapping[str, bool]) -> list[ListedEntry]:
    """Return the entries of memories. ``decisions`` are those about entries of the project."""
    return [
        ListedEntry(
            scope,
            entry,
            "used" if scope == "person" else review_of(decisions, entry.digest),
        )
        for scope, text in texts.items()
        for entry in document.parse(text)
    ]


def decode(data: bytes | None) -> str:
    """Return the text of a memory, without the mark that some editors write before UTF-8.

    Raises MemoryUnreadable if it isn't UTF-8.
    """
    try:
        return (data or b"").decode("utf-8-sig")
    except UnicodeDecodeError as exc:
        raise MemoryUnreadable from exc
