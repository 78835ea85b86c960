"""``replay show``, ``replay export`` and ``replay report``.

Invariants: histories are never changed. Files are written atomically, and only the user who runs
the command can read them. Existing files are overwritten only with ``--force``. The contents of
sessions can't control the terminal.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ....cli.files import is_file, notebook_id_of, read_notebook, write_output
from ....cli.selection import find_id, find_notebooks, find_recorded_at, path_in
from ....cli.stores import StoreContext
from ....cli.terminal import make_safe, print_json, print_markdown
from ....errors import NotFound, SettingError
from ....models import is_id
from ....notebooks.history import Histories, History
from ....notebooks.restored_ids import is_valid, restore_ids
from ....replay import report
from ..authorship.agent_trace import agent_trace
from ..authorship.git import committed_as
from ..authorship.lines import authors_of_lines
from ..authorship.prov import prov
from ..export import Export, export, last_recorded_name
from ..filenames import file_name
from ..labels import cell_name, label_counts, percent
from ..labels import shares as shares_of
from ..narrative import narrative


async def run_show(arguments: argparse.Namespace, context: StoreContext) -> int:
    """Print the history of all cells, or of only the cell that the option ``--cell`` names."""
    history = await load_history(arguments.notebook, context, by_path=True)
    cell_id = None
    if arguments.cell:
        cell_id = find_id([cell["cellId"] for cell in history.timeline.cells()], arguments.cell)
        if cell_id is None:
            raise NotFound(f"There is no cell “{arguments.cell}” in the notebook.")
    print_markdown(narrative(history, last_recorded_name(history), cell_id))
    return 0


async def run_export(arguments: argparse.Namespace, context: StoreContext) -> int:
    """Write the replay to one file, or to standard output."""
    history = await load_history(arguments.notebook, context)
    notebook = load_notebook(arguments.notebook)
    if notebook is not None:
        path = path_in(context.configuration.root_dir, arguments.notebook)
        await restore_ids(context.notebooks(), path, notebook)
    name = last_recorded_name(history) if notebook is None else Path(arguments.notebook).name
    if arguments.format == "agent-trace":
        file = _agent_trace(arguments.notebook, notebook, history)
    elif arguments.format == "prov":
        file = _json_file(name, ".prov.json", prov(history, name))
    else:
        file = await export(
            context.store,
            history,
            arguments.format,
            name,
            owner=context.owner,
            notebook=notebook,
        )
    data = file.content.encode("utf-8", "backslashreplace")
    if arguments.output == "-":
        sys.stdout.buffer.write(data)
        sys.stdout.flush()
        return 0
    target = write_output(arguments.output, file.name, data, force=arguments.force)
    print(f"The replay was written to {target}")
    return 0


def _agent_trace(name: str, notebook: dict[str, Any] | None, history: History) -> Export:
    """Export the authors of the lines in a notebook's file. Raises SettingError without one."""
    if notebook is None or not is_valid(notebook):
        raise SettingError(f"“{name}” is not the file of a notebook, so it has no lines.")
    data = read_notebook(name)
    path, revision = committed_as(Path(name), data)
    authors = authors_of_lines(data.decode(json.detect_encoding(data)), notebook, history)
    record = agent_trace(history, path, authors, revision)
    return _json_file(name, ".agent-trace.json", record)


def _json_file(name: str, suffix: str, content: dict[str, Any]) -> Export:
    text = json.dumps(content, ensure_ascii=False, indent=1) + "\n"
    return Export(file_name(name, suffix), text)


async def run_report(arguments: argparse.Namespace, context: StoreContext) -> int:
    """Print how much of a notebook each contributor wrote."""
    history = await load_history(arguments.notebook, context)
    notebook_report = report(history.timeline, history.sessions)
    if arguments.json:
        print_json(notebook_report)
    else:
        for line in _report_lines(notebook_report, last_recorded_name(history)):
            print(make_safe(line.replace("\n", " ")).rstrip())
    return 0


async def load_history(name: str, context: StoreContext, *, by_path: bool = False) -> History:
    """Load the history of a notebook, which its path or id names. Raises NotFound, SettingError.

    With ``by_path``, a file without the id of a history is the notebook recorded at its path. This
    isn't for exports: such a file may be a new one.
    """
    notebook_id = await _notebook_id(name, context, by_path)
    history = await Histories(context.store, owner=context.owner).load(notebook_id)
    if not history.timeline.moments:
        raise NotFound(f"No history of “{name}” in {context.name}.")
    return history


async def _notebook_id(name: str, context: StoreContext, by_path: bool) -> str:
    if is_file(name):
        if by_path:
            try:
                id_ = notebook_id_of(name)
            except SettingError:
                return await find_recorded_at(context, name)
            # A page gives a new id to a notebook that has lost everything.
            if not await context.store.session_marks(id_, owner=context.owner):
                return await find_recorded_at(context, name)
        return (await find_notebooks(context, name))[0]
    if is_id(name):
        return name
    raise SettingError(f"“{name}” is not a notebook file or ID.")


def load_notebook(name: str) -> dict[str, Any] | None:
    """Return the content of a notebook's file; None if there is no file, or it is damaged."""
    try:
        content = json.loads(read_notebook(name))
    except (SettingError, ValueError, RecursionError):
        return None
    return content if isinstance(content, dict) else None


def _report_lines(notebook_report: Mapping[str, Any], name: str) -> Iterator[str]:
    """Yield how many lines each contributor wrote: in total, by model or person, and by cell."""
    total = notebook_report["total"]
    line_count = total["lines"]
    yield f"{name}  {line_count:,} non-blank lines"
    shares = shares_of(total)
    width = max(8, *(len(label) + 1 for label, _ in shares))
    for label, count in shares:
        bar = "█" * round(30 * count / line_count) if line_count else ""
        yield f"  {label:<{width}}{count:>6,}  {percent(count, line_count):>6}  {bar}"
    for count_by_name in (label_counts(total["models"]), total["names"]):
        pairs = sorted(count_by_name.items(), key=lambda pair: (-pair[1], pair[0]))
        for contributor, count in pairs:
            yield f"  {count:>{width + 6},}  {percent(count, line_count):>6}  {contributor}"
    yield f"  {total['turns']:,} requests"
    for number, cell in enumerate(notebook_report["cells"], 1):
        if cell["lines"] or cell["turns"]:
            other_count = cell["lines"] - cell["byModel"] - cell["byPerson"]
            yield (
                f"  {cell_name(number, cell):<9} {cell['lines']:>5,} lines  "
                f"AI {cell['byModel']:>5,}  by hand {cell['byPerson']:>5,}  "
                f"other {other_count:>5,}  requests {cell['turns']:>3,}  "
                f"{', '.join([*label_counts(cell['models']), *cell['names']])}"
            )
