"""Undo the edits of an agent's run, without losing a line that others wrote. Pure.

Invariants:

- If nothing has changed since the run, the result is the version before it, byte for byte.
- Lines that others wrote or changed since the run stay, in their order.
- Lines that the run wrote don't stay, unless it inserted the cell and others changed the cell.
- Lines that the run removed or replaced return or are in a conflict, unless others wrote them
  again.
- Lines of the run that others changed are in a conflict.
"""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Literal

from ...replay.lines import _longest_increasing
from .line_merge import Conflict, LineMerge, lines_of

__all__ = [
    "Action",
    "CellUndo",
    "CellVersions",
    "Conflict",
    "undo_cell",
    "undo_edits",
    "undo_order",
]

Action = Literal["restore", "merge", "remove", "return", "keep"]


@dataclass(frozen=True)
class CellVersions:
    """The sources of a cell: before the run's first edit, after its last one (``mine``), and now.

    None: the cell isn't in the notebook.
    """

    before: str | None
    mine: str | None
    now: str | None


@dataclass(frozen=True)
class CellUndo:
    """The source of a cell after the undo; None if the cell isn't in the notebook then.

    ``restore``: as before the run. ``merge``: without the run's lines, with those of others.
    ``remove`` and ``return``: a cell that the run inserted or deleted. ``keep``: as it is now.
    """

    source: str | None
    action: Action
    conflicts: tuple[Conflict, ...] = ()


def undo_cell(versions: CellVersions) -> CellUndo:
    """Return a cell without the edits of a run.

    If others edited the cell between these edits, use ``undo_edits``: here, the lines that they
    wrote then count as the run's.
    """
    before, mine, now = versions.before, versions.mine, versions.now
    if now == mine:
        return CellUndo(before, _action(before, before, now))
    if before in (mine, now):
        return CellUndo(now, "keep")
    if before is None or mine is None or now is None:
        # Others edited a cell that the run inserted, deleted one that it edited, or brought back
        # one that it deleted, with another source.
        return CellUndo(now, "keep", (Conflict(1, len(lines_of(now)), lines_of(before)),))
    merge = LineMerge(before, mine, now)
    action = _action(merge.source, before, now)
    return CellUndo(merge.source, action, tuple(merge.conflicts))


def undo_edits(edits: Sequence[tuple[str | None, str | None]], now: str | None) -> CellUndo:
    """Return a cell without the edits of a run, between which others may have edited it.

    ``edits`` are the sources before and after each edit, oldest first. They are undone one after
    the other, the last one first. If others changed the same lines several times, conflicts may
    overlap.
    """
    source, conflicts = now, list[Conflict]()
    for before, mine in reversed(_joined(edits)):
        undo = undo_cell(CellVersions(before, mine, source))
        if undo.source is None:
            conflicts = [Conflict(1, 0, conflict.before) for conflict in conflicts]
        elif conflicts and before is not None and mine is not None and undo.source != source:
            conflicts = LineMerge(before, mine, source or "").move(conflicts)
        source = undo.source
        # What the run wrote earlier isn't from before the run.
        of_run = {*lines_of(mine)}.difference(lines_of(before))
        lines = {(conflict.first, conflict.last): conflict.before for conflict in undo.conflicts}
        for conflict in conflicts:
            above = lines.get((conflict.first, conflict.last), ())
            below = tuple(line for line in conflict.before if line not in of_run)
            lines[conflict.first, conflict.last] = above + below
        conflicts = [Conflict(*key, lines[key]) for key in sorted(lines)]
    action = _action(source, edits[0][0] if edits else now, now)
    return CellUndo(source, action, tuple(conflicts))


def _joined(edits: Sequence[tuple[str | None, str | None]]) -> list[tuple[str | None, str | None]]:
    """Join the edits between which nobody else edited the cell."""
    joined: list[tuple[str | None, str | None]] = []
    for before, mine in edits:
        if joined and joined[-1][1] == before:
            before, _ = joined.pop()
        joined.append((before, mine))
    return joined


def _action(source: str | None, before: str | None, now: str | None) -> Action:
    if source == now:
        return "keep"
    if source is None or now is None:
        return "remove" if source is None else "return"
    return "restore" if source == before else "merge"


def undo_order(
    before: Sequence[str],
    now: Sequence[str],
    removed: AbstractSet[str],
    returned: AbstractSet[str],
    *,
    mine: Sequence[str],
) -> list[str]:
    """Return the ids of the cells in their order after the undo.

    ``before``, ``mine`` and ``now`` are the orders before the run, after its last edit and now. The
    undo removes the cells ``removed`` and brings back the cells ``returned`` of ``before``. These,
    and the cells that only the run moved, go below the nearest remaining cell that was above them
    before the run.
    """
    placed = (_moved(before, mine) - _moved(mine, now)) & {*now} | (returned - {*now})
    remaining = [cell for cell in now if cell not in removed and cell not in placed]
    present = {*remaining}
    below: dict[str | None, list[str]] = {}
    above = None
    for cell in before:
        if cell in present:
            above = cell
        elif cell in placed:
            below.setdefault(above, []).append(cell)
    result = below.get(None, [])
    for cell in remaining:
        result += [cell, *below.get(cell, ())]
    return result


def _moved(old: Sequence[str], new: Sequence[str]) -> set[str]:
    """Return the smallest set of cells such that all others have the same order in both."""
    index = {cell: n for n, cell in enumerate(old)}
    pairs = [(index[cell], n) for n, cell in enumerate(new) if cell in index]
    return {new[n] for _, n in {*pairs}.difference(_longest_increasing(pairs))}
