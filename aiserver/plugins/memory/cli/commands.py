"""``memory list``, ``add``, ``search``, ``forget`` and ``pending``.

Invariant: control characters in entries are replaced or escaped, so that they can't control the
terminal.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Awaitable, Callable, Collection, Sequence
from contextlib import AsyncExitStack
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from ....cli.selection import find_id
from ....cli.stores import StoreContext, open_store
from ....cli.terminal import confirm, make_safe, print_json
from ....errors import NotFound, SettingError
from ....surrogates import fix_surrogates
from ..entries import MemoryEntry
from ..forgetting import StoredPrompts, erase_copies, forget
from ..manager import MemoryManager, create_memory
from ..recall import Recall, entries_with_all_words

_NAMES = {"project": "The project’s memory", "person": "Your memory"}
_REVIEWS = {"new": "not used: not yet seen", "declined": "not used", "used": ""}
_MAX_RELATED = 10  # entries
_PATIENCE = 6.0  # seconds; the search process has to start


@dataclass
class MemoryContext:
    """The memories of a command, and the histories that may quote them."""

    memories: MemoryManager
    histories: StoreContext

    async def listed(self, scope: str | None = None) -> list[MemoryEntry]:
        for unreadable in await self.memories.unreadable_scopes():
            print(
                f"Not read: the memory of the {unreadable}. It must be Markdown in UTF-8, of at "
                "most 256 KB, readable, and not a link.",
                file=sys.stderr,
            )
        listed = await self.memories.list_entries(skip_unreadable=True)
        return [item for item in listed if scope in (None, item.scope)]


def memories_of(histories: StoreContext) -> MemoryManager:
    """Create the memories that a server with this store uses."""
    configuration = histories.configuration
    folder = str(configuration.root_dir)
    return create_memory(configuration.extension, histories.store, folder, histories.owner)


def run_with_memories(
    run_command: Callable[[argparse.Namespace, MemoryContext], Awaitable[int]],
    arguments: argparse.Namespace,
) -> int:
    """Run a command with the memories that a server in this folder would use."""

    async def run() -> int:
        async with open_store() as histories:
            memories = memories_of(histories)
            try:
                return await run_command(arguments, MemoryContext(memories, histories))
            finally:
                await memories.close()

    return asyncio.run(run())


def _full_ids(starts: Sequence[str], ids: Collection[str]) -> list[str]:
    selected = {start: find_id(ids, start) if start else None for start in starts}
    for start, id_ in selected.items():
        if id_ is None:
            raise NotFound(f"There is no “{start}” in the list.")
    return list(dict.fromkeys(id_ for id_ in selected.values() if id_))


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
        if item.text == arguments.text.strip():
            print(f"Already remembered: {item.id}")
            return 0
    entry = await context.memories.add(arguments.scope, arguments.text)
    print(f"Remembered: {entry.id}  {_single_line(entry.text)}")
    return 0


async def run_search(arguments: argparse.Namespace, context: MemoryContext) -> int:
    """Print the entries with all words, the best first, or else related ones."""
    listed, words = await context.listed(), " ".join(arguments.words)
    matches = entries_with_all_words(listed, words)
    if not matches and listed:
        recall = Recall()
        try:
            matches = await recall.find(listed, words, limit=_MAX_RELATED, patience=_PATIENCE)
        finally:
            await recall.close()
        if matches and not arguments.json:
            print("No entry contains all words. Related entries:")
    _print_entries(matches, arguments)
    return 0


def _single_line(text: str) -> str:
    return make_safe(" ".join(text.split()))


def _print_entries(listed: Sequence[MemoryEntry], arguments: argparse.Namespace) -> None:
    if arguments.json:
        print_json([_as_json_data(entry) for entry in listed])
        return
    if not listed:
        print("No entries.")
    for scope, name in _NAMES.items():
        lines = [_line(item) for item in listed if item.scope == scope]
        if lines:
            print("\n".join([name, *lines]))


def _line(entry: MemoryEntry) -> str:
    review = _REVIEWS[entry.review]
    text = _single_line(entry.text) + (f"  ({review})" if review else "")
    return f"  {entry.id}  {entry.date or '-':10}  {text}"


def _as_json_data(entry: MemoryEntry) -> dict[str, Any]:
    fields = asdict(entry)
    return {name: fields[name] for name in fields if name != "digest" and fields[name]}


async def run_forget(arguments: argparse.Namespace, context: MemoryContext) -> int:
    """Show the entries, ask, and forget them."""
    if not (arguments.id or any(text.strip() for text in arguments.text)):
        raise SettingError("Choose what to forget: an ID of “memory list”, or --text.")
    listed = await context.listed()
    ids = _full_ids(arguments.id, {item.id for item in listed})
    # A text in both memories can have the same id; both are forgotten.
    selected = [item for item in listed if item.id in ids]
    # Forget entries with the given text, too: otherwise, it would be in the next prompt.
    texts = {text.strip() for text in arguments.text if text.strip()}
    selected += [item for item in listed if item.text in texts and item not in selected]
    for item in selected:
        print(f"{item.id}  {_single_line(item.text)}")
    entries = f"forget {len(selected):,} entries, and " if selected else ""
    question = f"Permanently {entries}delete the stored prompts with this text?"
    if not confirm(question, yes=arguments.yes):
        print("Nothing was forgotten.")
        return 1
    async with AsyncExitStack() as stack:
        all_histories = [context.histories]
        for name in arguments.store:
            store = open_store(name, None, False, context.histories.configuration)
            all_histories.append(await stack.enter_async_context(store))
        texts |= {item.text for item in selected}
        stored = [
            StoredPrompts(histories.store, texts, owner=histories.owner)
            for histories in all_histories
        ]
        await erase_copies(context.memories, texts)
        count = await forget(context.memories, selected, stored)
    names = ", ".join(dict.fromkeys(histories.name for histories in all_histories))
    print(f"Forgot {len(selected):,} entries. Deleted {count:,} stored prompts in {names}.")
    return 0


async def run_pending(arguments: argparse.Namespace, context: MemoryContext) -> int:
    """Print the proposals, oldest first."""
    waiting = await context.memories.pending()
    if arguments.json:
        print_json([proposal.to_dict() for proposal in waiting])
        return 0
    if not waiting:
        print("Nothing waits for you.")
    for proposal in waiting:
        until = datetime.fromtimestamp(proposal.expires_at).strftime("%Y-%m-%d %H:%M")
        place = f"{proposal.scope}, until {until}"
        print(f"{proposal.id}  {_single_line(proposal.text)}  ({place})")
    return 0


async def run_confirm(arguments: argparse.Namespace, context: MemoryContext) -> int:
    """Make the selected proposals entries."""
    for id_ in await _selected(arguments, context):
        entry = await context.memories.confirm(id_)
        print(f"Remembered: {entry.id}  {_single_line(entry.text)}")
    return 0


async def run_reject(arguments: argparse.Namespace, context: MemoryContext) -> int:
    """Remove the selected proposals."""
    ids = await _selected(arguments, context)
    for id_ in ids:
        await context.memories.reject(id_)
    print(f"Discarded {len(ids):,}.")
    return 0


async def _selected(arguments: argparse.Namespace, context: MemoryContext) -> list[str]:
    if arguments.all == bool(arguments.id):
        raise SettingError("Name the IDs, or choose --all.")
    ids = [proposal.id for proposal in await context.memories.pending()]
    return ids if arguments.all else _full_ids(arguments.id, ids)
