"""Export a notebook as it is, with the history of each cell. Pure.

Earlier versions aren't separate code cells, because "Run all" would run them. The notebook's own
cells stay unchanged; each is followed by a folded Markdown cell with its history, in which earlier
versions are code blocks that never run (P13).

Invariants:

- The result is valid nbformat 4.5, with unique ids that are the same in each export.
- It carries no notebook id: it is another notebook, without a history of its own (P28).
- The file's cells and outputs are unchanged.
- It contains each version and each request of the history.
"""

from __future__ import annotations

import copy
import hashlib
import re
from collections.abc import Mapping, Sequence
from typing import Any

from ..notebooks.history import History
from ..replay import Step, report
from .fences import escape_inline
from .labels import cell_name
from .narrative import cell_history, shares_summary
from .page_data import main_language

_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")


def annotated(history: History, name: str, notebook: dict[str, Any] | None) -> dict[str, Any]:
    """Return the annotated notebook, based on the file ``notebook`` if it is given.

    Without a file, the cells are those of the last moment, without outputs.
    """
    result = _from_file(notebook) or _from_history(history)
    timeline, language = history.timeline, main_language(history)
    shares = report(timeline, history.sessions)
    by_cell = {row["cellId"]: row for row in shares["cells"]}
    rows = {row["cellId"]: row for row in timeline.cells()}
    used = {cell["id"] for cell in result["cells"]}
    cells = [
        _markdown_cell(
            f"# How {escape_inline(name)} was made\n\n{shares_summary(shares['total'])}.\n\n"
            "Each cell that was written with AI or has changed is followed by its history.",
            "story",
            used,
        )
    ]
    for cell in result["cells"]:
        cells.append(cell)
        row = rows.pop(cell["id"], None)
        steps = timeline.steps(cell["id"])
        if row and _has_history(steps, "".join(cell.get("source", ""))):
            share = by_cell.get(cell["id"])
            cells.append(_history_cell(row, steps, share, "How this cell was made", language, used))
    for row in rows.values():
        if steps := timeline.steps(row["cellId"]):
            cells.append(_history_cell(row, steps, None, _missing_heading(row), language, used))
    result["cells"] = cells
    return result


def _has_history(steps: Sequence[Step], source: str) -> bool:
    """Return whether the steps contain more than the cell's current source."""
    return any(
        step.kind == "turn" or step.code != source or step.before not in ("", source)
        for step in steps
    )


def _missing_heading(row: Mapping[str, Any]) -> str:
    """Return the heading of a cell that is not in the notebook's file."""
    if row["mergedInto"] or row["deleted"]:
        return cell_name(None, row)
    return "Cell not in this file"


def _history_cell(
    row: Mapping[str, Any],
    steps: Sequence[Step],
    share: Mapping[str, Any] | None,
    heading: str,
    language: str,
    used: set[str],
) -> dict[str, Any]:
    parts = [
        f"<details>\n<summary>{heading} · {len(steps)} steps</summary>",
        *([f"{shares_summary(share)}."] if share else []),
        *cell_history(steps, language if row["type"] == "code" else row["type"], level=4),
        "</details>",
    ]
    return _markdown_cell("\n\n".join(parts), row["cellId"], used)


def _markdown_cell(source: str, name: str, used: set[str]) -> dict[str, Any]:
    """Return a Markdown cell with a unique id derived from ``name``."""
    cell_id, number = "", 0
    while not cell_id or cell_id in used:
        digest = hashlib.sha256(f"{name} {number}".encode()).hexdigest()
        cell_id, number = f"story-{digest[:16]}", number + 1
    used.add(cell_id)
    return {
        "cell_type": "markdown",
        "id": cell_id,
        "metadata": {"editable": False},
        "source": source.splitlines(keepends=True),
    }


def _from_file(notebook: dict[str, Any] | None) -> dict[str, Any] | None:
    """Copy a notebook of format 4, without its notebook id. None for anything else."""
    if not notebook or notebook.get("nbformat") != 4 or not isinstance(notebook.get("cells"), list):
        return None
    if not all(isinstance(cell, dict) for cell in notebook["cells"]):
        return None
    result = copy.deepcopy(notebook)
    result["nbformat_minor"] = max(5, result.get("nbformat_minor", 5))
    if isinstance(result.get("metadata"), dict):
        result["metadata"].pop("aiserver", None)
    used: set[str] = set()
    for number, cell in enumerate(result["cells"]):
        cell_id = cell.get("id")
        if not isinstance(cell_id, str) or not _ID.fullmatch(cell_id) or cell_id in used:
            cell["id"] = f"cell-{number}-{hashlib.sha256(str(number).encode()).hexdigest()[:8]}"
        used.add(cell["id"])
    return result


def _from_history(history: History) -> dict[str, Any]:
    last = history.timeline.last()
    cells = []
    for snapshot in last.cells if last else []:
        cell: dict[str, Any] = {
            "cell_type": snapshot.type if snapshot.type in ("code", "markdown", "raw") else "raw",
            "id": snapshot.cell_id,
            "metadata": {},
            "source": snapshot.source.splitlines(keepends=True),
        }
        if cell["cell_type"] == "code":
            cell |= {"execution_count": None, "outputs": []}
        cells.append(cell)
    language = {"language_info": {"name": main_language(history)}}
    return {"nbformat": 4, "nbformat_minor": 5, "metadata": language, "cells": cells}
