"""What is known of each cell of a notebook through its moments. Pure.

What must hold: to ask for any moment costs a binary search, however long the cell's life.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import Generic, NamedTuple, TypeVar

from .moments import CellThen
from .step import Step

T = TypeVar("T")


class Since(Generic[T]):
    """Values, each from a moment on."""

    __slots__ = ("_moments", "_values")

    def __init__(self) -> None:
        self._moments: list[int] = []
        self._values: list[T | None] = []

    def add(self, moment: int, value: T | None) -> None:
        self._moments.append(moment)
        self._values.append(value)

    def add_first(self, value: T) -> None:
        """What it was before anything was known."""
        self._moments.insert(0, -1)
        self._values.insert(0, value)

    def at(self, moment: int) -> T | None:
        n = bisect_right(self._moments, moment)
        return self._values[n - 1] if n else None

    def since(self, moment: int) -> int:
        """From which moment on it is what it is at this one; -1 if there is nothing."""
        n = bisect_right(self._moments, moment)
        return self._moments[n - 1] if n else -1

    @property
    def moments(self) -> Sequence[int]:
        """The moments at which the value changes."""
        return self._moments

    def began(self, moment: int) -> bool:
        return bool(self._moments) and self._moments[0] <= moment

    @property
    def start(self) -> int:
        return self._moments[0] if self._moments else -1

    @property
    def first(self) -> T | None:
        return self._values[0] if self._values else None

    @property
    def last(self) -> T | None:
        return self._values[-1] if self._values else None


class Fate(NamedTuple):
    """How a cell ended: deleted, or merged into another."""

    merged_into: str | None = None


class Cell:
    """What is known of one cell: which step was the newest at which moment, and the like."""

    def __init__(self, cell_id: str, steps: Sequence[Step]) -> None:
        self.cell_id, self.steps = cell_id, steps
        self.own = steps[_born(cell_id, steps) :]
        """Its steps since it is in the notebook, without those of the cell it was copied from."""
        self.first_seen = self.own[0].after if self.own and self.own[0].kind == "start" else ""
        """What it held when it was first looked at: the best that is known of before."""
        self.newest = Since[Step]()
        self.type = Since[str]()
        self.fate = Since[Fate]()
        """How it ended, None while it has not."""
        self.left = Since[tuple[str | None]]()
        """Behind which cell it stood when the order lost it."""
        self.listed: int | None = None
        """The first moment at which the notebook's order has it."""

    def type_at(self, moment: int) -> str:
        """Its type; the first that is known, before there was one."""
        return self.type.at(moment) or self.type.first or "code"

    def is_gone(self, moment: int) -> bool:
        """Whether it was deleted (not merged, nor yet to come), if it is not in the notebook."""
        if not self.newest.began(moment) or (self.listed is not None and self.listed > moment):
            return False
        fate = self.fate.at(moment)
        return fate is None or fate.merged_into is None

    def moments(self) -> set[int]:
        """The moments at which it may come, go, or become of another type."""
        found = {*self.fate.moments, *self.type.moments, self.newest.start}
        if self.listed is not None:
            found.add(self.listed)
        return {moment for moment in found if moment >= 0}

    def at(self, moment: int, changed: bool = False) -> CellThen:
        step = self.newest.at(moment)
        source = step.after if step else self.first_seen
        missing = step.missing if step else None
        return CellThen(
            self.cell_id,
            self.type_at(moment),
            "" if missing else source,
            step.index if step else None,
            changed,
            before=self._before(moment, source) if changed else None,
            missing=missing,
        )

    def _before(self, moment: int, source: str) -> str | None:
        """What it held the moment before; None where it was not there, or held the same."""
        step = self.newest.at(moment - 1)
        held = step.after if step and not self.fate.at(moment - 1) else source
        return held if held != source else None

    def take(self, step: Step, moment: int) -> None:
        """One more step, at a moment not before that of the last."""
        self.newest.add(moment, step)
        data = step.data or {}
        if step.kind == "delete":
            self.fate.add(moment, Fate())
        elif step.kind == "merge" and isinstance(data.get("into"), str):
            self.fate.add(moment, Fate(data["into"]))
        elif step.kind in ("undelete", "copy") and self.fate.last:
            self.fate.add(moment, None)
        elif step.kind == "type":
            if self.type.at(moment - 1) is None and isinstance(data.get("from"), str):
                self.type.add_first(data["from"])
            self.become(data.get("to"), moment)
        else:
            self.become(data.get("cell_type"), moment)  # imports tell it so

    def become(self, type_: object, moment: int) -> None:
        """A type from a moment on; what is none changes nothing."""
        if isinstance(type_, str) and type_ != self.type.last:
            self.type.add(moment, type_)


def _born(cell_id: str, steps: Sequence[Step]) -> int:
    """The first step that is the cell's own, behind those of the cell that it was copied from."""
    for step in reversed(steps):
        origin = (step.data or {}).get("from")
        if step.kind == "copy" or (step.kind == "split" and origin not in (None, cell_id)):
            return step.index
    return 0
