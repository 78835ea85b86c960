"""A notebook through time: its moments, and the notebook as it was after each of them. Pure.

Invariants:

- Any valid sessions and log entries have a timeline, whichever tool wrote them.
- Each own step of each cell belongs to exactly one moment.
- The last moment with ``saved`` at or before a save is the notebook as it was saved: the same
  cells in the same order, with the same types and sources (as far as these were recorded).
- A cell that was deleted later stays in all earlier moments, and is in ``deleted`` afterwards.
- A cell that existed before tracking began has its initial source in all earlier moments.
- Reading costs about as much as there are steps and log entries; one moment, as there are cells.

Cells are in the order in which they appeared if the log has no order (of an imported notebook).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..models import NotebookLogEntry, Session
from .cell_rows import RowChange, row_changes
from .cells import Cell, TimeSeries
from .moments import Moment, NotebookSnapshot, moment_of
from .ordering import CellOrder, StepGroup, order_steps
from .step import Step
from .steps import replay


class Timeline:
    """Reads sessions and change log once, then answers for each moment."""

    def __init__(
        self,
        sessions: Sequence[Session] | Mapping[str, Sequence[Step]],
        log: Sequence[NotebookLogEntry],
    ) -> None:
        """Takes stored sessions, or a mapping from cell ids to steps if these were read before."""
        if not isinstance(sessions, Mapping):
            sessions = {session.meta.cell_id: replay(session) for session in sessions}
        self.moments: list[Moment] = []
        self.saves: list[int] = []
        """The moment of each recorded save."""
        self._cells = {cell_id: Cell(cell_id, steps) for cell_id, steps in sessions.items()}
        self._orders = TimeSeries[list[str]]()
        self._reordered_at: set[int] = set()
        cells = list(self._cells.values())
        for group in order_steps(cells, log):
            self._add(group, cells)

    def at(self, index: int) -> NotebookSnapshot:
        """Return the notebook after a moment. Raises IndexError if there is no such moment."""
        if not 0 <= index < len(self.moments):
            raise IndexError(index)
        moment = self.moments[index]
        cell_ids = self._cell_ids(index)
        changed = {cell_id for cell_id, _ in moment.also} | {moment.cell_id or ""}
        if index in self._reordered_at:
            changed |= set(cell_ids) - set(self._cell_ids(index - 1))
        present = set(cell_ids)
        deleted = [
            cell.snapshot(index)._replace(predecessor=cell.predecessor.at(index))
            for cell in self._cells.values()
            if cell.cell_id not in present and cell.is_deleted(index)
        ]
        cells = [self._cells[cell_id].snapshot(index, cell_id in changed) for cell_id in cell_ids]
        return NotebookSnapshot(moment, cells, deleted)

    def row_changes(self) -> Iterator[RowChange]:
        """Yield the changes of the lists of cells and of deleted cells, moment by moment."""
        return row_changes(self._cells, self._orders)

    def initial_source(self, cell_id: str) -> str:
        """Return the source of a cell at its initial observation; empty if it was created later."""
        return self._cells[cell_id].initial_source

    def last(self) -> NotebookSnapshot | None:
        """Return the notebook after the last moment, or None if there are no moments."""
        return self.at(len(self.moments) - 1) if self.moments else None

    def cells(self) -> list[dict[str, Any]]:
        """Return all cells as sent: those in the notebook in order, then all others."""
        now = len(self.moments) - 1
        cell_ids = self._cell_ids(now) if self.moments else []
        present = set(cell_ids)
        others = [cell_id for cell_id in self._cells if cell_id not in present]
        return [
            self._summary(self._cells[cell_id], now, cell_id in present)
            for cell_id in [*cell_ids, *others]
        ]

    def steps(self, cell_id: str) -> Sequence[Step]:
        """Return the replay of a cell; empty if nothing is recorded of it."""
        cell = self._cells.get(cell_id)
        return cell.steps if cell else []

    def own_turns(self, cell_id: str) -> int:
        """Return the number of a cell's turns, without those of the cell it was copied from."""
        cell = self._cells.get(cell_id)
        return sum(step.kind == "turn" for step in cell.own_steps) if cell else 0

    def _summary(self, cell: Cell, now: int, is_present: bool) -> dict[str, Any]:
        removal = None if is_present else cell.removal.at(now)
        snapshot = cell.snapshot(now)
        lines = (line for line in snapshot.source.split("\n") if line.strip())
        return {
            "cellId": cell.cell_id,
            "type": snapshot.type,
            "firstLine": next(lines, "")[:200],
            "steps": len(cell.steps),
            "turns": sum(step.kind == "turn" for step in cell.steps),
            "deleted": not is_present and not (removal and removal.merged_into),
            "mergedInto": removal.merged_into if removal else None,
        }

    def _cell_ids(self, index: int) -> list[str]:
        """Return the cells in the notebook after a moment, in order."""
        order = self._orders.at(index)
        if order is None:
            # No order is recorded yet: use the first recorded one, then the order of appearance.
            present = [
                cell
                for cell in self._cells.values()
                if cell.newest_step.has_started(index) and not cell.removal.at(index)
            ]
            place = {cell_id: n for n, cell_id in enumerate(self._orders.first or [])}
            present.sort(
                key=lambda cell: (place.get(cell.cell_id, len(place)), cell.newest_step.start)
            )
            return [cell.cell_id for cell in present]
        ordered_at = self._orders.changed_at(index)
        unlisted = [
            cell.cell_id
            for cell in self._cells.values()
            if cell.listed_at is None
            and cell.newest_step.has_started(index)
            and cell.newest_step.start > ordered_at
            and not cell.removal.at(index)
        ]
        return order + unlisted if unlisted else order

    def _add(self, group: StepGroup, cells: Sequence[Cell]) -> None:
        """Create a moment for a group of steps, or add the group to the last moment."""
        order = group.order if group.order and self._is_changed(group.order) else None
        steps = [(cells[number], step) for number, step in group.steps]
        last = self.moments[-1] if self.moments else None
        joins_last = (
            last is not None and not order and not last.saved and _extends_start(last, steps)
        )
        if last is not None and (joins_last or not (steps or order)):
            self.moments[-1] = replace(
                last,
                saved=last.saved or group.saves > 0,
                also=last.also + tuple((cell.cell_id, step.index) for cell, step in steps),
            )
        elif steps or order:
            moment = moment_of(
                len(self.moments),
                group.timestamp,
                [(cell.cell_id, step) for cell, step in steps],
                is_order=order is not None,
                saved=group.saves > 0,
            )
            self.moments.append(moment)
        index = len(self.moments) - 1
        if self.moments:
            self.saves += [index] * group.saves
        if order:
            self._set_order(order, index)
        for cell, step in steps:
            cell.apply(step, index)
        for cell_id, type_ in group.order.types.items() if group.order else ():
            if cell_id in self._cells:
                self._cells[cell_id].set_type(type_, max(index, 0))

    def _is_changed(self, order: CellOrder) -> bool:
        """Return whether an order, or a type in it, differs from the last one."""
        if order.cell_ids != self._orders.last:
            return True
        return any(
            self._cells[cell_id].type.last not in (None, order.types.get(cell_id))
            for cell_id in order.cell_ids
            if cell_id in order.types
        )

    def _set_order(self, order: CellOrder, index: int) -> None:
        present = set(order.cell_ids)
        previous: str | None = None
        for cell_id in self._orders.last or []:
            if cell_id not in present:
                self._cells[cell_id].predecessor.add(index, (previous,))
            previous = cell_id
        self._orders.add(index, order.cell_ids)
        self._reordered_at.add(index)
        for cell_id in order.cell_ids:
            cell = self._cells.get(cell_id)
            if cell is None:
                cell = self._cells[cell_id] = Cell(cell_id, [])
            if cell.listed_at is None:
                cell.listed_at = index
            if cell.removal.last:
                cell.removal.add(index, None)


def _extends_start(last: Moment, steps: Sequence[tuple[Cell, Step]]) -> bool:
    """Return whether steps are initial observations of cells, as those of the last moment are."""
    return (
        bool(steps)
        and last.kind in ("order", "start")
        and all(step.kind == "start" and step.event is not None for _, step in steps)
    )
