"""``jupyter aiserver search``: find requests, answers and changes of agents in all notebooks.

Invariant: the contents of sessions can't control the terminal.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from typing import Any

from ...cli.commands import add_store_command
from ...cli.stores import StoreContext
from ...cli.terminal import make_safe, print_json
from .engine import SearchEngine
from .hits import Hit

_PATIENCE = 60.0  # seconds


def add_commands(groups: Any) -> None:
    """Add the command ``search`` to the command line."""
    command = add_store_command(
        groups,
        "search",
        "find requests, answers and changes of agents in all notebooks",
        "plugins.search.cli.run_search",
    )
    command.add_argument(
        "query",
        metavar="WORD",
        nargs="+",
        help="words, authors (by:me, by:agent, by:codex) or the run of an agent (run:3f2a0c4d)",
    )
    command.add_argument(
        "--limit", type=int, default=20, metavar="N", help="at most N results (default: 20)"
    )
    command.add_argument("--json", action="store_true", help="print JSON")


async def run_search(arguments: argparse.Namespace, context: StoreContext) -> int:
    """Print the results, the best first; exit status 1 without any, as grep does."""
    engine = SearchEngine(context.store)
    try:
        result = await engine.search(
            " ".join(arguments.query),
            owner=context.owner,
            limit=max(0, arguments.limit),
            patience=_PATIENCE,
        )
    finally:
        await engine.close()
    paths = await context.notebooks().paths({hit.notebook_id for hit in result.hits})
    hits = [replace(hit, path=paths[hit.notebook_id]) for hit in result.hits]
    if arguments.json:
        print_json([hit.to_wire() for hit in hits])
    else:
        for hit in hits:
            print(make_safe(_line(hit)))
        if result.total > len(hits):
            print(f"{result.total:,} results; --limit shows more.")
    return 0 if hits else 1


def _line(hit: Hit) -> str:
    author = hit.name or hit.model or hit.author
    run = f" · run {hit.run[:8]}" if hit.run else ""
    place = f"{hit.path or hit.notebook_id} · cell {hit.cell_id}"
    text = "".join(piece.text for piece in hit.snippet)
    texts = [hit.intent] if hit.where == "intent" else [hit.intent, text]
    return (
        f"{hit.timestamp[:16]} · {author}{run} · {place}\n    {' '.join(' '.join(texts).split())}"
    )
