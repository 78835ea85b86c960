"""Agents that change a notebook by another server's tools: named only if it is certain."""

from __future__ import annotations

import time
from typing import Any

import pytest

from aiserver.models import Contributor, NewEvent
from aiserver.notebooks import tool_calls
from aiserver.notebooks.tool_calls import name_callers, noted

CLAUDE = Contributor(kind="agent", name="claude-code", version="2.1")
CODEX = Contributor(kind="agent", name="codex")


@pytest.fixture(autouse=True)
def _no_calls():
    tool_calls._calls.clear()


def call(agent: Contributor, tool: str = "edit_cell", **arguments: Any) -> None:
    with noted(agent, tool, arguments, "jupyter-server-mcp"):
        pass


def named(type_: str, source: str | None, path: str = "data/a b.ipynb") -> NewEvent:
    """Return an event of the cell c1, named."""
    event = NewEvent(
        type=type_,
        timestamp="2026-01-27T10:00:00.000Z",
        source=source,
        data={"trigger": "pause"},
        contributor=Contributor(kind="program", name="Jupyter server"),
    )
    name_callers("/srv", path, [("c1", event)])
    return event


def name(type_: str, source: str | None, path: str = "data/a b.ipynb") -> str | None:
    contributor = named(type_, source, path).contributor
    assert contributor
    return contributor.name


@pytest.mark.parametrize("path", ["data/a b.ipynb", "data/a%20b.ipynb", "/srv/data/a b.ipynb"])
def test_a_call_names_the_new_source(path):
    call(CLAUDE, file_path=path, cell_id="2", content="x = 2")
    event = named("edit", "x = 2")
    assert event.contributor == CLAUDE
    assert event.data == {"trigger": "pause", "tool": "edit_cell", "via": "jupyter-server-mcp"}
    assert name("edit", "x = 3") == "Jupyter server"
    assert name("edit", "x = 2", "data/b.ipynb") == "Jupyter server"


def test_a_call_names_the_cell():
    call(CLAUDE, "delete_cell", file_path="data/a b.ipynb", cell_id="c1")
    assert name("delete", None) == "claude-code"


def test_nobody_is_named_if_it_may_have_been_either_of_two_agents():
    for agent in (CLAUDE, CODEX):
        call(agent, file_path="data/a b.ipynb", cell_id="c1", content=f"by {agent.name}")
    assert name("edit", "something else") == "Jupyter server"
    call(CODEX, file_path="data/other.ipynb", cell_id="c1")
    assert name("edit", "x") == "Jupyter server"


def test_a_call_is_forgotten_a_minute_after_its_end(monkeypatch):
    clock = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: clock[0])
    with noted(CLAUDE, "edit_cell", {"path": "data/a b.ipynb", "content": "x"}, "server"):
        clock[0] = 100.0
        assert name("edit", "x") == "claude-code"
    clock[0] = 159.0
    assert name("edit", "x") == "claude-code"
    clock[0] = 161.0
    assert name("edit", "x") == "Jupyter server"
