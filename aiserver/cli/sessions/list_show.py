"""``sessions list`` and ``sessions show``: print histories at a terminal or to a pipe.

Invariant: contents of sessions can't control the terminal.
"""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

from ...errors import NotFound
from ...models import Interaction, Session, SessionKey, SessionSummary
from ...transfer.markdown import session_markdown, turn_markdown
from ..safe_text import safe
from .selection import select
from .stores import StoreContext

_WIDE = {"last request": 3}  # relative width
_HEADS: tuple[str, ...] = (
    "owner",
    "notebook",
    "cell",
    "requests",
    "events",
    "changed",
    "last request",
)


async def run_list(arguments: argparse.Namespace, context: StoreContext) -> int:
    """List the sessions: a table at a terminal, tab-separated lines in a pipe."""
    rows = await select(context, arguments.notebook)
    if arguments.json:
        data = [_as_data(key, row) for key, row in rows]
        print(json.dumps(data, ensure_ascii=False, indent=2))
        return 0
    if not rows:
        print(f"No histories in {context.name}.")
        return 0
    paths = await paths_of(context)
    is_terminal = sys.stdout.isatty()
    heads, lines = _HEADS, [_line(key, row, paths, is_terminal) for key, row in rows]
    if len(context.owners) == 1:
        heads, lines = heads[1:], [line[1:] for line in lines]
    if is_terminal:
        _table(heads, lines)
        print(f"{len(rows):,} histories in {context.name}")
    else:
        for line in lines:
            print("\t".join(line))
    return 0


async def run_show(arguments: argparse.Namespace, context: StoreContext) -> int:
    """Print the turns of the selected sessions."""
    rows = await select(context, arguments.name)
    if not rows:
        raise NotFound(f"No histories in {context.name}.")
    if not arguments.name:
        rows = [max(rows, key=lambda row: row[1].last_updated)]
    for number, (key, _) in enumerate(rows):
        session = await context.store.load_if_exists(key)
        if session is not None:
            if number:
                print()
            _show(session, latest=arguments.latest)
    return 0


def _show(session: Session, *, latest: bool) -> None:
    if latest:
        turns = [item for item in session.ordered() if isinstance(item, Interaction)]
        if not turns:
            raise NotFound("No requests there yet.")
        _write("\n\n".join(turn_markdown(turns[-1])) + "\n")
    else:
        _write(session_markdown(session))


def _write(markdown: str) -> None:
    """Print Markdown, with colours at a terminal."""
    text = safe(markdown)
    if not sys.stdout.isatty():
        sys.stdout.write(text)
        return
    from rich.console import Console
    from rich.syntax import Syntax

    Console().print(
        Syntax(text, "markdown", theme="ansi_dark", word_wrap=True, background_color="default")
    )


async def paths_of(context: StoreContext) -> dict[tuple[str, str], str]:
    """Return the last path of each notebook by owner and id."""
    paths = {}
    for owner in context.owners:
        for notebook_id in await context.store.list_notebooks(owner=owner):
            for entry in await context.store.read_notebook_log(notebook_id, owner=owner):
                path = entry.data.get("path")
                if entry.type == "path_seen" and isinstance(path, str):
                    paths[owner, notebook_id] = path
    return paths


def _line(
    key: SessionKey, row: SessionSummary, paths: dict[tuple[str, str], str], is_terminal: bool
) -> tuple[str, ...]:
    notebook = paths.get((key.owner, row.notebook_id), row.notebook_id)
    changed = row.last_updated[:16].replace("T", " ") if is_terminal else row.last_updated
    intent = " ".join(row.last_intent.split())
    cells = (key.owner, notebook, row.cell_id, str(row.turns), str(row.events), changed, intent)
    return tuple(safe(cell) for cell in cells)


def _as_data(key: SessionKey, row: SessionSummary) -> dict[str, Any]:
    return row.model_dump() | ({"owner": key.owner} if key.owner else {})


def _table(heads: tuple[str, ...], lines: list[tuple[str, ...]]) -> None:
    """Print a table as wide as the terminal; long texts end in an ellipsis."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, expand=True)
    for head in heads:
        number = head in ("requests", "events")
        is_complete = number or head == "changed"  # numbers must not be cut
        table.add_column(
            head,
            justify="right" if number else "left",
            no_wrap=True,
            overflow="ellipsis",
            min_width=max(len(line[heads.index(head)]) for line in [heads, *lines])
            if is_complete
            else 8,
            ratio=None if is_complete else _WIDE.get(head, 1),
        )
    for line in lines:
        table.add_row(*map(Text, line))
    Console().print(table)
