"""Notebooks that an agent writes itself: its hook tells the server before and after."""

from __future__ import annotations

import json
import subprocess
import sys
import uuid
from pathlib import Path
from typing import Any

import pytest

from aiserver.plugins.agents.operations import cells_that_stay

from .conftest import LOAD, PLOT, sources
from .test_tools import CELL, OTHER, Write, id_of, notebook_id
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


async def test_a_cell_that_the_first_call_deletes_returns_to_its_place(
    call: Any, notebook: Write, jp_root_dir: Path
) -> None:
    """P53"""
    file = notebook(LOAD, PLOT, "df.head()", "df.tail()")
    id_ = await notebook_id(call)
    content = json.loads(file.read_text("utf-8"))
    content["metadata"]["aiserver"] = {"notebook_id": id_}
    file.write_text(json.dumps(content), "utf-8")
    await hook(call, "before")
    del content["cells"][1]
    file.write_text(json.dumps(content), "utf-8")
    await hook(call, "after")
    (run,) = (await call("GET", f"agents/notebooks/{id_}")).data["runs"]
    await undo(call, run["run"])
    assert sources(file) == [LOAD, PLOT, "df.head()", "df.tail()"]


async def test_undoing_the_deletion_of_a_markdown_cell_needs_no_page(
    call: Any, notebook: Write
) -> None:
    """P53: the notebook has an ID, but no history here."""
    file = notebook(LOAD, "# Prices", PLOT)
    content = json.loads(file.read_text("utf-8"))
    content["metadata"]["aiserver"] = {"notebook_id": str(uuid.uuid4())}
    content["cells"][1] |= {"cell_type": "markdown"}
    file.write_text(json.dumps(content), "utf-8")
    await hook(call, "before")
    del content["cells"][1]
    file.write_text(json.dumps(content), "utf-8")
    await hook(call, "after")
    id_ = await notebook_id(call)
    (run,) = (await call("GET", f"agents/notebooks/{id_}")).data["runs"]
    await undo(call, run["run"])
    assert sources(file) == [LOAD, "# Prices", PLOT]
    types = [cell["cell_type"] for cell in json.loads(file.read_text("utf-8"))["cells"]]
    assert types == ["code", "markdown", "code"]


async def test_a_write_that_only_moves_cells_is_recorded(call: Any, notebook: Write) -> None:
    """P53"""
    file = notebook("a", "b", "c")
    await hook(call, "before")
    content = json.loads(file.read_text("utf-8"))
    content["cells"].append(content["cells"].pop(0))
    file.write_text(json.dumps(content), "utf-8")
    await hook(call, "after")
    id_ = await notebook_id(call)
    (run,) = (await call("GET", f"agents/notebooks/{id_}")).data["runs"]
    assert run["edits"] == 1
    await undo(call, run["run"])
    assert sources(file) == ["a", "b", "c"]


async def test_a_session_begins_another_run_after_an_undo(call: Any, notebook: Write) -> None:
    """P53"""
    file = notebook()
    for number, source in enumerate(("df.plot.bar()", "df.plot.area()")):
        await hook(call, "before", number=number)
        notebook(LOAD, source)
        await hook(call, "after", number=number)
        id_ = await notebook_id(call)
        runs = (await call("GET", f"agents/notebooks/{id_}")).data["runs"]
        assert (len(runs), runs[0]["edits"]) == (number + 1, 1)
        await undo(call, runs[0]["run"])
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
    assert "agent" not in [step["author"] for step in replay.data["steps"]]


def write_without_ids(file: Path, *contents: str) -> None:
    """Write a notebook of format 4.4, in which each cell has its index as output."""
    cells = [
        {
            "cell_type": "code",
            "metadata": {},
            "source": source,
            "outputs": [{"output_type": "stream", "name": "stdout", "text": [f"{index}"]}],
            "execution_count": index,
        }
        for index, source in enumerate(contents)
    ]
    content = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 4}
    file.write_text(json.dumps(content), "utf-8")


async def test_undoing_changes_of_a_cell_without_id_leaves_the_others(
    call: Any, jp_root_dir: Path, jp_fetch: Any
) -> None:
    """P53"""
    file = jp_root_dir / "a.ipynb"
    contents = [LOAD, "df.head()", "df.dropna()", PLOT, "df.head()"]
    for number, source in enumerate(("df.tail()", "df.sample(5)", "df.mean()")):
        write_without_ids(file, *contents)
        await hook(call, "before", number=number)
        contents[2] = source
        write_without_ids(file, *contents)
        await hook(call, "after", number=number)
    model = json.loads((await jp_fetch("api", "contents", "a.ipynb")).body)
    file.write_text(json.dumps(model["content"]), "utf-8")  # as JupyterLab saves it
    path = f"agents/notebooks/{id_of(file)}"
    (run,) = (await call("GET", path)).data["runs"]
    assert (run["edits"], len(run["cells"])) == (3, 1)
    path = f"agents/runs/{id_of(file)}/{run['run']}/undo"
    assert (await call("POST", path, {"path": "a.ipynb", "preview": False})).status == 200
    assert sources(file) == [LOAD, "df.head()", "df.dropna()", PLOT, "df.head()"]
    outputs = [cell["outputs"][0]["text"] for cell in json.loads(file.read_text("utf-8"))["cells"]]
    assert list(map("".join, outputs)) == list("01234")


def cell(source: str, id_: str = "") -> dict[str, str]:
    return {"cell_type": "code", "source": source} | ({"id": id_} if id_ else {})


@pytest.mark.parametrize(
    ("before", "after", "pairs"),
    [
        ("abc", "axc", {0: 0, 1: 1, 2: 2}),
        ("abc", "cab", {0: 2, 1: 0, 2: 1}),
        ("abac", "abaxac", {0: 0, 1: 1, 2: 2, 5: 3}),
        ("abcd", "axyd", {0: 0, 3: 3}),
        ("abc", "ac", {0: 0, 1: 2}),
        ("aa", "aaa", {0: 0, 1: 1}),
        ("", "a", {}),
    ],
)
def test_cells_that_stay_are_those_with_the_same_content_or_place(
    before: str, after: str, pairs: dict[int, int]
) -> None:
    assert cells_that_stay(list(map(cell, before)), list(map(cell, after))) == pairs
    numbered = [cell(source, str(index)) for index, source in enumerate(after)]
    assert cells_that_stay(list(map(cell, before)), numbered) == pairs


def test_a_cell_with_another_id_of_its_own_is_another_cell() -> None:
    before = [cell("a", CELL), cell("b", OTHER)]
    assert cells_that_stay(before, [cell("a", "ce110009"), cell("c", CELL)]) == {1: 0}


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
