"""Match the lines of a new text to the lines of an old text. Pure.

The first pass is a patience diff: it matches lines that occur exactly once in each text, then those
between them in the same way, so that the many ``)`` and ``return`` match as a person expects. A
range without such lines is matched by ``difflib`` or, if it is long, by counting. The second pass
ignores spaces around lines, the third one finds moved lines.

The cost is about n log n for n changed lines.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict, deque
from collections.abc import Sequence
from difflib import SequenceMatcher

Pairs = list[tuple[int, int]]
"""Pairs of matching lines: the index of the old line, and the index of the new line."""

_MAX_PAIRS = 10_000  # the most pairs of lines that ``difflib`` compares
_MIN_DISTINCTIVE = 4  # letters and digits of a distinctive line


def match_lines(old: Sequence[str], new: Sequence[str]) -> list[int | None]:
    """Return the index of each new line's matching old line, or None."""
    matches: list[int | None] = [None] * len(new)
    pairs = match_in_order(old, new)
    for i, j in pairs:
        matches[j] = i
    if len(pairs) in (len(old), len(new)):
        return matches
    stripped_old, stripped_new = [line.strip() for line in old], [line.strip() for line in new]
    a = b = 0  # the next lines after the previous pair
    for i, j in [*pairs, (len(old), len(new))]:
        if a < i and b < j:
            for i2, j2 in match_in_order(stripped_old[a:i], stripped_new[b:j]):
                matches[b + j2] = a + i2
        a, b = i + 1, j + 1
    _match_moved(stripped_old, stripped_new, matches)
    return matches


def match_in_order(old: Sequence[str], new: Sequence[str]) -> Pairs:
    """Return pairs of equal lines in the same order."""
    pairs: Pairs = []
    ranges = [(0, len(old), 0, len(new))]
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
    old_counts, new_counts = Counter(old[a0:a1]), Counter(new[b0:b1])
    unique = {line for line, count in old_counts.items() if count == 1 and new_counts[line] == 1}
    lines = {line for line in unique if any(map(str.isalnum, line))} or unique
    old_index = {old[i]: i for i in range(a0, a1) if old[i] in lines}
    return _longest_increasing([(old_index[new[j]], j) for j in range(b0, b1) if new[j] in lines])


def _match_by_count(
    old: Sequence[str], new: Sequence[str], a0: int, a1: int, b0: int, b1: int
) -> Pairs:
    old_indexes: defaultdict[str, deque[int]] = defaultdict(deque)
    for i in range(a0, a1):
        old_indexes[old[i]].append(i)
    return _longest_increasing(
        [(old_indexes[new[j]].popleft(), j) for j in range(b0, b1) if old_indexes[new[j]]]
    )


def _longest_increasing(pairs: Pairs) -> Pairs:
    """Return the longest subsequence of pairs whose first numbers increase."""
    # ``tails[n]`` is the smallest first number with which a subsequence of ``n + 1`` pairs can end,
    # and ``ends[n]`` is the index of that pair.
    tails: list[int] = []
    ends: list[int] = []
    previous: list[int] = []  # the pair before each pair in a subsequence
    for n, (i, _) in enumerate(pairs):
        length = bisect_left(tails, i)
        previous.append(ends[length - 1] if length else -1)
        tails[length : length + 1] = [i]  # replaces or appends one
        ends[length : length + 1] = [n]
    result = []
    n = ends[-1] if ends else -1
    while n >= 0:
        result.append(pairs[n])
        n = previous[n]
    return result[::-1]


def _match_moved(old: Sequence[str], new: Sequence[str], matches: list[int | None]) -> None:
    """Match lines that were moved, and equal lines next to them."""
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
    """Return whether a line can be recognised after it was moved."""
    return sum(map(str.isalnum, line)) >= _MIN_DISTINCTIVE
