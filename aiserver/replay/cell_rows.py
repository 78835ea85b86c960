"""The row of cells through all moments of a notebook, as changes of it. Pure.

Invariant: the changes up to a moment make the same rows as ``Timeline.at`` gives for it. Walking
through all moments costs about as much as there are cells, events of cells, and entries in the
recorded orders: no moment looks at cells that it doesn't concern.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

from .cells import Cell, Since

_Key = tuple[int, int, int]


class RowChange(NamedTuple):
    """At ``moment``: ``cut`` entries from ``start`` on are replaced by ``put``.

    ``row`` names the list: the cells in the notebook, or those deleted by then.
    """

    moment: int
    row: Literal["cells", "gone"]
    start: int
    cut: int
    put: list[tuple[str, str]]
    """Id and type."""


def row_changes(cells: Mapping[str, Cell], orders: Since[list[str]]) -> Iterator[RowChange]:
    """The changes of both rows, oldest first."""
    walk = _Walk(cells, orders)
    for moment in sorted(walk.touched):
        yield from walk.to(moment)


class _Walk:
    """Both rows at one moment after the other."""

    def __init__(self, cells: Mapping[str, Cell], orders: Since[list[str]]) -> None:
        self._cells, self._orders = cells, orders
        self._number = {cell_id: number for number, cell_id in enumerate(cells)}
        self._first_place = {cell_id: n for n, cell_id in enumerate(orders.first or [])}
        self.touched: defaultdict[int, set[str]] = defaultdict(set)
        """By moment the cells that it concerns."""
        for cell_id, cell in cells.items():
            for moment in cell.moments():
                self.touched[moment].add(cell_id)
        for moment in orders.moments:
            _ = self.touched[moment]
        self._order: list[str] | None = None
        self._listed: set[str] = set()
        # Cells in the notebook of which the order says nothing, and those that are deleted, with
        # what they are sorted by.
        self._others = _Sorted()
        self._gone = _Sorted()
        self._types: dict[str, str] = {}

    def to(self, moment: int) -> Iterator[RowChange]:
        """Go to the next moment that changes something."""
        touched = self.touched[moment]
        order = self._orders.at(moment)
        if order is not self._order:
            touched = touched | {*self._others.ids} | (self._listed ^ set(order or ()))
            yield from self._take_order(moment, order or [])
        for cell_id in sorted(touched, key=self._number.__getitem__):
            cell = self._cells[cell_id]
            yield from self._look_at(moment, cell)

    def _take_order(self, moment: int, order: list[str]) -> Iterator[RowChange]:
        old = [*(self._order or ()), *self._others.ids]
        start, cut, put = _replaced(old, order)
        self._order, self._listed, self._others = order, set(order), _Sorted()
        if cut or put:
            yield RowChange(moment, "cells", start, cut, [self._named(id_, moment) for id_ in put])

    def _look_at(self, moment: int, cell: Cell) -> Iterator[RowChange]:
        cell_id = cell.cell_id
        if cell_id not in self._listed:
            key = self._key(cell)
            base = len(self._order or ())
            change = self._others.set(key, cell_id, self._is_there_unlisted(cell, moment))
            if change:
                yield self._change(moment, "cells", base, change, cell_id)
        is_there = cell_id in self._listed or cell_id in self._others
        is_gone = not is_there and cell.is_gone(moment)
        change = self._gone.set((self._number[cell_id], 0, 0), cell_id, is_gone)
        if change:
            yield self._change(moment, "gone", 0, change, cell_id)
        if is_there and self._types.get(cell_id) != cell.type_at(moment):
            row = [*(self._order or ()), *self._others.ids]
            named = self._named(cell_id, moment)
            yield RowChange(moment, "cells", row.index(cell_id), 1, [named])

    def _change(
        self,
        moment: int,
        row: Literal["cells", "gone"],
        base: int,
        change: tuple[int, bool],
        cell_id: str,
    ) -> RowChange:
        at, comes = change
        if comes:
            return RowChange(moment, row, base + at, 0, [self._named(cell_id, moment)])
        return RowChange(moment, row, base + at, 1, [])

    def _is_there_unlisted(self, cell: Cell, moment: int) -> bool:
        if not cell.newest.began(moment) or cell.fate.at(moment):
            return False
        if self._order is None:
            return True
        return cell.listed is None and cell.newest.start > self._orders.since(moment)

    def _key(self, cell: Cell) -> _Key:
        number = self._number[cell.cell_id]
        if self._order is not None:
            return number, 0, 0
        place = self._first_place.get(cell.cell_id, len(self._first_place))
        return place, cell.newest.start, number

    def _named(self, cell_id: str, moment: int) -> tuple[str, str]:
        type_ = self._types[cell_id] = self._cells[cell_id].type_at(moment)
        return cell_id, type_


class _Sorted:
    """Cells in the order of a key."""

    def __init__(self) -> None:
        self.ids: list[str] = []
        self._keys: list[_Key] = []
        self._there: set[str] = set()

    def __contains__(self, cell_id: str) -> bool:
        return cell_id in self._there

    def set(self, key: _Key, cell_id: str, there: bool) -> tuple[int, bool] | None:
        """Put a cell in or take it out. At which place, and which; None if nothing changed."""
        if there == (cell_id in self._there):
            return None
        at = bisect_left(self._keys, key)
        if there:
            self._keys.insert(at, key)
            self.ids.insert(at, cell_id)
            self._there.add(cell_id)
        else:
            del self._keys[at], self.ids[at]
            self._there.remove(cell_id)
        return at, there


def _replaced(old: Sequence[str], new: Sequence[str]) -> tuple[int, int, Sequence[str]]:
    """From where on, how many are gone, and what stands there instead."""
    least = min(len(old), len(new))
    start = next((n for n in range(least) if old[n] != new[n]), least)
    rest = least - start
    same = next((n for n in range(rest) if old[-1 - n] != new[-1 - n]), rest)
    return start, len(old) - start - same, new[start : len(new) - same]
