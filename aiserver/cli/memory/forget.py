"""``memory forget``: remove entries, and the stored prompts that contain them."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from contextlib import AsyncExitStack

from ...errors import SettingError
from ...memory.forgetting import StoredPrompts, erase_copies, forget
from ..confirm import confirm
from ..stores import open_store
from .context import MemoryContext, full_ids
from .entries import single_line


async def run_forget(arguments: argparse.Namespace, context: MemoryContext) -> int:
    """Show the entries, ask for confirmation, and forget them."""
    if not (arguments.id or any(text.strip() for text in arguments.text)):
        raise SettingError("Choose what to forget: an ID of “memory list”, or --text.")
    listed = await context.listed()
    ids = full_ids(arguments.id, {item.entry.id for item in listed})
    # The same text in both memories can have the same id; both are forgotten.
    selected = [item for item in listed if item.entry.id in ids]
    # An entry with a text that is given has to be forgotten as well; otherwise, the text would be
    # in the next prompt.
    texts = {text.strip() for text in arguments.text if text.strip()}
    selected += [item for item in listed if item.entry.text in texts and item not in selected]
    for item in selected:
        print(f"{item.entry.id}  {single_line(item.entry.text)}")
    if not confirm(_question(len(selected)), yes=arguments.yes):
        print("Nothing was forgotten.")
        return 1
    async with AsyncExitStack() as stack:
        all_histories = [
            context.histories,
            *[
                await stack.enter_async_context(
                    open_store(name, None, False, context.histories.configuration)
                )
                for name in arguments.store
            ],
        ]
        texts |= {item.entry.text for item in selected}
        stored = [
            StoredPrompts(histories.store, texts, owner=histories.owner)
            for histories in all_histories
        ]
        await erase_copies(context.memories, texts)
        count = await forget(context.memories, selected, stored)
    names = _joined(histories.name for histories in all_histories)
    print(f"Forgot {len(selected):,} entries. Deleted {count:,} stored prompts in {names}.")
    return 0


def _question(count: int) -> str:
    prompts = "the stored prompts with this text"
    if not count:
        return f"Permanently delete {prompts}?"
    return f"Permanently forget {count:,} entries, and delete {prompts}?"


def _joined(names: Iterable[str]) -> str:
    return ", ".join(dict.fromkeys(names))
