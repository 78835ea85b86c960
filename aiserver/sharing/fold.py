"""Fold the steps of a cell into rows, as the sidebar does. Pure.

Invariants:

- Each step is in exactly one row.
- A run belongs to the step whose code it ran; a deletion and a paste at another place are one move.
  ``src/replay/model/cell/fold.ts`` has the same rules.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ..replay import Step


@dataclass(slots=True)
class Row:
    """A step with its runs; all numbers are indexes into the cell's steps."""

    step: int
    runs: list[int] = field(default_factory=list)
    cut: int | None = None
    """The deletion before ``step``, if that moved the cell."""


def fold(steps: Sequence[Step]) -> list[Row]:
    """Return the rows of a cell, oldest first."""
    rows: list[Row] = []
    for index, step in enumerate(steps):
        last = rows[-1] if rows else None
        if last is not None and last.step == index - 1 and _is_paste(steps[last.step], step):
            last.step, last.cut = index, index - 1
            continue
        row = _row_of_run(rows, steps, step) if step.kind == "run" else None
        if row is not None:
            row.runs.append(index)
        else:
            rows.append(Row(index, [index] if step.kind == "run" else []))
    return rows


def _is_paste(cut: Step, step: Step) -> bool:
    """Return whether a deleted cell was pasted at another place."""
    if (cut.kind, step.kind) != ("delete", "undelete") or cut.code != step.code:
        return False
    places = [(item.data or {}).get("after", 0) for item in (cut, step)]
    return all(isinstance(place, str | None) for place in places) and places[0] != places[1]


def _row_of_run(rows: Sequence[Row], steps: Sequence[Step], run: Step) -> Row | None:
    """Return the row that wrote the code of a run."""
    match = None
    for row in reversed(rows):
        step = steps[row.step]
        if step.after != run.code:
            break
        if step.applied and step.code == run.code:
            match = row
            if step.before != step.code:
                break
    return match
