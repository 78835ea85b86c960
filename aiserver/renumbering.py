"""Find the current numbers (``seq``) of records that merges of git branches have renumbered.

A merge keeps the numbers of the records from one branch, and appends the records from the other
branch with new numbers. A change log entry, or an event of another cell, may still refer to a
record by its old number. For each merge, the session's ``meta.merged`` contains the merge's id and
the ranges of numbers that it changed: ``{"id": …, "seqs": [[first old, last old, first new], …]}``.

An entry or event says in its field ``merged`` which merges it went through after it was written.
The field is a list of *merge paths*. Each merge path is a list of ids of merges, oldest first.
There are several merge paths if copies of the entry or event went through different merges.

The functions are pure.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


def build_renumbering(merge_id: str, numbers: Mapping[int, int]) -> dict[str, Any] | None:
    """Return the item of ``meta.merged`` for a merge, or None if the merge changes no number.

    ``numbers`` maps the old number of each record to its new number.
    """
    ranges: list[list[int]] = []
    for old, new in sorted(numbers.items()):
        if old == new:
            continue
        if ranges and ranges[-1][1] + 1 == old and ranges[-1][2] + old - ranges[-1][0] == new:
            ranges[-1][1] = old
        else:
            ranges.append([old, old, new])
    return {"id": merge_id, "seqs": ranges} if ranges else None


def current_seq(merged: object, merge_paths: object, seq: int) -> int:
    """Return the current number of a record. ``seq`` is its number before the merges.

    ``merged`` is the ``meta.merged`` of the record's session. ``merge_paths`` is the field
    ``merged`` of the entry or event that refers to the record.
    """
    for ranges in _ranges_along_path(merged, merge_paths):
        seq = _map_seq(ranges, seq)
    return seq


def current_end(merged: object, merge_paths: object, seq: int) -> int:
    """Return the highest current number of the records whose old numbers were at most ``seq``.

    ``seq`` and the old numbers are from before the merges. The other arguments are those of
    ``current_seq``.
    """
    for ranges in _ranges_along_path(merged, merge_paths):
        # Inside a range, and in the gap between two ranges, a higher old number has a higher new
        # number. So the highest new number belongs to one of these old numbers: `seq`, the last
        # number of a range, or the number directly before a range.
        old_numbers = {
            seq,
            *(last for _, last, _ in ranges),
            *(first - 1 for first, _, _ in ranges),
        }
        seq = max(_map_seq(ranges, number) for number in old_numbers if number <= seq)
    return seq


def _ranges_along_path(merged: object, merge_paths: object) -> list[list[list[int]]]:
    """Choose a merge path, and return the renumbered ranges of each merge on it, oldest first.

    A merge may be missing from ``merged``: if only one branch changed a session's file, git takes
    this file unchanged, so nothing is added to ``merged``. So the function counts, for each path,
    the merges that ``merged`` contains, and chooses the path with the most. If ``merged`` contains
    all merges of several paths, each of these paths leads to the same record.
    """
    if not isinstance(merged, Sequence) or not isinstance(merge_paths, Sequence):
        return []
    ranges_by_id = {
        merge["id"]: merge["seqs"]
        for merge in merged
        if isinstance(merge, dict)
        and isinstance(merge.get("id"), str)
        and _are_ranges(merge.get("seqs"))
    }
    ranges_by_path = [
        [ranges_by_id[id_] for id_ in path if isinstance(id_, str) and id_ in ranges_by_id]
        for path in merge_paths
        if isinstance(path, Sequence)
    ]
    return max(ranges_by_path, key=len, default=[])


def _are_ranges(value: object) -> bool:
    return isinstance(value, list) and all(
        isinstance(range_, list) and len(range_) == 3 and all(type(n) is int for n in range_)
        for range_ in value
    )


def _map_seq(ranges: Sequence[Sequence[int]], seq: int) -> int:
    """Return the new number of the record that had the number ``seq`` before one merge."""
    for first, last, new in ranges:
        if first <= seq <= last:
            return new + seq - first
    return seq
