"""Find the current numbers (``seq``) of records that merges of git branches have renumbered.

A merge keeps the numbers of the records from one branch, and appends the records from the other
branch with new numbers. A change log entry, or an event of another cell, may still refer to a
record by its old number. For each merge, the session's ``meta.merged`` contains the merge's id and
the ranges of numbers that it changed: ``{"id": …, "seqs": [[first old, last old, first new], …]}``.

The field ``merged`` of an entry or event has the merges that it went through after it was written:
a list of *merge paths*, each a list of ids of merges, oldest first. There are several if copies of
the entry or event went through different merges. The functions are pure.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from typing import Any


def build_renumbering(merge_id: str, numbers: Mapping[int, int]) -> dict[str, Any] | None:
    """Return the item of ``meta.merged`` for a merge; None if no number in ``numbers`` changes."""
    ranges: list[list[int]] = []
    for old, new in sorted(numbers.items()):
        if old == new:
            continue
        if ranges and ranges[-1][1] + 1 == old and ranges[-1][2] + old - ranges[-1][0] == new:
            ranges[-1][1] = old
        else:
            ranges.append([old, old, new])
    return {"id": merge_id, "seqs": ranges} if ranges else None


class Renumberings:
    """The ``meta.merged`` of a session, prepared to look up many numbers."""

    def __init__(self, merged: object) -> None:
        self._merges = {
            merge["id"]: _Merge(merge["seqs"])
            for merge in (merged if isinstance(merged, Sequence) else ())
            if isinstance(merge, dict)
            and isinstance(merge.get("id"), str)
            and _are_ranges(merge.get("seqs"))
        }

    def current_seq(self, merge_paths: object, seq: int) -> int:
        """Return the current number of the record that had ``seq`` before the merges."""
        for merge in self._along_path(merge_paths):
            seq = merge.new_seq(seq)
        return seq

    def current_end(self, merge_paths: object, seq: int) -> int:
        """Return the highest current number of records up to ``seq`` before the merges."""
        for merge in self._along_path(merge_paths):
            seq = merge.new_end(seq)
        return seq

    def _along_path(self, merge_paths: object) -> list[_Merge]:
        """Return the merges of the merge path that has the most known merges, oldest first.

        A merge is unknown if only one branch changed a session's file, because git then takes this
        file unchanged. Paths whose merges are all known lead to the same record.
        """
        if not isinstance(merge_paths, Sequence):
            return []
        by_path = [
            [self._merges[id_] for id_ in path if isinstance(id_, str) and id_ in self._merges]
            for path in merge_paths
            if isinstance(path, Sequence)
        ]
        return max(by_path, key=len, default=[])


class _Merge:
    """The ranges of the old numbers that one merge changed, each with its first new number."""

    def __init__(self, ranges: Sequence[list[int]]) -> None:
        self._ranges = sorted(ranges)
        self._firsts = [first for first, _, _ in self._ranges]
        # Inside a range, and in the gap between two ranges, a higher old number has a higher new
        # number. So the highest new number belongs to the number looked for, the last number of a
        # range, or the number directly before a range. For each number of ranges, the highest:
        self._ends = [0]
        for first, last, new in self._ranges:
            self._ends.append(max(self._ends[-1], self.new_seq(first - 1), new + last - first))

    def new_seq(self, seq: int) -> int:
        """Return the new number of the record that had the number ``seq``."""
        place = bisect_right(self._firsts, seq) - 1
        if place < 0 or seq > self._ranges[place][1]:
            return seq
        first, _, new = self._ranges[place]
        return new + seq - first

    def new_end(self, seq: int) -> int:
        """Return the highest new number of the records whose numbers were at most ``seq``."""
        count = bisect_right(self._firsts, seq)
        candidates = [self.new_seq(seq)]
        if count and seq < self._ranges[count - 1][1]:  # the last range ends after ``seq``
            count -= 1
            candidates.append(self.new_seq(self._firsts[count] - 1))
        return max(*candidates, self._ends[count])


def _are_ranges(value: object) -> bool:
    return isinstance(value, list) and all(
        isinstance(range_, list) and len(range_) == 3 and all(type(n) is int for n in range_)
        for range_ in value
    )
