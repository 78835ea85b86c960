"""The tools that agents call. Cells are addressed by id, versions by the SHA-256 of the source."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Sequence
from typing import Annotated, Any, Literal, NamedTuple, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model
from pydantic.json_schema import GenerateJsonSchema

from ...errors import AIServerError, NotFound, UserText
from ...models import Id
from ...notebooks.restored_ids import cell_source
from ...replay import Step
from ...replay import blame as blame_lines
from .arguments import Base, Call, Cell, Intent, Mode, Path, Run, Source
from .kernel_tools import cells_run, check_code, data_describe, scratch_run
from .masks import hidden, unmasked
from .operations import Delete, Edit, Insert, Merge, Move, Split, digest, new_cell_id
from .outputs import describe_outputs
from .protocol import Agent
from .service import AgentService, Refused
from .writer import Author

_MAX_STEPS = 50
_MAX_WAIT = 25  # seconds


class Replacement(BaseModel):
    """A text that occurs once in the cell, and what replaces it."""

    model_config = ConfigDict(extra="forbid")

    old: Annotated[Source, Field(min_length=1)]
    new: Source


class _WithoutTitles(GenerateJsonSchema):
    """Titles only repeat the names of the arguments, and cost agents tokens."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False


class Tool(NamedTuple):
    """A tool: its function, the model of its arguments, and whether it only reads."""

    call: Callable[..., Awaitable[dict[str, Any]]]
    arguments: type[BaseModel]
    reads: bool

    def describe(self, name: str) -> dict[str, Any]:
        """Return the tool as ``tools/list`` sends it."""
        description = " ".join((inspect.getdoc(self.call) or "").split())
        return {
            "name": name,
            "description": description,
            "inputSchema": self.arguments.model_json_schema(schema_generator=_WithoutTitles),
            "annotations": {"readOnlyHint": self.reads, "openWorldHint": False},
        }


def tool(call: Callable[..., Awaitable[dict[str, Any]]], *, reads: bool = False) -> Tool:
    """Return the tool that a function is. Its arguments are those that only have names."""
    hints = get_type_hints(call, include_extras=True)
    fields: dict[str, Any] = {
        parameter.name: (
            hints[parameter.name],
            ... if parameter.default is parameter.empty else parameter.default,
        )
        for parameter in inspect.signature(call).parameters.values()
        if parameter.kind is parameter.KEYWORD_ONLY
    }
    config = ConfigDict(extra="forbid")
    return Tool(call, create_model(call.__name__, __config__=config, **fields), reads)


async def call_tool(
    service: AgentService, agent: Agent, name: str, given: dict[str, Any]
) -> dict[str, Any]:
    """Call a tool; return its answer. Raises Refused for everything that the agent can mend."""
    tool = TOOLS[name]
    try:
        arguments = tool.arguments.model_validate(given)
        return await tool.call(service, agent, **dict(arguments))
    except ValidationError as error:
        problems = [
            f"{'.'.join(map(str, item['loc'])) or 'arguments'}: {item['msg']}"
            for item in error.errors(include_url=False, include_input=False)
        ]
        raise Refused("The arguments are wrong. " + "; ".join(problems[:5])) from error
    except AIServerError as error:
        raise Refused(str(error.message)) from error


# Reading


async def notebook_outline(service: AgentService, agent: Agent, *, path: Path) -> dict[str, Any]:
    """List the cells of a notebook as it is now, also if it isn't saved: ids, first lines, and who
    wrote each one last. Read a cell with cell_read before you change it."""
    notebook = await service.open(path, agent)
    steps_by_cell = await service.steps(notebook.notebook_id)
    cells = []
    for cell in notebook.cells:
        source = cell_source(cell)
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
    return {
        "path": notebook.path,
        "permission": service.level(notebook.notebook_id, agent),
        "data": service.data_level(notebook, agent),
        "cells": cells,
        "open": notebook.is_open,
    }


async def cell_read(
    service: AgentService, agent: Agent, *, path: Path, cell: Cell, run: Run | None = None
) -> dict[str, Any]:
    """Read a cell as it is now: its source, the base that changes need, and what kind of output it
    has. Values in outputs are only given if the person has allowed it. Secrets are replaced by
    marks; leave them as they are."""
    notebook = await service.open(path, agent)
    content = notebook.find(cell)
    if run:
        (await service.run(run, agent)).read.add(cell)
    source = cell_source(content)
    answer = {
        "cell": cell,
        "type": content.get("cell_type"),
        "source": await asyncio.to_thread(hidden, source),
        "base": digest(source),
    }
    if content.get("cell_type") == "code":
        may_see = service.may_see_outputs(notebook, agent)
        answer["execution_count"] = content.get("execution_count")
        answer["outputs"] = describe_outputs(content.get("outputs"), with_values=may_see)
    return answer


async def cell_history(
    service: AgentService, agent: Agent, *, path: Path, cell: Cell
) -> dict[str, Any]:
    """Tell how a cell came to be: its latest steps, each with its author, its request or intent,
    and the code after it."""
    notebook = await service.open(path, agent)
    steps = (await service.steps(notebook.notebook_id)).get(cell, ())
    return {
        "cell": cell,
        "steps": [_describe(step) for step in steps[-_MAX_STEPS:]],
        "left_out": max(0, len(steps) - _MAX_STEPS),
        "path": notebook.path,
    }


async def last_clean(
    service: AgentService, agent: Agent, *, path: Path, cell: Cell
) -> dict[str, Any]:
    """Return the last version of a cell that ran without an error."""
    notebook = await service.open(path, agent)
    step = _last_clean((await service.steps(notebook.notebook_id)).get(cell, ()))
    return {"cell": cell, "source": hidden(step.code), "timestamp": step.timestamp}


async def blame(service: AgentService, agent: Agent, *, path: Path, cell: Cell) -> dict[str, Any]:
    """Tell who wrote each line of a cell: a person, a model, an agent, a program."""
    notebook = await service.open(path, agent)
    content = notebook.find(cell)
    if not notebook.notebook_id:
        raise NotFound(UserText("This cell has no history."))
    key = service.key(notebook.notebook_id, cell)
    session = await service.services.sessions.load_session(key)
    lines = blame_lines(session, source=cell_source(content), session_by_cell={})
    return {"cell": cell, "lines": [line.to_wire() for line in lines]}


async def notebook_as_of(
    service: AgentService,
    agent: Agent,
    *,
    path: Path,
    at: Annotated[str, Field(max_length=40, description="Such as 2026-11-30T09:00Z")] = "",
) -> dict[str, Any]:
    """Return the notebook as it was at a time, with all its cells; or list its latest moments."""
    notebook = await service.open(path, agent)
    if not notebook.notebook_id:
        raise NotFound(UserText("This point is not in the history."))
    timeline = (await service.services.histories.load(notebook.notebook_id)).timeline
    moments = timeline.moments
    if not at:
        listed = moments[: -_MAX_STEPS - 1 : -1]
        return {"moments": [{"at": m.timestamp, "what": m.kind, "title": m.title} for m in listed]}
    index = max((m.index for m in moments if m.timestamp <= at), default=None)
    if index is None:
        raise NotFound(UserText("This point is not in the history."))
    snapshot = timeline.at(index)
    return {
        "at": snapshot.timestamp,
        "cells": [
            {"cell": cell.cell_id, "type": cell.type, "source": hidden(cell.source)}
            for cell in snapshot.cells
        ],
    }


async def history_search(
    service: AgentService,
    agent: Agent,
    *,
    query: Annotated[str, Field(min_length=1, max_length=500)],
) -> dict[str, Any]:
    """Find earlier requests, answers and changes by agents in all notebooks that you may read: by
    words, by author (by:me, by:agent, by:codex, by:qwen) and by run (run:ID)."""
    from ..search.plugin import SearchPlugin

    search = service.services.plugins.find(SearchPlugin)
    if search is None:
        raise Refused("The search is turned off on this server.")
    owner = service.services.session_owner
    result = await search.engine.search(query, owner=owner, limit=20)
    paths = await service.services.notebooks.paths({hit.notebook_id for hit in result.hits})
    # Without snippets: they may be of errors and explanations, which have values of the data.
    hits = [
        {
            "path": paths[hit.notebook_id],
            "cell": hit.cell_id,
            "by": hit.name or hit.model or hit.author,
            "request": hidden(hit.intent),
            "timestamp": hit.timestamp,
            **({"run": hit.run} if hit.run else {}),
        }
        for hit in result.hits
        # Without a path, it is deleted, or in a folder that this server doesn't serve.
        if paths[hit.notebook_id] and service.level(hit.notebook_id, agent) != "off"
    ]
    return {"results": hits}


async def look_closer(
    service: AgentService,
    agent: Agent,
    *,
    tool: Annotated[str, Field(max_length=64)] = "",
    arguments: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """Use another tool that only reads: of histories, authors, earlier versions, data in the
    kernel, checks of code. Without a name, all of them are described."""
    if tool not in _CLOSER:
        return {"tools": [TOOLS[name].describe(name) for name in _CLOSER]}
    return await call_tool(service, agent, tool, arguments or {})


# Changing


async def run_begin(
    service: AgentService,
    agent: Agent,
    *,
    path: Path,
    intent: Intent,
    plan: Annotated[tuple[Annotated[str, Field(max_length=500)], ...], Field(max_length=50)] = (),
) -> dict[str, Any]:
    """Begin a run: one piece of work in a notebook, with what it is to achieve. All changes belong
    to a run, and the person can undo it as a whole. End it with run_end."""
    notebook = await service.open(path, agent)
    service.check(notebook.notebook_id, agent, "propose", "change cells")
    active = await service.begin(notebook, agent, intent, plan)
    return {"run": active.run, "permission": service.level(notebook.notebook_id, agent)}


async def cell_edit(
    service: AgentService,
    agent: Agent,
    *,
    run: Run,
    cell: Cell,
    base: Base,
    source: Source | None = None,
    edits: Annotated[
        tuple[Replacement, ...],
        Field(max_length=100, description="Instead of source: replace each old text by the new"),
    ] = (),
    intent: Intent,
    mode: Mode = "propose",
    call: Call = "",
) -> dict[str, Any]:
    """Change the code of a cell. If the cell has changed since you read it, nothing is done and you
    get what is there now. By default it is proposed: the person sees it as a diff in the cell, and
    accepts or rejects it; ask proposal_status."""
    active = await service.run(run, agent)
    if (source is None) == (not edits):
        raise Refused("Give either source or edits.")
    if source is None:
        notebook = await service.open(active.path, agent)
        source = _replaced(hidden(cell_source(notebook.find(cell))), edits)
    edit = Edit(cell=cell, base=base, source=source)
    return await service.change(agent, run, edit, call=call, intent=intent, mode=mode)


async def restore(
    service: AgentService,
    agent: Agent,
    *,
    run: Run,
    cell: Cell,
    base: Base,
    step: Annotated[int, Field(ge=0)] | Literal["last clean"],
    intent: Intent,
    mode: Mode = "propose",
    call: Call = "",
) -> dict[str, Any]:
    """Bring back the code of a step of cell_history, or with “last clean” what ran last without an
    error."""
    active = await service.run(run, agent)
    notebook = await service.open(active.path, agent, active.notebook_id)
    now = cell_source(notebook.find(cell))
    steps = (await service.steps(notebook.notebook_id)).get(cell, ())
    if step == "last clean":
        version = _last_clean(steps)
    elif step < len(steps) and not steps[step].missing:
        version = steps[step]
    else:
        raise Refused("The history of this cell has no code of such a step.")
    source = await asyncio.to_thread(unmasked, version.code, now)
    if source is None:
        raise Refused("The version has a secret that isn’t in the cell any more, nor in histories.")
    edit = Edit(cell=cell, base=base, source=source)
    return await service.change(
        agent, run, edit, tool="restore", call=call, intent=intent, mode=mode
    )


async def cell_insert(
    service: AgentService,
    agent: Agent,
    *,
    run: Run,
    after: Annotated[Id | None, Field(description="The cell above; null: at the top")] = None,
    type: Literal["code", "markdown", "raw"] = "code",
    source: Source,
    intent: Intent,
    mode: Mode = "propose",
    call: Call = "",
) -> dict[str, Any]:
    """Insert a cell below another one. By default, an empty cell is inserted in which the person
    sees the proposed code."""
    insert = Insert(cell=new_cell_id(run, call), type=type, source=source, after=after)
    return await service.change(agent, run, insert, call=call, intent=intent, mode=mode)


async def cell_delete(
    service: AgentService,
    agent: Agent,
    *,
    run: Run,
    cell: Cell,
    base: Base,
    intent: Intent,
    call: Call = "",
) -> dict[str, Any]:
    """Delete a cell. The person is asked first, unless they allow all. Its history stays, and
    they can bring it back."""
    delete = Delete(cell=cell, base=base)
    return await service.change(agent, run, delete, call=call, intent=intent)


async def cell_move(
    service: AgentService,
    agent: Agent,
    *,
    run: Run,
    cell: Cell,
    after: Annotated[Id | None, Field(description="The cell above; null: to the top")] = None,
    intent: Intent,
    call: Call = "",
) -> dict[str, Any]:
    """Move a cell below another one."""
    move = Move(cell=cell, after=after)
    return await service.change(agent, run, move, call=call, intent=intent)


async def cell_split(
    service: AgentService,
    agent: Agent,
    *,
    run: Run,
    cell: Cell,
    base: Base,
    lines: Annotated[
        list[Annotated[int, Field(ge=2)]],
        Field(min_length=1, max_length=50, description="The first line of each further part"),
    ],
    intent: Intent,
    call: Call = "",
) -> dict[str, Any]:
    """Split a cell before some of its lines. The last part keeps the id of the cell."""
    pieces = [new_cell_id(run, call and f"{call}\n{line}") for line in lines]
    split = Split(cell=cell, base=base, lines=lines, pieces=pieces)
    return await service.change(agent, run, split, call=call, intent=intent)


async def cell_merge(
    service: AgentService,
    agent: Agent,
    *,
    run: Run,
    cells: Annotated[list[Cell], Field(min_length=2, max_length=50)],
    bases: Annotated[list[Base], Field(description="Those of the cells, in the same order")],
    intent: Intent,
    call: Call = "",
) -> dict[str, Any]:
    """Merge cells that are below each other into one, which gets a new id."""
    if len(cells) != len(bases):
        raise Refused("Give a base for each of the cells.")
    merge = Merge(cell=new_cell_id(run, call), cells=cells, bases=bases)
    return await service.change(agent, run, merge, call=call, intent=intent)


async def proposal_status(
    service: AgentService,
    agent: Agent,
    *,
    run: Run,
    cell: Cell,
    proposal: Annotated[int, Field(ge=1)],
    wait: Annotated[float, Field(ge=0, le=_MAX_WAIT)] = 0,
) -> dict[str, Any]:
    """Ask what became of a proposal: waiting, accepted, rejected (with the person's reason, if they
    gave one). With wait, the answer comes as soon as the person has decided."""
    active = await service.run(run, agent)
    service.check(active.notebook_id, agent, "read", "read")
    return await service.wait_for_decision(active.notebook_id, cell, proposal, wait)


async def run_undo(
    service: AgentService, agent: Agent, *, path: Path, run: Run, preview: bool = True
) -> dict[str, Any]:
    """Show what undoing one of your runs would do, or do it. Lines that a person has written since
    stay. The kernel's variables aren't undone."""
    plan = await service.undo(path, run, agent)
    if not preview:
        service.check(plan.notebook.notebook_id, agent, "edit", "undo a run")
        author = Author(agent, None, {"intent": "undo a run", "tool": "run_undo", "via": "mcp"})
        await service.apply_plan(plan, author, "undone")
    return {"undone": not preview, **plan.for_agents().to_wire()}


async def run_end(
    service: AgentService,
    agent: Agent,
    *,
    run: Run,
    summary: Annotated[str, Field(max_length=2_000)] = "",
) -> dict[str, Any]:
    """End a run, and tell the person in one or two sentences what was done."""
    active = await service.run(run, agent)
    await service.end(active, summary)
    return {"ended": True}


def _last_clean(steps: Sequence[Step]) -> Step:
    """Return the last run of a cell without an error. Raises NotFound."""
    for step in reversed(steps):
        if step.kind == "run" and step.outcome == "done":
            return step
    raise NotFound(UserText("No run of this cell without an error is recorded."))


def _replaced(source: str, edits: tuple[Replacement, ...]) -> str:
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
        "title": step.title,
        "code": hidden(step.code) if step.kind != "run" else None,
        "run": step.run,
    }
    return {"step": step.index} | {key: value for key, value in described.items() if value}


def _author(step: Step) -> str:
    return step.name or step.model or step.author


_READING = (
    notebook_outline,
    cell_read,
    cell_history,
    last_clean,
    blame,
    notebook_as_of,
    history_search,
    check_code,
    data_describe,
    proposal_status,
)
_CHANGING = (
    run_begin,
    cell_edit,
    restore,
    cell_insert,
    cell_delete,
    cell_move,
    cell_split,
    cell_merge,
    cells_run,
    scratch_run,
    run_undo,
    run_end,
)
_ALWAYS = ("notebook_outline", "cell_read", "proposal_status")
_CLOSER = [call.__name__ for call in _READING if call.__name__ not in _ALWAYS]
TOOLS = {call.__name__: tool(call, reads=True) for call in (*_READING, look_closer)}
TOOLS |= {call.__name__: tool(call) for call in _CHANGING}
ALL_TOOLS = [name for name in TOOLS if name != "look_closer"]
FEW_TOOLS = [name for name in TOOLS if name not in _CLOSER]
"""The names of the tools for agents that want few: they find the others by one of them."""
