"""The Model Context Protocol: what each version's clients send, and what no client should."""

from __future__ import annotations

import json
from typing import Any

import pytest

from .conftest import AgentClient
from .test_tools import CELL, Write, notebook_id


async def test_a_client_of_today_needs_no_session(agent: AgentClient) -> None:
    answer = await agent.send("server/discover")
    assert answer.data["result"]["supportedVersions"][0] == "2026-07-28"
    tools = (await agent.send("tools/list")).data["result"]["tools"]
    assert {"cell_edit", "run_undo"} <= {tool["name"] for tool in tools}
    assert all(tool["description"] and tool["inputSchema"]["type"] == "object" for tool in tools)
    arguments = [each for tool in tools for each in tool["inputSchema"]["properties"].values()]
    assert not any("title" in each for each in arguments), "which would only cost tokens"


async def test_few_tools_lead_to_all_that_only_read(
    call: Any, agent: AgentClient, notebook: Write
) -> None:
    notebook()

    async def names(path: str) -> set[str]:
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
        listed = (await call("POST", path, message)).data["result"]["tools"]
        return {tool["name"] for tool in listed}

    all_names, few = await names("mcp"), await names("mcp?tools=few")
    assert "look_closer" in few and len(few) == len(all_names) - 6
    described = (await agent.use("look_closer"))["tools"]
    assert few | {tool["name"] for tool in described} == all_names | {"look_closer"}
    assert {tool["annotations"]["readOnlyHint"] for tool in described} == {True}
    given = {"path": "a.ipynb", "cell": CELL}
    answer = await agent.use("look_closer", tool="cell_history", arguments=given)
    assert answer == await agent.use("cell_history", **given)
    assert "path" in (await agent.use("look_closer", tool="blame"))["refused"]
    assert await agent.use("look_closer", tool="cell_edit") == {"tools": described}


@pytest.mark.parametrize("version", ["2025-11-25", "2025-06-18", "2024-11-05", "1999-01-01"])
async def test_an_older_client_gives_its_name_once(
    call: Any, notebook: Write, version: str
) -> None:
    client = {"name": "gemini-cli-mcp-client-aiserver", "version": "0.6"}
    params = {"protocolVersion": version, "clientInfo": client, "capabilities": {}}
    first = await call(
        "POST", "mcp", {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}
    )
    chosen = first.data["result"]["protocolVersion"]
    assert chosen == (version if version > "2000" else "2025-11-25")
    headers = {"Mcp-Session-Id": first.headers["Mcp-Session-Id"], "MCP-Protocol-Version": chosen}
    notified = await call(
        "POST", "mcp", {"jsonrpc": "2.0", "method": "notifications/initialized"}, headers=headers
    )
    assert (notified.status, notified.raw) == (202, b"")
    notebook()
    arguments = {"path": "a.ipynb", "intent": "tidy up"}
    body = {"jsonrpc": "2.0", "id": 2, "method": "tools/call"}
    body |= {"params": {"name": "run_begin", "arguments": arguments}}
    await call("POST", "mcp", body, headers=headers)
    id_ = await notebook_id(call)
    (run,) = (await call("GET", f"agents/notebooks/{id_}")).data["runs"]
    assert run["agent"] == {"name": "gemini-cli", "version": "0.6"}


@pytest.mark.parametrize(
    ("raw", "status", "code"),
    [
        (b"{", 400, -32700),
        (b"[]", 400, -32600),
        (b'{"jsonrpc": "2.0", "id": 1}', 400, -32600),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": 3}', 200, -32602),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "nothing"}', 200, -32601),
        (b'{"jsonrpc": "2.0", "id": {}, "method": "ping"}', 400, -32600),
    ],
)
async def test_what_is_no_request_gets_an_error(
    call: Any, raw: bytes, status: int, code: int
) -> None:
    answer = await call("POST", "mcp", raw=raw)
    assert (answer.status, answer.data["error"]["code"]) == (status, code)


async def test_odd_arguments_get_a_sentence(agent: AgentClient) -> None:
    """Never a 5xx, whatever an agent sends."""
    odd: list[Any] = [{}, {"path": 3}, {"path": "../x"}, {"path": "\x00"}, {"paths": "a"}, [], "x"]
    for arguments in odd:
        for tool in ("notebook_outline", "run_begin", "cell_edit", "history_search"):
            answer = await agent.send("tools/call", {"name": tool, "arguments": arguments})
            assert answer.status == 200, (tool, arguments, answer.raw)
            assert answer.data["result"]["structuredContent"]["refused"]


async def test_other_sites_are_refused(call: Any) -> None:
    body = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    answer = await call("POST", "mcp", body, headers={"Origin": "https://evil.example"})
    assert answer.status == 403
    assert json.loads((await call("POST", "mcp", body)).raw)["result"] == {}
