"""Map the numbers (``seq``) that records had before merges of git branches to their current ones.

A merge keeps the numbers of one side's records and appends the records of the other side with new
numbers. A change log entry, or an event of another cell, may refer to a record by its old number.
Such an entry or event has a list ``merged`` of *merge paths*. A merge path is the list of the ids
of the merges that the entry or event went through, oldest first. There are several paths if copies
of the entry or event went through different merges. The session's ``meta.merged`` has the old and
new numbers of each merge: ``{"id": …, "seqs": [[first old, last old, first new], …]}``.

Pure functions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


def build_renumbering(merge_id: str, numbers: Mapping[int, int]) -> dict[str, Any] | None:
    """Return the ``meta.merged`` entry that maps old to new numbers; None if none changed."""
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
    """Return the current number of the record that had ``seq`` before the merges of the paths.

    ``merged`` is the session's ``meta.merged``.
    """
    for ranges in _longest_chain(merged, merge_paths):
        seq = _map_seq(ranges, seq)
    return seq


def current_end(merged: object, merge_paths: object, seq: int) -> int:
    """Return the highest current number of the records that had numbers up to ``seq``.

    These are numbers before the merges of the paths. ``merged`` is the session's ``meta.merged``.
    """
    for ranges in _longest_chain(merged, merge_paths):
        # New numbers ascend within each range and between two ranges, so the highest is at an end.
        ends = {seq, *(last for _, last, _ in ranges), *(first - 1 for first, _, _ in ranges)}
        seq = max(_map_seq(ranges, end) for end in ends if end <= seq)
    return seq


def _longest_chain(merged: object, merge_paths: object) -> list[list[list[int]]]:
    """Return the renumbered ranges of each merge along one of the merge paths.

    ``merged`` may lack merges of a path, because git may take a session's file from one side
    unchanged. So this function uses the path that has the most merges in ``merged``. If ``merged``
    has all merges of several paths, each of these paths leads to the same record.
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
    chains = [
        [ranges_by_id[id_] for id_ in path if isinstance(id_, str) and id_ in ranges_by_id]
        for path in merge_paths
        if isinstance(path, Sequence)
    ]
    return max(chains, key=len, default=[])


def _are_ranges(value: object) -> bool:
    return isinstance(value, list) and all(
        isinstance(range_, list) and len(range_) == 3 and all(type(n) is int for n in range_)
        for range_ in value
    )


def _map_seq(ranges: Sequence[Sequence[int]], seq: int) -> int:
    for first, last, new in ranges:
        if first <= seq <= last:
            return new + seq - first
    return seq
