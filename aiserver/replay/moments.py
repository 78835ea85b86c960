"""What a reader steps through: the moments of a notebook, and how one shows. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from .step import Step


@dataclass(frozen=True, slots=True)
class Moment:
    """What one moment shows; ``to_wire`` gives the ``Moment`` of ``rest-api.yml``.

    ``step`` is the index in the cell's replay. ``also`` are further steps of the same moment.
    """

    number: int
    timestamp: str
    kind: str
    cell_id: str | None
    step: int | None
    author: str
    name: str | None
    outcome: str
    title: str
    saved: bool
    also: tuple[tuple[str, int], ...] = ()

    def to_wire(self) -> dict[str, Any]:
        """The moment as sent: camelCase."""
        sent = {
            "index": self.number,
            "timestamp": self.timestamp,
            "kind": self.kind,
            "cellId": self.cell_id,
            "step": self.step,
            "author": self.author,
            "outcome": self.outcome,
            "title": self.title,
            "saved": self.saved,
        }
        also = [{"cellId": cell_id, "step": step} for cell_id, step in self.also]
        name = {"name": self.name} if self.name else {}
        return sent | name | ({"also": also} if also else {})


class CellThen(NamedTuple):
    """A cell as it was after a moment.

    ``step`` is None before anything of it was noted: then ``source`` is what was seen first.
    """

    cell_id: str
    type: str
    source: str
    step: int | None
    changed: bool = False
    after: tuple[str | None] | None = None
    """Of one that is gone: the cell that it stood behind, where that is known."""
    before: str | None = None
    """What it held the moment before, where this one made something else of it."""
    missing: int | None = None
    """Characters of a source that was too large to be recorded; ``source`` is empty then."""

    def to_wire(self) -> dict[str, Any]:
        """The cell as sent: camelCase."""
        sent = {
            "cellId": self.cell_id,
            "type": self.type,
            "source": self.source,
            "step": self.step,
            "changed": self.changed,
        }
        if self.missing is not None:
            sent["missing"] = self.missing
        return sent | ({"before": self.before} if self.before is not None else {})


class Notebook(NamedTuple):
    """The notebook after a moment: its cells in order, and those deleted by then."""

    moment: Moment
    cells: list[CellThen]
    gone: list[CellThen]

    def to_wire(self) -> dict[str, Any]:
        """The notebook as sent: camelCase."""
        gone = [cell.to_wire() for cell in self.gone]
        for cell, then in zip(gone, self.gone, strict=True):
            del cell["changed"]
            if then.after is not None:
                cell["after"] = then.after[0]
        return {
            "index": self.moment.number,
            "timestamp": self.moment.timestamp,
            "cells": [cell.to_wire() for cell in self.cells],
            "gone": gone,
        }


def moment_of(
    index: int,
    timestamp: str,
    steps: Sequence[tuple[str, Step]],
    *,
    is_order: bool,
    saved: bool,
) -> Moment:
    """The moment of steps of cells, of a change of the cells' order, or of both at once."""
    rows = sorted(steps, key=lambda row: _rank(row[1]))
    cell_id, step = rows[0] if rows else (None, None)
    if is_order and step and _rank(step) == _OTHER:
        cell_id = step = None  # cells that were seen for the first time, all together
    else:
        rows = rows[1:]
    return Moment(
        number=index,
        timestamp=timestamp,
        kind=step.kind if step else "order",
        cell_id=cell_id,
        step=step.index if step else None,
        author=step.author if step else "unknown",
        name=step.name if step else None,
        outcome=step.outcome if step else "done",
        title=step.title if step else "",
        saved=saved,
        also=tuple((cell_id, step.index) for cell_id, step in rows),
    )


_RANKS = {kind: n for n, kind in enumerate(("merge", "split", "copy", "undelete", "delete"))}
_OTHER = 9


def _rank(step: Step) -> int:
    """Which of the steps of one moment it is named by: the smallest."""
    if step.kind == "merge" and "into" in (step.data or {}):
        return len(_RANKS)
    if step.kind in ("type", "move"):
        return len(_RANKS) + 1
    return _RANKS.get(step.kind, _OTHER)
