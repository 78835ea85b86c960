"""The tools that agents call. Cells are addressed by id, versions by the SHA-256 of the source."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Sequence
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ...errors import AIServerError, NotFound, UserText
from ...models import Id
from ...replay import Step, blame
from .masks import hidden
from .operations import Delete, Edit, Insert, Move, digest, new_cell_id, source_of
from .outputs import describe_outputs, run_outcome
from .pages import NoAnswer
from .protocol import Agent
from .service import ActiveRun, AgentService, Refused
from .writer import Author, Notebook

_MAX_STEPS = 50
_MAX_WAIT = 25  # seconds
_RUN_TIMEOUT = 300

Path = Annotated[
    str, Field(max_length=1024, description="The notebook, relative to Jupyter's folder")
]
Cell = Annotated[Id, Field(description="The id of a cell, from notebook_outline")]
Run = Annotated[str, Field(max_length=64, description="The id from run_begin")]
Base = Annotated[
    str, Field(max_length=64, description="The base that cell_read gave for this cell")
]
Intent = Annotated[
    str,
    Field(min_length=1, max_length=2_000, description="What this is to achieve, in one sentence"),
]
Call = Annotated[
    str, Field(max_length=64, description="An id of your own; the same one changes nothing twice")
]
Source = Annotated[str, Field(max_length=1_000_000)]
Mode = Annotated[
    Literal["propose", "apply"],
    Field(description="propose: it waits in the cell until the person accepts it"),
]


class Arguments(BaseModel):
    """Base class of the arguments of tools."""

    model_config = ConfigDict(extra="forbid")


class OutlineArguments(Arguments):
    """A notebook."""

    path: Path


class CellArguments(Arguments):
    """A cell of a notebook."""

    path: Path
    cell: Cell
    run: Run | None = None


class MomentArguments(Arguments):
    """A notebook and a time of its past; without one, the moments are listed, the newest first."""

    path: Path
    at: Annotated[str, Field(max_length=40, description="Such as 2026-11-30T09:00Z")] = ""


class SearchArguments(Arguments):
    """Words of earlier requests and answers."""

    query: Annotated[str, Field(min_length=1, max_length=500)]


class BeginArguments(Arguments):
    """The aim of a run."""

    path: Path
    intent: Intent
    plan: Annotated[list[Annotated[str, Field(max_length=500)]], Field(max_length=50)] = []


class EditArguments(Arguments):
    """A change of a cell: its whole new source, or texts that are replaced, each found once."""

    run: Run
    cell: Cell
    base: Base
    source: Source | None = None
    edits: Annotated[
        list[Replacement],
        Field(max_length=100, description="Instead of source: replace each old text by the new"),
    ] = []
    intent: Intent
    mode: Mode = "propose"
    call: Call = ""


class Replacement(Arguments):
    """A text that occurs once in the cell, and what replaces it."""

    old: Annotated[Source, Field(min_length=1)]
    new: Source


class InsertArguments(Arguments):
    """A new cell."""

    run: Run
    after: Annotated[Id | None, Field(description="The cell above; null: at the top")] = None
    type: Literal["code", "markdown", "raw"] = "code"
    source: Source
    intent: Intent
    mode: Mode = "propose"
    call: Call = ""


class DeleteArguments(Arguments):
    """A cell to delete."""

    run: Run
    cell: Cell
    base: Base
    intent: Intent
    call: Call = ""


class MoveArguments(Arguments):
    """A cell to move."""

    run: Run
    cell: Cell
    after: Annotated[Id | None, Field(description="The cell above; null: to the top")] = None
    intent: Intent
    call: Call = ""


class RunCellsArguments(Arguments):
    """Cells to run, in this order."""

    run: Run
    cells: Annotated[list[Id], Field(min_length=1, max_length=100)]


class ProposalArguments(Arguments):
    """A proposal, and how many seconds to wait for the person's decision."""

    run: Run
    cell: Cell
    proposal: Annotated[int, Field(ge=1)]
    wait: Annotated[float, Field(ge=0, le=_MAX_WAIT)] = 0


class UndoArguments(Arguments):
    """A run that has ended. With preview, nothing is changed."""

    path: Path
    run: Run
    preview: bool = True


class EndArguments(Arguments):
    """A summary for the person."""

    run: Run
    summary: Annotated[str, Field(max_length=2_000)] = ""


EditArguments.model_rebuild()


class Tool(NamedTuple):
    """A tool: its function, its arguments, and whether it only reads."""

    call: Callable[[Any, AgentService, Agent], Awaitable[dict[str, Any]]]
    arguments: type[Arguments]
    reads: bool

    def describe(self, name: str) -> dict[str, Any]:
        """Return the tool as ``tools/list`` sends it."""
        schema = self.arguments.model_json_schema()
        schema.pop("description", None)
        description = " ".join((inspect.getdoc(self.call) or "").split())
        return {
            "name": name,
            "description": description,
            "inputSchema": schema,
            "annotations": {"readOnlyHint": self.reads, "openWorldHint": False},
        }


async def call_tool(
    service: AgentService, agent: Agent, name: str, arguments: dict[str, Any]
) -> dict[str, Any]:
    """Call a tool; return its answer. Raises Refused for everything that the agent can mend."""
    tool = TOOLS[name]
    try:
        return await tool.call(tool.arguments.model_validate(arguments), service, agent)
    except ValidationError as error:
        problems = [
            f"{'.'.join(map(str, item['loc'])) or 'arguments'}: {item['msg']}"
            for item in error.errors(include_url=False, include_input=False)
        ]
        raise Refused("The arguments are wrong. " + "; ".join(problems[:5])) from error
    except AIServerError as error:
        raise Refused(str(error.message)) from error


# Reading


async def notebook_outline(
    arguments: OutlineArguments, service: AgentService, agent: Agent
) -> dict[str, Any]:
    """List the cells of a notebook as it is now, also if it isn't saved: ids, first lines, and who
    wrote each one last. Read a cell with cell_read before you change it."""
    notebook = await service.open(arguments.path, agent)
    steps_by_cell = await service.steps(notebook.notebook_id)
    cells = []
    for cell in notebook.cells:
        source = source_of(cell)
        lines = source.splitlines()
        steps = steps_by_cell.get(cell["id"])
        described: dict[str, Any] = {
            "cell": cell["id"],
            "type": cell.get("cell_type"),
            "first_line": hidden(lines[0][:200]) if lines else "",
            "lines": len(lines),
            "base": digest(source),
        }
        if steps:
            described["last_by"] = _author(steps[-1])
            described["requests"] = sum(step.kind == "turn" for step in steps)
        cells.append(described)
    level = service.level(notebook.notebook_id, agent)
    return {"path": notebook.path, "permission": level, "cells": cells, "open": notebook.is_open}


async def cell_read(
    arguments: CellArguments, service: AgentService, agent: Agent
) -> dict[str, Any]:
    """Read a cell as it is now: its source, the base that changes need, and what kind of output it
    has. Values in outputs are only given if the person has allowed it. Secrets are replaced by
    marks; leave them as they are."""
    notebook = await service.open(arguments.path, agent)
    cell = notebook.find(arguments.cell)
    if arguments.run:
        (await service.run(arguments.run, agent)).read.add(arguments.cell)
    source = source_of(cell)
    answer = {
        "cell": cell["id"],
        "type": cell.get("cell_type"),
        "source": await asyncio.to_thread(hidden, source),
        "base": digest(source),
    }
    if cell.get("cell_type") == "code":
        may_see = service.may_see_values(notebook.notebook_id, agent)
        answer["execution_count"] = cell.get("execution_count")
        answer["outputs"] = describe_outputs(cell.get("outputs"), with_values=may_see)
    return answer


async def cell_history(
    arguments: CellArguments, service: AgentService, agent: Agent
) -> dict[str, Any]:
    """Tell how a cell came to be: its latest steps, each with its author, its request or intent,
    and the code after it."""
    notebook, steps = await _steps(arguments, service, agent)
    return {
        "cell": arguments.cell,
        "steps": [_describe(step) for step in steps[-_MAX_STEPS:]],
        "left_out": max(0, len(steps) - _MAX_STEPS),
        "path": notebook.path,
    }


async def last_clean(
    arguments: CellArguments, service: AgentService, agent: Agent
) -> dict[str, Any]:
    """Return the last version of a cell that ran without an error."""
    _, steps = await _steps(arguments, service, agent)
    for step in reversed(steps):
        if step.kind == "run" and step.outcome == "done":
            source = hidden(step.code)
            return {"cell": arguments.cell, "source": source, "timestamp": step.timestamp}
    raise NotFound(UserText("No run of this cell without an error is recorded."))


async def blame_cell(
    arguments: CellArguments, service: AgentService, agent: Agent
) -> dict[str, Any]:
    """Tell who wrote each line of a cell: a person, a model, an agent, a program."""
    notebook = await service.open(arguments.path, agent)
    cell = notebook.find(arguments.cell)
    if not notebook.notebook_id:
        raise NotFound(UserText("This cell has no history."))
    key = service.key(notebook.notebook_id, arguments.cell)
    session = await service.services.sessions.load_session(key)
    lines = blame(session, source=source_of(cell), session_by_cell={})
    return {"cell": arguments.cell, "lines": [line.to_wire() for line in lines]}


async def notebook_as_of(
    arguments: MomentArguments, service: AgentService, agent: Agent
) -> dict[str, Any]:
    """Return the notebook as it was at a time, with all its cells; or list its latest moments."""
    notebook = await service.open(arguments.path, agent)
    if not notebook.notebook_id:
        raise NotFound(UserText("This point is not in the history."))
    timeline = (await service.services.histories.load(notebook.notebook_id)).timeline
    moments = timeline.moments
    if not arguments.at:
        listed = moments[: -_MAX_STEPS - 1 : -1]
        return {"moments": [{"at": m.timestamp, "what": m.kind, "title": m.title} for m in listed]}
    index = max((m.index for m in moments if m.timestamp <= arguments.at), default=None)
    if index is None:
        raise NotFound(UserText("This point is not in the history."))
    snapshot = timeline.at(index)
    return {
        "at": snapshot.moment.timestamp,
        "cells": [
            {"cell": cell.cell_id, "type": cell.type, "source": hidden(cell.source)}
            for cell in snapshot.cells
        ],
    }


async def history_search(
    arguments: SearchArguments, service: AgentService, agent: Agent
) -> dict[str, Any]:
    """Find earlier requests and answers in all notebooks that you may read, by words."""
    from ..search.plugin import SearchPlugin

    search = service.services.plugins.find(SearchPlugin)
    if search is None:
        raise Refused("The search is turned off on this server.")
    owner = service.services.session_owner
    result = await search.engine.search(arguments.query, owner=owner, limit=20)
    paths = await service.services.notebooks.paths({hit.notebook_id for hit in result.hits})
    # Without snippets: they may be of errors and explanations, which have values of the data.
    hits = [
        {
            "path": paths[hit.notebook_id],
            "cell": hit.cell_id,
            "request": hidden(hit.intent),
            "timestamp": hit.timestamp,
        }
        for hit in result.hits
        if service.level(hit.notebook_id, agent) != "off"
    ]
    return {"results": hits}


# Changing


async def run_begin(
    arguments: BeginArguments, service: AgentService, agent: Agent
) -> dict[str, Any]:
    """Begin a run: one piece of work in a notebook, with what it is to achieve. All changes belong
    to a run, and the person can undo it as a whole. End it with run_end."""
    notebook = await service.open(arguments.path, agent)
    service.check(notebook.notebook_id, agent, "propose", "change cells")
    run = await service.begin(notebook, agent, arguments.intent, arguments.plan)
    return {"run": run.run, "permission": service.level(notebook.notebook_id, agent)}


async def cell_edit(
    arguments: EditArguments, service: AgentService, agent: Agent
) -> dict[str, Any]:
    """Change the code of a cell. If the cell has changed since you read it, nothing is done and you
    get what is there now. By default it is proposed: the person sees it as a diff in the cell, and
    accepts or rejects it; ask proposal_status."""
    run = await service.run(arguments.run, agent)
    source = arguments.source
    if (source is None) == (not arguments.edits):
        raise Refused("Give either source or edits.")
    if source is None:
        notebook = await service.open(run.path, agent)
        source = _replaced(hidden(source_of(notebook.find(arguments.cell))), arguments.edits)
    edit = Edit(cell=arguments.cell, base=arguments.base, source=source)
    return await _change(service, run, edit, "cell_edit", arguments)


async def cell_insert(
    arguments: InsertArguments, service: AgentService, agent: Agent
) -> dict[str, Any]:
    """Insert a cell below another one. By default, an empty cell is inserted in which the person
    sees the proposed code."""
    run = await service.run(arguments.run, agent)
    insert = Insert(
        cell=new_cell_id(run.run, arguments.call),
        type=arguments.type,
        source=arguments.source,
        after=arguments.after,
    )
    return await _change(service, run, insert, "cell_insert", arguments)


async def cell_delete(
    arguments: DeleteArguments, service: AgentService, agent: Agent
) -> dict[str, Any]:
    """Delete a cell. Its history stays, and the person can bring it back."""
    run = await service.run(arguments.run, agent)
    delete = Delete(cell=arguments.cell, base=arguments.base)
    return await _change(service, run, delete, "cell_delete", arguments, mode="apply")


async def cell_move(
    arguments: MoveArguments, service: AgentService, agent: Agent
) -> dict[str, Any]:
    """Move a cell below another one."""
    run = await service.run(arguments.run, agent)
    move = Move(cell=arguments.cell, after=arguments.after)
    return await _change(service, run, move, "cell_move", arguments, mode="apply")


async def cells_run(
    arguments: RunCellsArguments, service: AgentService, agent: Agent
) -> dict[str, Any]:
    """Run cells in the person's kernel, in JupyterLab, where they see it. Needs the permission
    “all”, and the notebook must be open."""
    run = await service.run(arguments.run, agent)
    try:
        service.check(run.notebook_id, agent, "all", "run cells without being asked")
        if service.services.features.running == "forbidden":
            raise Refused("The administrator doesn’t allow that AI Server runs code.")
        notebook = await service.open(run.path, agent)
        for cell in arguments.cells:
            notebook.find(cell)
        data = {"intent": run.intent, "tool": "cells_run", "via": "mcp"}
        author = Author(agent, run.run, data)
        answer = await service.writer.run(notebook, arguments.cells, author, _RUN_TIMEOUT)
        if answer is None:
            raise Refused("The notebook isn’t open in JupyterLab, so there is no kernel to use.")
    except NoAnswer as error:
        raise Refused("The page hasn’t answered in time; cells may still be running.") from error
    except Refused as refused:
        await service.refuse(run, "cells_run", refused.sentence, arguments.cells[0])
        raise
    may_see = service.may_see_values(run.notebook_id, agent)
    return {"cells": [run_outcome(cell, with_values=may_see) for cell in answer.get("cells", ())]}


async def proposal_status(
    arguments: ProposalArguments, service: AgentService, agent: Agent
) -> dict[str, Any]:
    """Ask what became of a proposal: waiting, accepted, rejected (with the person's reason, if they
    gave one). With wait, the answer comes as soon as the person has decided."""
    run = await service.run(arguments.run, agent)
    service.check(run.notebook_id, agent, "read", "read")
    return await service.wait_for_decision(
        run.notebook_id, arguments.cell, arguments.proposal, arguments.wait
    )


async def run_undo(arguments: UndoArguments, service: AgentService, agent: Agent) -> dict[str, Any]:
    """Show what undoing one of your runs would do, or do it. Lines that a person has written since
    stay. The kernel's variables aren't undone."""
    plan = await service.undo(arguments.path, arguments.run, agent)
    service.check_own(plan, agent)
    if not arguments.preview:
        service.check(plan.notebook.notebook_id, agent, "edit", "undo a run")
        author = Author(agent, None, {"intent": "undo a run", "tool": "run_undo", "via": "mcp"})
        await service.apply_plan(plan, author, "undone")
    return {"undone": not arguments.preview, **plan.for_agents().to_wire()}


async def run_end(arguments: EndArguments, service: AgentService, agent: Agent) -> dict[str, Any]:
    """End a run, and tell the person in one or two sentences what was done."""
    run = await service.run(arguments.run, agent)
    await service.end(run, arguments.summary)
    return {"ended": True}


async def _change(
    service: AgentService, run: ActiveRun, operation: Any, tool: str, arguments: Any, mode: str = ""
) -> dict[str, Any]:
    return await service.change(
        run,
        operation,
        tool=tool,
        call=arguments.call,
        intent=arguments.intent,
        mode=mode or arguments.mode,
    )


async def _steps(
    arguments: CellArguments, service: AgentService, agent: Agent
) -> tuple[Notebook, Sequence[Step]]:
    notebook = await service.open(arguments.path, agent)
    return notebook, (await service.steps(notebook.notebook_id)).get(arguments.cell, ())


def _replaced(source: str, edits: list[Replacement]) -> str:
    for edit in edits:
        count = source.count(edit.old)
        if count != 1:
            raise Refused(
                f"A text to replace must occur once in the cell; this one occurs {count} times: "
                f"{edit.old[:80]!r}."
            )
        source = source.replace(edit.old, edit.new)
    return source


def _describe(step: Step) -> dict[str, Any]:
    described = {
        "kind": step.kind,
        "by": _author(step),
        "at": step.timestamp,
        "outcome": step.outcome,
        "title": step.title or (step.data or {}).get("intent"),
        "code": hidden(step.code) if step.kind != "run" else None,
        "run": step.run,
    }
    return {key: value for key, value in described.items() if value}


def _author(step: Step) -> str:
    return step.name or step.model or step.author


TOOLS: dict[str, Tool] = {
    "notebook_outline": Tool(notebook_outline, OutlineArguments, True),
    "cell_read": Tool(cell_read, CellArguments, True),
    "cell_history": Tool(cell_history, CellArguments, True),
    "last_clean": Tool(last_clean, CellArguments, True),
    "blame": Tool(blame_cell, CellArguments, True),
    "notebook_as_of": Tool(notebook_as_of, MomentArguments, True),
    "history_search": Tool(history_search, SearchArguments, True),
    "run_begin": Tool(run_begin, BeginArguments, False),
    "cell_edit": Tool(cell_edit, EditArguments, False),
    "cell_insert": Tool(cell_insert, InsertArguments, False),
    "cell_delete": Tool(cell_delete, DeleteArguments, False),
    "cell_move": Tool(cell_move, MoveArguments, False),
    "cells_run": Tool(cells_run, RunCellsArguments, False),
    "proposal_status": Tool(proposal_status, ProposalArguments, True),
    "run_undo": Tool(run_undo, UndoArguments, False),
    "run_end": Tool(run_end, EndArguments, False),
}
