"""A notebook through time: its moments, and the notebook as it was after any of them. Pure.

What must hold:

- It is total: any valid sessions and log lines, whoever wrote them, have a timeline.
- Each step of each cell since it is in the notebook belongs to just one moment.
- The last moment with ``saved`` at or before a save is the notebook as it was saved: the same
  cells in the same order, with the same types and sources (where all was recorded).
- No moment is ever without a cell because that was deleted later: it is in ``gone`` then.
- Of a cell that was there before anybody looked, each earlier moment has what was seen first.
- To read it costs about as much as there are steps and log lines; one moment, as there are cells.

Where the log tells no order (a notebook that was only imported), cells stand in the order in
which they came.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..models import NotebookLogEntry, Session
from .cell_rows import RowChange, row_changes
from .cells import Cell, Since
from .moments import Moment, Notebook, moment_of
from .ordering import Item, Life, Order, ordered
from .step import Step
from .steps import replay


class Timeline:
    """Reads sessions and log once; answers for each moment then."""

    def __init__(
        self,
        past: Sequence[Session] | Mapping[str, Sequence[Step]],
        log: Sequence[NotebookLogEntry],
    ) -> None:
        """Of sessions as they are stored, or of the steps by cell, if these were read before."""
        if not isinstance(past, Mapping):
            past = {session.meta.cell_id: replay(session) for session in past}
        self.moments: list[Moment] = []
        self.saves: list[int] = []
        """Of each save that is known of, the moment that it holds."""
        self._cells = {cell_id: Cell(cell_id, steps) for cell_id, steps in past.items()}
        self._orders = Since[list[str]]()
        self._with_order: set[int] = set()
        lives = list(self._cells.values())
        for item in ordered([Life(cell.cell_id, cell.own) for cell in lives], log):
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
            cell.at(index)._replace(after=cell.left.at(index))
            for cell in self._cells.values()
            if cell.cell_id not in kept and cell.is_gone(index)
        ]
        return Notebook(moment, cells, gone)

    def row_changes(self) -> Iterator[RowChange]:
        """How the row of cells, and that of deleted ones, change from moment to moment."""
        return row_changes(self._cells, self._orders)

    def first_seen(self, cell_id: str) -> str:
        """What a cell held when it was first looked at; empty of one that came later."""
        return self._cells[cell_id].first_seen

    def last(self) -> Notebook | None:
        """The notebook as it is now, as far as is known."""
        return self.at(len(self.moments) - 1) if self.moments else None

    def cells(self) -> list[dict[str, Any]]:
        """All cells that there ever were, the notebook's in order first, as sent."""
        now = len(self.moments) - 1
        there = self._there(now) if self.moments else []
        kept = set(there)
        others = [cell_id for cell_id in self._cells if cell_id not in kept]
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
        return sum(step.kind == "turn" for step in cell.own) if cell else 0

    def _summary(self, cell: Cell, now: int, is_there: bool) -> dict[str, Any]:
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

    def _add(self, item: Item, lives: Sequence[Cell]) -> None:
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
            rows = [(cell.cell_id, step) for cell, step in steps]
            new = moment_of(
                len(self.moments),
                item.timestamp,
                rows,
                is_order=order is not None,
                saved=item.saves > 0,
            )
            self.moments.append(new)
        index = len(self.moments) - 1
        if self.moments:
            self.saves += [index] * item.saves
        if order:
            self._take_order(order, index)
        for cell, step in steps:
            cell.take(step, index)
        for cell_id, type_ in item.order.types.items() if item.order else ():
            if cell_id in self._cells:
                self._cells[cell_id].become(type_, max(index, 0))

    def _is_new(self, order: Order) -> bool:
        if order.cell_ids != self._orders.last:
            return True
        return any(
            self._cells[cell_id].type.last not in (None, order.types.get(cell_id))
            for cell_id in order.cell_ids
            if cell_id in order.types
        )

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
                cell = self._cells[cell_id] = Cell(cell_id, [])
            if cell.listed is None:
                cell.listed = index
            if cell.fate.last:
                cell.fate.add(index, None)


def _is_beginning(last: Moment, steps: Sequence[tuple[Cell, Step]]) -> bool:
    """Whether these are cells seen for the first time, as those of the moment before were."""
    return (
        bool(steps)
        and last.kind in ("order", "start")
        and all(step.kind == "start" and step.event is not None for _, step in steps)
    )
