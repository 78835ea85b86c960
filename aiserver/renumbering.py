"""New places in a cell's order after a merge, and what they were before. Pure.

A merge keeps the numbers of one side and moves the records of the other behind them. What names a
record by its old number (a line of the notebook's log, an event of another cell) carries the names
of the merges that it came through; the session's ``meta.merged`` has for each of these merges the
old numbers and the new ones: ``{"id": …, "seqs": [[first, last, new first], …]}``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


def renumbering(merge_id: str, numbers: Mapping[int, int]) -> dict[str, Any] | None:
    """The entry for ``meta.merged`` that maps old numbers to new ones; None if all are the same."""
    ranges: list[list[int]] = []
    for old, new in sorted(numbers.items()):
        if old == new:
            continue
        if ranges and ranges[-1][1] + 1 == old and ranges[-1][2] + old - ranges[-1][0] == new:
            ranges[-1][1] = old
        else:
            ranges.append([old, old, new])
    return {"id": merge_id, "seqs": ranges} if ranges else None


def current_seq(merged: object, ways: object, seq: int) -> int:
    """The present number of a record that had ``seq`` before these merges."""
    for ranges in _chain(merged, ways):
        seq = _moved(ranges, seq)
    return seq


def current_end(merged: object, ways: object, seq: int) -> int:
    """The present number up to which all lies that lay up to ``seq`` before these merges."""
    for ranges in _chain(merged, ways):
        ends = {seq, *(last for _, last, _ in ranges), *(first - 1 for first, _, _ in ranges)}
        seq = max(_moved(ranges, end) for end in ends if end <= seq)
    return seq


def _chain(merged: object, ways: object) -> list[list[list[int]]]:
    """The numbers that the merges of a way changed in this session.

    A merge takes some files whole from one side. So of several ways the one counts of which the
    session knows most; where it knows all, each leads to the same record.
    """
    if not isinstance(merged, Sequence) or not isinstance(ways, Sequence):
        return []
    known = {
        one["id"]: one["seqs"]
        for one in merged
        if isinstance(one, dict) and isinstance(one.get("id"), str) and _are_ranges(one.get("seqs"))
    }
    chains = [
        [known[one] for one in way if isinstance(one, str) and one in known]
        for way in ways
        if isinstance(way, Sequence)
    ]
    return max(chains, key=len, default=[])


def _are_ranges(value: object) -> bool:
    return isinstance(value, list) and all(
        isinstance(one, list) and len(one) == 3 and all(type(n) is int for n in one)
        for one in value
    )


def _moved(ranges: Sequence[Sequence[int]], seq: int) -> int:
    for first, last, new in ranges:
        if first <= seq <= last:
            return new + seq - first
    return seq
