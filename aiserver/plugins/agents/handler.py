"""``mcp`` for agents, and ``agents/…`` for the page."""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError

from ..._version import __version__
from ...errors import (
    AIServerError,
    FeatureForbidden,
    InvalidRequest,
    NotFound,
    RequestTooLarge,
    UserText,
)
from ...handlers.base import MAX_BODY, AIServerHandler, guarded
from ...handlers.sockets import SocketHandler
from ...models import Id, check_id
from ...requests import Body
from ...surrogates import json_bytes
from .pages import Hello, Page
from .permissions import LEVELS, Level
from .plugin import AgentsPlugin
from .protocol import INVALID_PARAMS, Agent, ProtocolError, Server
from .resources import TEMPLATES, get_prompt, list_prompts, list_resources, read_resource
from .runs import NotebookRuns
from .service import AgentService, Refused
from .tools import ALL_TOOLS, FEW_TOOLS, TOOLS, call_tool
from .undo_run import UndoneRun
from .writer import Author

_INSTRUCTIONS = (
    "Notebooks of JupyterLab. Look with notebook_outline and cell_read, begin a run with "
    "run_begin, change cells by their id with cell_edit and cell_insert, and end with run_end. Say "
    "with each change what it is to achieve, and check code with check_code before. Changes are "
    "proposed to the person by default; proposal_status tells what they decided. Never write "
    ".ipynb files yourself."
)


class _AgentsHandler(AIServerHandler):
    @property
    def service(self) -> AgentService:
        """The service of the plugin."""
        return self.services.plugins.get(AgentsPlugin).service


class McpHandler(_AgentsHandler):
    """Answers agents that speak the Model Context Protocol."""

    @guarded("execute")
    async def post(self) -> None:
        """Answer one message."""
        self.check_owner()
        self.check_same_origin()
        headers = self.request.headers
        if len(self.request.body) > MAX_BODY:
            raise RequestTooLarge
        answer = await self._server().answer(
            self.request.body,
            headers.get("MCP-Protocol-Version"),
            headers.get("Mcp-Session-Id"),
        )
        self.set_status(answer.status)
        if answer.session_id:
            self.set_header("Mcp-Session-Id", answer.session_id)
        await self.finish(b"" if answer.body is None else json_bytes(answer.body))

    def _server(self) -> Server:
        return Server(
            name="aiserver",
            version=__version__,
            instructions=_INSTRUCTIONS,
            capabilities={"tools": {}, "resources": {}, "prompts": {}},
            methods={
                "tools/list": self._list_tools,
                "tools/call": self._call_tool,
                "resources/list": self._list_resources,
                "resources/templates/list": self._list_templates,
                "resources/read": self._read_resource,
                "prompts/list": self._list_prompts,
                "prompts/get": self._get_prompt,
            },
        )

    async def _list_tools(self, params: dict[str, Any], agent: Agent) -> dict[str, Any]:
        names = FEW_TOOLS if self.get_query_argument("tools", "") == "few" else ALL_TOOLS
        return {"tools": [TOOLS[name].describe(name) for name in names]}

    async def _call_tool(self, params: dict[str, Any], agent: Agent) -> dict[str, Any]:
        name, arguments = params.get("name"), params.get("arguments", {})
        if not isinstance(name, str) or name not in TOOLS:
            raise ProtocolError(INVALID_PARAMS, f"Unknown tool: {str(name)[:80]}")
        try:
            await self._check_files()
            given = arguments if isinstance(arguments, dict) else {}
            return _result(await call_tool(self.service, agent, name, given))
        except Refused as refused:
            return _result({"refused": refused.sentence, **refused.data}, is_error=True)

    async def _check_files(self) -> None:
        """Raise Refused unless the person may read files."""
        if not await self.can_read_files():
            raise Refused("You may not read files on this server.")

    async def _list_resources(self, params: dict[str, Any], agent: Agent) -> dict[str, Any]:
        can_read = await self.can_read_files()
        return {"resources": await list_resources(self.service, agent) if can_read else []}

    async def _list_templates(self, params: dict[str, Any], agent: Agent) -> dict[str, Any]:
        return {"resourceTemplates": TEMPLATES}

    async def _read_resource(self, params: dict[str, Any], agent: Agent) -> dict[str, Any]:
        try:
            await self._check_files()
            return await read_resource(self.service, agent, params.get("uri"))
        except (Refused, AIServerError) as error:
            raise ProtocolError(INVALID_PARAMS, str(error)) from error

    async def _list_prompts(self, params: dict[str, Any], agent: Agent) -> dict[str, Any]:
        return {"prompts": list_prompts()}

    async def _get_prompt(self, params: dict[str, Any], agent: Agent) -> dict[str, Any]:
        return get_prompt(params.get("name"), params.get("arguments"))


def _result(answer: dict[str, Any], *, is_error: bool = False) -> dict[str, Any]:
    content = [{"type": "text", "text": json_bytes(answer).decode()}]
    return {"content": content, "structuredContent": answer, "isError": is_error}


class RunsHandler(_AgentsHandler):
    """Lists the runs of agents in a notebook."""

    @guarded("read")
    async def get(self, notebook_id: str) -> NotebookRuns:
        """Answer with the runs, the newest first, and the permissions."""
        check_id("notebookId", notebook_id)
        permissions = self.service.permissions
        return NotebookRuns(
            await self.service.runs(notebook_id),
            permissions.levels(notebook_id) or {},
            permissions.cap,
        )


class PermissionBody(Body):
    """A choice what an agent may do in a notebook. ``page`` is the page for which “all” holds."""

    agent: Annotated[str, Field(min_length=1, max_length=64)]
    level: Level
    page: Id | None = None


class PermissionHandler(_AgentsHandler):
    """Keeps what a person allows an agent."""

    @guarded("write")
    async def put(self, notebook_id: str) -> None:
        """Keep the choice."""
        self.check_owner()
        check_id("notebookId", notebook_id)
        body = self.body(PermissionBody)
        permissions = self.service.permissions
        if LEVELS.index(body.level) > LEVELS.index(permissions.cap):
            raise FeatureForbidden
        is_open = body.page is not None and self.service.pages.is_open(body.page)
        if body.level == "all" and not is_open:
            raise NotFound(UserText("This page is no longer open."))
        self.service.choose(notebook_id, body.agent, body.level, body.page)


_Short = Annotated[str, Field(max_length=256)]


class HookBody(Body):
    """A write of a notebook's file by an agent, from its hook: before it, or after it."""

    path: Annotated[str, Field(min_length=1, max_length=4096)]
    phase: Literal["before", "after"]
    agent: Annotated[str, Field(min_length=1, max_length=64)]
    session: _Short = ""
    tool: _Short = ""
    call: _Short = ""


class HookHandler(_AgentsHandler):
    """Records what an agent writes into files by itself."""

    @guarded("write")
    async def post(self) -> dict[str, int]:
        """Remember the file, or record what has changed; answer with the number of changes."""
        self.check_owner()
        body = self.body(HookBody)
        path = body.path.strip("/")
        changes = 0
        if body.phase == "before":
            await self.service.before_write(path, body.call)
        else:
            agent = Agent(body.agent)
            changes = await self.service.after_write(
                path, agent, body.session, body.tool, body.call
            )
        return {"changes": changes}


class UndoBody(Body):
    """The notebook of a run, and whether to show only what would be done."""

    path: Annotated[str, Field(min_length=1, max_length=4096)]
    preview: bool = False


class UndoHandler(_AgentsHandler):
    """Undoes and redoes a run."""

    @guarded("write")
    async def post(self, notebook_id: str, run: str, action: str) -> UndoneRun:
        """Answer with what was done to each cell, or would be."""
        self.check_owner()
        body = self.body(UndoBody)
        service = self.service
        if action not in ("undo", "redo"):
            raise NotFound
        try:
            plan = await (
                service.undo(body.path, run, None)
                if action == "undo"
                else service.redo(body.path, run)
            )
            if plan.notebook.notebook_id != notebook_id:
                raise NotFound(UserText("There is no such run in this notebook."))
            if not body.preview:
                state = "undone" if action == "undo" else "redone"
                await service.apply_plan(plan, Author(None, data={"tool": f"run_{action}"}), state)
        except Refused as refused:
            raise InvalidRequest(refused.sentence) from refused
        return UndoneRun(plan.cells, plan.order)


class ChannelHandler(_AgentsHandler, SocketHandler):
    """The WebSocket of a page."""

    _page: Page

    def open(self, *_: str, **__: str) -> None:
        """Create the page. Its first message tells which notebooks it has open."""
        self._page = Page(self.send)

    def on_message(self, message: str | bytes) -> None:
        """Take the list of open notebooks, or the answer to a question."""
        try:
            data = json.loads(message)  # with lone surrogates, unlike `from_json`
            if isinstance(data, dict) and data.get("type") == "hello":
                self.service.pages.hello(self._page, Hello.model_validate(data))
            elif isinstance(data, dict):
                self._page.receive(data)
        except (ValueError, ValidationError):
            self.close(1007)

    def on_close(self) -> None:
        """Forget the page, and what was allowed until it closes."""
        if hasattr(self, "_page"):
            self.service.page_closed(self._page)
