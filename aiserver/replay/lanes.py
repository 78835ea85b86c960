"""Which line of the tree of steps each one lies on. Pure.

What must hold:

- Lane 0 is the way from the first step to the one that the cell's code goes on from.
- Of a branch that was left, each step has the same lane, at least 1; two branches share a lane
  only if one ends before the other leaves its own: so a lane is a column that can be drawn.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from typing import Protocol


class Node(Protocol):
    """A step of the tree. Its parent, if any, comes before it."""

    index: int
    parent: int | None
    lane: int


def lay_out(steps: Sequence[Node], head: int | None) -> None:
    """Set the ``lane`` of each step; ``head`` is the newest step of lane 0."""
    branches = _branches(steps, head)
    free: list[int] = []
    taken: list[tuple[int, int]] = []  # where a branch ends, its lane
    count = 1
    # By where they leave: the first step of a branch, at the latest the one after its parent.
    for start, end, members in sorted(branches, key=lambda branch: branch[:2]):
        while taken and taken[0][0] <= start:
            heapq.heappush(free, heapq.heappop(taken)[1])
        if free:
            lane = heapq.heappop(free)
        else:
            lane, count = count, count + 1
        heapq.heappush(taken, (end, lane))
        for index in members:
            steps[index].lane = lane


def _branches(steps: Sequence[Node], head: int | None) -> list[tuple[int, int, list[int]]]:
    """Each branch that was left: the step it leaves from, its last step, and all its steps."""
    seen = [False] * len(steps)
    for index in _way(steps, head, seen):
        steps[index].lane = 0
    branches = []
    # The newest tip takes the trunk that it shares with older ones.
    for step in reversed(steps):
        if not seen[step.index]:
            members = _way(steps, step.index, seen)
            parent = steps[members[-1]].parent
            branches.append((-1 if parent is None else parent, step.index, members))
    return branches


def _way(steps: Sequence[Node], tip: int | None, seen: list[bool]) -> list[int]:
    """The steps from this one back to where others have been already."""
    way = []
    while tip is not None and not seen[tip]:
        seen[tip] = True
        way.append(tip)
        tip = steps[tip].parent
    return way
