"""Plan how to undo a run in a notebook, and how to redo it. Pure.

The edits of the run in each cell are undone one after the other, the last one first: ``undo.py``
merges by lines, so that what others wrote before, between and after them stays.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from ...models import NotebookLogEntry
from ...notebooks.history import History
from ...notebooks.log_view import ORDER
from ...notebooks.restored_ids import cell_source
from ...payload import Payload, nullable
from ...redact import redact
from ...replay import Step
from .masks import can_be_proposed, hidden, unmasked
from .operations import Delete, Edit, Insert, Move, Operation, digest
from .runs import CALL, RUN
from .undo import Action, CellEdit, Conflict, moved_cells, undo_edits, undo_order
from .writer import Notebook

BEFORE_RUN = "Lines from before the run:"
"""The first line of a conflict's title in a cell; the page translates it."""


@dataclass(frozen=True)
class ShownConflict(Payload):
    """Lines that the run and a person have both changed: the person's stay."""

    lines: list[int]
    """The first and the last line in the result, from 1."""
    before: str
    """The lines before the run."""


@dataclass(frozen=True)
class CellPlan(Payload):
    """The change of a cell."""

    cell_id: str
    action: Action
    now: str | None = nullable()
    after: str | None = nullable()
    conflicts: list[ShownConflict] = field(default_factory=list)

    def with_before(self) -> str | None:
        """Return the cell with the lines from before the run in its conflicts; None without any."""
        if self.after is None or not self.conflicts:
            return None
        lines = self.after.split("\n")
        for conflict in reversed(self.conflicts):
            first, last = conflict.lines
            lines[first - 1 : last] = conflict.before.split("\n") if conflict.before else []
        return unmasked("\n".join(lines), self.after)


@dataclass(frozen=True)
class UndoneRun(Payload):
    """The changes of the cells, and the ids of all cells in their order afterwards."""

    cells: list[CellPlan]
    order: list[str]


class _Moves(NamedTuple):
    """The ids of cells that were moved, and those of all cells in order before and after it."""

    before: Sequence[str]
    cells: set[str]
    after: Sequence[str]


@dataclass(frozen=True)
class UndoPlan:
    """The changes of a notebook as it is now that undo or redo a run."""

    run: str
    agent: str
    intent: str
    notebook: Notebook
    cells: list[CellPlan]
    operations: list[Operation]
    order: list[str]

    def conflicts(self, notebook: Notebook) -> Iterator[Edit]:
        """Return, after the undo, the edits with which conflicts would be as before the run."""
        sources = {cell["id"]: cell_source(cell) for cell in notebook.cells}
        for cell in self.cells:
            now, before = sources.get(cell.cell_id), cell.with_before()
            if now is None or before is None or before == now or now != cell.after:
                continue
            if can_be_proposed(before, now):
                yield Edit(cell=cell.cell_id, base=digest(now), source=before)

    def for_agents(self) -> UndoneRun:
        """Return the changes without secrets."""
        cells = [
            replace(
                cell,
                now=cell.now and hidden(cell.now),
                after=cell.after and hidden(cell.after),
                conflicts=[replace(each, before=hidden(each.before)) for each in cell.conflicts],
            )
            for cell in self.cells
        ]
        return UndoneRun(cells, self.order)


def plan_undo(run: str, notebook: Notebook, history: History) -> UndoPlan:
    """Return what undoing a run does."""
    now = {cell["id"]: cell_source(cell) for cell in notebook.cells}
    cells: list[CellPlan] = []
    for cell_id in history.sessions:
        if edits := _edits(run, history.timeline.steps(cell_id)):
            cells.append(_undo_cell(cell_id, edits, now.get(cell_id)))
    return _plan(run, notebook, cells, _moves(run, history.log, notebook.ids), history)


def plan_redo(run: str, notebook: Notebook, history: History) -> UndoPlan:
    """Return what brings back the state before the last undo of a run, byte for byte.

    A cell that was changed since the undo stays as it is.
    """
    now = {cell["id"]: cell_source(cell) for cell in notebook.cells}
    cells: list[CellPlan] = []
    for cell_id in history.sessions:
        own = history.timeline.steps(cell_id)
        undos = [step for step in own if step.kind != "turn" and _undoes(step, run)]
        if undos:
            cells.append(_redo_cell(cell_id, undos[-1], now.get(cell_id)))
    moves = _moves_of_undo(run, history.log, notebook.ids)
    return _plan(run, notebook, cells, moves, history)


def _plan(
    run: str,
    notebook: Notebook,
    cells: list[CellPlan],
    moves: _Moves,
    history: History,
) -> UndoPlan:
    """Return the plan with these changes of cells, and what it undoes of their order."""
    removed = {cell.cell_id for cell in cells if cell.action == "remove"}
    returned = {cell.cell_id for cell in cells if cell.action == "return"}
    order = undo_order(
        moves.before, notebook.ids, removed, returned, moved=moves.cells, mine=moves.after
    )
    last = history.timeline.last()
    types = {cell.cell_id: cell.type for cell in (*last.cells, *last.deleted)} if last else {}
    operations = _operations(cells, notebook.ids, order, types)
    agent, intent = _agent_and_intent(run, history.log)
    return UndoPlan(run, agent, intent, notebook, cells, operations, order)


def _undoes(step: Step, run: str) -> bool:
    return (step.data or {}).get("undo") == run


def _undo_cell(cell_id: str, edits: Sequence[CellEdit], now: str | None) -> CellPlan:
    # Histories have no secrets, so the versions are compared without them.
    result = undo_edits(edits, None if now is None else redact(now))
    conflicts = list(map(_shown, result.conflicts))
    if result.source is None:
        return CellPlan(cell_id, result.action, now, None, conflicts)
    after = unmasked(result.source, now or "")
    if after is None:  # a secret isn't in the cell any more, and is stored nowhere
        shown = ShownConflict([1, (now or "").count("\n") + 1], result.source)
        return CellPlan(cell_id, "keep", now, now, [*conflicts, shown])
    return CellPlan(cell_id, result.action, now, after, conflicts)


def _redo_cell(cell_id: str, undo: Step, now: str | None) -> CellPlan:
    was_removed = undo.kind == "delete"
    was_returned = (undo.data or {}).get("inserted") is True
    if was_removed:
        after = unmasked(undo.before, "") if now is None else now
        action: Action = "keep" if now is not None or after is None else "return"
        return CellPlan(cell_id, action, now, after)
    if now is None or redact(now) != undo.after:
        return CellPlan(cell_id, "keep", now, now)
    if was_returned:
        return CellPlan(cell_id, "remove", now, None)
    after = unmasked(undo.before, now)
    return CellPlan(cell_id, "keep" if after is None else "restore", now, after or now)


def _edits(run: str, steps: Sequence[Step]) -> list[CellEdit]:
    """Return a run's edits of a cell. Edits between which nobody else edited it are joined."""
    edits: list[CellEdit] = []
    for step in steps:
        data = step.data or {}
        if step.run == run and step.applied and step.kind != "run" and "undo" not in data:
            before = None if data.get("inserted") is True else step.before
            if step.kind == "split" and before is None:
                edits.clear()  # the earlier ones are those of the cell that was split
            is_removed = step.kind == "delete" or (step.kind == "merge" and "into" in data)
            if edits and edits[-1][1] == before:
                before, _ = edits.pop()
            edits.append((before, None if is_removed else step.after))
    return edits


def _operations(
    cells: Iterable[CellPlan], now: Sequence[str], order: Sequence[str], types: Mapping[str, str]
) -> list[Operation]:
    operations: list[Operation] = []
    present = list(now)
    for cell in cells:
        if cell.action == "remove":
            operations.append(Delete(cell=cell.cell_id, base=digest(cell.now or "")))
            present.remove(cell.cell_id)
        elif cell.action == "return":
            place = order.index(cell.cell_id) if cell.cell_id in order else len(order)
            above = next((id_ for id_ in reversed(order[:place]) if id_ in present), None)
            type_: Any = types.get(cell.cell_id, "code")
            operations.append(
                Insert(cell=cell.cell_id, type=type_, source=cell.after or "", after=above)
            )
            present.insert(present.index(above) + 1 if above else 0, cell.cell_id)
        elif cell.after is not None and cell.now is not None and cell.after != cell.now:
            base = digest(cell.now)
            operations.append(Edit(cell=cell.cell_id, base=base, source=cell.after))
    for place, cell_id in enumerate(order):  # what isn't in its place yet
        if present[place : place + 1] != [cell_id]:
            operations.append(Move(cell=cell_id, after=order[place - 1] if place else None))
            present.remove(cell_id)
            present.insert(place, cell_id)
    return operations


def _moves(run: str, log: Sequence[NotebookLogEntry], now: Sequence[str]) -> _Moves:
    """Return the moves of a run. Others, who moved cells at the same time, aren't undone."""
    last: list[str] = []
    moves = _Moves([], set(), now)
    for item in log:
        if item.type == ORDER:
            last = _ids(item.data.get("cell_ids"))
        elif item.data.get("run") != run:
            continue
        elif item.type == RUN and item.data.get("state") == "begun":
            moves = moves._replace(before=last)
        elif item.type == CALL and item.data.get("outcome") == "moved":
            moves.cells.update(_ids(item.data.get("cells")))
            moves = moves._replace(after=_ids(item.data.get("order")))
    return moves if moves.before else moves._replace(before=now)


def _moves_of_undo(run: str, log: Iterable[NotebookLogEntry], now: Sequence[str]) -> _Moves:
    """Return the moves of the last undo of a run."""
    before: Sequence[str] = now
    after: Sequence[str] = now
    for item in log:
        if item.type == RUN and item.data.get("run") == run and item.data.get("state") == "undone":
            before, after = _ids(item.data.get("order")), _ids(item.data.get("after"))
    return _Moves(before, moved_cells(before, after), after)


def _ids(stored: object) -> list[str]:
    return list(map(str, stored)) if isinstance(stored, list) else []


def _agent_and_intent(run: str, log: Iterable[NotebookLogEntry]) -> tuple[str, str]:
    for item in log:
        if item.type == RUN and item.data.get("run") == run:
            agent = item.data.get("agent")
            name = agent.get("name", "") if isinstance(agent, dict) else ""
            return str(name), str(item.data.get("intent", ""))
    return "", ""


def _shown(conflict: Conflict) -> ShownConflict:
    return ShownConflict([conflict.first, conflict.last], "\n".join(conflict.before))
