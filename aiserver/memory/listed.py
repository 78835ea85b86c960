"""Entries with their scopes and the person's decisions, read from the texts of memories. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..errors import MemoryUnreadable
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
