"""Match the lines of a new text to the lines of an old text. Pure.

There are three passes. The first pass matches equal lines in the same order. The second pass works
on the lines between two neighbouring matches of the first pass, and ignores spaces at the start and
end of lines. The third pass matches lines that were moved. Each pass only compares lines that no
earlier pass matched.

The first pass is a patience diff: it first matches the lines that occur exactly once in each text.
Between two such lines, called anchors, it matches the lines in the same way. So it matches the
lines that a person considers the same, even if ``)`` and ``return`` occur many times. A range
of lines without any anchor is matched by ``difflib`` if it is short. In a long range, the n-th
occurrence of a line in the old text is matched to its n-th occurrence in the new text.

Invariants: an old line matches at most one new line. The cost is about n log n for n changed lines,
for any texts.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict, deque
from collections.abc import Sequence
from difflib import SequenceMatcher

Pairs = list[tuple[int, int]]
"""Pairs of matching lines: the index of the old line, and the index of the new line."""

_MAX_PAIRS = 10_000  # the maximum number of pairs of lines that ``difflib`` compares
_MIN_DISTINCTIVE = 4  # the minimum number of letters and digits in a distinctive line


def match_lines(old: Sequence[str], new: Sequence[str]) -> list[int | None]:
    """Return for each new line the index of the matching old line, or None."""
    matches: list[int | None] = [None] * len(new)
    pairs = _match_in_order(old, new, 0, len(old), 0, len(new))
    for i, j in pairs:
        matches[j] = i
    if len(pairs) in (len(old), len(new)):
        return matches
    stripped_old, stripped_new = [line.strip() for line in old], [line.strip() for line in new]
    a = b = 0  # the first old line and the first new line after the previous pair
    for i, j in [*pairs, (len(old), len(new))]:
        if a < i and b < j:
            for i2, j2 in _match_in_order(stripped_old, stripped_new, a, i, b, j):
                matches[j2] = i2
        a, b = i + 1, j + 1
    _match_moved(stripped_old, stripped_new, matches)
    return matches


def _match_in_order(
    old: Sequence[str], new: Sequence[str], a0: int, a1: int, b0: int, b1: int
) -> Pairs:
    """Return pairs of equal lines in the ranges ``old[a0:a1]`` and ``new[b0:b1]``.

    The matched lines are in the same order in both ranges.
    """
    pairs: Pairs = []
    ranges = [(a0, a1, b0, b1)]
    while ranges:
        a0, a1, b0, b1 = ranges.pop()
        while a0 < a1 and b0 < b1 and old[a0] == new[b0]:
            pairs.append((a0, b0))
            a0, b0 = a0 + 1, b0 + 1
        while a0 < a1 and b0 < b1 and old[a1 - 1] == new[b1 - 1]:
            a1, b1 = a1 - 1, b1 - 1
            pairs.append((a1, b1))
        if set(old[a0:a1]).isdisjoint(new[b0:b1]):
            continue
        anchors = _unique_lines(old, new, a0, a1, b0, b1)
        if anchors:
            for i, j in anchors:
                ranges.append((a0, i, b0, j))
                a0, b0 = i + 1, j + 1
            pairs += anchors
            ranges.append((a0, a1, b0, b1))
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
    """Return pairs of equal lines that occur once in each range, in the same order in both ranges.

    Lines without letters and digits, such as brackets, are only returned if no other line occurs
    exactly once in each range.
    """
    old_counts, new_counts = Counter(old[a0:a1]), Counter(new[b0:b1])
    unique = {line for line, count in old_counts.items() if count == 1 and new_counts[line] == 1}
    lines = {line for line in unique if any(map(str.isalnum, line))} or unique
    old_index = {old[i]: i for i in range(a0, a1) if old[i] in lines}
    return _longest_increasing([(old_index[new[j]], j) for j in range(b0, b1) if new[j] in lines])


def _match_by_count(
    old: Sequence[str], new: Sequence[str], a0: int, a1: int, b0: int, b1: int
) -> Pairs:
    """Match the n-th occurrence of an old line to the n-th occurrence of an equal new line.

    Return the longest list of such pairs that are in the same order in both ranges.
    """
    old_indexes: defaultdict[str, deque[int]] = defaultdict(deque)
    for i in range(a0, a1):
        old_indexes[old[i]].append(i)
    return _longest_increasing(
        [(old_indexes[new[j]].popleft(), j) for j in range(b0, b1) if old_indexes[new[j]]]
    )


def _longest_increasing(pairs: Pairs) -> Pairs:
    """Return the longest subsequence of pairs whose first numbers increase.

    The second numbers of ``pairs`` increase already.
    """
    # There may be several increasing subsequences of ``n + 1`` pairs. The best of them has the
    # smallest first number in its last pair. ``tails[n]`` is this number, and ``ends[n]`` is the
    # index of this last pair.
    tails: list[int] = []
    ends: list[int] = []
    previous: list[int] = []  # for each pair, the index of the pair before it in a subsequence
    for n, (i, _) in enumerate(pairs):
        length = bisect_left(tails, i)
        previous.append(ends[length - 1] if length else -1)
        tails[length : length + 1] = [i]  # replaces an item, or appends one
        ends[length : length + 1] = [n]
    result = []
    n = ends[-1] if ends else -1
    while n >= 0:
        result.append(pairs[n])
        n = previous[n]
    return result[::-1]


def _match_moved(old: Sequence[str], new: Sequence[str], matches: list[int | None]) -> None:
    """Match the lines that were moved, and add them to ``matches``.

    A moved line is found if it is distinctive and occurs once among the unmatched lines of each
    text. Equal lines directly before and after the moved line are matched, too.
    """
    matched_old = {i for i in matches if i is not None}
    candidates_old = [i for i in range(len(old)) if i not in matched_old and is_distinctive(old[i])]
    candidates_new = [j for j, i in enumerate(matches) if i is None and is_distinctive(new[j])]
    old_counts = Counter(old[i] for i in candidates_old)
    new_counts = Counter(new[j] for j in candidates_new)
    old_index = {old[i]: i for i in candidates_old if old_counts[old[i]] == 1}
    for j in candidates_new:
        i = old_index.get(new[j], -1)
        if i < 0 or new_counts[new[j]] != 1 or i in matched_old or matches[j] is not None:
            continue
        for direction in (1, -1):
            i2, j2 = (i, j) if direction == 1 else (i - 1, j - 1)
            while (
                0 <= i2 < len(old)
                and 0 <= j2 < len(new)
                and i2 not in matched_old
                and matches[j2] is None
                and old[i2] == new[j2]
            ):
                matches[j2] = i2
                matched_old.add(i2)
                i2, j2 = i2 + direction, j2 + direction


def is_distinctive(line: str) -> bool:
    """Return whether a line has enough letters and digits to be recognised after it was moved."""
    return sum(map(str.isalnum, line)) >= _MIN_DISTINCTIVE
