"""A notebook through time: its moments, and the notebook as it was after any of them. Pure.

What must hold:

- It is total: any valid sessions and log lines, whoever wrote them, have a timeline.
- Each step of each cell since it is in the notebook belongs to just one moment.
- The last moment with ``saved`` at or before a save is the notebook as it was saved: the same
  cells in the same order, with the same types and sources (where all was recorded).
- No moment is ever without a cell because that was deleted later: it is in ``gone`` then.
- To read it costs about as much as there are steps and log lines; one moment, as there are cells.

Where the log tells no order (a notebook that was only imported), cells stand in the order in
which they came.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, NamedTuple, TypeVar

from ..models import NotebookLogEntry, Session
from .ordering import Item, Life, Order, ordered
from .steps import Step, replay

T = TypeVar("T")


@dataclass(frozen=True)
class Moment:
    """What one moment shows; ``to_wire`` gives the ``Moment`` of ``rest-api.yml``.

    ``step`` is the index in the cell's replay. ``also`` are further steps of the same moment.
    """

    index: int
    timestamp: str
    kind: str
    cell_id: str | None
    step: int | None
    author: str
    outcome: str
    title: str
    saved: bool
    also: tuple[tuple[str, int], ...] = ()

    def to_wire(self) -> dict[str, Any]:
        """The moment as sent: camelCase."""
        sent = {
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
        also = [{"cellId": cell_id, "step": step} for cell_id, step in self.also]
        return sent | ({"also": also} if also else {})


@dataclass(frozen=True)
class CellThen:
    """A cell as it was after a moment. ``step`` is None before anything of it was noted."""

    cell_id: str
    type: str
    source: str
    step: int | None
    changed: bool = False
    after: tuple[str | None] | None = None
    """Of one that is gone: the cell that it stood behind, where that is known."""

    def to_wire(self) -> dict[str, Any]:
        """The cell as sent: camelCase."""
        return {
            "cellId": self.cell_id,
            "type": self.type,
            "source": self.source,
            "step": self.step,
            "changed": self.changed,
        }


@dataclass(frozen=True)
class Notebook:
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
            "index": self.moment.index,
            "timestamp": self.moment.timestamp,
            "cells": [cell.to_wire() for cell in self.cells],
            "gone": gone,
        }


class _Since(Generic[T]):
    """Values, each from a moment on."""

    __slots__ = ("_moments", "_values")

    def __init__(self) -> None:
        self._moments: list[int] = []
        self._values: list[T | None] = []

    def add(self, moment: int, value: T | None) -> None:
        self._moments.append(moment)
        self._values.append(value)

    def at(self, moment: int) -> T | None:
        n = bisect_right(self._moments, moment)
        return self._values[n - 1] if n else None

    def since(self, moment: int) -> int:
        """From which moment on it is what it is at this one; -1 if there is nothing."""
        n = bisect_right(self._moments, moment)
        return self._moments[n - 1] if n else -1

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


class _Cell:
    """What is known of one cell: which step was the newest at which moment, and the like."""

    def __init__(self, cell_id: str, steps: Sequence[Step]) -> None:
        self.cell_id, self.steps = cell_id, steps
        self.life = Life(cell_id, steps[_born(cell_id, steps) :])
        self.newest = _Since[Step]()
        self.type = _Since[str]()
        self.fate = _Since[_Fate]()
        """How it ended, None while it has not."""
        self.left = _Since[tuple[str | None]]()
        """Behind which cell it stood when the order lost it."""
        self.listed: int | None = None
        """The first moment at which the notebook's order has it."""

    def at(self, moment: int, changed: bool = False) -> CellThen:
        step = self.newest.at(moment)
        return CellThen(
            self.cell_id,
            self.type.at(moment) or self.type.first or "code",
            step.after if step else "",
            step.index if step else None,
            changed,
        )


class _Fate(NamedTuple):
    """How a cell ended: deleted, or merged into another."""

    merged_into: str | None = None


class Timeline:
    """Reads sessions and log once; answers for each moment then."""

    def __init__(
        self,
        sessions: Sequence[Session],
        log: Sequence[NotebookLogEntry],
        replays: Mapping[str, Sequence[Step]] | None = None,
    ) -> None:
        """``replays`` are steps by cell that were read before."""
        read = replays or {}
        self.moments: list[Moment] = []
        self.saves: list[int] = []
        """Of each save that is known of, the moment that it holds."""
        self._cells: dict[str, _Cell] = {}
        for session in sessions:
            cell_id = session.meta.cell_id
            steps = read[cell_id] if cell_id in read else replay(session)
            self._cells[cell_id] = _Cell(cell_id, steps)
        self._orders = _Since[list[str]]()
        self._with_order: set[int] = set()
        lives = list(self._cells.values())
        for item in ordered([cell.life for cell in lives], log):
            self._add(item, lives)

    def at(self, index: int) -> Notebook:
        """The notebook after a moment. Raises IndexError if there is none of this number."""
        if not 0 <= index < len(self.moments):
            raise IndexError(index)
        moment = self.moments[index]
        there = self._there(index)
        came = set(there) - set(self._there(index - 1)) if index in self._with_order else set()
        came |= {cell_id for cell_id, _ in moment.also} | {moment.cell_id or ""}
        cells = [self._cells[cell_id].at(index, cell_id in came) for cell_id in there]
        kept = set(there)
        gone = [
            replace(cell.at(index), after=cell.left.at(index))
            for cell in self._cells.values()
            if cell.cell_id not in kept and self._is_gone(cell, index)
        ]
        return Notebook(moment, cells, gone)

    def last(self) -> Notebook | None:
        """The notebook as it is now, as far as is known."""
        return self.at(len(self.moments) - 1) if self.moments else None

    def cells(self) -> list[dict[str, Any]]:
        """All cells that there ever were, the notebook's in order first, as sent."""
        now = len(self.moments) - 1
        there = self._there(now) if self.moments else []
        others = [cell_id for cell_id in self._cells if cell_id not in set(there)]
        return [
            self._summary(self._cells[cell_id], now, place < len(there))
            for place, cell_id in enumerate([*there, *others])
        ]

    def steps(self, cell_id: str) -> Sequence[Step]:
        """The replay of a cell; none of one of which nothing is kept."""
        cell = self._cells.get(cell_id)
        return cell.steps if cell else []

    def own_turns(self, cell_id: str) -> int:
        """How many turns a cell has had since it is in the notebook, without those it inherited."""
        cell = self._cells.get(cell_id)
        return sum(step.kind == "turn" for step in cell.life.steps) if cell else 0

    def to_wire(self) -> dict[str, Any]:
        """The ``Timeline`` of ``rest-api.yml``."""
        return {
            "moments": [moment.to_wire() for moment in self.moments],
            "cells": self.cells(),
        }

    def _summary(self, cell: _Cell, now: int, is_there: bool) -> dict[str, Any]:
        fate = None if is_there else cell.fate.at(now)
        then = cell.at(now)
        return {
            "cellId": cell.cell_id,
            "type": then.type,
            "firstLine": next((line for line in then.source.split("\n") if line.strip()), "")[:200],
            "steps": len(cell.steps),
            "turns": sum(step.kind == "turn" for step in cell.steps),
            "deleted": not is_there and not (fate and fate.merged_into),
            "mergedInto": fate.merged_into if fate else None,
        }

    def _there(self, index: int) -> list[str]:
        """The cells in the notebook after a moment, in order."""
        order = self._orders.at(index)
        if order is None:
            # Nobody told the order yet: that of the first time it was told, else as they came.
            came = [cell for cell in self._cells.values() if cell.newest.began(index)]
            alive = [cell for cell in came if not cell.fate.at(index)]
            place = {cell_id: n for n, cell_id in enumerate(self._orders.first or [])}
            alive.sort(key=lambda cell: (place.get(cell.cell_id, len(place)), cell.newest.start))
            return [cell.cell_id for cell in alive]
        since = self._orders.since(index)
        new = [
            cell.cell_id
            for cell in self._cells.values()
            if cell.listed is None
            and cell.newest.began(index)
            and cell.newest.start > since
            and not cell.fate.at(index)
        ]
        return order + new if new else order

    def _is_gone(self, cell: _Cell, index: int) -> bool:
        """Whether a cell that is not in the notebook was deleted (not merged, nor yet to come)."""
        if not cell.newest.began(index) or (cell.listed is not None and cell.listed > index):
            return False
        fate = cell.fate.at(index)
        return fate is None or fate.merged_into is None

    def _add(self, item: Item, lives: Sequence[_Cell]) -> None:
        """Make a moment of what happened, or add it to the last one."""
        order = item.order if item.order and self._is_new(item.order) else None
        steps = [(lives[number], step) for number, step in item.steps]
        last = self.moments[-1] if self.moments else None
        joins = last is not None and not order and not last.saved and _is_beginning(last, steps)
        if last is not None and (joins or not (steps or order)):
            self.moments[-1] = replace(
                last,
                saved=last.saved or item.saves > 0,
                also=last.also + tuple((cell.cell_id, step.index) for cell, step in steps),
            )
        elif steps or order:
            self.moments.append(_moment(len(self.moments), item, steps, order))
        index = len(self.moments) - 1
        if self.moments:
            self.saves += [index] * item.saves
        if order:
            self._take_order(order, index)
        for cell, step in steps:
            _take_step(cell, step, index)

    def _is_new(self, order: Order) -> bool:
        if order.cell_ids != self._orders.last:
            return True
        known = {cell_id: self._cells[cell_id].type for cell_id in order.cell_ids}
        for cell_id, type_ in order.types.items():
            if cell_id in known and known[cell_id].last not in (None, type_):
                return True
            if cell_id in known and isinstance(type_, str) and known[cell_id].last is None:
                known[cell_id].add(len(self.moments) - 1, type_)  # it was that all the time
        return False

    def _take_order(self, order: Order, index: int) -> None:
        there = set(order.cell_ids)
        before: str | None = None
        for cell_id in self._orders.last or []:
            if cell_id not in there:
                self._cells[cell_id].left.add(index, (before,))
            before = cell_id
        self._orders.add(index, order.cell_ids)
        self._with_order.add(index)
        for cell_id in order.cell_ids:
            cell = self._cells.get(cell_id)
            if cell is None:
                cell = self._cells[cell_id] = _Cell(cell_id, [])
            if cell.listed is None:
                cell.listed = index
            if cell.fate.last:
                cell.fate.add(index, None)
            type_ = order.types.get(cell_id)
            if isinstance(type_, str) and type_ != cell.type.last:
                cell.type.add(index, type_)


def _take_step(cell: _Cell, step: Step, index: int) -> None:
    cell.newest.add(index, step)
    data = step.data or {}
    if step.kind == "delete":
        cell.fate.add(index, _Fate())
    elif step.kind == "merge" and isinstance(data.get("into"), str):
        cell.fate.add(index, _Fate(data["into"]))
    elif step.kind in ("undelete", "copy") and cell.fate.last:
        cell.fate.add(index, None)
    elif step.kind == "type":
        before, after = data.get("from"), data.get("to")
        if cell.type.last is None and isinstance(before, str):
            cell.type.add(-1, before)
        if isinstance(after, str) and after != cell.type.last:
            cell.type.add(index, after)


def _moment(
    index: int, item: Item, steps: Sequence[tuple[_Cell, Step]], order: Order | None
) -> Moment:
    rows = sorted(steps, key=lambda row: _rank(row[1]))
    cell, step = rows[0] if rows else (None, None)
    if order and step and _rank(step) == _OTHER:
        cell = step = None  # cells that were seen for the first time, all together
    else:
        rows = rows[1:]
    return Moment(
        index=index,
        timestamp=item.timestamp,
        kind=step.kind if step else "order",
        cell_id=cell.cell_id if cell else None,
        step=step.index if step else None,
        author=step.author if step else "person",
        outcome=step.outcome if step else "done",
        title=step.title if step else "",
        saved=item.saves > 0,
        also=tuple((cell.cell_id, step.index) for cell, step in rows),
    )


def _is_beginning(last: Moment, steps: Sequence[tuple[_Cell, Step]]) -> bool:
    """Whether these are cells seen for the first time, as those of the moment before were."""
    return (
        bool(steps)
        and last.kind in ("order", "start")
        and all(step.kind == "start" and step.event is not None for _, step in steps)
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


def _born(cell_id: str, steps: Sequence[Step]) -> int:
    """The first step that is the cell's own, behind those of the cell that it was copied from."""
    for step in reversed(steps):
        origin = (step.data or {}).get("from")
        if step.kind == "copy" or (step.kind == "split" and origin not in (None, cell_id)):
            return step.index
    return 0
