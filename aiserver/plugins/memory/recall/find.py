"""Find the entries that a person searches for: those with all words first, then related ones."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ...search.normalize import fold
from ...search.query import parse
from ..listed import ListedEntry
from ..thread import run_in_memory_thread
from .recall import PATIENCE, Recall

MAX_MATCHES = 50  # entries


@dataclass(frozen=True)
class EntryMatch:
    """An entry, and whether it contains all words of the query or is only related to it."""

    listed: ListedEntry
    has_all_words: bool


async def find_entries(
    recall: Recall,
    listed: Sequence[ListedEntry],
    words: str,
    *,
    limit: int = MAX_MATCHES,
    patience: float = PATIENCE,
) -> list[EntryMatch]:
    """Return at most ``limit`` entries, the best first.

    Words may be the beginnings of words. ``recall`` finds the related entries, for at most
    ``patience`` seconds; if it fails, there are none. They are among those that requests use, so
    that searches and requests need the same index.
    """
    complete = await run_in_memory_thread(lambda: entries_with_all_words(listed, words))
    matches = complete[:limit]
    results = [EntryMatch(item, has_all_words=True) for item in matches]
    if len(results) < limit:
        seen = {id(item) for item in matches}
        used = [item for item in listed if item.review == "used"]
        related = await recall.find(used, words, limit=limit, patience=patience)
        others = [item for item in related if id(item) not in seen]
        results += [
            EntryMatch(item, has_all_words=False) for item in others[: limit - len(results)]
        ]
    return results


def entries_with_all_words(listed: Sequence[ListedEntry], words: str) -> list[ListedEntry]:
    """Return the entries that contain all words, those with the most complete words first."""
    terms = parse(words)
    complete = [re.compile(rf"(?<![^\W_]){re.escape(term.text)}(?![^\W_])") for term in terms]
    scored = []
    for item in listed if terms else ():
        text = fold(item.entry.text)
        if all(term.text in text for term in terms):
            scored.append((sum(bool(word.search(text)) for word in complete), item))
    return [item for _, item in sorted(scored, key=lambda pair: -pair[0])]
