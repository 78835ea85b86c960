"""Which line of a new text was which line of an old one. Pure.

Three looks, each at what the one before has left: lines that are the same, in order; lines of
which only the indentation changed, between two that are the same; lines that were moved.

The first is the patience method (lines that occur once on either side hold the rest), as it keeps
to what a person sees as the same line where ``)`` and ``return`` occur many times. Where no line
occurs once, a longest common subsequence decides, as long as that is cheap.

What must hold: an old line is at most one new line; the cost is about that of the changed lines
(n log n), whatever the texts.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence

Pairs = list[tuple[int, int]]

_CHEAP = 10_000  # pairs of lines that may be compared one by one
_TELLING = 4  # letters and digits of a line by which it is known elsewhere


def matched(old: Sequence[str], new: Sequence[str]) -> list[int | None]:
    """For each new line the number of the old line that it was, or None."""
    found: list[int | None] = [None] * len(new)
    same = _common(old, new, 0, len(old), 0, len(new))
    for i, j in same:
        found[j] = i
    if len(same) in (len(old), len(new)):
        return found
    bare_old, bare_new = [line.strip() for line in old], [line.strip() for line in new]
    a = b = 0
    for i, j in [*same, (len(old), len(new))]:
        if a < i and b < j:
            for i2, j2 in _common(bare_old, bare_new, a, i, b, j):
                found[j2] = i2
        a, b = i + 1, j + 1
    _find_moved(bare_old, bare_new, found)
    return found


def _common(old: Sequence[str], new: Sequence[str], a0: int, a1: int, b0: int, b1: int) -> Pairs:
    """Pairs of the same lines, in order, of ``old[a0:a1]`` and ``new[b0:b1]``."""
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
        anchors = _unique(old, new, a0, a1, b0, b1)
        if anchors:
            for i, j in anchors:
                todo.append((a0, i, b0, j))
                a0, b0 = i + 1, j + 1
            pairs += anchors
            todo.append((a0, a1, b0, b1))
        elif (a1 - a0) * (b1 - b0) <= _CHEAP:
            pairs += _longest(old, new, a0, a1, b0, b1)
        else:
            pairs += _numbered(old, new, a0, a1, b0, b1)
    pairs.sort()
    return pairs


def _unique(old: Sequence[str], new: Sequence[str], a0: int, a1: int, b0: int, b1: int) -> Pairs:
    """Lines that occur once on either side, as many of them as are in the same order.

    Brackets and blank lines only where there is nothing else.
    """
    in_old, in_new = Counter(old[a0:a1]), Counter(new[b0:b1])
    once = {line for line, count in in_old.items() if count == 1 and in_new[line] == 1}
    telling = {line for line in once if any(map(str.isalnum, line))}
    lines = telling or once
    at = {old[i]: i for i in range(a0, a1) if old[i] in lines}
    return _rising([(at[new[j]], j) for j in range(b0, b1) if new[j] in lines])


def _numbered(old: Sequence[str], new: Sequence[str], a0: int, a1: int, b0: int, b1: int) -> Pairs:
    """As ``_unique``, where the first of several same lines is the first, and so on."""
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
    return _rising(pairs)


def _rising(pairs: Pairs) -> Pairs:
    """The longest part of pairs that rises on the left, too; they rise on the right."""
    tails: list[int] = []  # of the rising rows of each length: the smallest last number
    ends: list[int] = []  # and where that is
    before: list[int] = []
    for n, (i, _) in enumerate(pairs):
        length = bisect_left(tails, i)
        before.append(ends[length - 1] if length else -1)
        tails[length:] = [i, *tails[length + 1 :]] if length < len(tails) else [i]
        ends[length:] = [n, *ends[length + 1 :]] if length < len(ends) else [n]
    row = []
    n = ends[-1] if ends else -1
    while n >= 0:
        row.append(pairs[n])
        n = before[n]
    return row[::-1]


def _longest(old: Sequence[str], new: Sequence[str], a0: int, a1: int, b0: int, b1: int) -> Pairs:
    """A longest common subsequence; where lines were put in, they come as late as they can."""
    width = b1 - b0
    table = [[0] * (width + 1)]
    for i in range(a1 - 1, a0 - 1, -1):
        below, row = table[-1], [0] * (width + 1)
        line = old[i]
        for j in range(width - 1, -1, -1):
            if line == new[b0 + j]:
                row[j] = below[j + 1] + 1
            else:
                row[j] = below[j] if below[j] >= row[j + 1] else row[j + 1]
        table.append(row)
    table.reverse()  # table[i][j]: how many from the i-th old and the j-th new line on
    pairs = []
    i = j = 0
    while i < a1 - a0 and j < width:
        if old[a0 + i] == new[b0 + j]:
            pairs.append((a0 + i, b0 + j))
            i, j = i + 1, j + 1
        elif table[i + 1][j] >= table[i][j + 1]:
            i += 1
        else:
            j += 1
    return pairs


def _find_moved(old: Sequence[str], new: Sequence[str], found: list[int | None]) -> None:
    """Lines that left one place and came up in another, and what moved along with them."""
    used = {i for i in found if i is not None}
    left_old = [i for i in range(len(old)) if i not in used and is_telling(old[i])]
    left_new = [j for j, i in enumerate(found) if i is None and is_telling(new[j])]
    in_old = Counter(old[i] for i in left_old)
    in_new = Counter(new[j] for j in left_new)
    at = {old[i]: i for i in left_old if in_old[old[i]] == 1}
    for j in left_new:
        i = at.get(new[j], -1)
        if i < 0 or in_new[new[j]] != 1 or i in used or found[j] is not None:
            continue
        for step in (1, -1):
            i2, j2 = (i, j) if step == 1 else (i - 1, j - 1)
            while (
                0 <= i2 < len(old)
                and 0 <= j2 < len(new)
                and i2 not in used
                and found[j2] is None
                and old[i2] == new[j2]
            ):
                found[j2] = i2
                used.add(i2)
                i2, j2 = i2 + step, j2 + step


def is_telling(line: str) -> bool:
    """Whether a line says enough to be known elsewhere."""
    return sum(map(str.isalnum, line)) >= _TELLING
