"""Undo the edits of an agent's run, without losing a line that others wrote. Pure.

Invariants:

- If nothing has changed since the run, the result is the version before it, byte for byte.
- Lines that others wrote or changed since the run stay, in their order.
- Lines that the run wrote don't stay, unless it inserted the cell and others changed the cell.
- Lines that the run removed or replaced return or are in a conflict.
- Lines of the run that others changed are in a conflict.

A moved line counts as removed and added: a line of the run stays where others moved it, and a line
that the run moved is there twice if others moved it again.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from operator import itemgetter
from typing import Literal

from ...replay.lines import is_distinctive, match_in_order

Action = Literal["restore", "merge", "remove", "return", "keep"]
CellEdit = tuple[str | None, str | None]
"""The sources of a cell before and after an edit; None if the cell isn't in the notebook."""


@dataclass(frozen=True)
class Conflict:
    """Lines of the result that others wrote where the run had changed something.

    ``first`` and ``last`` count from 1; ``last`` is ``first - 1`` if others deleted the lines.
    ``before`` has the lines from before the run, which the result doesn't have here.
    """

    first: int
    last: int
    before: tuple[str, ...]


@dataclass(frozen=True)
class CellUndo:
    """The source of a cell after the undo; None if the cell isn't in the notebook then.

    ``restore``: as before the run. ``merge``: without the run's lines, with those of others.
    ``remove`` and ``return``: a cell that the run inserted or deleted. ``keep``: as it is now.
    """

    source: str | None
    action: Action
    conflicts: tuple[Conflict, ...] = ()


def undo_edits(edits: Sequence[CellEdit], now: str | None) -> CellUndo:
    """Return a cell without the edits of a run. ``edits`` has the oldest first."""
    source, conflicts = now, list[Conflict]()
    for before, mine in reversed(edits):
        if before in (mine, source):
            continue
        written = {*_lines(mine)}.difference(_lines(before))  # so not from before the run
        conflicts = [
            replace(each, before=tuple(line for line in each.before if line not in written))
            for each in conflicts
        ]
        if before is not None and mine is not None and source is not None:
            source, conflicts = _merge(before, mine, source, conflicts)
        elif source == mine:
            source = before
        else:
            # Others edited a cell that the run inserted, deleted one that it edited, or brought
            # back one that it deleted, with another source.
            conflicts.append(Conflict(1, len(_lines(source)), tuple(_lines(before))))
        if source is None:
            conflicts = [Conflict(1, 0, each.before) for each in conflicts]
    action: Action = "merge"
    if source == now:
        action = "keep"
    elif source is None or now is None:
        action = "remove" if source is None else "return"
    elif source == edits[0][0]:
        action = "restore"
    return CellUndo(source, action, _reported(conflicts, _lines(source)))


def _lines(source: str | None) -> list[str]:
    return source.replace("\r\n", "\n").split("\n") if source else []


def _merge(
    before: str, mine: str, now: str, conflicts: list[Conflict]
) -> tuple[str, list[Conflict]]:
    """Merge *before* and *now*, whose common base is *mine*.

    ``conflicts`` are in the lines of *now*. Returns them and the new ones in those of the result.
    """
    base, new = _lines(mine), _lines(now)
    pairs = [(-1, -1), *match_in_order(base, new), (len(base), len(new))]
    matches, of_run, result = dict(pairs), set[int | None](), list[tuple[tuple[int, int], str]]()
    in_conflict = set[str]()  # lines of *before*; if the run moved one, it stays there

    def place(i: int) -> tuple[int, int]:
        """Return the range of the new lines directly above or instead of a line of *mine*."""
        n = bisect_left(pairs, (i, -1))
        return pairs[n - 1][1] + 1, pairs[n][1]

    for start, stop, lines in _changes(base, _lines(before)):
        of_run.update(matches.get(i) for i in range(start, stop))
        edited = [i for i in range(start, stop) if i not in matches]
        if start == stop and start not in matches and start - 1 not in matches:
            edited = [start]  # the lines around those that the run removed
        top, bottom = place(start)
        if edited:
            top, bottom = place(edited[0])[0], place(edited[-1])[1]
            conflicts.append(Conflict(top + 1, bottom, tuple(lines)))
            in_conflict.update(filter(is_distinctive, lines))
        elif lines != new[top:bottom]:  # else others wrote them again
            index = top if start == stop and start - 1 in matches else bottom
            result += (((index, 0), line) for line in lines)
    result += (
        ((j, 1), line) for j, line in enumerate(new) if j not in of_run or line in in_conflict
    )
    result.sort(key=itemgetter(0))
    indexes, moved = [index for index, _ in result], list[Conflict]()
    for each in conflicts:
        first = bisect_left(indexes, (each.first - 1, 1))
        last = max(first, bisect_left(indexes, (each.last, 0)))
        moved.append(Conflict(first + 1, last, each.before))
    merged = [line for _, line in result]
    if merged == new or mine == now:
        return before if mine == now else now, moved
    newline = "\r\n" if "\r\n" in (now if "\n" in now else before) else "\n"
    return newline.join(merged), moved


def _changes(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[int, int, list[str]]]:
    """Return ranges of old lines, and the new lines in their place; line by line if as many."""
    start = first = 0
    for stop, last in [*match_in_order(old, new), (len(old), len(new))]:
        lines = [*new[first:last]]
        if stop - start == len(lines):
            yield from ((n, n + 1, [line]) for n, line in enumerate(lines, start))
        else:
            yield start, stop, lines
        start, first = stop + 1, last + 1


def _reported(conflicts: list[Conflict], lines: list[str]) -> tuple[Conflict, ...]:
    """Join adjacent conflicts, and leave out those whose lines are as before the run."""
    joined: list[Conflict] = []
    for each in sorted(conflicts, key=lambda conflict: (conflict.first, conflict.last)):
        if joined and each.first <= joined[-1].last + 1:
            above = joined.pop()
            last = max(above.last, each.last)
            each = Conflict(above.first, last, above.before + each.before)
        joined.append(each)
    return tuple(each for each in joined if [*each.before] != lines[each.first - 1 : each.last])


def undo_order(
    before: Sequence[str],
    now: Sequence[str],
    removed: AbstractSet[str],
    returned: AbstractSet[str],
    *,
    moved: AbstractSet[str],
    mine: Sequence[str],
) -> list[str]:
    """Return the ids of the cells in their order after the undo.

    ``before`` and ``now`` are the orders before the run and now, and ``mine`` is the order after
    the run had ``moved`` cells. The cells ``returned``, and those that only the run moved, go below
    the nearest remaining cell that was above them before the run.
    """
    placed = (moved - moved_cells(mine, now)) & {*now} | (returned - {*now})
    result = [cell for cell in now if cell not in removed and cell not in placed]
    present, index = {*result}, 0
    for cell in before:
        if cell in present:
            index = result.index(cell) + 1
        elif cell in placed:
            result.insert(index, cell)
            index += 1
    return result


def moved_cells(old: Sequence[str], new: Sequence[str]) -> set[str]:
    """Return the smallest set of cells such that all others have the same order in both."""
    return {*old}.intersection(new).difference(old[i] for i, _ in match_in_order(old, new))
