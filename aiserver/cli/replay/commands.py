"""``replay show``, ``replay export`` and ``replay report``.

Invariants: histories are never changed. Files are written atomically, and only the user who runs
the command can read them. Existing files are overwritten only with ``--force``.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from ...errors import NotFound, SettingError
from ...models import is_id
from ...notebooks.history import Histories, History
from ...notebooks.restored_ids import restore_ids
from ...replay import report
from ...sharing.export import export, last_recorded_name
from ..notebook_bytes import notebook_id_of, read_notebook
from ..output_file import write_output
from ..safe_text import to_safe_json
from ..selection import find_id, is_file
from ..stores import StoreContext, registry_of
from .terminal import print_history, print_report


async def run_show(arguments: argparse.Namespace, context: StoreContext) -> int:
    """Print the history of all cells, or of only the cell that the option ``--cell`` names."""
    history = await _load_history(arguments.notebook, context)
    cell_ids = {cell["cellId"] for cell in history.timeline.cells()}
    if arguments.cell:
        cell_id = find_id(cell_ids, arguments.cell)
        if cell_id is None:
            raise NotFound(f"There is no cell “{arguments.cell}” in the notebook.")
        cell_ids = {cell_id}
    print_history(history, cell_ids)
    return 0


async def run_export(arguments: argparse.Namespace, context: StoreContext) -> int:
    """Write the replay to one file, or to standard output."""
    history = await _load_history(arguments.notebook, context)
    notebook = _load_notebook(arguments.notebook)
    if notebook is not None:
        await restore_ids(registry_of(context), arguments.notebook, notebook)
    file = await export(
        context.store,
        history,
        arguments.format,
        last_recorded_name(history) if notebook is None else Path(arguments.notebook).name,
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


async def run_report(arguments: argparse.Namespace, context: StoreContext) -> int:
    """Print how much of a notebook each contributor wrote."""
    history = await _load_history(arguments.notebook, context)
    notebook_report = report(history.timeline, history.sessions)
    if arguments.json:
        print(to_safe_json(notebook_report))
    else:
        print_report(notebook_report, last_recorded_name(history))
    return 0


async def _load_history(name: str, context: StoreContext) -> History:
    """Load the history of a notebook. ``name`` is the path of its file, or its id.

    Raises NotFound if there is no history. Raises SettingError if ``name`` is neither a file nor an
    id, or if the file can't be read or has no notebook id.
    """
    notebook_id = _notebook_id(name)
    history = await Histories(context.store, owner=context.owner).load(notebook_id)
    if not history.timeline.moments:
        raise NotFound(f"No history of “{name}” in {context.name}.")
    return history


def _notebook_id(name: str) -> str:
    if is_file(name):
        return notebook_id_of(name)
    if is_id(name):
        return name
    raise SettingError(f"“{name}” is not a notebook file or ID.")


def _load_notebook(name: str) -> dict[str, Any] | None:
    """Return the content of a notebook's file; None if it can't be read."""
    try:
        content = json.loads(read_notebook(name))
    except (SettingError, ValueError, RecursionError):
        return None
    return content if isinstance(content, dict) else None
