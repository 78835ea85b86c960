"""Find the current seqs of records that merges of git branches have renumbered.

A merge gives the records of one branch new seqs. A change log entry, or an event of another cell,
may still have the old ones. For each merge, the session's ``meta.merged`` contains its id and the
ranges that it changed: ``{"id": …, "seqs": [[first old, last old, first new], …]}``.

``merged`` of an entry or event has the *merge paths* that it went through, each a list of ids of
merges, oldest first. There are several if copies went through different merges. Pure.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from typing import Any


def build_renumbering(merge_id: str, numbers: Mapping[int, int]) -> dict[str, Any] | None:
    """Return an item of ``meta.merged``; None if no number changes."""
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
    """The ``meta.merged`` of a session, prepared to look up many seqs."""

    def __init__(self, merged: object) -> None:
        self._merges = {
            merge["id"]: _Merge(merge["seqs"])
            for merge in (merged if isinstance(merged, Sequence) else ())
            if isinstance(merge, dict)
            and isinstance(merge.get("id"), str)
            and _are_ranges(merge.get("seqs"))
        }

    def current_seq(self, merge_paths: object, seq: int) -> int:
        """Return the current seq of the record that had ``seq``."""
        for merge in self._along_path(merge_paths):
            seq = merge.new_seq(seq)
        return seq

    def current_end(self, merge_paths: object, seq: int) -> int:
        """Return the highest current seq of the records that had seqs up to ``seq``."""
        for merge in self._along_path(merge_paths):
            seq = merge.new_end(seq)
        return seq

    def _along_path(self, merge_paths: object) -> list[_Merge]:
        """Return the merges of the path with the most known ones, oldest first.

        A merge is unknown if only one branch changed the file, which git then takes unchanged.
        Paths whose merges are all known lead to the same record.
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
    """The ranges that a merge changed, each with its first new number."""

    def __init__(self, ranges: Sequence[list[int]]) -> None:
        self._ranges = sorted(ranges)
        self._firsts = [first for first, _, _ in self._ranges]
        # Inside a range, and between two, new numbers increase. So the highest is that of the
        # number looked for, of the last of a range, or of the one before a range. For each number
        # of ranges, the highest:
        self._ends = [0]
        for first, last, new in self._ranges:
            self._ends.append(max(self._ends[-1], self.new_seq(first - 1), new + last - first))

    def new_seq(self, seq: int) -> int:
        place = bisect_right(self._firsts, seq) - 1
        if place < 0 or seq > self._ranges[place][1]:
            return seq
        first, _, new = self._ranges[place]
        return new + seq - first

    def new_end(self, seq: int) -> int:
        """Return the highest new number of the records up to ``seq``."""
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
