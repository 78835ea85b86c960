"""Match the lines of a new text to those of an old one. Pure.

Three passes, each over the lines that the previous one left: equal lines in the same order; lines
between two matches of which only the indentation changed; lines that were moved.

The first pass is a patience diff: lines that occur once in both texts are anchors. It matches what
a person considers the same line even if ``)`` and ``return`` occur many times. Where no line occurs
once, ``difflib`` decides if it is cheap.

Invariants: an old line matches at most one new line; the cost is about n log n of the changed
lines, for any texts.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from difflib import SequenceMatcher

Pairs = list[tuple[int, int]]

_MAX_PAIRS = 10_000  # pairs of lines that ``difflib`` may compare
_MIN_DISTINCTIVE = 4  # letters and digits


def match_lines(old: Sequence[str], new: Sequence[str]) -> list[int | None]:
    """Return for each new line the index of the matching old line, or None."""
    matches: list[int | None] = [None] * len(new)
    same = _match_in_order(old, new, 0, len(old), 0, len(new))
    for i, j in same:
        matches[j] = i
    if len(same) in (len(old), len(new)):
        return matches
    bare_old, bare_new = [line.strip() for line in old], [line.strip() for line in new]
    a = b = 0
    for i, j in [*same, (len(old), len(new))]:
        if a < i and b < j:
            for i2, j2 in _match_in_order(bare_old, bare_new, a, i, b, j):
                matches[j2] = i2
        a, b = i + 1, j + 1
    _match_moved(bare_old, bare_new, matches)
    return matches


def _match_in_order(
    old: Sequence[str], new: Sequence[str], a0: int, a1: int, b0: int, b1: int
) -> Pairs:
    """Return pairs of equal lines, in order, of ``old[a0:a1]`` and ``new[b0:b1]``."""
    pairs: Pairs = []
    todo = [(a0, a1, b0, b1)]
    while todo:
        a0, a1, b0, b1 = todo.pop()
        while a0 < a1 and b0 < b1 and old[a0] == new[b0]:
            pairs.append((a0, b0))
            a0, b0 = a0 + 1, b0 + 1
        while a0 < a1 and b0 < b1 and old[a1 - 1] == new[b1 - 1]:
            a1, b1 = a1 - 1, b1 - 1
            pairs.append((a1, b1))
        if a0 == a1 or b0 == b1:
            continue
        anchors = _unique_lines(old, new, a0, a1, b0, b1)
        if anchors:
            for i, j in anchors:
                todo.append((a0, i, b0, j))
                a0, b0 = i + 1, j + 1
            pairs += anchors
            todo.append((a0, a1, b0, b1))
        elif (a1 - a0) * (b1 - b0) <= _MAX_PAIRS:
            for a, b, size in SequenceMatcher(None, old[a0:a1], new[b0:b1]).get_matching_blocks():
                pairs += ((a0 + a + n, b0 + b + n) for n in range(size))
        else:
            pairs += _match_by_count(old, new, a0, a1, b0, b1)
    pairs.sort()
    return pairs


def _unique_lines(
    old: Sequence[str], new: Sequence[str], a0: int, a1: int, b0: int, b1: int
) -> Pairs:
    """Return pairs of lines that occur once on each side, as many as are in the same order.

    Brackets and blank lines only count if there are no other lines.
    """
    in_old, in_new = Counter(old[a0:a1]), Counter(new[b0:b1])
    once = {line for line, count in in_old.items() if count == 1 and in_new[line] == 1}
    lines = {line for line in once if any(map(str.isalnum, line))} or once
    at = {old[i]: i for i in range(a0, a1) if old[i] in lines}
    return _longest_increasing([(at[new[j]], j) for j in range(b0, b1) if new[j] in lines])


def _match_by_count(
    old: Sequence[str], new: Sequence[str], a0: int, a1: int, b0: int, b1: int
) -> Pairs:
    """Like ``_unique_lines``, but match the n-th of several equal lines to the n-th."""
    at: dict[tuple[str, int], int] = {}
    count: Counter[str] = Counter()
    for i in range(a0, a1):
        count[old[i]] += 1
        at[old[i], count[old[i]]] = i
    count.clear()
    pairs = []
    for j in range(b0, b1):
        count[new[j]] += 1
        i = at.get((new[j], count[new[j]]), -1)
        if i >= 0:
            pairs.append((i, j))
    return _longest_increasing(pairs)


def _longest_increasing(pairs: Pairs) -> Pairs:
    """Return the longest subsequence with increasing left sides; right sides increase already."""
    tails: list[int] = []  # by length - 1: the smallest last value of a subsequence
    ends: list[int] = []  # and the index of its pair
    previous: list[int] = []
    for n, (i, _) in enumerate(pairs):
        length = bisect_left(tails, i)
        previous.append(ends[length - 1] if length else -1)
        tails[length:] = [i, *tails[length + 1 :]] if length < len(tails) else [i]
        ends[length:] = [n, *ends[length + 1 :]] if length < len(ends) else [n]
    result = []
    n = ends[-1] if ends else -1
    while n >= 0:
        result.append(pairs[n])
        n = previous[n]
    return result[::-1]


def _match_moved(old: Sequence[str], new: Sequence[str], matches: list[int | None]) -> None:
    """Add matches of lines that were moved, with the lines that moved along with them."""
    used = {i for i in matches if i is not None}
    left_old = [i for i in range(len(old)) if i not in used and is_distinctive(old[i])]
    left_new = [j for j, i in enumerate(matches) if i is None and is_distinctive(new[j])]
    in_old = Counter(old[i] for i in left_old)
    in_new = Counter(new[j] for j in left_new)
    at = {old[i]: i for i in left_old if in_old[old[i]] == 1}
    for j in left_new:
        i = at.get(new[j], -1)
        if i < 0 or in_new[new[j]] != 1 or i in used or matches[j] is not None:
            continue
        for step in (1, -1):
            i2, j2 = (i, j) if step == 1 else (i - 1, j - 1)
            while (
                0 <= i2 < len(old)
                and 0 <= j2 < len(new)
                and i2 not in used
                and matches[j2] is None
                and old[i2] == new[j2]
            ):
                matches[j2] = i2
                used.add(i2)
                i2, j2 = i2 + step, j2 + step


def is_distinctive(line: str) -> bool:
    """Return whether a line has enough letters and digits to be recognised in another place."""
    return sum(map(str.isalnum, line)) >= _MIN_DISTINCTIVE
