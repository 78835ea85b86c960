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

_Key = tuple[int, int, int, str]  # three numbers to sort by, and the cell's id
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
        self._unlisted: list[_Key] = []
        """Cells in the notebook that the recorded order doesn't contain."""
        self._deleted: list[_Key] = []
        self._types: dict[str, str] = {}

    def advance(self, moment: int) -> Iterator[RowChange]:
        """Go on to the next moment that changes something."""
        touched = self.touched[moment]
        order = self._orders.at(moment)
        if order is not self._order:
            touched = touched | {*_ids(self._unlisted)} | (self._listed ^ set(order or ()))
            yield from self._set_order(moment, order or [])
        for cell_id in sorted(touched, key=self._number.__getitem__):
            cell = self._cells[cell_id]
            yield from self._update(moment, cell)

    def _set_order(self, moment: int, order: list[str]) -> Iterator[RowChange]:
        old = [*(self._order or ()), *_ids(self._unlisted)]
        start, removed, inserted = _splice(old, order)
        self._order, self._listed, self._unlisted = order, set(order), []
        if removed or inserted:
            entries = [self._entry(id_, moment) for id_ in inserted]
            yield RowChange(moment, "cells", start, removed, entries)

    def _update(self, moment: int, cell: Cell) -> Iterator[RowChange]:
        cell_id = cell.cell_id
        is_present = cell_id in self._listed
        if not is_present:
            is_present = self._is_present_unlisted(cell, moment)
            yield from self._set(moment, "cells", self._unlisted, self._key(cell), is_present)
        is_deleted = not is_present and cell.is_deleted(moment)
        key = (self._number[cell_id], 0, 0, cell_id)
        yield from self._set(moment, "deleted", self._deleted, key, is_deleted)
        if is_present and self._types.get(cell_id) != cell.type_at(moment):
            row = [*(self._order or ()), *_ids(self._unlisted)]
            entry = self._entry(cell_id, moment)
            yield RowChange(moment, "cells", row.index(cell_id), 1, [entry])

    def _set(
        self, moment: int, row: _List, keys: list[_Key], key: _Key, is_member: bool
    ) -> Iterator[RowChange]:
        """Insert a key into a sorted list or remove it."""
        index = bisect_left(keys, key)
        if is_member == (keys[index : index + 1] == [key]):
            return
        start = index + (len(self._order or ()) if row == "cells" else 0)
        if is_member:
            keys.insert(index, key)
            yield RowChange(moment, row, start, 0, [self._entry(key[-1], moment)])
        else:
            del keys[index]
            yield RowChange(moment, row, start, 1, [])

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
            return number, 0, 0, cell.cell_id
        place = self._first_place.get(cell.cell_id, len(self._first_place))
        return place, cell.newest_step.start, number, cell.cell_id

    def _entry(self, cell_id: str, moment: int) -> tuple[str, str]:
        type_ = self._types[cell_id] = self._cells[cell_id].type_at(moment)
        return cell_id, type_


def _ids(keys: Sequence[_Key]) -> list[str]:
    return [key[-1] for key in keys]


def _splice(old: Sequence[str], new: Sequence[str]) -> tuple[int, int, Sequence[str]]:
    """Return the difference of two lists: start, number of removed entries, inserted entries."""
    shorter = min(len(old), len(new))
    start = next((n for n in range(shorter) if old[n] != new[n]), shorter)
    rest = shorter - start
    same = next((n for n in range(rest) if old[-1 - n] != new[-1 - n]), rest)
    return start, len(old) - start - same, new[start : len(new) - same]
