"""Resources and prompts of the Model Context Protocol: other ways to what the tools read."""

from __future__ import annotations

import asyncio
import re
from typing import Any, NamedTuple
from urllib.parse import quote, unquote

from ...errors import NotFound, UserText
from ...surrogates import json_bytes
from .masks import hidden_texts
from .protocol import INVALID_PARAMS, Agent, ProtocolError
from .service import AgentService
from .tools import call_tool

_URI = re.compile(r"aiserver://(?:notebook|(cell|history|run)/([^/]+))/(.+)")
_TOOLS = {None: "notebook_outline", "cell": "cell_read", "history": "cell_history"}
TEMPLATES = [
    {"uriTemplate": f"aiserver://{uri}/{{+path}}", "name": name, "mimeType": "application/json"}
    for name, uri in (
        ("notebook", "notebook"),
        ("cell", "cell/{cell}"),
        ("history", "history/{cell}"),
        ("run", "run/{run}"),
    )
]


async def list_resources(service: AgentService, agent: Agent) -> list[dict[str, Any]]:
    """Return the open notebooks that an agent may read."""
    paths = service.pages.paths()
    # Together, because a page that doesn't answer takes seconds.
    opened = await asyncio.gather(
        *(service.open(path, agent) for path in paths), return_exceptions=True
    )
    return [
        {"uri": f"aiserver://notebook/{quote(path)}", "name": path, "mimeType": "application/json"}
        for path, notebook in zip(paths, opened, strict=True)
        if not isinstance(notebook, BaseException)
    ]


async def read_resource(service: AgentService, agent: Agent, uri: object) -> dict[str, Any]:
    """Return the contents of a resource. Raises Refused, ProtocolError."""
    match = _URI.fullmatch(uri) if isinstance(uri, str) else None
    if match is None:
        raise ProtocolError(INVALID_PARAMS, f"There is no resource {str(uri)[:80]}", {"uri": uri})
    kind, id_, path = match[1], match[2], unquote(match[3])
    if kind == "run":
        content = await _run(service, agent, path, id_)
    else:
        given = {"path": path} | ({"cell": id_} if kind else {})
        content = await call_tool(service, agent, _TOOLS[kind], given)
    text = json_bytes(content).decode()
    return {"contents": [{"uri": uri, "mimeType": "application/json", "text": text}]}


async def _run(service: AgentService, agent: Agent, path: str, id_: str) -> dict[str, Any]:
    notebook = await service.open(path, agent)
    for run in await service.runs(notebook.notebook_id) if notebook.notebook_id else []:
        if run.run == id_:
            summary: dict[str, Any] = hidden_texts(run.to_wire())
            return summary
    raise NotFound(UserText("There is no such run in this notebook."))


class Prompt(NamedTuple):
    """A prompt that a person can choose in the agent, and its arguments, all required."""

    description: str
    text: str
    arguments: tuple[str, ...] = ("path",)


PROMPTS = {
    "review_notebook": Prompt(
        "Review a notebook",
        "Review the notebook {path}: read it with notebook_outline and cell_read, and check each "
        "cell that looks wrong with check_code. Begin a run, and propose a change for each "
        "mistake, with the reason as its intent. Change nothing else. End the run with a summary.",
    ),
    "continue_last_time": Prompt(
        "Continue where the work in a notebook ended",
        "Find out with notebook_as_of and cell_history what was done last in the notebook {path}, "
        "and what is unfinished: open proposals, failed runs, requests without an accepted answer. "
        "Tell me in a few sentences, and ask before you change anything.",
    ),
    "why_is_this_so": Prompt(
        "Explain why a cell is as it is",
        "Explain why the cell {cell} of the notebook {path} is as it is: read it with cell_read, "
        "how it came to be with cell_history, and who wrote which line with blame. Name the "
        "requests and the decisions of the person. Change nothing.",
        ("path", "cell"),
    ),
}


def list_prompts() -> list[dict[str, Any]]:
    """Return the prompts as ``prompts/list`` sends them."""
    return [
        {
            "name": name,
            "description": prompt.description,
            "arguments": [{"name": each, "required": True} for each in prompt.arguments],
        }
        for name, prompt in PROMPTS.items()
    ]


def get_prompt(name: object, given: object) -> dict[str, Any]:
    """Return a prompt with its arguments. Raises ProtocolError."""
    prompt = PROMPTS.get(name) if isinstance(name, str) else None
    if prompt is None:
        raise ProtocolError(INVALID_PARAMS, f"Unknown prompt: {str(name)[:80]}")
    values = given if isinstance(given, dict) else {}
    if missing := [each for each in prompt.arguments if not isinstance(values.get(each), str)]:
        raise ProtocolError(INVALID_PARAMS, f"Missing argument: {missing[0]}")
    text = prompt.text.format(**{each: values[each] for each in prompt.arguments})
    message = {"role": "user", "content": {"type": "text", "text": text}}
    return {"description": prompt.description, "messages": [message]}
