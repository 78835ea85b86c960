"""``sessions list`` and ``sessions show``: print histories to a terminal or a pipe.

Invariant: the contents of sessions can't control the terminal, because control characters in them
are replaced or, in JSON, escaped.
"""

from __future__ import annotations

import argparse
import sys
from typing import Any

from ....cli.selection import count_requests, select
from ....cli.stores import StoreContext
from ....cli.terminal import make_safe, print_json, print_markdown
from ....errors import NotFound
from ....models import SessionKey, SessionSummary
from ..markdown import session_markdown

# The relative widths of columns whose texts may be cut. A column that isn't listed has 1.
_RELATIVE_WIDTHS = {"last request": 3}
_HEADINGS: tuple[str, ...] = (
    "owner",
    "notebook",
    "cell",
    "requests",
    "events",
    "changed",
    "last request",
)


async def run_list(arguments: argparse.Namespace, context: StoreContext) -> int:
    """Print a list of sessions: as a table at a terminal, as tab-separated lines in a pipe."""
    rows = await count_requests(context, await select(context, arguments.notebook))
    if arguments.json:
        data = [_as_json_data(key, summary) for key, summary in rows]
        print_json(data)
        return 0
    if not rows:
        print(f"No histories in {context.name}.")
        return 0
    paths = await last_recorded_paths(context)
    is_terminal = sys.stdout.isatty()
    headings = _HEADINGS
    lines = [_row_texts(key, summary, paths, is_terminal) for key, summary in rows]
    if len(context.owners) == 1:  # the column "owner" is not needed
        headings, lines = headings[1:], [line[1:] for line in lines]
    if is_terminal:
        _print_table(headings, lines)
        print(f"{len(rows):,} histories in {context.name}")
    else:
        for line in [headings, *lines]:
            print("\t".join(line))
    return 0


async def run_show(arguments: argparse.Namespace, context: StoreContext) -> int:
    """Print the turns and events of the selected sessions, or of the one that was changed last."""
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
            if arguments.latest and not session.interactions:
                raise NotFound("This session has no requests yet.")
            print_markdown(session_markdown(session, only_latest=arguments.latest))
    return 0


async def last_recorded_paths(context: StoreContext) -> dict[tuple[str, str], str]:
    """Return the last recorded path of each notebook: ``(owner, notebook id) -> path``."""
    paths = {}
    for owner in context.owners:
        for notebook_id in await context.store.list_notebooks(owner=owner):
            for entry in await context.store.read_notebook_log(notebook_id, owner=owner):
                path = entry.data.get("path")
                if entry.type == "path_seen" and isinstance(path, str):
                    paths[owner, notebook_id] = path
    return paths


def _row_texts(
    key: SessionKey, summary: SessionSummary, paths: dict[tuple[str, str], str], is_terminal: bool
) -> tuple[str, ...]:
    texts = (
        key.owner,
        paths.get((key.owner, summary.notebook_id), summary.notebook_id),
        summary.cell_id,
        str(summary.turns),
        str(summary.events),
        summary.last_updated[:16].replace("T", " ") if is_terminal else summary.last_updated,
        " ".join(summary.last_intent.split()),
    )
    return tuple(make_safe(text) for text in texts)


def _as_json_data(key: SessionKey, summary: SessionSummary) -> dict[str, Any]:
    return summary.model_dump() | ({"owner": key.owner} if key.owner else {})


def _print_table(headings: tuple[str, ...], lines: list[tuple[str, ...]]) -> None:
    """Print a table as wide as the terminal; long texts are cut."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, expand=True)
    for index, heading in enumerate(headings):
        is_number = heading in ("requests", "events")
        is_shown_completely = is_number or heading == "changed"  # numbers and times aren't cut
        longest = max(len(line[index]) for line in [headings, *lines])
        table.add_column(
            heading,
            justify="right" if is_number else "left",
            no_wrap=True,
            overflow="ellipsis",
            min_width=longest if is_shown_completely else 8,
            ratio=None if is_shown_completely else _RELATIVE_WIDTHS.get(heading, 1),
        )
    for line in lines:
        table.add_row(*map(Text, line))
    Console().print(table)
