"""``memory list``, ``add`` and ``search``: print entries, and add one.

Invariant: entries can't control the terminal, because control characters in them are replaced or,
in JSON, escaped.
"""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Sequence
from typing import Any

from ...errors import SettingError
from ...memory.listed import ListedEntry
from ...memory.recall import Recall, entries_with_all_words
from ...surrogates import fix_surrogates
from ..safe_text import make_safe, to_safe_json
from .context import MemoryContext

_NAMES = {"project": "The project’s memory", "person": "Your memory"}
_REVIEWS = {"new": "not used: not yet seen", "declined": "not used", "used": ""}
_MAX_RELATED = 10  # entries
_PATIENCE = 6.0  # seconds; the process that searches has to start


async def run_list(arguments: argparse.Namespace, context: MemoryContext) -> int:
    """Print the entries of one memory, or of all."""
    _print_entries(await context.listed(arguments.scope), arguments)
    waiting = await context.memories.pending()
    if waiting and not arguments.json:
        print(f"{len(waiting):,} more wait for you: jupyter aiserver memory pending")
    return 0


async def run_add(arguments: argparse.Namespace, context: MemoryContext) -> int:
    """Add an entry, unless the memory has the same one."""
    if fix_surrogates(arguments.text) != arguments.text:  # bytes that aren't in the encoding
        raise SettingError("The text contains invalid characters.")
    for item in await context.listed(arguments.scope):
        if item.entry.text == arguments.text.strip():
            print(f"Already remembered: {item.entry.id}")
            return 0
    entry = await context.memories.add(arguments.scope, arguments.text)
    print(f"Remembered: {entry.id}  {single_line(entry.text)}")
    return 0


async def run_search(arguments: argparse.Namespace, context: MemoryContext) -> int:
    """Print the entries that contain all words, the best first; if there are none, related ones."""
    listed, words = await context.listed(), " ".join(arguments.words)
    matches = await asyncio.to_thread(entries_with_all_words, listed, words)
    if not matches and listed:
        matches = await _related_entries(listed, words)
        if matches and not arguments.json:
            print("No entry contains all words. Related entries:")
    _print_entries(matches, arguments)
    return 0


async def _related_entries(listed: Sequence[ListedEntry], words: str) -> list[ListedEntry]:
    recall = Recall()
    try:
        return await recall.find(listed, words, limit=_MAX_RELATED, patience=_PATIENCE)
    finally:
        await recall.close()


def single_line(text: str) -> str:
    """Return a text as one line that is safe to print at a terminal."""
    return make_safe(" ".join(text.split()))


def _print_entries(listed: Sequence[ListedEntry], arguments: argparse.Namespace) -> None:
    """Print entries below the names of their memories, or as JSON."""
    if arguments.json:
        print(to_safe_json([_as_json_data(item) for item in listed]))
        return
    if not listed:
        print("No entries.")
    for scope, name in _NAMES.items():
        lines = [_line(item) for item in listed if item.scope == scope]
        if lines:
            print("\n".join([name, *lines]))


def _line(item: ListedEntry) -> str:
    entry, review = item.entry, _REVIEWS[item.review]
    text = single_line(entry.text) + (f"  ({review})" if review else "")
    return f"  {entry.id}  {entry.date or '-':10}  {text}"


def _as_json_data(item: ListedEntry) -> dict[str, Any]:
    entry = item.entry
    fields = {"id": entry.id, "scope": item.scope, "text": entry.text, "review": item.review}
    if entry.date:
        fields["date"] = entry.date
    if entry.section:
        fields["section"] = entry.section
    return fields | ({"source": entry.source.to_dict()} if entry.source else {})
