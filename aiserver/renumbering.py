"""Map the numbers that records had before merges of branches to their current numbers. Pure.

A merge keeps the numbers of one side and appends the records of the other side with new numbers.
Whatever refers to a record by its old number (a change log entry, an event of another cell) carries
the ids of the merges that it went through, its path. The session's ``meta.merged`` has the old and
new numbers of each merge: ``{"id": …, "seqs": [[first, last, new first], …]}``.
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


def current_seq(merged: object, paths: object, seq: int) -> int:
    """Return the current number of a record that had ``seq`` before these merges."""
    for ranges in _longest_chain(merged, paths):
        seq = _map_seq(ranges, seq)
    return seq


def current_end(merged: object, paths: object, seq: int) -> int:
    """Return the highest current number among the records up to ``seq`` before these merges."""
    for ranges in _longest_chain(merged, paths):
        ends = {seq, *(last for _, last, _ in ranges), *(first - 1 for first, _, _ in ranges)}
        seq = max(_map_seq(ranges, end) for end in ends if end <= seq)
    return seq


def _longest_chain(merged: object, paths: object) -> list[list[list[int]]]:
    """Return the ranges of each merge along one path.

    A merge may take a file from one side unchanged. So of several paths, the one counts that has
    most merges in this session; if the session has all, each path leads to the same record.
    """
    if not isinstance(merged, Sequence) or not isinstance(paths, Sequence):
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
        for path in paths
        if isinstance(path, Sequence)
    ]
    return max(chains, key=len, default=[])


def _are_ranges(value: object) -> bool:
    return isinstance(value, list) and all(
        isinstance(item, list) and len(item) == 3 and all(type(n) is int for n in item)
        for item in value
    )


def _map_seq(ranges: Sequence[Sequence[int]], seq: int) -> int:
    for first, last, new in ranges:
        if first <= seq <= last:
            return new + seq - first
    return seq
