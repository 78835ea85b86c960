"""One order for what happened in all cells of a notebook. Pure.

A cell's ``seq`` orders the cell; the lines of the notebook log order the cells among each other.
A line of type ``changed`` names cells and how far each had come: it is a wall that no record of
them crosses. Clocks only choose between orders that the walls leave open.

What must hold:

- The steps of a cell stay in their order.
- A step whose record is at or before a wall's mark for its cell comes before that wall, one that
  comes after the mark behind it.
- What the watcher of the page recorded (an edit with its trigger, a split, …) lies between two
  walls next to each other, so that no clock moves it: with the batch that first names it. What
  others wrote before anybody watched (an AI turn, an import) finds its place by its time.
- What a copy of a notebook inherited comes before all that is its own (``inherited``). In which
  order its cells stood then was the first notebook's: among each other times order them.
- What belongs to one change of the cells' order (a split, a paste, a deletion) stands together,
  with it as ``Item.order``.
- The cost is about n log n of the records and lines.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from typing import NamedTuple

from ..models import NotebookLogEntry
from .step import WHOLE, Step


@dataclass(slots=True)
class Item:
    """What happened at one place of the order: steps of cells, a new order of them, or both."""

    timestamp: str
    steps: list[tuple[int, Step]] = field(default_factory=list)
    """Cells by number, and what happened in each."""
    order: Order | None = None
    saves: int = 0
    """How often the notebook was saved when all up to here, and nothing more, had happened."""


class Order(NamedTuple):
    """The order of the cells, and of some the type."""

    cell_ids: list[str]
    types: dict[str, str]
    timestamp: str


class Life(NamedTuple):
    """The steps of a cell since it is in the notebook."""

    cell_id: str
    steps: Sequence[Step]


class _Wall(NamedTuple):
    marks: dict[str, int]
    order: Order | None
    timestamp: str
    saved: bool


def ordered(lives: Sequence[Life], log: Sequence[NotebookLogEntry]) -> list[Item]:
    """All that happened, oldest first."""
    walls, lone = _read(log)
    rooms = [_Room() for _ in range(len(walls) + 1)]
    for place, order in lone:
        rooms[place].orders.append(order)
    times = _rising([_instant(wall.timestamp) for wall in walls])
    marks: dict[str, list[tuple[int, int]]] = {}
    listed: dict[str, int] = {}  # the first wall that came with an order that has the cell
    for place, wall in enumerate(walls):
        for cell_id in wall.order.cell_ids if wall.order else ():
            listed.setdefault(cell_id, place)
        for cell_id, mark in wall.marks.items():
            marks.setdefault(cell_id, []).append((place, mark))
    for cell, life in enumerate(lives):
        known = marks.get(life.cell_id, []), listed.get(life.cell_id)
        _place(cell, life, walls, *known, times, rooms)
    items: list[Item] = []
    for room, end in zip(rooms, [*walls, None], strict=True):
        items += room.items(end)
        if end and end.saved and items:
            items[-1].saves += 1
    return items


def _read(log: Sequence[NotebookLogEntry]) -> tuple[list[_Wall], list[tuple[int, Order]]]:
    """The walls, and the orders that none of them came with, by the room they are in."""
    walls: list[_Wall] = []
    lone: list[tuple[int, Order]] = []
    pending: Order | None = None
    for entry in sorted(log, key=lambda entry: entry.seq):
        if entry.type == "cell_order":
            if pending:
                lone.append((len(walls), pending))
            pending = _order(entry)
            continue
        cells = entry.data.get("cells") if entry.type == "changed" else None
        if isinstance(cells, dict):
            if pending and entry.data.get("inherited") is True:
                lone.append((len(walls), pending))
                pending = None
            marks = {cell: seq for cell, seq in cells.items() if type(seq) is int}
            saved = entry.data.get("saved") is True
            walls.append(_Wall(marks, pending, entry.timestamp, saved))
            pending = None
        elif pending:
            lone.append((len(walls), pending))
            pending = None
    if pending:
        lone.append((len(walls), pending))
    return walls, lone


def _order(entry: NotebookLogEntry) -> Order | None:
    ids, types = entry.data.get("cell_ids"), entry.data.get("types")
    if not isinstance(ids, list):
        return None
    return Order(
        list(dict.fromkeys(id_ for id_ in ids if isinstance(id_, str))),
        types if isinstance(types, dict) else {},
        entry.timestamp,
    )


class _Room:
    """What lies between two walls."""

    def __init__(self) -> None:
        self.free: dict[int, list[Step]] = {}
        """Steps by cell, which only their times order."""
        self.named: dict[int, list[Step]] = {}
        """Steps by cell that the wall at the end of the room names, behind the free ones."""
        self.orders: list[Order] = []

    def items(self, wall: _Wall | None) -> list[Item]:
        """All of them in order."""
        order = wall.order if wall else None
        before = {cell: list(steps) for cell, steps in self.free.items()}
        after: dict[int, list[Step]] = {}
        together: list[tuple[int, Step]] = []
        for cell, steps in self.named.items():
            first, last = _whole(steps) if order else (len(steps), len(steps))
            before.setdefault(cell, []).extend(steps[:first])
            together += [(cell, step) for step in steps[first:last]]
            after[cell] = steps[last:]
        if order is None:
            return _merged(before, self.orders)
        if not together:
            return _merged(before, [*self.orders, order])
        change = Item(order.timestamp, together, order)
        return [*_merged(before, self.orders), change, *_merged(after, [])]


def _whole(steps: Sequence[Step]) -> tuple[int, int]:
    """From where to where steps belong to a change of the cells as wholes."""
    places = [n for n, step in enumerate(steps) if step.kind in WHOLE or step.kind == "start"]
    return (places[0], places[-1] + 1) if places else (len(steps), len(steps))


def _merged(cells: dict[int, list[Step]], orders: Sequence[Order]) -> list[Item]:
    """Several rows as one, by times, each in its own order."""
    rows: list[tuple[float, int, int, Item]] = []
    clock = float("-inf")
    for n, order in enumerate(orders):
        clock = max(clock, _instant(order.timestamp))
        rows.append((clock, -1, n, Item(order.timestamp, [], order)))
    for cell, steps in cells.items():
        clock = float("-inf")
        for n, step in enumerate(steps):
            clock = max(clock, _instant(_time(step)))
            if n and steps[n - 1].settled_seq == step.seq:
                rows[-1][-1].steps.append((cell, step))  # what of an answer was not accepted
            else:
                rows.append((clock, cell, n, Item(_time(step), [(cell, step)])))
    rows.sort(key=lambda row: row[:3])
    return [item for *_, item in rows]


_NO_CLOCK_IS_SO_WRONG = 2 * 24 * 3600.0  # seconds: two clocks, each a day off


def _place(
    cell: int,
    life: Life,
    walls: Sequence[_Wall],
    marks: Sequence[tuple[int, int]],
    listed: int | None,
    times: Sequence[float],
    rooms: Sequence[_Room],
) -> None:
    """Put the steps of a cell into rooms."""
    at, low = 0, 0
    is_marked = listed is not None and bool(marks) and marks[0][0] > listed
    if listed is not None and is_marked and not any(map(_is_first, life.steps)):
        # It was blank when somebody began to watch, else it would have been named then. Nothing of
        # it is older, but for what is by so much that no clock was wrong.
        began = _instant(walls[listed].timestamp) - _NO_CLOCK_IS_SO_WRONG
        while at < len(life.steps) and _instant(_time(life.steps[at])) < began:
            at += 1
        _float(cell, life.steps[:at], 0, listed, times, rooms)
        low = listed + 1
    for place, mark in marks:
        end = at
        while end < len(life.steps) and _seq(life.steps[end]) <= mark:
            end += 1
        batch = life.steps[at:end]
        pinned = _pinned(batch, low)
        _float(cell, batch[:pinned], low, place, times, rooms)
        if pinned < len(batch):
            rooms[place].named.setdefault(cell, []).extend(batch[pinned:])
        at, low = end, max(low, place + 1)
    # No batch has named the rest yet: what changed the cell's source came after all of them.
    rest = life.steps[at:]
    pinned = _pinned(rest, low)
    _float(cell, rest[:pinned], low, len(times), times, rooms)
    _float(cell, rest[pinned:], len(times), len(times), times, rooms)


def _float(
    cell: int,
    steps: Sequence[Step],
    low: int,
    high: int,
    times: Sequence[float],
    rooms: Sequence[_Room],
) -> None:
    """Put steps into rooms from ``low`` to ``high`` by their times."""
    for step in steps:
        low = min(max(low, bisect_left(times, _instant(_time(step)))), high)
        rooms[low].free.setdefault(cell, []).append(step)


def _pinned(batch: Sequence[Step], low: int) -> int:
    """From where on steps stay with the batch that names them."""
    n = next((n for n, step in enumerate(batch) if _is_watched(step, low)), len(batch))
    while 0 < n < len(batch) and _seq(batch[n - 1]) == _seq(batch[n]):
        n -= 1  # inferred from the same record
    return n


def _is_first(step: Step) -> bool:
    """Whether it is what a watcher found when it began: all before it is older."""
    return step.event == "edit" and (step.data or {}).get("trigger") == "first"


def _is_watched(step: Step, low: int) -> bool:
    """Whether the page's watcher recorded it; ``low``: 0 as long as no wall has named its cell."""
    if step.event in WHOLE or (step.event == "edit" and "trigger" in (step.data or {})):
        return True
    return low > 0 and step.after != step.before


def _seq(step: Step) -> int:
    """The record by which the step took effect."""
    return step.seq if step.settled_seq is None else step.settled_seq


def _time(step: Step) -> str:
    return step.timestamp if step.settled_at is None else step.settled_at


def _rising(values: Sequence[float]) -> list[float]:
    """The same, none smaller than the one before: a clock that was put back stands still."""
    rising: list[float] = []
    for value in values:
        rising.append(max(value, rising[-1]) if rising else value)
    return rising


@lru_cache(4096)
def _instant(timestamp: str) -> float:
    """Seconds; 0 for what is no time, or has no zone."""
    text = timestamp.upper().replace("Z", "+00:00").replace(" ", "T")
    head, dot, tail = text.partition(".")
    if dot:  # Python 3.10 knows three or six digits alone
        digits = len(tail) - len(tail.lstrip("0123456789"))
        text = f"{head}.{tail[:digits][:6]:0<6}{tail[digits:]}"
    try:
        found = datetime.fromisoformat(text)
        return (
            found.timestamp()
            if found.tzinfo
            else datetime.fromisoformat(text + "+00:00").timestamp()
        )
    except (ValueError, OverflowError):
        return 0.0
