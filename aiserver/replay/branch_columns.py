"""Assign the steps of a cell to columns, so that branches can be drawn side by side. Pure.

Invariants:

- Column 0 is the path from the first step to the step that produced the cell's current code.
- All steps of an abandoned branch have the same column, at least 1. Two branches only share a
  column if one ends before the other begins.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence

from .step import Step


def assign_columns(steps: Sequence[Step], head: int | None) -> None:
    """Set the ``column`` of each step; ``head`` is the newest step of column 0."""
    branches = _branches(steps, head)
    free: list[int] = []
    used: list[tuple[int, int]] = []  # the last step of a branch, its column
    count = 1
    # By the step that a branch starts from: its own first step comes later.
    for start, end, members in sorted(branches, key=lambda branch: branch[:2]):
        while used and used[0][0] <= start:
            heapq.heappush(free, heapq.heappop(used)[1])
        if free:
            column = heapq.heappop(free)
        else:
            column, count = count, count + 1
        heapq.heappush(used, (end, column))
        for index in members:
            steps[index].column = column


def _branches(steps: Sequence[Step], head: int | None) -> list[tuple[int, int, list[int]]]:
    """Return the abandoned branches: the step it starts from, its last step, and all its steps."""
    visited = [False] * len(steps)
    for index in _path(steps, head, visited):
        steps[index].column = 0
    branches = []
    # Newest tip first: it gets the trunk that it shares with older tips.
    for step in reversed(steps):
        if not visited[step.index]:
            members = _path(steps, step.index, visited)
            parent = steps[members[-1]].parent
            branches.append((-1 if parent is None else parent, step.index, members))
    return branches


def _path(steps: Sequence[Step], tip: int | None, visited: list[bool]) -> list[int]:
    """Return the steps from ``tip`` back to the first visited one; marks them as visited."""
    path = []
    while tip is not None and not visited[tip]:
        visited[tip] = True
        path.append(tip)
        tip = steps[tip].parent
    return path
