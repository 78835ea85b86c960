"""``memory pending``: list, confirm and reject the proposals that wait for the person."""

from __future__ import annotations

import argparse
from datetime import datetime

from ...errors import SettingError
from ..safe_text import to_safe_json
from .context import MemoryContext, full_ids
from .entries import single_line


async def run_list(arguments: argparse.Namespace, context: MemoryContext) -> int:
    """Print the proposals, oldest first."""
    waiting = await context.memories.pending()
    if arguments.json:
        print(to_safe_json([proposal.to_dict() for proposal in waiting]))
        return 0
    if not waiting:
        print("Nothing waits for you.")
    for proposal in waiting:
        until = datetime.fromtimestamp(proposal.expires_at).strftime("%Y-%m-%d %H:%M")
        place = f"{proposal.scope}, until {until}"
        print(f"{proposal.id}  {single_line(proposal.text)}  ({place})")
    return 0


async def run_confirm(arguments: argparse.Namespace, context: MemoryContext) -> int:
    """Make the selected proposals entries."""
    for id_ in await _selected(arguments, context):
        entry = await context.memories.confirm(id_)
        print(f"Remembered: {entry.id}  {single_line(entry.text)}")
    return 0


async def run_reject(arguments: argparse.Namespace, context: MemoryContext) -> int:
    """Remove the selected proposals."""
    ids = await _selected(arguments, context)
    for id_ in ids:
        await context.memories.reject(id_)
    print(f"Discarded {len(ids):,}.")
    return 0


async def _selected(arguments: argparse.Namespace, context: MemoryContext) -> list[str]:
    """Return the ids of the proposals that the command names."""
    if arguments.all == bool(arguments.id):
        raise SettingError("Name the IDs, or choose --all.")
    ids = [proposal.id for proposal in await context.memories.pending()]
    return ids if arguments.all else full_ids(arguments.id, ids)
