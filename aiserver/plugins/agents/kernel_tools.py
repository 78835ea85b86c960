"""The tools of agents that need the kernel of an open notebook: the page asks it."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field, ValidationError

from ...generation.hidden_data import hide_in_frame
from ...models import Id
from ...prompts.data_texts import columns_by_line, rows_by_line
from ...redact import Vault
from ...requests import DataFrameProfile
from .arguments import Cell, Path, Run, Source
from .masks import hidden_texts
from .outputs import run_outcome
from .pages import NoAnswer
from .protocol import Agent
from .service import AgentService, Refused
from .writer import Author

_RUN_TIMEOUT = 300.0  # seconds
_READ_TIMEOUT = 30.0
_PROBLEM_FIELDS = ("line", "column", "kind", "name", "message", "candidates", "package", "import")
_WARNING_FIELDS = ("line", "kind", "name", "rows", "width", "labels")


async def check_code(
    service: AgentService, agent: Agent, *, path: Path, source: Source, cell: Cell | None = None
) -> dict[str, Any]:
    """Check Python code in the kernel without running it: wrong names, columns, modules and
    arguments, and which DataFrames it would overwrite. Give the cell that it is for. The notebook
    must be open."""
    notebook = await service.open(path, agent)
    if cell:
        notebook.find(cell)
    question = {"type": "check", "source": source, "cell": cell}
    answer = await service.ask_page(notebook, question, _READ_TIMEOUT)
    return {
        "problems": [_chosen(each, _PROBLEM_FIELDS) for each in answer.get("problems", ())],
        "overwrites": [_chosen(each, _WARNING_FIELDS) for each in answer.get("warnings", ())],
    }


def _chosen(given: dict[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    """Return the fields with these names that aren't empty, without secrets."""
    return {name: hidden_texts(given[name]) for name in names if given.get(name)}


async def data_describe(
    service: AgentService,
    agent: Agent,
    *,
    path: Path,
    name: Annotated[str | None, Field(max_length=256, description="Only this DataFrame")] = None,
) -> dict[str, Any]:
    """Describe the DataFrames in the kernel: columns and dtypes. With a name, also its statistics
    or first rows, if the person allows it. The notebook must be open."""
    notebook = await service.open(path, agent)
    level = service.data_level(notebook, agent)
    question = {"type": "data", "name": name, "level": level}
    answer = await service.ask_page(notebook, question, _READ_TIMEOUT)
    vault = Vault()
    texts = []
    try:
        for given in answer.get("frames", ()):
            frame = DataFrameProfile.model_validate(given | {"level": level})
            frame = hide_in_frame(frame, vault, on_this_machine=False)
            texts.append("\n".join(filter(None, [columns_by_line(frame), rows_by_line(frame)])))
    except ValidationError as error:
        raise Refused("The page can’t describe the data.") from error
    if name and not texts:
        raise Refused("The kernel has no DataFrame with this name.")
    return {"data": level, "dataframes": texts}


async def cells_run(
    service: AgentService,
    agent: Agent,
    *,
    run: Run,
    cells: Annotated[list[Id], Field(min_length=1, max_length=100)],
) -> dict[str, Any]:
    """Run cells in the person's kernel, in JupyterLab, where they see it. Unless they allow all,
    they are asked first. The notebook must be open."""
    return {"cells": await _run(service, agent, run, {"type": "run", "cells": cells})}


async def scratch_run(
    service: AgentService, agent: Agent, *, run: Run, code: Annotated[Source, Field(min_length=1)]
) -> dict[str, Any]:
    """Run code in the person's kernel without a cell. It is recorded in the run. Unless they allow
    all, they are asked first. The notebook must be open."""
    (outcome,) = await _run(service, agent, run, {"type": "execute", "code": code})
    return outcome


async def _run(
    service: AgentService, agent: Agent, run: str, question: dict[str, Any]
) -> list[dict[str, Any]]:
    """Run cells or code; return the outcomes. Raises Refused, which is in the run then."""
    active = await service.run(run, agent)
    tool, cells = ("cells_run", question["cells"]) if "cells" in question else ("scratch_run", [])
    try:
        service.check(active.notebook_id, agent, "edit", "run code")
        if service.services.features.running == "forbidden":
            raise Refused("The administrator doesn’t allow that AI Server runs code.")
        notebook = await service.open(active.path, agent, active.notebook_id)
        for cell in cells:
            notebook.find(cell)
        code = question.get("code", "")
        await service.ask_person(notebook, active, "run", cells=cells, code=code)
        author = Author(agent, active.run, {"intent": active.intent, "tool": tool, "via": "mcp"})
        question = question | {"author": author.to_wire()}
        answer = await service.ask_page(notebook, question, _RUN_TIMEOUT)
    except Refused as refused:
        if isinstance(refused.__cause__, NoAnswer) and "code" in question:
            await service.note_code(active, tool, question["code"])  # it may be running
        await service.refuse(active, tool, refused.sentence, next(iter(cells), None))
        raise
    if "code" in question:
        await service.note_code(active, tool, question["code"])
    may_see = service.may_see_outputs(notebook, agent)
    return [run_outcome(each, with_values=may_see) for each in answer.get("cells", ())]
