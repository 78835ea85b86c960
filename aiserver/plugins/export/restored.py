"""Make a notebook from its history, as it was recorded after a moment. Pure.

Invariants: the result is valid nbformat 4.5 with unique cell ids. What the history doesn't have
(tags, attachments, rich outputs) comes from the cells that the notebook's file still has. An output
is restored only if the history has all of it: pictures and tables are recorded as previews only,
and so is text of more than 4 KB.
"""

from __future__ import annotations

import uuid
from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ...models import is_id
from ...notebooks.history import History
from ...redact import redact
from ...redact.texts import OPEN
from ...replay import CellSnapshot, Step, Timeline
from .page_data import main_language

_CLEARING_KINDS = ("type", "split", "merge")  # after these, a cell has none of its old outputs


class CellList(NamedTuple):
    """The cells that the notebook had from a moment on."""

    moment: int
    cell_ids: list[str]


class Choice(NamedTuple):
    """The index of the moment to restore, and the ids of the cells to restore from it."""

    moment: int
    cell_ids: list[str]


@dataclass
class Restored:
    """A restored notebook, and the ids of the cells that aren't as they were."""

    notebook: dict[str, Any]
    unrecorded: list[str] = field(default_factory=list)
    """Cells that are empty, because their source isn't recorded."""
    too_long: list[str] = field(default_factory=list)
    """Cells that are empty, because their source was too long to be recorded."""
    redacted: list[str] = field(default_factory=list)
    """Cells with redaction marks in place of secrets."""


def cell_lists(timeline: Timeline) -> list[CellList]:
    """Return the lists of the notebook's cells, oldest first; each differs from the one before."""
    lists: list[CellList] = []
    cell_ids: list[str] = []
    for change in timeline.list_changes():
        if change.list_name == "cells":
            inserted = [cell_id for cell_id, _ in change.inserted]
            end = change.start + change.removed_count
            cell_ids = [*cell_ids[: change.start], *inserted, *cell_ids[end:]]
            lists.append(CellList(change.moment, cell_ids))
    return lists


def last_complete(timeline: Timeline) -> Choice | None:
    """Return the last state before cells vanished, or else the last one; None without any cells.

    Cells have vanished if the last changes of the list have only removed or replaced cells, if it
    wasn't a person who deleted them, and if fewer than half of the cells from before are left.
    """
    lists = cell_lists(timeline)
    if not lists:
        return None
    last = set(lists[-1].cell_ids)
    start = len(lists) - 1
    while start and _lost(timeline, lists[start - 1].cell_ids, {*last, *lists[start].cell_ids}):
        start -= 1
    expected = _without_deleted(timeline, lists[start].cell_ids, last)
    if start < len(lists) - 1 and is_mostly_missing(expected, last):
        return Choice(lists[start + 1].moment - 1, expected)
    return Choice(len(timeline.moments) - 1, lists[-1].cell_ids)


def is_mostly_missing(expected: Collection[str], present: Set[str]) -> bool:
    """Return whether fewer than half of the expected cells are present."""
    return 2 * len(present & set(expected)) < len(expected)


def _lost(timeline: Timeline, before: Sequence[str], after: Set[str]) -> list[str]:
    removed = [cell_id for cell_id in before if cell_id not in after]
    return _without_deleted(timeline, removed, after)


def _without_deleted(timeline: Timeline, cell_ids: Sequence[str], present: Set[str]) -> list[str]:
    """Return the cells without those that a person deleted, or that were merged into another."""
    return [
        cell_id
        for cell_id in cell_ids
        if cell_id in present or not _is_deliberately_removed(timeline.steps(cell_id))
    ]


def _is_deliberately_removed(steps: Sequence[Step]) -> bool:
    for step in reversed(steps):
        if step.kind == "delete":
            return step.author == "person"
        if step.kind == "merge" and "into" in (step.data or {}):
            return True
        if step.kind in ("undelete", "copy"):
            return False
    return False


def restored_notebook(
    history: History,
    choice: Choice,
    file: Mapping[str, Any] | None,
    kernels: Mapping[str, Mapping[str, str]],
    *,
    notebook_id: str | None,
) -> Restored:
    """Return the notebook as it was after the chosen moment.

    ``file`` is the notebook's file, if it is a valid notebook of format 4. ``kernels`` has the
    ``kernelspec`` for each programming language; it is used if the file doesn't name any.
    ``notebook_id`` is that of the result; without it, JupyterLab gives the notebook a new one.
    """
    restored = Restored(dict(file or {}))
    cells_in_file = {
        id_: cell
        for cell in (file or {}).get("cells", ())
        if isinstance(id_ := cell.get("id"), str) and is_id(id_)
    }
    selected = set(choice.cell_ids)
    cells = [
        _restore_cell(snapshot, history.timeline, cells_in_file.get(snapshot.cell_id), restored)
        for snapshot in history.timeline.at(choice.moment).cells
        if snapshot.cell_id in selected
    ]
    minor = restored.notebook.get("nbformat_minor")
    restored.notebook |= {
        "cells": cells,
        "metadata": _metadata(history, (file or {}).get("metadata"), kernels, notebook_id),
        "nbformat": 4,
        "nbformat_minor": max(5, minor) if isinstance(minor, int) else 5,
    }
    return restored


def _metadata(
    history: History,
    in_file: Any,
    kernels: Mapping[str, Mapping[str, str]],
    notebook_id: str | None,
) -> dict[str, Any]:
    metadata = dict(in_file) if isinstance(in_file, dict) else {}
    if "kernelspec" not in metadata and "language_info" not in metadata:
        language = main_language(history)
        metadata["language_info"] = {"name": language}
        if kernel := kernels.get(language.lower()):
            metadata["kernelspec"] = dict(kernel)
    own = metadata.pop("aiserver", None)
    own = dict(own) if isinstance(own, dict) else {}
    own.pop("notebook_id", None)
    if notebook_id:
        own["notebook_id"] = notebook_id
    return metadata | ({"aiserver": own} if own else {})


def _restore_cell(
    snapshot: CellSnapshot, timeline: Timeline, in_file: Mapping[str, Any] | None, result: Restored
) -> dict[str, Any]:
    """Return a cell, and add its id to the lists of ``result`` if it isn't as it was."""
    cell_id = snapshot.cell_id
    type_ = snapshot.type if snapshot.type in ("code", "markdown", "raw") else "raw"
    steps = timeline.steps(cell_id)
    has_source = snapshot.missing is None and bool(steps)
    cell: dict[str, Any] = {"cell_type": type_, "metadata": {}, "source": ""}
    cell["id"] = cell_id if is_id(cell_id) else _new_id(cell_id)
    if type_ == "code":
        cell |= {"execution_count": None, "outputs": []}
    if in_file and in_file.get("cell_type") == type_:
        cell |= in_file
        text = _text(cell["source"])
        # The history has redaction marks in place of the secrets that the file has.
        if not has_source or text == snapshot.source or redact(text) == snapshot.source:
            return cell
    elif snapshot.missing is not None:
        result.too_long.append(cell_id)
    elif not has_source:
        result.unrecorded.append(cell_id)
    if OPEN in snapshot.source:
        result.redacted.append(cell_id)
    cell["source"] = snapshot.source.splitlines(keepends=True)
    if type_ == "code":
        shown: Sequence[Step] = steps[: snapshot.step + 1] if snapshot.step is not None else []
        cell["execution_count"], cell["outputs"] = _last_run(shown)
    return cell


def _last_run(steps: Sequence[Step]) -> tuple[int | None, list[dict[str, Any]]]:
    """Return the execution count and the outputs of a cell's last run."""
    for step in reversed(steps):
        if step.kind in _CLEARING_KINDS:
            break
        if step.kind == "run":
            count = (step.data or {}).get("execution_count")
            return count if type(count) is int else None, list(_outputs(step))
    return None, []


def _outputs(run: Step) -> Iterator[dict[str, Any]]:
    """Yield the output of a run, if the history has all of it: it was only text."""
    preview = (run.data or {}).get("outputs")
    if not isinstance(preview, dict) or run.outcome != "done":
        return
    text = preview.get("text")
    is_complete = not any(preview.get(key) for key in ("truncated", "images", "shape"))
    if isinstance(text, str) and text and is_complete:
        lines = text.splitlines(keepends=True)
        yield {"output_type": "stream", "name": "stdout", "text": lines}


def _text(source: object) -> str:
    return "".join(map(str, source)) if isinstance(source, list) else str(source or "")


def _new_id(seed: str) -> str:
    return str(uuid.uuid5(uuid.NAMESPACE_URL, seed.encode("utf-8", "backslashreplace").decode()))
