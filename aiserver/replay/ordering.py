"""Order the steps of all cells of a notebook. Pure.

``seq`` only orders the records of one cell. A checkpoint, a ``changed`` entry of the change log,
contains the newest seq of some cells: their *last seq*. The steps between two checkpoints are an
interval.

Invariants:

- The steps of a cell stay in their order, and come before or after a checkpoint by their seqs.
- Steps that the page's tracker recorded belong to the interval before the first checkpoint that
  includes them. Others, from before tracking began, are placed by their timestamps.
- In a copied notebook, the copied steps come before its own ones, from the checkpoint with the
  field ``inherited`` on.
- Steps that belong to one change of the cell order form one group with that order, and so do those
  that restore the whole notebook.
- The cost is about n log n for n records and entries.
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
    order: CellOrder | None = None
    save_count: int = 0


class CellOrder(NamedTuple):
    """All cell ids in order, and some cells' types."""

    cell_ids: list[str]
    types: dict[str, str]
    timestamp: str


class _Checkpoint(NamedTuple):
    """A ``changed`` entry, with its cell order, if any."""

    last_seqs: dict[str, int]
    order: CellOrder | None
    timestamp: str
    saved: bool


def order_steps(cells: Sequence[Cell], log: Sequence[NotebookLogEntry]) -> list[StepGroup]:
    """Return all steps and cell orders as groups, oldest first."""
    checkpoints, separate_orders = _read_log(log)
    intervals = [_Interval() for _ in range(len(checkpoints) + 1)]
    for index, order in separate_orders:
        intervals[index].orders.append(order)
    # A clock may have been set back.
    times = list(accumulate((to_seconds(point.timestamp) for point in checkpoints), max))
    # By cell, its checkpoints and its last seqs in them.
    last_seqs: dict[str, list[tuple[int, int]]] = {}
    # By cell, the last checkpoint that added it to the order before any had its last seq.
    added_at: dict[str, int] = {}
    listed: set[str] = set()
    for index, checkpoint in enumerate(checkpoints):
        for cell_id, seq in checkpoint.last_seqs.items():
            last_seqs.setdefault(cell_id, []).append((index, seq))
        if checkpoint.order:
            for cell_id in checkpoint.order.cell_ids:
                if cell_id not in listed and cell_id not in last_seqs:
                    added_at[cell_id] = index
            listed = set(checkpoint.order.cell_ids)
    placement = _Placement(checkpoints, times, intervals)
    for number, cell in enumerate(cells):
        placement.place(
            number, cell.own_steps, last_seqs.get(cell.cell_id, []), added_at.get(cell.cell_id)
        )
    groups: list[StepGroup] = []
    for interval, end in zip(intervals, [*checkpoints, None], strict=True):
        groups += interval.groups(end)
        if end and end.saved and groups:
            groups[-1].save_count += 1
    return groups


def _read_log(
    log: Sequence[NotebookLogEntry],
) -> tuple[list[_Checkpoint], list[tuple[int, CellOrder]]]:
    checkpoints: list[_Checkpoint] = []
    separate_orders: list[tuple[int, CellOrder]] = []
    last_order: CellOrder | None = None  # the order in the previous entry
    for entry in sorted(log, key=lambda entry: entry.seq):
        cells = entry.data.get("cells") if entry.type == "changed" else None
        can_have_order = isinstance(cells, dict) and entry.data.get("inherited") is not True
        if last_order and not can_have_order:
            separate_orders.append((len(checkpoints), last_order))
            last_order = None
        if entry.type == "cell_order":
            last_order = _read_order(entry)
        elif isinstance(cells, dict):
            last_seqs = {cell: seq for cell, seq in cells.items() if type(seq) is int}
            saved = entry.data.get("saved") is True
            checkpoints.append(_Checkpoint(last_seqs, last_order, entry.timestamp, saved))
            last_order = None
    if last_order:
        separate_orders.append((len(checkpoints), last_order))
    return checkpoints, separate_orders


def _read_order(entry: NotebookLogEntry) -> CellOrder | None:
    ids, types = entry.data.get("cell_ids"), entry.data.get("types")
    if not isinstance(ids, list):
        return None
    return CellOrder(
        list(dict.fromkeys(id_ for id_ in ids if isinstance(id_, str))),
        types if isinstance(types, dict) else {},
        entry.timestamp,
    )


class _Interval:
    """The steps and cell orders between two checkpoints."""

    def __init__(self) -> None:
        self.floating: dict[int, list[Step]] = {}
        self.pinned: dict[int, list[Step]] = {}
        """The steps that the checkpoint at the end is the first to include, after the floating
        ones."""
        self.orders: list[CellOrder] = []

    def groups(self, end: _Checkpoint | None) -> list[StepGroup]:
        """Return groups, oldest first; ``end`` is the next checkpoint."""
        order = end.order if end else None
        steps_before = {cell: list(steps) for cell, steps in self.floating.items()}
        steps_after: dict[int, list[Step]] = {}
        steps_of_order: list[tuple[int, Step]] = []
        for cell, steps in self.pinned.items():
            start, stop = _group_range(steps, has_order=order is not None)
            steps_before.setdefault(cell, []).extend(steps[:start])
            steps_of_order += [(cell, step) for step in steps[start:stop]]
            steps_after[cell] = steps[stop:]
        if not steps_of_order:
            return _merge(steps_before, [*self.orders, *([order] if order else [])])
        timestamp = order.timestamp if order else steps_of_order[0][1].timestamp
        group = StepGroup(timestamp, steps_of_order, order)
        return [*_merge(steps_before, self.orders), group, *_merge(steps_after, [])]


def _group_range(steps: Sequence[Step], *, has_order: bool) -> tuple[int, int]:
    """Return the range of the steps that belong to a change of the cell order, or to restoring the
    whole notebook; empty at the end."""
    indexes = [
        n
        for n, step in enumerate(steps)
        if step.restored_to
        or (has_order and (step.kind in STRUCTURAL_KINDS or step.kind == "start"))
    ]
    return (indexes[0], indexes[-1] + 1) if indexes else (len(steps), len(steps))


def _merge(cells: dict[int, list[Step]], orders: Sequence[CellOrder]) -> list[StepGroup]:
    """Merge steps and cell orders by their timestamps, each in its own order."""
    keyed_groups: list[tuple[float, int, int, StepGroup]] = []
    time = float("-inf")
    for n, order in enumerate(orders):
        time = max(time, to_seconds(order.timestamp))
        keyed_groups.append((time, -1, n, StepGroup(order.timestamp, [], order)))
    for cell, steps in cells.items():
        time = float("-inf")
        for n, step in enumerate(steps):
            time = max(time, to_seconds(_timestamp(step)))
            if n and steps[n - 1].settled_seq == step.seq:
                # This edit comes from the same accept event as the turn's outcome.
                keyed_groups[-1][-1].steps.append((cell, step))
            else:
                keyed_groups.append((time, cell, n, StepGroup(_timestamp(step), [(cell, step)])))
    keyed_groups.sort(key=lambda keyed_group: keyed_group[:3])
    return [group for *_, group in keyed_groups]


# The maximum difference in seconds: each of two clocks may be wrong by a day.
_MAX_CLOCK_SKEW = 2 * 24 * 3600.0


@dataclass
class _Placement:
    checkpoints: Sequence[_Checkpoint]
    times: Sequence[float]
    intervals: Sequence[_Interval]

    def place(
        self,
        cell: int,
        steps: Sequence[Step],
        last_seqs: Sequence[tuple[int, int]],
        added_at: int | None,
    ) -> None:
        """Put a cell's steps into intervals; for the arguments, see ``order_steps``."""
        # The next step, and the first interval that it may be in.
        start, first_interval = 0, 0
        if added_at is not None and not any(map(_is_initial, steps)):
            # Without an earlier last seq, the cell had no records when it was added: deleting it
            # would have been recorded. So only much older steps come before.
            latest_time = to_seconds(self.checkpoints[added_at].timestamp) - _MAX_CLOCK_SKEW
            while start < len(steps) and to_seconds(_timestamp(steps[start])) < latest_time:
                start += 1
            self._place_by_time(cell, steps[:start], 0, added_at)
            first_interval = added_at + 1
        for index, last_seq in last_seqs:
            end = start
            while end < len(steps) and _seq(steps[end]) <= last_seq:
                end += 1
            new_steps = steps[start:end]
            pinned = _first_pinned(new_steps, first_interval)
            self._place_by_time(cell, new_steps[:pinned], first_interval, index)
            if pinned < len(new_steps):
                self.intervals[index].pinned.setdefault(cell, []).extend(new_steps[pinned:])
            start, first_interval = end, max(first_interval, index + 1)
        # The remaining steps, from the first that the tracker recorded on, come after all
        # checkpoints.
        new_steps, last = steps[start:], len(self.times)
        pinned = _first_pinned(new_steps, first_interval)
        self._place_by_time(cell, new_steps[:pinned], first_interval, last)
        self._place_by_time(cell, new_steps[pinned:], last, last)

    def _place_by_time(self, cell: int, steps: Sequence[Step], first: int, last: int) -> None:
        index = first
        for step in steps:
            index = min(max(index, bisect_left(self.times, to_seconds(_timestamp(step)))), last)
            self.intervals[index].floating.setdefault(cell, []).append(step)


def _first_pinned(steps: Sequence[Step], first_interval: int) -> int:
    n = next((n for n, step in enumerate(steps) if _is_tracked(step, first_interval)), len(steps))
    while 0 < n < len(steps) and _seq(steps[n - 1]) == _seq(steps[n]):
        n -= 1  # the step before comes from the same record
    return n


def _is_initial(step: Step) -> bool:
    return step.event == "edit" and (step.data or {}).get("trigger") == "first"


def _is_tracked(step: Step, first_interval: int) -> bool:
    """Return whether the tracker recorded a step.

    If ``first_interval`` is above 0, an earlier checkpoint has the cell, and the tracker recorded
    all later changes.
    """
    if step.event in STRUCTURAL_KINDS or (step.event == "edit" and "trigger" in (step.data or {})):
        return True
    return first_interval > 0 and step.after != step.before


def _seq(step: Step) -> int:
    return step.seq if step.settled_seq is None else step.settled_seq


def _timestamp(step: Step) -> str:
    return step.timestamp if step.settled_at is None else step.settled_at


@lru_cache(4096)
def to_seconds(timestamp: str) -> float:
    """Return seconds since the epoch, by default in UTC; 0 if it isn't a time."""
    text = timestamp.upper().replace("Z", "+00:00").replace(" ", "T")
    head, dot, tail = text.partition(".")
    if dot:  # Python 3.10 parses three or six digits
        digits = len(tail) - len(tail.lstrip("0123456789"))
        text = f"{head}.{tail[:digits][:6]:0<6}{tail[digits:]}"
    try:
        time = datetime.fromisoformat(text)
        if not time.tzinfo:
            time = datetime.fromisoformat(text + "+00:00")
        return time.timestamp()
    except (ValueError, OverflowError):
        return 0.0
