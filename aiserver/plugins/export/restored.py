"""Make a notebook from its history, as it was recorded after a moment. Pure.

Invariants: the result is valid nbformat 4.5. What the history doesn't have (tags, attachments,
outputs) comes from the cells that the notebook's file still has. A cell has outputs only if the
file has them for the same source.
"""

from __future__ import annotations

import uuid
from collections.abc import Collection, Mapping
from typing import Any

from ...models import is_id
from ...notebooks.history import History
from ...notebooks.restored_ids import cell_source
from ...redact import redact
from ...replay import CellSnapshot, Timeline
from .page_data import main_language


def before_loss(timeline: Timeline) -> tuple[int, list[str]]:
    """Return the last moment before most cells vanished, or else the last one, and its cells.

    It is the last moment with the most cells, unless at least half as many are left now. Cells that
    a person deleted or merged later neither count nor are returned.
    """
    moments, states = [0], [list[str]()]
    for change in timeline.list_changes():
        if change.list_name == "cells":
            cell_ids = states[-1].copy()
            inserted = [cell_id for cell_id, _ in change.inserted]
            cell_ids[change.start : change.start + change.removed_count] = inserted
            moments.append(change.moment)
            states.append(cell_ids)
    vanished = set[str]().union(*states).difference(states[-1])
    removed = {cell_id for cell_id in vanished if _is_removed_by_person(timeline, cell_id)}
    states = [[id_ for id_ in state if id_ not in removed] for state in states]
    largest = max(range(len(states)), key=lambda index: (len(states[index]), index))
    if 2 * len(states[-1]) < len(states[largest]):
        return moments[largest + 1] - 1, states[largest]
    return len(timeline.moments) - 1, states[-1]


def _is_removed_by_person(timeline: Timeline, cell_id: str) -> bool:
    for step in reversed(timeline.steps(cell_id)):
        if step.kind == "delete":
            return step.author == "person"
        if step.kind in ("merge", "undelete", "copy"):
            return "into" in (step.data or {})
    return False


def notebook_at(
    history: History,
    moment: int,
    cell_ids: Collection[str] | None = None,
    file: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Return a notebook as it was after a moment; with ``cell_ids``, only these of its cells.

    ``file`` is the notebook's file, if it is a valid notebook of format 4.
    """
    file = file or {"metadata": {"language_info": {"name": main_language(history)}}, "cells": ()}
    cells_in_file = {cell["id"]: cell for cell in file["cells"] if is_id(str(cell.get("id")))}
    cells = [
        _cell(snapshot, history.timeline, cells_in_file.get(snapshot.cell_id))
        for snapshot in history.timeline.at(moment).cells
        if cell_ids is None or snapshot.cell_id in cell_ids
    ]
    minor = file.get("nbformat_minor")
    minor = max(5, minor) if isinstance(minor, int) else 5
    return {**file, "nbformat": 4, "nbformat_minor": minor, "cells": cells}


def _cell(
    snapshot: CellSnapshot, timeline: Timeline, in_file: Mapping[str, Any] | None
) -> dict[str, Any]:
    id_, type_ = snapshot.cell_id, snapshot.type
    cell: dict[str, Any] = {
        "cell_type": type_ if type_ in ("code", "markdown", "raw") else "raw",
        "id": id_ if is_id(id_) else str(uuid.uuid5(uuid.NAMESPACE_URL, ascii(id_))),
        "metadata": {},
        "source": snapshot.source.splitlines(keepends=True),
    }
    no_outputs: dict[str, Any] = {}
    if cell["cell_type"] == "code":
        no_outputs = {"execution_count": None, "outputs": []}
    if not in_file or in_file.get("cell_type") != cell["cell_type"]:
        return cell | no_outputs
    source = cell_source(in_file)
    # The history has redaction marks in place of the secrets that the file has.
    if snapshot.source in (source, redact(source)) or not is_recorded(snapshot, timeline):
        return {**cell, **no_outputs, **in_file}
    return {**cell, **in_file, "source": cell["source"], **no_outputs}


def is_recorded(snapshot: CellSnapshot, timeline: Timeline) -> bool:
    """Return whether the source of a cell is recorded: it wasn't too long, nor can't be read."""
    return snapshot.missing is None and bool(timeline.steps(snapshot.cell_id))
