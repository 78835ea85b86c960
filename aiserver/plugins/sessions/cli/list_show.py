"""``sessions list``, ``show`` and ``verify``: print histories, and the damage in them.

Invariant: control characters in sessions are replaced or escaped, so that they can't control the
terminal. In Markdown, texts can't change the document.
"""

from __future__ import annotations

import argparse
import sys

from ....cli.selection import count_requests, select
from ....cli.stores import StoreContext
from ....cli.terminal import ProgressBar, make_safe, print_json, print_markdown
from ....errors import NotFound
from ....models import Session, SessionKey, SessionSummary
from ....replay import replay, request_numbers
from ...export.fences import escape_inline
from ...export.narrative import cell_history

_HEADINGS = ("owner", "notebook", "cell", "requests", "events", "changed", "last request")


async def run_list(arguments: argparse.Namespace, context: StoreContext) -> int:
    """Print a table at a terminal, or tab-separated lines in a pipe."""
    rows = await count_requests(context, await select(context, arguments.notebook))
    if arguments.json:
        owners = ({"owner": key.owner} if key.owner else {} for key, _ in rows)
        print_json([row.model_dump() | owner for (_, row), owner in zip(rows, owners, strict=True)])
        return 0
    if not rows:
        print(f"No histories in {context.name}.")
        return 0
    paths = await last_recorded_paths(context)
    is_terminal = sys.stdout.isatty()
    headings: tuple[str, ...] = _HEADINGS
    lines = [_row_texts(key, summary, paths, is_terminal) for key, summary in rows]
    if len(context.owners) == 1:  # one owner needs no column
        headings, lines = headings[1:], [line[1:] for line in lines]
    if is_terminal:
        _print_table(headings, lines)
        print(f"{len(rows):,} histories in {context.name}")
    else:
        for line in [headings, *lines]:
            print("\t".join(line))
    return 0


async def run_show(arguments: argparse.Namespace, context: StoreContext) -> int:
    """Print the selected sessions, or the one that was changed last."""
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


def session_markdown(session: Session, *, only_latest: bool = False) -> str:
    """Render all steps, or those from the last request, with their code in full."""
    meta = session.meta
    steps = replay(session)
    requests = request_numbers(steps)
    language = session.interactions[-1].user_request.language if session.interactions else ""
    if only_latest:
        first = requests[session.next_turn_id - 1][1].index
        return "\n\n".join(cell_history(steps, language, level=2, first=first, diffs=False)) + "\n"
    count = len({step.index for _, step in requests.values()})
    paragraphs = [
        f"# Cell {meta.cell_id}",
        f"Notebook {meta.notebook_id} · {count} {'request' if count == 1 else 'requests'} · "
        f"{escape_inline(meta.created_at)} to {escape_inline(meta.last_updated)}",
        *cell_history(steps, language, level=2, diffs=False),
    ]
    return "\n\n".join(paragraphs) + "\n"


async def run_verify(arguments: argparse.Namespace, context: StoreContext) -> int:
    """Check, and with ``repair`` repair, all data; return 1 if damage remains."""
    repair = arguments.repair
    checked_count = repaired_count = damaged_count = 0
    with ProgressBar("repairing" if repair else "checking") as bar:
        for owner in context.owners:
            async for result in context.store.verify(owner=owner, repair=repair):
                checked_count += 1
                bar.advance()
                if result.problem is None:
                    continue
                repaired_count += result.repaired
                damaged_count += not result.repaired
                state = "repaired" if result.repaired else "damaged"
                print(f"{state}  {make_safe(result.location)}: {make_safe(result.problem)}")
    print(f"{checked_count:,} records in {context.name}: ", end="")
    if not (repaired_count or damaged_count):
        print("no damage found.")
    elif repair:
        print(f"{repaired_count:,} repaired, {damaged_count:,} could not be repaired.")
    else:
        print(f"{damaged_count:,} are damaged.")
        sys.stdout.flush()
        print("To repair them, run “jupyter aiserver sessions repair”. The damaged files are kept.")
    return 1 if damaged_count else 0


async def last_recorded_paths(context: StoreContext) -> dict[tuple[str, str], str]:
    """Return ``(owner, notebook id) -> path``, as last recorded."""
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


def _print_table(headings: tuple[str, ...], lines: list[tuple[str, ...]]) -> None:
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
            ratio=None if is_shown_completely else 3 if heading == "last request" else 1,
        )
    for line in lines:
        table.add_row(*map(Text, line))
    Console().print(table)
