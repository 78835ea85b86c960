"""A notebook's timeline: its moments, and a snapshot after each. Pure.

Invariants:

- Any valid sessions and log entries have a timeline, whichever tool wrote them.
- Each step belongs to exactly one moment, except for those that a cell got from another one.
- The snapshot of a ``saved`` moment equals the saved notebook, as far as it was recorded.
- After its deletion, a cell is ``deleted``. Before its first observation, it has its first
  observed source.
- A timeline costs about n log n for n steps and entries; a snapshot hardly depends on n.

Without a recorded order, the cells are in the order in which they appeared.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, NamedTuple

from ..models import NotebookLogEntry
from .cells import Cell, TimeSeries
from .moments import Moment, MomentStep, NotebookSnapshot, moment_of
from .ordering import CellOrder, StepGroup, order_steps
from .step import Step


class ListChange(NamedTuple):
    """``inserted``, pairs of id and type, replaces ``removed_count`` cells at index ``start``."""

    moment: int
    list_name: Literal["cells", "deleted"]
    start: int
    removed_count: int
    inserted: list[tuple[str, str]]


class Timeline:
    """The moments of a notebook."""

    def __init__(
        self, steps_by_cell: Mapping[str, Sequence[Step]], log: Sequence[NotebookLogEntry]
    ) -> None:
        self.moments: list[Moment] = []
        self.saves: list[int] = []
        """For each save, the number of the last moment before the save."""
        self._cells = {cell_id: Cell(cell_id, steps) for cell_id, steps in steps_by_cell.items()}
        self._orders = TimeSeries[list[str]]()
        self._reordered_at: set[int] = set()
        cells = list(self._cells.values())
        for group in order_steps(cells, log):
            self._add(group, cells)

    def at(self, index: int) -> NotebookSnapshot:
        """Return the notebook after a moment. Raises IndexError."""
        if not 0 <= index < len(self.moments):
            raise IndexError(index)
        moment = self.moments[index]
        cell_ids = self._cell_ids(index)
        changed = {step.cell_id for step in moment.further_steps or ()} | {moment.cell_id or ""}
        if index in self._reordered_at:
            changed |= set(cell_ids) - set(self._cell_ids(index - 1))
        present = set(cell_ids)
        deleted = [
            replace(cell.snapshot(index), predecessor=cell.predecessor.at(index))
            for cell in self._cells.values()
            if cell.cell_id not in present and cell.is_deleted(index)
        ]
        cells = [self._cells[cell_id].snapshot(index, cell_id in changed) for cell_id in cell_ids]
        return NotebookSnapshot(index, moment.timestamp, cells, deleted)

    def list_changes(self) -> Iterator[ListChange]:
        """Yield the changes of the lists of cells and deleted cells, oldest first."""
        cells: list[tuple[str, str]] = []
        deleted: list[tuple[str, str]] = []
        moments = set(self._orders.moments).union(*map(Cell.moments, self._cells.values()))
        for moment in sorted(moments):
            old_cells, old_deleted = cells, deleted
            cell_ids = self._cell_ids(moment)
            present = set(cell_ids)
            cells = [(cell_id, self._cells[cell_id].type_at(moment)) for cell_id in cell_ids]
            deleted = [
                (cell.cell_id, cell.type_at(moment))
                for cell in self._cells.values()
                if cell.cell_id not in present and cell.is_deleted(moment)
            ]
            if cells != old_cells:
                yield ListChange(moment, "cells", *_splice(old_cells, cells))
            if [cell_id for cell_id, _ in deleted] != [cell_id for cell_id, _ in old_deleted]:
                yield ListChange(moment, "deleted", *_splice(old_deleted, deleted))

    def initial_source(self, cell_id: str) -> str:
        """Return a cell's first observed source, which is empty for a new cell."""
        return self._cells[cell_id].initial_source

    def last(self) -> NotebookSnapshot | None:
        return self.at(len(self.moments) - 1) if self.moments else None

    def cells(self) -> list[dict[str, Any]]:
        """Return summaries for the API; cells in the notebook come first."""
        now = len(self.moments) - 1
        cell_ids = self._cell_ids(now) if self.moments else []
        present = set(cell_ids)
        removed = [cell_id for cell_id in self._cells if cell_id not in present]
        return [
            self._summary(self._cells[cell_id], now, cell_id in present)
            for cell_id in [*cell_ids, *removed]
        ]

    def steps(self, cell_id: str) -> Sequence[Step]:
        cell = self._cells.get(cell_id)
        return cell.steps if cell else []

    def own_turn_count(self, cell_id: str) -> int:
        """Return the number of a cell's turns, without those copied from another cell."""
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
        order = self._orders.at(index)
        if order is None:
            # First the cells of the first order, then others as they appeared.
            present = [cell for cell in self._cells.values() if cell.is_present(index)]
            position = {cell_id: n for n, cell_id in enumerate(self._orders.first or [])}
            present.sort(
                key=lambda cell: (position.get(cell.cell_id, len(position)), cell.newest_step.start)
            )
            return [cell.cell_id for cell in present]
        ordered_at = self._orders.changed_at(index)
        unlisted = [
            cell.cell_id
            for cell in self._cells.values()
            if cell.listed_at is None
            and cell.newest_step.start > ordered_at
            and cell.is_present(index)
        ]
        return order + unlisted if unlisted else order

    def _add(self, group: StepGroup, cells: Sequence[Cell]) -> None:
        order = group.order if group.order and self._is_changed(group.order) else None
        steps = [(cells[number], step) for number, step in group.steps]
        last = self.moments[-1] if self.moments else None
        joins_last = (
            last is not None
            and not order
            and not last.saved
            and _continues_initial_observation(last, steps)
        )
        if last is not None and (joins_last or not (steps or order)):
            self.moments[-1] = replace(
                last,
                saved=last.saved or group.save_count > 0,
                further_steps=[
                    *(last.further_steps or ()),
                    *(MomentStep(cell.cell_id, step.index) for cell, step in steps),
                ]
                or None,
            )
        elif steps or order:
            moment = moment_of(
                len(self.moments),
                group.timestamp,
                [(cell.cell_id, step) for cell, step in steps],
                has_new_order=order is not None,
                saved=group.save_count > 0,
            )
            self.moments.append(moment)
        index = len(self.moments) - 1
        if self.moments:
            self.saves += [index] * group.save_count
        if order:
            self._set_order(order, index)
        for cell, step in steps:
            cell.apply(step, index)
        for cell_id, type_ in group.order.types.items() if group.order else ():
            if cell_id in self._cells:
                self._cells[cell_id].set_type(type_, max(index, 0))

    def _is_changed(self, order: CellOrder) -> bool:
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


def _continues_initial_observation(last: Moment, steps: Sequence[tuple[Cell, Step]]) -> bool:
    return (
        bool(steps)
        and last.kind in ("order", "start")
        and all(step.kind == "start" and step.event is not None for _, step in steps)
    )


def _splice(
    old: Sequence[tuple[str, str]], new: Sequence[tuple[str, str]]
) -> tuple[int, int, list[tuple[str, str]]]:
    shorter = min(len(old), len(new))
    start = next((n for n in range(shorter) if old[n] != new[n]), shorter)
    limit = shorter - start
    equal_at_end = next((n for n in range(limit) if old[-1 - n] != new[-1 - n]), limit)
    return start, len(old) - start - equal_at_end, list(new[start : len(new) - equal_at_end])
