"""Order the steps of all cells of a notebook. Pure.

``seq`` only orders the records of one cell. The change log orders the records of different cells.
In this module, a ``changed`` entry of the log is called a checkpoint. A checkpoint contains some of
the cells. For each of them, it contains the seq of the cell's newest record at that time: the
cell's *last seq*. The checkpoint *includes* the cell's records up to the last seq. The cell's later
records are newer than the checkpoint. The steps between two checkpoints are an interval. Timestamps
are only used for steps that the checkpoints don't order.

Invariants:

- The steps of a cell stay in their order.
- If a checkpoint contains a cell's last seq, the cell's steps up to this seq come before the
  checkpoint, and the cell's later steps come after the checkpoint.
- Steps that the page's tracker recorded (an edit with a trigger, a split, …) belong to the interval
  before the first checkpoint that includes them, whatever their timestamps are. Steps that were
  recorded in other ways before tracking began (a turn, an import) are placed by their timestamps.
- If a notebook was copied from another notebook, the steps that were copied with it come before its
  own steps. The copy's log doesn't contain the checkpoints of the original notebook, so only
  timestamps order the copied steps. In the copy's log, the checkpoint directly after the copied
  steps has the field ``inherited``.
- Steps that belong to one change of the cell order (a split, a paste, a deletion) form one group
  with that order (``StepGroup.order``).
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
    """Pairs of a cell's index (in the list that ``order_steps`` gets) and a step of that cell."""
    order: CellOrder | None = None
    save_count: int = 0
    """The number of saves directly after this group."""


class CellOrder(NamedTuple):
    """An order of the notebook's cells: all ids in order, and the types of some cells by id."""

    cell_ids: list[str]
    types: dict[str, str]
    timestamp: str


class _Checkpoint(NamedTuple):
    """A ``changed`` entry of the change log.

    ``last_seqs`` contains, by cell id, the last seq of each cell in the entry. ``order`` is the
    cell order that was written with the entry, if any. ``saved`` means that the notebook was saved
    in this state.
    """

    last_seqs: dict[str, int]
    order: CellOrder | None
    timestamp: str
    saved: bool


def order_steps(cells: Sequence[Cell], log: Sequence[NotebookLogEntry]) -> list[StepGroup]:
    """Group the steps of all cells and the cell orders in the log; return the groups, oldest first.

    ``log`` is the notebook's change log.
    """
    checkpoints, separate_orders = _read_log(log)
    intervals = [_Interval() for _ in range(len(checkpoints) + 1)]
    for index, order in separate_orders:
        intervals[index].orders.append(order)
    # The times must not decrease. If a clock was set back, so that a time is lower than an earlier
    # one, the highest time so far is used instead.
    times = list(accumulate((to_seconds(point.timestamp) for point in checkpoints), max))
    # Maps a cell id to pairs: the index of a checkpoint with the cell, and the last seq in it.
    last_seqs: dict[str, list[tuple[int, int]]] = {}
    # Maps a cell id to the index of the last checkpoint that added the cell to the order before any
    # checkpoint contained a last seq of the cell.
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
    """Return the checkpoints, and the cell orders that belong to no checkpoint.

    Each of these orders is returned in a pair with the index of its interval. An order belongs to a
    checkpoint if the checkpoint's entry directly follows the order's entry and isn't ``inherited``.
    """
    checkpoints: list[_Checkpoint] = []
    separate_orders: list[tuple[int, CellOrder]] = []
    last_order: CellOrder | None = None  # the order in the previous entry, if there is one
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
    """The steps and the cell orders between two checkpoints."""

    def __init__(self) -> None:
        self.floating: dict[int, list[Step]] = {}
        """Maps a cell's index to the steps that were put here because of their timestamps."""
        self.pinned: dict[int, list[Step]] = {}
        """Maps a cell's index to the steps that were put here because the checkpoint at the end of
        the interval is the first to include them. They come after the cell's floating steps."""
        self.orders: list[CellOrder] = []

    def groups(self, end: _Checkpoint | None) -> list[StepGroup]:
        """Return the contents of the interval as groups, oldest first.

        ``end`` is the checkpoint at the end of the interval; None for the last interval.
        """
        order = end.order if end else None
        steps_before = {cell: list(steps) for cell, steps in self.floating.items()}
        steps_after: dict[int, list[Step]] = {}
        steps_of_order: list[tuple[int, Step]] = []
        for cell, steps in self.pinned.items():
            start, stop = _structural_range(steps) if order else (len(steps), len(steps))
            steps_before.setdefault(cell, []).extend(steps[:start])
            steps_of_order += [(cell, step) for step in steps[start:stop]]
            steps_after[cell] = steps[stop:]
        if order is None:
            return _merge(steps_before, self.orders)
        if not steps_of_order:
            return _merge(steps_before, [*self.orders, order])
        group = StepGroup(order.timestamp, steps_of_order, order)
        return [*_merge(steps_before, self.orders), group, *_merge(steps_after, [])]


def _structural_range(steps: Sequence[Step]) -> tuple[int, int]:
    """Return the range (start, end) of the steps that belong to a change of the cell order.

    If there is no such step, both numbers are ``len(steps)``.
    """
    indexes = [
        n for n, step in enumerate(steps) if step.kind in STRUCTURAL_KINDS or step.kind == "start"
    ]
    return (indexes[0], indexes[-1] + 1) if indexes else (len(steps), len(steps))


def _merge(cells: dict[int, list[Step]], orders: Sequence[CellOrder]) -> list[StepGroup]:
    """Merge the steps of several cells and the cell orders by their timestamps.

    The steps of one cell stay in their order, and the cell orders stay in theirs.
    """
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
                # The suggestion of the turn before this step was accepted with changes. This step,
                # an edit, comes from the same accept event, so it belongs to the turn's group.
                keyed_groups[-1][-1].steps.append((cell, step))
            else:
                keyed_groups.append((time, cell, n, StepGroup(_timestamp(step), [(cell, step)])))
    keyed_groups.sort(key=lambda keyed_group: keyed_group[:3])
    return [group for *_, group in keyed_groups]


# The maximum difference of two clocks in seconds; each of them may be wrong by a day.
_MAX_CLOCK_SKEW = 2 * 24 * 3600.0


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
        added_at: int | None,
    ) -> None:
        """Put the steps of a cell into intervals.

        ``last_seqs`` contains the index of each checkpoint that contains the cell, and the cell's
        last seq in this checkpoint. ``added_at`` is the index of the last checkpoint that added the
        cell to the order before any checkpoint contained a last seq of the cell, or None.
        """
        # ``start`` is the index of the first step that isn't placed yet, and ``first_interval`` the
        # index of the first interval that this step may be in.
        start, first_interval = 0, 0
        if added_at is not None and not any(map(_is_initial, steps)):
            # No checkpoint up to this one contains a last seq of the cell. So the cell had no
            # records when it was added, even if it was in the notebook earlier: the deletion of a
            # cell with records would have been recorded. A step comes before this checkpoint only
            # if the step's timestamp is much older. A small difference may only mean that two
            # clocks differ.
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
        # No checkpoint includes the remaining steps. If the tracker recorded any of them, the first
        # step that it recorded and all later steps come after all checkpoints.
        new_steps, last = steps[start:], len(self.times)
        pinned = _first_pinned(new_steps, first_interval)
        self._place_by_time(cell, new_steps[:pinned], first_interval, last)
        self._place_by_time(cell, new_steps[pinned:], last, last)

    def _place_by_time(self, cell: int, steps: Sequence[Step], first: int, last: int) -> None:
        """Put steps into the intervals from ``first`` to ``last`` by their timestamps.

        No step is put into an earlier interval than the step before it.
        """
        index = first
        for step in steps:
            index = min(max(index, bisect_left(self.times, to_seconds(_timestamp(step)))), last)
            self.intervals[index].floating.setdefault(cell, []).append(step)


def _first_pinned(steps: Sequence[Step], first_interval: int) -> int:
    """Return the index of the first step that belongs to ``_Interval.pinned``.

    ``first_interval`` is the index of the first interval that the steps may be in. If no step
    belongs to ``pinned``, return ``len(steps)``.
    """
    n = next((n for n, step in enumerate(steps) if _is_tracked(step, first_interval)), len(steps))
    while 0 < n < len(steps) and _seq(steps[n - 1]) == _seq(steps[n]):
        n -= 1  # the step before this step comes from the same record
    return n


def _is_initial(step: Step) -> bool:
    """Return whether the step is the initial observation of its cell."""
    return step.event == "edit" and (step.data or {}).get("trigger") == "first"


def _is_tracked(step: Step, first_interval: int) -> bool:
    """Return whether the tracker recorded a step.

    ``first_interval`` is the index of the first interval that the step may be in. It is above 0 if
    an earlier checkpoint or its order contains the step's cell. After such a checkpoint, the
    tracker recorded every step that changed the source.
    """
    if step.event in STRUCTURAL_KINDS or (step.event == "edit" and "trigger" in (step.data or {})):
        return True
    return first_interval > 0 and step.after != step.before


def _seq(step: Step) -> int:
    """Return ``step.settled_seq``, or ``step.seq`` if the step has no ``settled_seq``."""
    return step.seq if step.settled_seq is None else step.settled_seq


def _timestamp(step: Step) -> str:
    return step.timestamp if step.settled_at is None else step.settled_at


@lru_cache(4096)
def to_seconds(timestamp: str) -> float:
    """Return a timestamp in seconds since the epoch; 0 if the text isn't a time.

    A timestamp without a time zone is in UTC.
    """
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
