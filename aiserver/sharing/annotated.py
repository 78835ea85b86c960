"""The notebook as it is, with the story of each cell in it. Pure.

Why not each version as a cell of its own: "Run all" would run what was given up long ago. So the
notebook's own cells stay as they are, and the notebook runs as it did; behind each stands its
story as Markdown, folded, in which past versions are code to read and never to run (P13).

What must hold:

- The result is valid by nbformat 4.5: ids are one of a kind, and stay the same each time.
- It carries no id of ours: it is another notebook, with no history of its own (P28).
- Cells of the file differ by nothing, nor do their outputs.
- Each version and each request of the history can be read off it.
"""

from __future__ import annotations

import copy
import hashlib
import re
from collections.abc import Mapping, Sequence
from typing import Any

from ..notebooks.history import History
from ..replay import Step, report
from .fences import words
from .narrative import cell_name, cell_story, shares_told
from .story import language_of

_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")


def annotated(history: History, name: str, notebook: dict[str, Any] | None) -> dict[str, Any]:
    """The notebook of a history; its cells are those of the file ``notebook``, where it is known.

    Without a file they are those of the last moment, without outputs.
    """
    made = _from_file(notebook) or _from_history(history)
    timeline, language = history.timeline, language_of(history)
    shares = report(timeline, history.sessions)
    by_cell = {row["cellId"]: row for row in shares["cells"]}
    rows = {row["cellId"]: row for row in timeline.cells()}
    used = {cell["id"] for cell in made["cells"]}
    cells = [
        _markdown(
            f"# How {words(name)} was made\n\n{shares_told(shares['total'])}.\n\n"
            "Each cell that was written with AI or has changed is followed by its history.",
            "story",
            used,
        )
    ]
    for cell in made["cells"]:
        cells.append(cell)
        row = rows.pop(cell["id"], None)
        steps = timeline.steps(cell["id"])
        if row and _tells_more(steps, "".join(cell.get("source", ""))):
            share = by_cell.get(cell["id"])
            cells.append(_story(row, steps, share, "How this cell was made", language, used))
    for row in rows.values():
        if steps := timeline.steps(row["cellId"]):
            cells.append(_story(row, steps, None, _absent(row), language, used))
    made["cells"] = cells
    return made


def _tells_more(steps: Sequence[Step], source: str) -> bool:
    """Whether the steps of a cell tell more than what the cell holds now."""
    return any(
        step.kind == "turn" or step.code != source or step.before not in ("", source)
        for step in steps
    )


def _absent(row: Mapping[str, Any]) -> str:
    """A heading for a cell that is not in the notebook's file."""
    if row["mergedInto"] or row["deleted"]:
        return cell_name(None, row)
    return "Cell not in this file"


def _story(
    row: Mapping[str, Any],
    steps: Sequence[Step],
    share: Mapping[str, Any] | None,
    head: str,
    language: str,
    used: set[str],
) -> dict[str, Any]:
    summary = f" · {shares_told(share)}" if share else ""
    parts = [
        f"<details>\n<summary>{head} · {len(steps)} steps</summary>",
        *([summary.removeprefix(" · ") + "."] if summary else []),
        *cell_story(steps, language if row["type"] == "code" else row["type"], level=4),
        "</details>",
    ]
    return _markdown("\n\n".join(parts), row["cellId"], used)


def _markdown(source: str, name: str, used: set[str]) -> dict[str, Any]:
    """A Markdown cell whose id comes from a name, and is nobody else's."""
    made, number = "", 0
    while not made or made in used:
        digest = hashlib.sha256(f"{name} {number}".encode()).hexdigest()
        made, number = f"story-{digest[:16]}", number + 1
    used.add(made)
    return {
        "cell_type": "markdown",
        "id": made,
        "metadata": {"editable": False},
        "source": source.splitlines(keepends=True),
    }


def _from_file(notebook: dict[str, Any] | None) -> dict[str, Any] | None:
    """What a file of format 4 holds, without our id. None where that is no such notebook."""
    if not notebook or notebook.get("nbformat") != 4 or not isinstance(notebook.get("cells"), list):
        return None
    if not all(isinstance(cell, dict) for cell in notebook["cells"]):
        return None
    made = copy.deepcopy(notebook)
    made["nbformat_minor"] = max(5, made.get("nbformat_minor", 5))
    if isinstance(made.get("metadata"), dict):
        made["metadata"].pop("aiserver", None)
    used: set[str] = set()
    for number, cell in enumerate(made["cells"]):
        cell_id = cell.get("id")
        if not isinstance(cell_id, str) or not _ID.fullmatch(cell_id) or cell_id in used:
            cell["id"] = f"cell-{number}-{hashlib.sha256(str(number).encode()).hexdigest()[:8]}"
        used.add(cell["id"])
    return made


def _from_history(history: History) -> dict[str, Any]:
    last = history.timeline.last()
    cells = []
    for then in last.cells if last else []:
        cell: dict[str, Any] = {
            "cell_type": then.type if then.type in ("code", "markdown", "raw") else "raw",
            "id": then.cell_id,
            "metadata": {},
            "source": then.source.splitlines(keepends=True),
        }
        if cell["cell_type"] == "code":
            cell |= {"execution_count": None, "outputs": []}
        cells.append(cell)
    language = {"language_info": {"name": language_of(history)}}
    return {"nbformat": 4, "nbformat_minor": 5, "metadata": language, "cells": cells}
