"""Order the steps of all cells of a notebook. Pure.

``seq`` orders the records of one cell; the entries of the change log order the cells among each
other. A ``changed`` entry names cells and the last seq of each at that time. It is a checkpoint: a
record is either before or after it. Between two checkpoints lies an interval. Timestamps only
decide what checkpoints leave open.

Invariants:

- The steps of a cell stay in their order.
- A step whose record is at or before a checkpoint's seq for its cell comes before that checkpoint;
  a later one comes after it.
- Steps that the page's tracker recorded (an edit with a trigger, a split, …) belong to the interval
  before the first checkpoint that names them, whatever their timestamps. Steps that were recorded
  otherwise before tracking began (a turn, an import) are placed by their timestamps.
- The steps that a copy of a notebook inherited come before all of its own (``inherited``). The
  order of cells at that time belongs to the original notebook: timestamps order these steps.
- Steps that belong to one change of the cell order (a split, a paste, a deletion) form one group
  with that order (``StepGroup.order``).
- The cost is about n log n of the records and entries.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from itertools import accumulate
from typing import NamedTuple

from ..models import NotebookLogEntry
from .cells import Cell
from .step import STRUCTURAL_KINDS, Step


@dataclass(slots=True)
class StepGroup:
    """Steps that happened together, a new order of the cells, or both."""

    timestamp: str
    steps: list[tuple[int, Step]] = field(default_factory=list)
    """The number of a cell in ``order_steps`` and its step."""
    order: CellOrder | None = None
    saves: int = 0
    """The number of saves directly after this group."""


class CellOrder(NamedTuple):
    """The ids of all cells in order, and the types of some."""

    cell_ids: list[str]
    types: dict[str, str]
    timestamp: str


class _Checkpoint(NamedTuple):
    last_seqs: dict[str, int]
    order: CellOrder | None
    timestamp: str
    saved: bool


def order_steps(cells: Sequence[Cell], log: Sequence[NotebookLogEntry]) -> list[StepGroup]:
    """Return the steps of all cells and the orders in the log as groups, oldest first."""
    checkpoints, separate_orders = _read(log)
    intervals = [_Interval() for _ in range(len(checkpoints) + 1)]
    for index, order in separate_orders:
        intervals[index].orders.append(order)
    # Clocks may have been put back.
    times = list(accumulate((to_seconds(each.timestamp) for each in checkpoints), max))
    last_seqs: dict[str, list[tuple[int, int]]] = {}  # by cell: checkpoints and their seqs
    listed_at: dict[str, int] = {}  # by cell: the first checkpoint whose order contains it
    for index, checkpoint in enumerate(checkpoints):
        for cell_id in checkpoint.order.cell_ids if checkpoint.order else ():
            listed_at.setdefault(cell_id, index)
        for cell_id, seq in checkpoint.last_seqs.items():
            last_seqs.setdefault(cell_id, []).append((index, seq))
    placement = _Placement(checkpoints, times, intervals)
    for number, cell in enumerate(cells):
        placement.place(
            number, cell.own_steps, last_seqs.get(cell.cell_id, []), listed_at.get(cell.cell_id)
        )
    groups: list[StepGroup] = []
    for interval, end in zip(intervals, [*checkpoints, None], strict=True):
        groups += interval.groups(end)
        if end and end.saved and groups:
            groups[-1].saves += 1
    return groups


def _read(
    log: Sequence[NotebookLogEntry],
) -> tuple[list[_Checkpoint], list[tuple[int, CellOrder]]]:
    """Return the checkpoints, and the orders without one by the interval they belong to."""
    checkpoints: list[_Checkpoint] = []
    separate: list[tuple[int, CellOrder]] = []
    pending: CellOrder | None = None
    for entry in sorted(log, key=lambda entry: entry.seq):
        cells = entry.data.get("cells") if entry.type == "changed" else None
        is_own = isinstance(cells, dict) and entry.data.get("inherited") is not True
        if pending and not is_own:
            separate.append((len(checkpoints), pending))
            pending = None
        if entry.type == "cell_order":
            pending = _order(entry)
        elif isinstance(cells, dict):
            last_seqs = {cell: seq for cell, seq in cells.items() if type(seq) is int}
            saved = entry.data.get("saved") is True
            checkpoints.append(_Checkpoint(last_seqs, pending, entry.timestamp, saved))
            pending = None
    if pending:
        separate.append((len(checkpoints), pending))
    return checkpoints, separate


def _order(entry: NotebookLogEntry) -> CellOrder | None:
    ids, types = entry.data.get("cell_ids"), entry.data.get("types")
    if not isinstance(ids, list):
        return None
    return CellOrder(
        list(dict.fromkeys(id_ for id_ in ids if isinstance(id_, str))),
        types if isinstance(types, dict) else {},
        entry.timestamp,
    )


class _Interval:
    """The steps and orders between two checkpoints. Steps are by cell number."""

    def __init__(self) -> None:
        self.floating: dict[int, list[Step]] = {}
        """Steps that only their timestamps order."""
        self.pinned: dict[int, list[Step]] = {}
        """Steps that the next checkpoint names; they come after the floating ones."""
        self.orders: list[CellOrder] = []

    def groups(self, end: _Checkpoint | None) -> list[StepGroup]:
        """Return the contents of the interval in order; ``end`` is the checkpoint after it."""
        order = end.order if end else None
        before = {cell: list(steps) for cell, steps in self.floating.items()}
        after: dict[int, list[Step]] = {}
        together: list[tuple[int, Step]] = []
        for cell, steps in self.pinned.items():
            first, last = _structural_range(steps) if order else (len(steps), len(steps))
            before.setdefault(cell, []).extend(steps[:first])
            together += [(cell, step) for step in steps[first:last]]
            after[cell] = steps[last:]
        if order is None:
            return _merge(before, self.orders)
        if not together:
            return _merge(before, [*self.orders, order])
        change = StepGroup(order.timestamp, together, order)
        return [*_merge(before, self.orders), change, *_merge(after, [])]


def _structural_range(steps: Sequence[Step]) -> tuple[int, int]:
    """Return the range (start, end) of steps that belong to a change of the cell order."""
    indexes = [
        n for n, step in enumerate(steps) if step.kind in STRUCTURAL_KINDS or step.kind == "start"
    ]
    return (indexes[0], indexes[-1] + 1) if indexes else (len(steps), len(steps))


def _merge(cells: dict[int, list[Step]], orders: Sequence[CellOrder]) -> list[StepGroup]:
    """Merge the steps of cells and the orders by timestamps; each keeps its own order."""
    rows: list[tuple[float, int, int, StepGroup]] = []
    clock = float("-inf")
    for n, order in enumerate(orders):
        clock = max(clock, to_seconds(order.timestamp))
        rows.append((clock, -1, n, StepGroup(order.timestamp, [], order)))
    for cell, steps in cells.items():
        clock = float("-inf")
        for n, step in enumerate(steps):
            clock = max(clock, to_seconds(_timestamp(step)))
            if n and steps[n - 1].settled_seq == step.seq:
                rows[-1][-1].steps.append((cell, step))  # the edit of a partly accepted answer
            else:
                rows.append((clock, cell, n, StepGroup(_timestamp(step), [(cell, step)])))
    rows.sort(key=lambda row: row[:3])
    return [group for *_, group in rows]


_MAX_CLOCK_SKEW = 2 * 24 * 3600.0  # seconds: two clocks, each a day off


@dataclass
class _Placement:
    """Puts the steps of cells into intervals."""

    checkpoints: Sequence[_Checkpoint]
    times: Sequence[float]
    intervals: Sequence[_Interval]

    def place(
        self,
        cell: int,
        steps: Sequence[Step],
        last_seqs: Sequence[tuple[int, int]],
        listed_at: int | None,
    ) -> None:
        """Place the steps of a cell, given its checkpoints and the first order with it."""
        start, low = 0, 0
        is_named_later = listed_at is not None and bool(last_seqs) and last_seqs[0][0] > listed_at
        if listed_at is not None and is_named_later and not any(map(_is_initial, steps)):
            # The cell was empty when tracking began, otherwise a checkpoint would have named it
            # then. So only steps that are older by more than any clock skew come before that.
            began = to_seconds(self.checkpoints[listed_at].timestamp) - _MAX_CLOCK_SKEW
            while start < len(steps) and to_seconds(_timestamp(steps[start])) < began:
                start += 1
            self._place_by_time(cell, steps[:start], 0, listed_at)
            low = listed_at + 1
        for index, last_seq in last_seqs:
            end = start
            while end < len(steps) and _seq(steps[end]) <= last_seq:
                end += 1
            batch = steps[start:end]
            pinned = _first_pinned(batch, low)
            self._place_by_time(cell, batch[:pinned], low, index)
            if pinned < len(batch):
                self.intervals[index].pinned.setdefault(cell, []).extend(batch[pinned:])
            start, low = end, max(low, index + 1)
        # No checkpoint names the rest yet: steps that changed the source come after all of them.
        rest, last = steps[start:], len(self.times)
        pinned = _first_pinned(rest, low)
        self._place_by_time(cell, rest[:pinned], low, last)
        self._place_by_time(cell, rest[pinned:], last, last)

    def _place_by_time(self, cell: int, steps: Sequence[Step], low: int, high: int) -> None:
        """Put steps into the intervals from ``low`` to ``high`` by their timestamps."""
        for step in steps:
            low = min(max(low, bisect_left(self.times, to_seconds(_timestamp(step)))), high)
            self.intervals[low].floating.setdefault(cell, []).append(step)


def _first_pinned(batch: Sequence[Step], low: int) -> int:
    """Return the index of the first step that stays with the checkpoint that names it."""
    n = next((n for n, step in enumerate(batch) if _is_tracked(step, low)), len(batch))
    while 0 < n < len(batch) and _seq(batch[n - 1]) == _seq(batch[n]):
        n -= 1  # inferred from the same record
    return n


def _is_initial(step: Step) -> bool:
    """Return whether the step is the initial observation, after which tracking began."""
    return step.event == "edit" and (step.data or {}).get("trigger") == "first"


def _is_tracked(step: Step, low: int) -> bool:
    """Return whether the tracker recorded a step; ``low`` is 0 if no checkpoint named its cell."""
    if step.event in STRUCTURAL_KINDS or (step.event == "edit" and "trigger" in (step.data or {})):
        return True
    return low > 0 and step.after != step.before


def _seq(step: Step) -> int:
    """Return the seq of the record by which the step took effect."""
    return step.seq if step.settled_seq is None else step.settled_seq


def _timestamp(step: Step) -> str:
    return step.timestamp if step.settled_at is None else step.settled_at


@lru_cache(4096)
def to_seconds(timestamp: str) -> float:
    """Return seconds since the epoch; UTC if there is no zone, 0 if the text is not a time."""
    text = timestamp.upper().replace("Z", "+00:00").replace(" ", "T")
    head, dot, tail = text.partition(".")
    if dot:  # Python 3.10 only parses three or six digits
        digits = len(tail) - len(tail.lstrip("0123456789"))
        text = f"{head}.{tail[:digits][:6]:0<6}{tail[digits:]}"
    try:
        time = datetime.fromisoformat(text)
        if not time.tzinfo:
            time = datetime.fromisoformat(text + "+00:00")
        return time.timestamp()
    except (ValueError, OverflowError):
        return 0.0
