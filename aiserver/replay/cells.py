"""One cell of a notebook, and its state after each moment of the notebook. Pure.

Invariant: the state after a moment is found by binary search.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import Generic, NamedTuple, TypeVar

from .moments import CellSnapshot
from .step import Step

T = TypeVar("T")


class TimeSeries(Generic[T]):
    """A value that changes at some moments."""

    __slots__ = ("_values", "moments")

    def __init__(self) -> None:
        self.moments: list[int] = []
        self._values: list[T | None] = []

    def add(self, moment: int, value: T | None) -> None:
        """Add the value from ``moment`` on. Moments never decrease."""
        self.moments.append(moment)
        self._values.append(value)

    def add_initial(self, value: T) -> None:
        self.moments.insert(0, -1)
        self._values.insert(0, value)

    def at(self, moment: int) -> T | None:
        """Return the value after a moment; None before the first value."""
        n = bisect_right(self.moments, moment)
        return self._values[n - 1] if n else None

    def changed_at(self, moment: int) -> int:
        """Return the last change up to ``moment``, or -1."""
        n = bisect_right(self.moments, moment)
        return self.moments[n - 1] if n else -1

    def has_value_at(self, moment: int) -> bool:
        return bool(self.moments) and self.moments[0] <= moment

    @property
    def start(self) -> int:
        return self.moments[0] if self.moments else -1

    @property
    def first(self) -> T | None:
        return self._values[0] if self._values else None

    @property
    def last(self) -> T | None:
        return self._values[-1] if self._values else None


class Removal(NamedTuple):
    """A cell's removal, by deletion or by a merge into another."""

    merged_into: str | None = None


class Cell:
    """One cell of a notebook, with its properties after each moment."""

    def __init__(self, cell_id: str, steps: Sequence[Step]) -> None:
        self.cell_id, self.steps = cell_id, steps
        self.own_steps = steps[_first_own_step(cell_id, steps) :]
        """The steps of this cell itself, without steps that were copied from another cell."""
        is_observed = bool(self.own_steps) and self.own_steps[0].kind == "start"
        self.initial_source = self.own_steps[0].after if is_observed else ""
        """The source when the cell was first observed, which snapshots of earlier moments contain,
        too; empty if the cell was new then."""
        self.initial_missing = self.own_steps[0].missing if is_observed else None
        self.newest_step = TimeSeries[Step]()
        """The cell's newest step after each moment."""
        self.type = TimeSeries[str]()
        self.removal = TimeSeries[Removal]()
        """The removal of the cell; None while the cell is in the notebook."""
        self.predecessor = TimeSeries[tuple[str | None]]()
        """The id of the cell directly above this one before its removal; ``(None,)`` at the top."""
        self.listed_at: int | None = None
        """The first moment at which the notebook's order contains the cell."""

    def type_at(self, moment: int) -> str:
        """Return the type after a moment; else the first one recorded later, or ``code``."""
        return self.type.at(moment) or self.type.first or "code"

    def is_present(self, moment: int) -> bool:
        """Return whether the cell has steps and isn't removed, whatever the recorded orders say."""
        return self.newest_step.has_value_at(moment) and not self.removal.at(moment)

    def is_deleted(self, moment: int) -> bool:
        """Return whether an absent cell was deleted, not merged."""
        has_value_at = self.newest_step.has_value_at(moment)
        if not has_value_at or (self.listed_at is not None and self.listed_at > moment):
            return False
        removal = self.removal.at(moment)
        return removal is None or removal.merged_into is None

    def moments(self) -> set[int]:
        """Return when the cell may appear, disappear or change its type."""
        moments = {*self.removal.moments, *self.type.moments, self.newest_step.start}
        if self.listed_at is not None:
            moments.add(self.listed_at)
        return {moment for moment in moments if moment >= 0}

    def snapshot(self, moment: int, is_changed: bool = False) -> CellSnapshot:
        """Return the cell after a moment; ``is_changed`` if this moment changed it."""
        step = self.newest_step.at(moment)
        source = step.after if step else self.initial_source
        missing = step.missing if step else self.initial_missing
        return CellSnapshot(
            self.cell_id,
            self.type_at(moment),
            "" if missing else source,
            step.index if step else None,
            is_changed,
            before=self._previous_source(moment, source) if is_changed else None,
            missing=missing,
        )

    def _previous_source(self, moment: int, source: str) -> str | None:
        step = self.newest_step.at(moment - 1)
        previous = step.after if step and not self.removal.at(moment - 1) else source
        return previous if previous != source else None

    def apply(self, step: Step, moment: int) -> None:
        """Add the next step. Moments never decrease."""
        self.newest_step.add(moment, step)
        data = step.data or {}
        if step.kind == "delete":
            self.removal.add(moment, Removal())
        elif step.kind == "merge" and isinstance(data.get("into"), str):
            self.removal.add(moment, Removal(data["into"]))
        elif step.kind in ("undelete", "copy") and self.removal.last:
            self.removal.add(moment, None)
        elif step.kind == "type":
            if self.type.at(moment - 1) is None and isinstance(data.get("from"), str):
                self.type.add_initial(data["from"])
            self.set_type(data.get("to"), moment)
        else:
            # Of these events, only imported ones contain the type.
            self.set_type(data.get("cell_type"), moment)

    def set_type(self, type_: object, moment: int) -> None:
        """Set the type from a moment on; ignore a value that isn't a string."""
        if isinstance(type_, str) and type_ != self.type.last:
            self.type.add(moment, type_)


def _first_own_step(cell_id: str, steps: Sequence[Step]) -> int:
    for step in reversed(steps):
        origin = (step.data or {}).get("from")
        if step.kind == "copy" or (step.kind == "split" and origin not in (None, cell_id)):
            return step.index
    return 0
