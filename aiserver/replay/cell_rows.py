"""The lists of a notebook's cells through all moments, as changes. Pure.

Invariant: applying all changes up to a moment gives the lists of ``Timeline.at`` for that moment.
Walking through all moments costs about as much as there are cells, events of cells, and entries in
the recorded orders: a moment only visits the cells that it changes.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

from .cells import Cell, TimeSeries

_Key = tuple[int, int, int]
_List = Literal["cells", "deleted"]


class RowChange(NamedTuple):
    """At ``moment``, ``removed`` entries from ``start`` on are replaced by ``inserted``.

    ``row`` names the list: the cells in the notebook, or the cells deleted by then.
    """

    moment: int
    row: _List
    start: int
    removed: int
    inserted: list[tuple[str, str]]
    """Cell id and type."""


def row_changes(cells: Mapping[str, Cell], orders: TimeSeries[list[str]]) -> Iterator[RowChange]:
    """Yield the changes of both lists, oldest first."""
    walk = _Walk(cells, orders)
    for moment in sorted(walk.touched):
        yield from walk.advance(moment)


class _Walk:
    """Computes both lists for one moment after the other."""

    def __init__(self, cells: Mapping[str, Cell], orders: TimeSeries[list[str]]) -> None:
        self._cells, self._orders = cells, orders
        self._number = {cell_id: number for number, cell_id in enumerate(cells)}
        self._first_place = {cell_id: n for n, cell_id in enumerate(orders.first or [])}
        self.touched: defaultdict[int, set[str]] = defaultdict(set)
        """The cells that may change, by moment."""
        for cell_id, cell in cells.items():
            for moment in cell.moments():
                self.touched[moment].add(cell_id)
        for moment in orders.moments:
            _ = self.touched[moment]
        self._order: list[str] | None = None
        self._listed: set[str] = set()
        self._unlisted = _SortedCells()
        """Cells in the notebook that the recorded order doesn't contain."""
        self._deleted = _SortedCells()
        self._types: dict[str, str] = {}

    def advance(self, moment: int) -> Iterator[RowChange]:
        """Go on to the next moment that changes something."""
        touched = self.touched[moment]
        order = self._orders.at(moment)
        if order is not self._order:
            touched = touched | {*self._unlisted.ids} | (self._listed ^ set(order or ()))
            yield from self._set_order(moment, order or [])
        for cell_id in sorted(touched, key=self._number.__getitem__):
            cell = self._cells[cell_id]
            yield from self._update(moment, cell)

    def _set_order(self, moment: int, order: list[str]) -> Iterator[RowChange]:
        old = [*(self._order or ()), *self._unlisted.ids]
        start, removed, inserted = _splice(old, order)
        self._order, self._listed, self._unlisted = order, set(order), _SortedCells()
        if removed or inserted:
            entries = [self._entry(id_, moment) for id_ in inserted]
            yield RowChange(moment, "cells", start, removed, entries)

    def _update(self, moment: int, cell: Cell) -> Iterator[RowChange]:
        cell_id = cell.cell_id
        if cell_id not in self._listed:
            key = self._key(cell)
            base = len(self._order or ())
            change = self._unlisted.set(key, cell_id, self._is_present_unlisted(cell, moment))
            if change:
                yield self._change(moment, "cells", base, change, cell_id)
        is_present = cell_id in self._listed or cell_id in self._unlisted
        is_deleted = not is_present and cell.is_deleted(moment)
        change = self._deleted.set((self._number[cell_id], 0, 0), cell_id, is_deleted)
        if change:
            yield self._change(moment, "deleted", 0, change, cell_id)
        if is_present and self._types.get(cell_id) != cell.type_at(moment):
            row = [*(self._order or ()), *self._unlisted.ids]
            entry = self._entry(cell_id, moment)
            yield RowChange(moment, "cells", row.index(cell_id), 1, [entry])

    def _change(
        self, moment: int, row: _List, base: int, change: tuple[int, bool], cell_id: str
    ) -> RowChange:
        index, is_insertion = change
        if is_insertion:
            return RowChange(moment, row, base + index, 0, [self._entry(cell_id, moment)])
        return RowChange(moment, row, base + index, 1, [])

    def _is_present_unlisted(self, cell: Cell, moment: int) -> bool:
        if not cell.newest_step.has_started(moment) or cell.removal.at(moment):
            return False
        if self._order is None:
            return True
        is_newer = cell.newest_step.start > self._orders.changed_at(moment)
        return cell.listed_at is None and is_newer

    def _key(self, cell: Cell) -> _Key:
        number = self._number[cell.cell_id]
        if self._order is not None:
            return number, 0, 0
        place = self._first_place.get(cell.cell_id, len(self._first_place))
        return place, cell.newest_step.start, number

    def _entry(self, cell_id: str, moment: int) -> tuple[str, str]:
        type_ = self._types[cell_id] = self._cells[cell_id].type_at(moment)
        return cell_id, type_


class _SortedCells:
    """Cell ids sorted by a key."""

    def __init__(self) -> None:
        self.ids: list[str] = []
        self._keys: list[_Key] = []
        self._members: set[str] = set()

    def __contains__(self, cell_id: str) -> bool:
        return cell_id in self._members

    def set(self, key: _Key, cell_id: str, is_member: bool) -> tuple[int, bool] | None:
        """Insert or remove a cell.

        Returns its index and whether it was inserted; None if nothing changed.
        """
        if is_member == (cell_id in self._members):
            return None
        index = bisect_left(self._keys, key)
        if is_member:
            self._keys.insert(index, key)
            self.ids.insert(index, cell_id)
            self._members.add(cell_id)
        else:
            del self._keys[index], self.ids[index]
            self._members.remove(cell_id)
        return index, is_member


def _splice(old: Sequence[str], new: Sequence[str]) -> tuple[int, int, Sequence[str]]:
    """Return the difference of two lists: start, number of removed entries, inserted entries."""
    shorter = min(len(old), len(new))
    start = next((n for n in range(shorter) if old[n] != new[n]), shorter)
    rest = shorter - start
    same = next((n for n in range(rest) if old[-1 - n] != new[-1 - n]), rest)
    return start, len(old) - start - same, new[start : len(new) - same]
