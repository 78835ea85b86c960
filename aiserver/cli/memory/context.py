"""Open the memories for a command, and select entries by the starts of their ids."""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass

from ...errors import NotFound
from ...memory.factory import make_memory
from ...memory.listed import ListedEntry
from ...memory.manager import MemoryManager
from ..selection import find_id
from ..stores import StoreContext, open_store


@dataclass
class MemoryContext:
    """The memories of a command, and the histories in which their texts may be stored."""

    memories: MemoryManager
    histories: StoreContext

    async def listed(self, scope: str | None = None) -> list[ListedEntry]:
        """Return the entries of one memory, or of all."""
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
    return make_memory(configuration.extension, histories.store, folder, histories.owner)


def run_with_memories(
    run_command: Callable[[argparse.Namespace, MemoryContext], Awaitable[int]],
    arguments: argparse.Namespace,
) -> int:
    """Run a command with the memories that a server in this folder would use."""

    async def run() -> int:
        async with open_store(None, None, False) as histories:
            memories = memories_of(histories)
            try:
                return await run_command(arguments, MemoryContext(memories, histories))
            finally:
                await memories.close()

    return asyncio.run(run())


def full_ids(starts: Sequence[str], ids: Collection[str]) -> list[str]:
    """Return the ids that begin with the given texts, without duplicates.

    Raises NotFound if there is no such id, SettingError if several ids begin with a text.
    """
    selected: dict[str, None] = {}
    for start in starts:
        id_ = find_id(ids, start) if start else None
        if id_ is None:
            raise NotFound(f"There is no “{start}” in the list.")
        selected[id_] = None
    return list(selected)
