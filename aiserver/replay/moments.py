"""The moments of a notebook, and snapshots of the notebook after a moment. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from ..payload import Payload
from .step import ContributorKind, Kind, Outcome, Step


@dataclass(frozen=True, slots=True)
class MomentStep(Payload):
    """A step of a moment; ``step`` is its index in the cell's replay."""

    cell_id: str
    step: int


@dataclass(frozen=True, slots=True)
class Moment(Payload):
    """One moment of a notebook: a step of a cell, a new order of the cells, or several changes that
    were made together, for example by a split.

    ``cell_id`` and ``step`` identify the step that gives the moment its kind and title; both are
    None for a new ``order`` of cells. ``title`` is the intent of a turn or of an agent's change.
    ``saved``: the notebook was saved after this change.
    """

    index: int
    timestamp: str
    kind: Kind | Literal["order"]
    cell_id: str | None
    step: int | None
    author: ContributorKind
    outcome: Outcome
    title: str
    saved: bool
    name: str | None = None
    further_steps: Sequence[MomentStep] | None = None
    restored_to: str | None = None
    """If the whole notebook was restored, the time to which it was."""

    def to_wire(self) -> dict[str, Any]:
        """Return the moment as sent: in half the time, because a notebook has thousands."""
        sent: dict[str, Any] = {
            "index": self.index,
            "timestamp": self.timestamp,
            "kind": self.kind,
            "cellId": self.cell_id,
            "step": self.step,
            "author": self.author,
            "outcome": self.outcome,
            "title": self.title,
            "saved": self.saved,
        }
        if self.name is not None:
            sent["name"] = self.name
        if self.further_steps:
            sent["furtherSteps"] = [step.to_wire() for step in self.further_steps]
        if self.restored_to is not None:
            sent["restoredTo"] = self.restored_to
        return sent


@dataclass(frozen=True)
class CellSnapshot(Payload):
    """A cell as it was after a moment.

    ``step`` is the index of its last step; None before the first one, with the source from then.
    """

    cell_id: str
    type: str
    source: str
    step: int | None
    is_changed: bool = False
    predecessor: tuple[str | None] | None = None
    """For a deleted cell: the id of the cell directly above it, or None at the top."""
    before: str | None = None
    """The source one moment earlier, if this moment changed it."""
    missing: int | None = None
    """If the source was too large to record, its length in characters; ``source`` is empty."""

    def to_wire(self) -> dict[str, Any]:
        # Without the base class, which takes four times as long: a moment has hundreds of cells.
        sent = {
            "cellId": self.cell_id,
            "type": self.type,
            "source": self.source,
            "step": self.step,
            "changed": self.is_changed,
        }
        if self.predecessor:
            sent["predecessor"] = self.predecessor[0]
        if self.before is not None:
            sent["before"] = self.before
        if self.missing is not None:
            sent["missing"] = self.missing
        return sent


@dataclass(frozen=True)
class NotebookSnapshot(Payload):
    """A notebook after a moment: its cells in order, and the cells deleted up to this moment.

    ``version`` is that of the timeline.
    """

    version: str = field(default="", kw_only=True)
    index: int
    timestamp: str
    cells: list[CellSnapshot]
    deleted: list[CellSnapshot]


def moment_of(
    index: int,
    timestamp: str,
    steps: Sequence[tuple[str, Step]],
    *,
    has_new_order: bool,
    saved: bool,
) -> Moment:
    """Return the moment of steps, of a new cell order, or of both."""
    ranked_steps = sorted(steps, key=lambda pair: _rank(pair[1]))
    cell_id, step = ranked_steps[0] if ranked_steps else (None, None)
    if has_new_order and step and _rank(step) == _LAST_RANK and not step.restored_to:
        cell_id = step = None  # the order gives the moment its kind and title
        further_steps = ranked_steps
    else:
        further_steps = ranked_steps[1:]
    restored_to = [time for _, step in steps if (time := step.restored_to)]
    return Moment(
        index=index,
        timestamp=timestamp,
        kind=step.kind if step else "order",
        cell_id=cell_id,
        step=step.index if step else None,
        author=step.author if step else "unknown",
        name=step.name if step else None,
        outcome=step.outcome if step else "done",
        title=step.title if step else "",
        saved=saved,
        further_steps=[MomentStep(cell_id, step.index) for cell_id, step in further_steps] or None,
        restored_to=restored_to[0] if restored_to else None,
    )


_RANKS = {kind: n for n, kind in enumerate(("merge", "split", "copy", "undelete", "delete"))}
_LAST_RANK = 9  # the rank of kinds that aren't structural, such as ``edit``


def _rank(step: Step) -> int:
    """Return a step's rank: the lowest one gives a moment its kind and title."""
    # Merged cells' steps come after the step of the cell into which they were merged.
    if step.kind == "merge" and "into" in (step.data or {}):
        return len(_RANKS)
    if step.kind in ("type", "move"):
        return len(_RANKS) + 1
    return _RANKS.get(step.kind, _LAST_RANK)
