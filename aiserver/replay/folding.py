"""Combine a cell's steps into those that are shown, numbered and drawn in columns. Pure.

Parts of an earlier step are the runs of the code that it wrote; changes of a suggestion before it
was accepted, so that a request is one step (P49); and a paste directly after the cut, as a move.

Column 0 contains the steps that led to the cell's current code, each other column abandoned
branches of which one ends before the next begins.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from itertools import accumulate

from .step import Step


def assign_parts(steps: Sequence[Step]) -> None:
    """Set ``part_of`` of each part."""
    shown: list[tuple[Step, str]] = []  # each with the source after it and its parts
    for step, previous in zip(steps, [None, *steps], strict=False):
        if step.kind == "run":
            step.part_of = _step_of_run(shown, step)
        elif previous and _changes_accepted(previous, step):
            step.part_of = previous.index if previous.part_of is None else previous.part_of
        elif previous and _is_cut_and_paste(previous, step):
            step.part_of = previous.index
        if step.part_of is None:
            shown.append((step, step.after))
        elif step.kind == "edit":
            shown[-1] = shown[-1][0], step.after


def shown_steps(steps: Sequence[Step]) -> Iterator[tuple[Step, list[Step]]]:
    """Yield each step that isn't a part, with its parts."""
    parts: dict[int, list[Step]] = {}
    for step in steps:
        if step.part_of is not None:
            parts.setdefault(step.part_of, []).append(step)
    return ((step, parts.get(step.index, [])) for step in steps if step.part_of is None)


def shown_numbers(steps: Sequence[Step]) -> list[int]:
    """Return shown numbers, from 1; a part has that of its step."""
    numbers = list(accumulate(int(step.part_of is None) for step in steps))
    return [numbers[step.index if step.part_of is None else step.part_of] for step in steps]


def request_numbers(steps: Sequence[Step]) -> dict[int, tuple[int, Step]]:
    """Return the number of each turn's request, and its step.

    The number is 0 if the request has no answer or was asked again.
    """
    numbers: dict[int, tuple[int, Step]] = {}
    count = 0
    for step in steps:
        if step.kind == "turn":
            is_counted = step.outcome not in ("error", "cancelled", "repeated")
            count += is_counted
            numbers |= dict.fromkeys(step.turn_ids, (count if is_counted else 0, step))
    return numbers


def _changes_accepted(previous: Step, step: Step) -> bool:
    is_same_event = step.seq in (previous.seq, previous.settled_seq)
    return (step.kind, step.event) == ("edit", "accept") and previous.applied and is_same_event


def _is_cut_and_paste(cut: Step, paste: Step) -> bool:
    if (cut.kind, paste.kind, paste.code) != ("delete", "undelete", cut.code):
        return False
    # ``after`` is the cell above, None for the first cell.
    above = [(step.data or {}).get("after", 0) for step in (cut, paste)]
    return above[0] != above[1] and all(id_ is None or isinstance(id_, str) for id_ in above)


def _step_of_run(shown: Sequence[tuple[Step, str]], run: Step) -> int | None:
    index = None
    for step, after in reversed(shown):
        if after != run.code:
            break
        if step.applied:
            index = step.index
            if step.before != run.code or step.kind == "turn":
                break
    return index


def assign_columns(steps: Sequence[Step], current_step: int | None) -> None:
    """Set the ``column`` of each step. ``current_step`` led to the current code."""
    branches = _abandoned_branches(steps, current_step)
    free_columns: list[int] = []
    used_columns: list[tuple[int, int]] = []  # (last step of the branch, its column)
    column_count = 1
    # A branch occupies its column from the step that it continues from, because a line is drawn
    # there.
    for start, end, indexes in sorted(branches, key=lambda branch: branch[:2]):
        while used_columns and used_columns[0][0] <= start:
            heapq.heappush(free_columns, heapq.heappop(used_columns)[1])
        if free_columns:
            column = heapq.heappop(free_columns)
        else:
            column, column_count = column_count, column_count + 1
        heapq.heappush(used_columns, (end, column))
        for index in indexes:
            steps[index].column = column


def _abandoned_branches(
    steps: Sequence[Step], current_step: int | None
) -> list[tuple[int, int, list[int]]]:
    visited = [False] * len(steps)
    for index in _visit_ancestors(steps, current_step, visited):
        steps[index].column = 0
    branches = []
    # Shared steps belong to the branch with the newest last step.
    for step in reversed(steps):
        if not visited[step.index]:
            indexes = _visit_ancestors(steps, step.index, visited)
            parent = steps[indexes[-1]].parent
            branches.append((-1 if parent is None else parent, step.index, indexes))
    return branches


def _visit_ancestors(steps: Sequence[Step], index: int | None, visited: list[bool]) -> list[int]:
    indexes = []
    while index is not None and not visited[index]:
        visited[index] = True
        indexes.append(index)
        index = steps[index].parent
    return indexes
