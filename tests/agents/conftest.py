"""An agent that calls the server's tools, and a notebook for it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

KERNEL = {"name": "python3", "display_name": "Python 3", "language": "python"}
LOAD, PLOT = "df = pd.read_csv('sales.csv')", "df.plot(x='month', y='price', kind='bar')"


@pytest.fixture(autouse=True)
def _own_data_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path / "data"))


class AgentClient:
    """An agent that speaks the Model Context Protocol without sessions."""

    def __init__(self, call: Any, name: str = "Codex") -> None:
        self._call, self.name, self._id = call, name, 0

    async def send(self, method: str, params: dict[str, Any] | None = None, **message: Any) -> Any:
        """Send a request and return the whole answer."""
        self._id += 1
        meta = {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": self.name, "version": "1.2"},
            "io.modelcontextprotocol/clientCapabilities": {},
        }
        body = {"jsonrpc": "2.0", "id": self._id, "method": method}
        body |= {"params": {**(params or {}), "_meta": meta}} | message
        return await self._call("POST", "mcp", body)

    async def use(self, tool: str, /, **arguments: Any) -> Any:
        """Call a tool and return its answer; one that was refused has the key ``refused``."""
        answer = await self.send("tools/call", {"name": tool, "arguments": arguments})
        assert answer.status == 200, answer.raw
        result = answer.data["result"]
        assert json.loads(result["content"][0]["text"]) == result["structuredContent"]
        assert result["isError"] == ("refused" in result["structuredContent"])
        return result["structuredContent"]


@pytest.fixture
def agent(call: Any) -> AgentClient:
    return AgentClient(call)


@pytest.fixture
def other_agent(call: Any) -> AgentClient:
    return AgentClient(call, "Claude Code")


@pytest.fixture
def notebook(jp_root_dir: Path) -> Callable[..., Path]:
    """Write a notebook with these sources; its cells are ``cell0000``, ``cell0001``, …"""

    def _notebook(*sources: str, path: str = "a.ipynb", outputs: Any = ()) -> Path:
        cells = [
            {
                "id": f"ce11000{number}",
                "cell_type": "code",
                "metadata": {},
                "source": source,
                "outputs": list(outputs),
                "execution_count": None,
            }
            for number, source in enumerate(sources or (LOAD, PLOT))
        ]
        content = {
            "cells": cells,
            "metadata": {"kernelspec": KERNEL},
            "nbformat": 4,
            "nbformat_minor": 5,
        }
        file = jp_root_dir / path
        file.write_text(json.dumps(content), "utf-8")
        return file

    return _notebook


def sources(file: Path) -> list[str]:
    """Return the sources of the cells in a file."""
    return ["".join(cell["source"]) for cell in json.loads(file.read_text("utf-8"))["cells"]]


@pytest.fixture
def allow(call: Any) -> Callable[..., Any]:
    """Choose what an agent may do in a notebook."""

    async def _allow(notebook_id: str, level: str, agent: str = "Codex") -> Any:
        path = f"agents/notebooks/{notebook_id}/permission"
        answer = await call("PUT", path, {"agent": agent, "level": level})
        assert answer.status == 204, answer.raw
        return answer

    return _allow
