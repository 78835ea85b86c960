"""The changes of a notebook's lists of cells from moment to moment. Pure.

There are two lists after each moment: the cells in the notebook, and the cells that were deleted.

Invariants: applying all changes up to a moment gives the lists of ``Timeline.at`` for that moment.
At each moment, only the cells that may change are visited, not all cells of the notebook.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

from .cells import Cell, TimeSeries

_Key = tuple[int, int, int, str]  # three numbers by which cells are sorted, and the cell's id
_ListName = Literal["cells", "deleted"]


class ListChange(NamedTuple):
    """A change of one list: ``inserted`` replaces ``removed_count`` cells at index ``start``."""

    moment: int
    list_name: _ListName
    start: int
    removed_count: int
    inserted: list[tuple[str, str]]
    """The cells that take the place of the removed cells, as pairs of cell id and type."""


def list_changes(cells: Mapping[str, Cell], orders: TimeSeries[list[str]]) -> Iterator[ListChange]:
    """Yield the changes of both lists, oldest first."""
    lists = _Lists(cells, orders)
    for moment in sorted(lists.cells_by_moment):
        yield from lists.advance(moment)


class _Lists:
    """Both lists after one moment. ``advance`` changes them to the lists after the next moment."""

    def __init__(self, cells: Mapping[str, Cell], orders: TimeSeries[list[str]]) -> None:
        self._cells, self._orders = cells, orders
        self._number = {cell_id: number for number, cell_id in enumerate(cells)}
        self._position_in_first_order = {id_: n for n, id_ in enumerate(orders.first or [])}
        self.cells_by_moment: defaultdict[int, set[str]] = defaultdict(set)
        """Maps each moment to the ids of the cells that may change at that moment."""
        for cell_id, cell in cells.items():
            for moment in cell.moments():
                self.cells_by_moment[moment].add(cell_id)
        for moment in orders.moments:
            _ = self.cells_by_moment[moment]  # add the moment, even if it changes no cell
        self._order: list[str] | None = None
        self._listed: set[str] = set()
        """The cells in the recorded order."""
        self._unlisted: list[_Key] = []
        """The sorted keys of the cells in the notebook that the recorded order doesn't contain."""
        self._deleted: list[_Key] = []
        """The sorted keys of the deleted cells."""
        self._types: dict[str, str] = {}
        """Maps each cell id to the type in the last change that contained the cell."""

    def advance(self, moment: int) -> Iterator[ListChange]:
        """Change both lists into the lists after ``moment``, and yield the changes.

        ``moment`` is the next moment at which the lists may change.
        """
        cell_ids = self.cells_by_moment[moment]
        order = self._orders.at(moment)
        if order is not self._order:
            cell_ids = cell_ids | {*_ids(self._unlisted)} | (self._listed ^ set(order or ()))
            yield from self._set_order(moment, order or [])
        for cell_id in sorted(cell_ids, key=self._number.__getitem__):
            cell = self._cells[cell_id]
            yield from self._update(moment, cell)

    def _set_order(self, moment: int, order: list[str]) -> Iterator[ListChange]:
        """Replace the list of cells by a recorded order."""
        old = [*(self._order or ()), *_ids(self._unlisted)]
        start, removed_count, inserted = _splice(old, order)
        self._order, self._listed, self._unlisted = order, set(order), []
        if removed_count or inserted:
            entries = [self._id_and_type(id_, moment) for id_ in inserted]
            yield ListChange(moment, "cells", start, removed_count, entries)

    def _update(self, moment: int, cell: Cell) -> Iterator[ListChange]:
        """Update which list contains the cell, and update the cell's type. Yield the changes.

        After ``moment``, the cell is in the notebook, is deleted, or (for example after a merge
        into another cell) is in neither list.
        """
        cell_id = cell.cell_id
        is_present = cell_id in self._listed
        if not is_present:
            is_present = self._is_present_unlisted(cell, moment)
            yield from self._set_member(
                moment, "cells", self._unlisted, self._key(cell), is_present
            )
        is_deleted = not is_present and cell.is_deleted(moment)
        key = (self._number[cell_id], 0, 0, cell_id)
        yield from self._set_member(moment, "deleted", self._deleted, key, is_deleted)
        if is_present and self._types.get(cell_id) != cell.type_at(moment):
            cell_ids = [*(self._order or ()), *_ids(self._unlisted)]
            entry = self._id_and_type(cell_id, moment)
            yield ListChange(moment, "cells", cell_ids.index(cell_id), 1, [entry])

    def _set_member(
        self, moment: int, list_name: _ListName, keys: list[_Key], key: _Key, is_member: bool
    ) -> Iterator[ListChange]:
        """Insert ``key`` into the sorted ``keys`` of a list if ``is_member``, else remove ``key``.

        Yield the change, if there is one.
        """
        index = bisect_left(keys, key)
        if is_member == (keys[index : index + 1] == [key]):
            return
        start = index + (len(self._order or ()) if list_name == "cells" else 0)
        if is_member:
            keys.insert(index, key)
            yield ListChange(moment, list_name, start, 0, [self._id_and_type(key[-1], moment)])
        else:
            del keys[index]
            yield ListChange(moment, list_name, start, 1, [])

    def _is_present_unlisted(self, cell: Cell, moment: int) -> bool:
        """Return whether a cell that the recorded order doesn't contain is in the notebook."""
        if not cell.is_present(moment):
            return False
        if self._order is None:
            return True
        is_newer = cell.newest_step.start > self._orders.changed_at(moment)
        return cell.listed_at is None and is_newer

    def _key(self, cell: Cell) -> _Key:
        """Return the key by which a cell is sorted in ``_unlisted``."""
        number = self._number[cell.cell_id]
        if self._order is not None:
            return number, 0, 0, cell.cell_id
        positions = self._position_in_first_order
        position = positions.get(cell.cell_id, len(positions))
        return position, cell.newest_step.start, number, cell.cell_id

    def _id_and_type(self, cell_id: str, moment: int) -> tuple[str, str]:
        """Return the cell's id and type, as for ``ListChange.inserted``; also update ``_types``."""
        type_ = self._types[cell_id] = self._cells[cell_id].type_at(moment)
        return cell_id, type_


def _ids(keys: Sequence[_Key]) -> list[str]:
    return [key[-1] for key in keys]


def _splice(old: Sequence[str], new: Sequence[str]) -> tuple[int, int, Sequence[str]]:
    """Compare two lists. Return the change: start, number of removed ids, and inserted ids."""
    shorter = min(len(old), len(new))
    start = next((n for n in range(shorter) if old[n] != new[n]), shorter)
    limit = shorter - start
    equal_at_end = next((n for n in range(limit) if old[-1 - n] != new[-1 - n]), limit)
    return start, len(old) - start - equal_at_end, new[start : len(new) - equal_at_end]
