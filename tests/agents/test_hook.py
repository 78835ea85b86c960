"""Notebooks that an agent writes itself: its hook tells the server before and after."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from .conftest import LOAD, PLOT, sources
from .test_tools import CELL, OTHER, Write, notebook_id
from .test_undo_run import undo


async def hook(call: Any, phase: str, *, session: str = "s1", number: int = 1) -> None:
    body = {"path": "a.ipynb", "phase": phase, "agent": "Claude Code", "session": session}
    body |= {"tool": "NotebookEdit", "call": f"toolu_{number}"}
    answer = await call("POST", "agents/hook", body)
    assert answer.status == 200, answer.raw


async def test_what_an_agent_writes_is_its_own_and_can_be_undone(
    call: Any, notebook: Write
) -> None:
    """P52, P53"""
    file = notebook()
    await hook(call, "before")
    notebook(LOAD, "df.plot.bar()", "df.head()")
    await hook(call, "after")
    id_ = await notebook_id(call)
    replay = await call("GET", f"sessions/{id_}/{OTHER}/replay")
    steps = [(step["kind"], step["author"], step["code"]) for step in replay.data["steps"]]
    assert steps == [("start", "unknown", PLOT), ("edit", "agent", "df.plot.bar()")]
    data = replay.data["steps"][-1]["data"]
    assert (data["tool"], data["via"], data["session"]) == ("NotebookEdit", "hook", "s1")
    (run,) = (await call("GET", f"agents/notebooks/{id_}")).data["runs"]
    assert (run["agent"], run["edits"]) == ({"name": "Claude Code"}, 2)
    await hook(call, "before", number=2)
    notebook("df = None", "df.plot.bar()", "df.head()")
    await hook(call, "after", number=2)
    (run,) = (await call("GET", f"agents/notebooks/{id_}")).data["runs"]
    assert run["edits"] == 3, "one session is one run"
    await undo(call, run["run"])
    assert sources(file) == [LOAD, PLOT]


async def test_a_write_without_a_version_before_it_is_nobodys(call: Any, notebook: Write) -> None:
    notebook()
    await hook(call, "after")
    replay = await call("GET", f"sessions/{await notebook_id(call)}/{CELL}/replay")
    assert replay.data["steps"] == []


async def test_a_notebook_that_an_agent_makes_is_its_own(call: Any, notebook: Write) -> None:
    """P52"""
    await hook(call, "before")
    notebook()
    await hook(call, "after")
    replay = await call("GET", f"sessions/{await notebook_id(call)}/{CELL}/replay")
    assert [step["author"] for step in replay.data["steps"]] == ["agent"]


async def test_a_change_by_hand_before_is_not_the_agents(call: Any, notebook: Write) -> None:
    notebook()
    await hook(call, "before")
    notebook(LOAD, "df.plot.bar()")
    await hook(call, "after")
    notebook("by_hand = 1", "df.plot.bar()")
    await hook(call, "before", number=2)
    notebook("by_hand = 1", "df.plot.area()")
    await hook(call, "after", number=2)
    replay = await call("GET", f"sessions/{await notebook_id(call)}/{CELL}/replay")
    assert [step["author"] for step in replay.data["steps"]] == []


async def test_a_cell_that_is_changed_again_keeps_its_history(call: Any, notebook: Write) -> None:
    """Nothing in the file is as it was recorded then."""
    notebook()
    for number, source in enumerate(("df.plot.bar()", "df.plot.area()", "df.head()")):
        await hook(call, "before", number=number)
        notebook(LOAD, source)
        await hook(call, "after", number=number)
    replay = await call("GET", f"sessions/{await notebook_id(call)}/{OTHER}/replay")
    codes = [step["code"] for step in replay.data["steps"]]
    assert codes == [PLOT, "df.plot.bar()", "df.plot.area()", "df.head()"]


@pytest.mark.parametrize(
    "given", ["", "[]", "{", '{"tool_input": {"file_path": "a.py"}}', '{"tool_input": 3}']
)
def test_the_command_never_stops_an_agent(given: str, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "aiserver.cli.main", "agents", "hook", "claude"]
    ran = subprocess.run(command, input=given, text=True, capture_output=True, cwd=tmp_path)
    assert (ran.returncode, ran.stdout) == (0, "")


def test_the_command_passes_the_write_on(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from aiserver.plugins.agents.cli import hook as command
    from aiserver.plugins.agents.cli.server_choice import ServerChoice
    from aiserver.running_servers.client import Server

    sent: list[tuple[str, Any]] = []
    server = Server("http://127.0.0.1:1/", root_dir=str(tmp_path))
    monkeypatch.setattr(Server, "post", lambda _, path, body: sent.append((path, body)))
    monkeypatch.setattr(ServerChoice, "find", lambda _: server)
    event: dict[str, Any] = {
        "hook_event_name": "PreToolUse",
        "session_id": "s",
        "tool_name": "Edit",
    }
    event |= {"tool_use_id": "t", "tool_input": {"file_path": "数据/a.ipynb"}, "cwd": str(tmp_path)}
    raw = tmp_path / "event.json"
    raw.write_text(json.dumps(event), "utf-8")
    with raw.open() as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        assert command.run("claude") == 0
    expected = {"path": "数据/a.ipynb", "phase": "before", "agent": "Claude Code", "session": "s"}
    assert sent == [("aiserver/agents/hook", {**expected, "tool": "Edit", "call": "t"})]
    assert capsys.readouterr() == ("", "")
