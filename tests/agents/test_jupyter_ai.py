"""Jupyter AI's tools: the real MCP server, with a client, and a tool that a page would see."""

from __future__ import annotations

from importlib.metadata import entry_points
from types import SimpleNamespace
from typing import Any

import pytest

from aiserver.models import Contributor, NewEvent
from aiserver.notebooks.tool_calls import name_callers
from aiserver.plugins.agents.jupyter_ai import _agent, middleware


def _context(**params: Any) -> SimpleNamespace:
    session = SimpleNamespace(client_params=SimpleNamespace(**params))
    return SimpleNamespace(fastmcp_context=SimpleNamespace(session=session))


@pytest.mark.parametrize(
    ("context", "agent"),
    [
        (
            _context(client_info=SimpleNamespace(name="codex", version="1.2")),
            Contributor(kind="agent", name="codex", version="1.2"),
        ),
        (
            _context(clientInfo=SimpleNamespace(name="克劳德", version="")),
            Contributor(kind="agent", name="克劳德"),
        ),
        (
            _context(client_info=SimpleNamespace(name="mcp", version="0.1.0")),
            Contributor(kind="agent"),
        ),
        (_context(), Contributor(kind="agent")),
        (SimpleNamespace(fastmcp_context=None), Contributor(kind="agent")),
    ],
    ids=["SDK 2", "SDK 1", "the SDK's default", "no client", "no session"],
)
def test_what_the_client_does_not_tell_is_not_guessed(context, agent):
    assert _agent(context) == agent


def test_the_entry_point_is_the_factory():
    (entry,) = [
        entry
        for entry in entry_points(group="jupyter_server_mcp.middleware")
        if entry.name == "aiserver"
    ]
    assert entry.load() is middleware


async def test_a_call_by_a_real_client_has_its_name():
    """P50: the client's name and the tool's, without any change to the tool."""
    fastmcp = pytest.importorskip("fastmcp")
    types = pytest.importorskip("mcp.types")
    server = fastmcp.FastMCP("Jupyter")
    server.add_middleware(middleware())

    @server.tool
    def edit_cell(file_path: str, cell_id: str, content: str) -> str:
        return f"{file_path} {cell_id} {content}"

    @server.tool
    def fail(file_path: str) -> str:
        raise ValueError(f"nothing here: {file_path}")

    client = types.Implementation(name="claude-code", version="2.1.0")
    arguments = {"file_path": "a.ipynb", "cell_id": "c1", "content": "x = 1  # 中文"}
    async with fastmcp.Client(server, client_info=client) as connected:
        result = await connected.call_tool("edit_cell", arguments)
        assert result.data == "a.ipynb c1 x = 1  # 中文"
        with pytest.raises(Exception, match="nothing here"):
            await connected.call_tool("fail", {"file_path": "a.ipynb"})
    event = NewEvent(
        type="edit",
        timestamp="2026-01-27T10:00:00.000Z",
        source="x = 1  # 中文",
        contributor=Contributor(kind="program", name="Jupyter server"),
    )
    name_callers("", "a.ipynb", [("c1", event)])
    assert event.contributor == Contributor(kind="agent", name="claude-code", version="2.1.0")
    assert event.data == {"tool": "edit_cell", "via": "jupyter-server-mcp"}
