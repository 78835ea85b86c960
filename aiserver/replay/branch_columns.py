"""Assign a column to each step of a cell, so that branches can be drawn side by side. Pure.

Column 0 contains the steps that led to the cell's current code, each other column abandoned
branches of which one ends before the next begins.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence

from .step import Step


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
    # Steps that several branches share belong to the branch whose last step is the newest.
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
