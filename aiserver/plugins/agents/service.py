"""Check what agents may do with notebooks, do it, and record it.

Invariants: each call is checked against the permission of now. The same ``call`` twice changes
nothing twice. Each change names the run, which the agent has begun with its intent. A call that is
refused is in the run, with the reason.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ...durable import translate_os_errors
from ...errors import NotFound, UserText
from ...handlers.base import Services
from ...models import AIResponse, NewTurn, Session, SessionKey, UserRequest, utc_now
from ...notebooks.log_view import ORDER
from ...notebooks.restored_ids import cell_source
from ...redact import redact
from ...replay import Step
from ...requests import Level as DataLevel
from ...sessions.record.lru_cache import LRUCache
from .masks import UnresolvedMark, can_be_proposed, hidden, revealed
from .operations import (
    Delete,
    Edit,
    Insert,
    Merge,
    Move,
    NotChanged,
    Operation,
    Split,
    Stale,
    digest,
    operations_between,
    parts_of,
)
from .pages import NoAnswer, Page, Pages
from .permissions import LEVELS, Level, Permissions
from .protocol import Agent
from .runs import CALL, RUN, RunSummary, agent_data, entry, new_run_id, run_of_session, runs_of
from .undo import moved_cells
from .undo_run import BEFORE_RUN, UndoPlan, plan_redo, plan_undo
from .writer import Author, Contents, Notebook, NotebookWriter, read_file

_IDLE = 60.0  # seconds without a call after which a run can be undone
_DECISION = 45.0  # seconds in which the person decides; many agents wait no longer than a minute
_MAX_FILES = 32  # that agents are about to write
_MAX_CALLS = 1_000  # whose answers are kept, to answer the same call again


class Refused(Exception):
    """A call that is refused. The message is a sentence for the agent, ``data`` what is there."""

    def __init__(self, sentence: str, **data: Any) -> None:
        super().__init__(sentence)
        self.sentence, self.data = sentence, data


@dataclass
class ActiveRun:
    """A run that has begun. ``read`` are the cells that it has read, ``last_call`` is a time."""

    run: str
    agent: Agent
    notebook_id: str
    path: str
    intent: str
    read: set[str] = field(default_factory=set)
    last_call: float = field(default_factory=time.monotonic)


class AgentService:
    """The server's part for agents."""

    def __init__(self, services: Services, contents: Contents, permissions: Permissions) -> None:
        self.services, self.permissions = services, permissions
        self.pages = Pages(contents.name)
        self.writer = NotebookWriter(
            contents, self.pages, services.notebooks, services.changes, services.session_owner
        )
        self._active: dict[str, ActiveRun] = {}
        self._answers: LRUCache[str, tuple[str, dict[str, Any]]] = LRUCache(_MAX_CALLS)
        self._locks: dict[str, asyncio.Lock] = {}
        self._files: LRUCache[str, bytes] = LRUCache(_MAX_FILES)

    # What is allowed

    def check(self, notebook_id: str, agent: Agent, needed: Level, what: str) -> None:
        """Raise Refused unless an agent may do something in a notebook."""
        level = self.permissions.level(notebook_id, agent.name)
        if LEVELS.index(level) < LEVELS.index(needed):
            raise Refused(
                f"{agent.name} may not {what} in this notebook: its permission is “{level}”, and "
                f"this needs “{needed}”. Only the person can change it, in JupyterLab, in the "
                "Notebook tab of the AI Server sidebar."
            )

    def level(self, notebook_id: str, agent: Agent) -> Level:
        """Return what an agent may do in a notebook."""
        return self.permissions.level(notebook_id, agent.name)

    def data_level(self, notebook: Notebook, agent: Agent) -> DataLevel:
        """Return the values of data that an agent may get: what the person has chosen in the page.

        Only an agent that may do all gets any.
        """
        is_allowed = self.services.features.data_values != "forbidden"
        if not is_allowed or self.level(notebook.notebook_id, agent) != "all":
            return "schema"
        return self.pages.data_level(notebook.path)

    def may_see_outputs(self, notebook: Notebook, agent: Agent) -> bool:
        """Return whether an agent may see the texts of outputs and errors: they have values."""
        is_allowed = self.services.features.outputs != "forbidden"
        return is_allowed and self.data_level(notebook, agent) == "sample"

    def choose(self, notebook_id: str, agent: str, level: Level, page: str | None) -> None:
        """Keep what a person allows an agent. Raises StorageError."""
        with translate_os_errors():
            self.permissions.choose(notebook_id, agent, level, page)
        self.pages.tell({"type": "changed", "notebookId": notebook_id})

    def key(self, notebook_id: str, cell_id: str) -> SessionKey:
        """Return the key of a cell's session."""
        return SessionKey(notebook_id, cell_id, self.services.session_owner)

    async def open(self, path: str, agent: Agent | None, notebook_id: str = "") -> Notebook:
        """Return a notebook that an agent or, if None, a person may read. Raises Refused, NotFound.

        ``notebook_id`` is the id that its run has.
        """
        try:
            notebook = await self.writer.read(path)
            if notebook_id and notebook.notebook_id not in ("", notebook_id):
                raise Refused("There is another notebook at this path now. Begin a new run.")
            notebook = replace(notebook, notebook_id=notebook_id or notebook.notebook_id)
        except NoAnswer as error:
            raise Refused("The page that has the notebook open doesn’t answer.") from error
        if agent is not None:
            self.check(notebook.notebook_id, agent, "read", "read")
        return notebook

    async def ask_page(
        self, notebook: Notebook, question: dict[str, Any], timeout: float
    ) -> dict[str, Any]:
        """Return the answer of the page that has a notebook open. Raises Refused."""
        try:
            answer = await self.pages.ask(notebook.path, question, timeout)
        except NoAnswer as error:
            raise Refused("The page hasn’t answered in time; code may still be running.") from error
        if answer is None:
            raise Refused("The notebook isn’t open in JupyterLab, so there is no kernel to use.")
        if answer.get("type") == "refused":
            raise Refused("The kernel can’t tell: none is running, it is busy, or isn’t supported.")
        return answer

    async def ask_person(
        self, notebook: Notebook, run: ActiveRun, act: str, *, cells: Sequence[str], code: str = ""
    ) -> None:
        """Return if the agent may do all, or the person allows this once. Raises Refused.

        ``act`` is “delete” or “run”, for cells or, without a cell, code.
        """
        if self.level(run.notebook_id, run.agent) == "all":
            return
        self.check(run.notebook_id, run.agent, "edit", "delete cells or run code")
        question: dict[str, Any] = {"type": "permit", "act": act, "cells": list(cells)}
        question |= {"code": code, "agent": run.agent.name, "seconds": _DECISION}
        try:
            answer = await self.pages.ask(notebook.path, question, _DECISION + 5)
        except NoAnswer:
            raise Refused("The page that has the notebook open doesn’t answer.") from None
        if answer is None:
            raise Refused("The notebook isn’t open in JupyterLab, so the person can’t be asked.")
        if answer.get("allowed") is None:
            raise Refused(
                f"The person hasn’t answered within {_DECISION:.0f} seconds, and nothing was done. "
                "Tell them before you try again."
            )
        if answer.get("allowed") is not True:
            raise Refused("The person doesn’t allow it.")
        self.check(run.notebook_id, run.agent, "edit", "delete cells or run code")

    def page_closed(self, page: Page) -> None:
        """Forget a page, and what was allowed until it closes."""
        page.close()
        self.pages.forget(page)
        if not self.pages.is_open(page.id):
            self.permissions.page_closed(page.id)

    # Runs

    async def begin(
        self, notebook: Notebook, agent: Agent, intent: str, plan: Sequence[str]
    ) -> ActiveRun:
        """Begin a run. Raises StorageError."""
        notebook = await self.writer.identify(notebook)
        run = ActiveRun(new_run_id(), agent, notebook.notebook_id, notebook.path, intent)
        texts = {"intent": intent, "plan": list(plan) or None}
        begun = entry(RUN, run=run.run, agent=agent_data(agent), **texts, state="begun")
        await self._log(notebook.notebook_id, begun)
        self._active[run.run] = run
        if not notebook.is_open:
            await self.writer.prepare(notebook)
        self.pages.tell({"type": "begun", "path": notebook.path})
        return run

    async def run(self, run_id: str, agent: Agent) -> ActiveRun:
        """Return the agent's active run. Raises Refused."""
        if run := self._active.get(run_id):
            _check_own(run.agent.name, agent)
            run.last_call = time.monotonic()
            return run
        raise Refused(
            "There is no active run with this id. Begin one with run_begin; a run ends with "
            "run_end, and when the server stops."
        )

    async def end(self, run: ActiveRun, summary: str | None) -> None:
        """End a run. Raises StorageError."""
        read = {"tool": "cell_read", "outcome": "read", "cells": sorted(run.read)}
        entries = [entry(CALL, run=run.run, **read)] if run.read else []
        ended = entry(RUN, run=run.run, state="ended", summary=summary or None)
        await self._log(run.notebook_id, *entries, ended)
        self._active.pop(run.run, None)

    async def refuse(self, run: ActiveRun, tool: str, reason: str, cell: str | None) -> None:
        """Note that a call was refused."""
        noted = entry(CALL, run=run.run, tool=tool, outcome="refused", cell=cell, reason=reason)
        await self._log(run.notebook_id, noted)

    async def note_code(self, run: ActiveRun, tool: str, code: str) -> None:
        """Note that code was run without a cell, or may have been. Raises StorageError."""
        noted = entry(CALL, run=run.run, tool=tool, outcome="ran", code=redact(code))
        await self._log(run.notebook_id, noted)

    async def runs(self, notebook_id: str) -> list[RunSummary]:
        """Return the runs of a notebook, the newest first."""
        history = await self.services.histories.load(notebook_id)
        earliest = time.monotonic() - _IDLE
        active = {id_ for id_, run in self._active.items() if run.last_call >= earliest}
        return runs_of(history, active)[::-1]

    async def steps(self, notebook_id: str) -> dict[str, Sequence[Step]]:
        """Return the steps of each cell with a history."""
        if not notebook_id:
            return {}
        history = await self.services.histories.load(notebook_id)
        return {cell_id: history.timeline.steps(cell_id) for cell_id in history.sessions}

    async def _log(self, notebook_id: str, *entries: Any) -> None:
        owner = self.services.session_owner
        await self.services.sessions.append_notebook_log(notebook_id, entries, owner=owner)
        self.pages.tell({"type": "changed", "notebookId": notebook_id})

    # Changes

    async def change(
        self,
        agent: Agent,
        run_id: str,
        operation: Operation | Split | Merge,
        *,
        call: str,
        intent: str,
        mode: str = "apply",
        tool: str = "",
    ) -> dict[str, Any]:
        """Propose or apply one operation of a run, and return what is there afterwards.

        The tool is by default that of the operation. Raises Refused, which is in the run then.
        """
        tool = tool or f"cell_{operation.op}"
        run, key = await self.run(run_id, agent), f"{run_id}/{call}"
        data = {"intent": intent or run.intent, "tool": tool, "via": "mcp"}
        data |= {"call": call} if call else {}
        asked = f"{operation.model_dump_json()} {data} {mode}"
        async with self._locks.setdefault(run.path, asyncio.Lock()):
            if call and (earlier := self._answers.get(key)) is not None:
                if earlier[0] != asked:
                    raise Refused("Another change has had this call. Use a new one.")
                return earlier[1] | {"repeated": True}
            try:
                answer = await self._change(run, operation, data, mode)
            except Refused as refused:
                cell = operation.cells[0] if isinstance(operation, Merge) else operation.cell
                await self.refuse(run, tool, refused.sentence, cell)
                raise
            self._answers.put(key, (asked, answer))
            return answer

    async def _change(
        self, run: ActiveRun, operation: Operation | Split | Merge, data: dict[str, Any], mode: str
    ) -> dict[str, Any]:
        notebook = await self.open(run.path, run.agent, run.notebook_id)
        self.check(run.notebook_id, run.agent, "propose", "change cells")
        level, author = self.level(run.notebook_id, run.agent), Author(run.agent, run.run, data)
        if isinstance(operation, Split | Merge):
            return await self._restructure(run, notebook, operation, data)
        if isinstance(operation, Insert) and operation.cell in notebook.ids:
            return {"applied": True, "repeated": True, **_state(notebook, operation.cell)}
        is_edit = isinstance(operation, Edit)
        if isinstance(operation, Edit | Insert):
            operation = await self._with_secrets(notebook, operation)
        if isinstance(operation, Delete):
            source = cell_source(notebook.find(operation.cell))
            if digest(source) != operation.base:
                raise _stale("deleted", {operation.cell: source})
            await self.ask_person(notebook, run, "delete", cells=[operation.cell])
        elif mode == "propose" or level == "propose":
            if isinstance(operation, Move):
                self.check(run.notebook_id, run.agent, "edit", "move cells")
            if not is_edit:  # an empty cell shows the proposal
                assert isinstance(operation, Insert)
                _check_secrets(operation.source, "")
                place = operation.model_copy(update={"source": ""})
                notebook = await self._apply(notebook, [place], author)
                operation = Edit(cell=place.cell, base=digest(""), source=operation.source)
            assert isinstance(operation, Edit)
            return await self._propose(run, notebook, operation, data)
        changed = await self._apply(notebook, [operation], author)
        if isinstance(operation, Move):
            await self._note_moves(run.run, "cell_move", [operation.cell], changed)
        self.pages.tell({"type": "changed", "notebookId": run.notebook_id})
        return {"applied": True, **_state(changed, operation.cell)}

    async def _note_moves(
        self, run: str, tool: str, cells: Collection[str], notebook: Notebook
    ) -> None:
        """Note that a run has moved cells, and their order after it. Raises StorageError."""
        ids = {"cells": sorted(cells), "order": notebook.ids}
        await self._log(
            notebook.notebook_id, entry(CALL, run=run, tool=tool, outcome="moved", **ids)
        )

    async def _restructure(
        self, run: ActiveRun, notebook: Notebook, operation: Split | Merge, data: dict[str, Any]
    ) -> dict[str, Any]:
        """Split or merge cells."""
        self.check(run.notebook_id, run.agent, "edit", f"{operation.op} cells")
        ids = [operation.cell] if isinstance(operation, Split) else operation.cells
        cells = [notebook.find(id_) for id_ in ids]
        # An undo couldn't bring back what the history doesn't have.
        if any(hidden(cell_source(cell)) != cell_source(cell) for cell in cells):
            raise Refused("Only the person can split or merge cells with a key or a password.")
        if any(cell.get("attachments") for cell in cells):
            raise Refused("Only the person can split or merge cells with pasted pictures.")
        if operation.op == "merge" and any(cell.get("metadata", {}).get("tags") for cell in cells):
            raise Refused("Only the person can merge cells with tags.")
        author = Author(run.agent, run.run, data, operation.op)
        changed = await self._apply(notebook, [operation], author)
        self.pages.tell({"type": "changed", "notebookId": run.notebook_id})
        new = operation.pieces if isinstance(operation, Split) else []
        states = [_state(changed, id_) for id_ in [*new, operation.cell]]
        return {"applied": True, "cells": states}

    async def _with_secrets(self, notebook: Notebook, operation: Edit | Insert) -> Edit | Insert:
        """Put back the secrets for which the agent has seen marks. Raises Refused."""
        sources = {str(cell["id"]): cell_source(cell) for cell in notebook.cells}
        now = sources.get(operation.cell, "")
        try:
            source = await asyncio.to_thread(revealed, operation.source, sources.values(), now)
        except UnresolvedMark as error:
            raise Refused(str(error)) from error
        return operation.model_copy(update={"source": source})

    async def _apply(
        self, notebook: Notebook, operations: Sequence[Operation | Split | Merge], author: Author
    ) -> Notebook:
        try:
            parts = [part for each in operations for part in parts_of(each, notebook.cells)]
            return await self.writer.apply(notebook, parts, author)
        except Stale as stale:
            raise _stale("changed", stale.sources) from stale
        except NotChanged as error:
            raise Refused(str(error)) from error
        except NoAnswer as error:
            raise Refused(
                "The page that has the notebook open doesn’t answer. It may change it yet: read "
                "what is there before you try again, with the same call."
            ) from error

    async def _propose(
        self, run: ActiveRun, notebook: Notebook, edit: Edit, data: Mapping[str, Any]
    ) -> dict[str, Any]:
        source = cell_source(notebook.find(edit.cell))
        if digest(source) != edit.base:
            raise _stale("proposed", {edit.cell: source})
        _check_secrets(edit.source, source)
        author = Author(run.agent, run.run, {**data, "base": edit.base})
        turn_id = await self._save_proposal(notebook, edit, author, str(data["intent"]), "agent")
        return {"proposed": True, "proposal": turn_id, **_state(notebook, edit.cell)}

    async def _save_proposal(
        self, notebook: Notebook, edit: Edit, author: Author, intent: str, mode: str
    ) -> int:
        cell = notebook.find(edit.cell)
        is_code = cell.get("cell_type") == "code"
        turn = NewTurn(
            timestamp=utc_now(),
            user_request=UserRequest(
                intent=intent,
                current_code=cell_source(cell),
                language=notebook.language if is_code else "markdown",
            ),
            ai_response=AIResponse(suggestion=edit.source, explanation="", status="success"),
            mode=mode,
            contributor=author.contributor,
            run=author.run,
            data=dict(author.data),
        )
        key = self.key(notebook.notebook_id, edit.cell)
        saved, _ = await self.services.sessions.save_interaction(key, turn)
        message = {"type": "proposed", "path": notebook.path, "cellId": edit.cell}
        self.pages.tell({**message, "turnId": saved.turn_id, "run": author.run})
        return saved.turn_id

    async def wait_for_decision(
        self, notebook_id: str, cell_id: str, turn_id: int, seconds: float
    ) -> dict[str, Any]:
        """Return what became of a proposal, at the latest after some seconds. Raises NotFound."""
        key = self.key(notebook_id, cell_id)
        loop = asyncio.get_running_loop()
        end = loop.time() + seconds
        while True:
            session = await self.services.sessions.load_session(key)
            decision = await asyncio.to_thread(_decision, session, turn_id)
            if decision["status"] != "waiting" or loop.time() >= end:
                return decision
            await asyncio.sleep(min(0.5, max(0.0, end - loop.time())))

    # Changes that don't come through the tools

    async def before_write(self, path: str, call: str) -> None:
        """Remember a notebook's file, which an agent is about to write. Raises NotFound."""
        self._files.put(f"{path}\n{call}", await self._read_file(path))

    async def after_write(self, path: str, agent: Agent, session: str, tool: str, call: str) -> int:
        """Record what an agent has changed in a notebook's file; return the number of changes.

        All changes of one session of the agent are a run. Raises NotFound, StorageError.
        """
        before = self._files.pop(f"{path}\n{call}")
        if before is None:
            return 0  # what has changed since when isn't certain
        old, new = await self.writer.versions(path, before, await self._read_file(path))
        operations = operations_between(old.cells, new.cells)
        data = {"tool": tool, "call": call, "session": session, "via": "hook"}
        return await self.record_write(old, new, operations, agent, data)

    async def _read_file(self, path: str) -> bytes:
        name, folder = self.writer.name(path), self.services.folder
        return await asyncio.to_thread(read_file, Path(folder, name)) if folder else b""

    async def record_write(
        self,
        before: Notebook,
        notebook: Notebook,
        operations: Sequence[Operation],
        agent: Agent,
        data: Mapping[str, str],
    ) -> int:
        """Record the operations with which an agent has changed a file; return their number.

        ``notebook`` is what the file contains now, and the run is that of the session in ``data``.
        Raises StorageError.
        """
        moved = moved_cells(before.ids, notebook.ids)
        if not (operations or moved):
            return 0
        identified = await self.writer.identify(
            replace(notebook, cells=before.cells or notebook.cells)
        )
        notebook = replace(notebook, notebook_id=identified.notebook_id)
        owner = self.services.session_owner
        log = await self.services.sessions.read_notebook_log(notebook.notebook_id, owner=owner)
        typed = {id_ for item in log if item.type == ORDER for id_ in item.data.get("types", ())}
        if not typed.issuperset(before.ids):  # an undo needs their contents and types
            await self.writer.record_all(notebook, before.cells)
        run, is_new = run_of_session(agent, data["session"], log)
        if is_new:
            begun = entry(RUN, run=run, agent=agent_data(agent), intent="", state="begun")
            await self._log(notebook.notebook_id, begun)
        author = Author(agent, run, {key: value for key, value in data.items() if value})
        await self.writer.record(notebook, before.cells, operations, author, notebook.cells)
        if moved:
            await self._note_moves(run, data["tool"], moved, notebook)
        self.pages.tell({"type": "changed", "notebookId": notebook.notebook_id})
        return len(operations) + len(moved)

    # Undo

    async def undo(self, path: str, run_id: str, agent: Agent | None) -> UndoPlan:
        """Return what undoing a run would do. Raises Refused, NotFound, StorageError.

        Many agents don't end their runs: one that hasn't called for a while has ended.
        """
        if run := self._active.get(run_id):
            _check_own(run.agent.name, agent)
            if time.monotonic() - run.last_call < _IDLE:
                raise Refused("The run is active. It can be undone when it has ended.")
            await self.end(run, None)
        plan = await self._plan(path, run_id, agent, plan_undo)
        _check_own(plan.agent, agent)
        return plan

    async def redo(self, path: str, run_id: str) -> UndoPlan:
        """Return what brings back the state before an undo. Raises Refused, NotFound."""
        return await self._plan(path, run_id, None, plan_redo)

    async def _plan(self, path: str, run_id: str, agent: Agent | None, plan: Any) -> UndoPlan:
        notebook = await self.open(path, agent)
        if not notebook.notebook_id:
            raise NotFound(UserText("There is no such run in this notebook."))
        history = await self.services.histories.load(notebook.notebook_id)
        states = [item.data for item in history.log if item.type == RUN]
        states = [data for data in states if data.get("run") == run_id]
        # The id in the file of a copy is that of the original until a page has opened it.
        is_here = await self.services.notebooks.find(path, notebook.notebook_id)
        if not states or notebook.notebook_id not in is_here:
            raise NotFound(UserText("There is no such run in this notebook."))
        if (states[-1].get("state") == "undone") == (plan is plan_undo):
            is_undone = plan is plan_undo
            raise Refused("The run is undone already." if is_undone else "The run isn’t undone.")
        result: UndoPlan = await asyncio.to_thread(plan, run_id, notebook, history)
        return result

    async def apply_plan(self, plan: UndoPlan, author: Author, state: str) -> Notebook:
        """Apply an undo or a redo, and note it. Raises Refused, StorageError."""
        notebook = plan.notebook
        order = notebook.ids
        if plan.operations:
            data = {**author.data, "undo" if state == "undone" else "redo": plan.run}
            notebook = await self._apply(
                notebook, plan.operations, Author(author.agent, author.run, data)
            )
        orders = {"order": order, "after": notebook.ids}
        await self._log(notebook.notebook_id, entry(RUN, run=plan.run, state=state, **orders))
        for edit in plan.conflicts(notebook):
            author = Author(None, plan.run, {"undo": plan.run})
            intent = f"{BEFORE_RUN}\n{plan.intent}"
            await self._save_proposal(notebook, edit, author, intent, "undo")
        return notebook


def _check_own(name: str, agent: Agent | None) -> None:
    if agent is not None and agent.name != name:
        raise Refused("This run belongs to another agent.")


def _check_secrets(proposed: str, now: str) -> None:
    if not can_be_proposed(proposed, now):
        raise Refused(
            "A line with a key or a password can’t be proposed, because suggestions are kept "
            "without them. Leave such lines as they are, or ask the person to change them."
        )


def _stale(what: str, sources: Mapping[str, str | None]) -> Refused:
    return Refused(
        f"The cell isn’t as the agent saw it: somebody has changed it. Nothing was {what}.",
        now=[_now(cell_id, source) for cell_id, source in sources.items()],
    )


def _now(cell_id: str, source: str | None) -> dict[str, Any]:
    if source is None:
        return {"cell": cell_id, "missing": True}
    return {"cell": cell_id, "source": hidden(source), "base": digest(source)}


def _state(notebook: Notebook, cell_id: str) -> dict[str, Any]:
    """Return a cell as it is now, as the answer to a change."""
    cells = {cell["id"]: cell for cell in notebook.cells}
    if cell_id not in cells:
        return {"cell": cell_id, "deleted": True}
    return _now(cell_id, cell_source(cells[cell_id]))


def _decision(session: Session, turn_id: int) -> dict[str, Any]:
    from ...replay import replay

    events = [event for event in session.events or () if event.turn_id == turn_id]
    for step in replay(session):
        if turn_id in step.turn_ids:
            outcome = {"open": "waiting", "unused": "rejected"}.get(step.outcome, step.outcome)
            answer: dict[str, Any] = {"status": outcome}
            reasons = [(event.data or {}).get("reason") for event in events]
            if outcome == "rejected" and (reason := next(filter(None, reasons), None)):
                answer["reason"] = str(reason)
            return answer
    raise NotFound(UserText("There is no such proposal."))
