"""Attacks on the plugin by agents, other programs and secrets, and the answers to them."""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path
from typing import Any

import pytest

from aiserver.handlers.notebooks import NotebookContents
from aiserver.plugins.agents.operations import digest

from .conftest import LOAD, PLOT, AgentClient, sources
from .test_tools import CELL, OTHER, Write, begin, notebook_id, start
from .test_undo_run import edit, undo

SECRET = "Tr0ub4dor-and-3xtra"
LOGIN = f"password = '{SECRET}'\nconnect(password)"


async def test_undo_puts_no_mark_in_place_of_a_secret(
    agent: AgentClient, call: Any, notebook: Write, allow: Any
) -> None:
    """P53"""
    file = notebook(LOGIN)
    run = await start(agent, call, allow)
    read = await agent.use("cell_read", path="a.ipynb", cell=CELL)
    assert SECRET not in str(read)
    with_mark = read["source"].replace("connect", "open_database")
    change = {"run": run, "cell": CELL, "base": read["base"], "intent": "i", "mode": "apply"}
    assert (await agent.use("cell_edit", **change, source=with_mark))["applied"]
    assert sources(file) == [LOGIN.replace("connect", "open_database")]
    await agent.use("run_end", run=run)
    preview = await agent.use("run_undo", path="a.ipynb", run=run)
    assert SECRET not in str(preview)
    await undo(call, run)
    assert sources(file) == [LOGIN]
    await undo(call, run, "redo")
    assert sources(file) == [LOGIN.replace("connect", "open_database")]


async def test_a_secret_that_an_agent_removed_is_a_conflict(
    agent: AgentClient, call: Any, notebook: Write, allow: Any
) -> None:
    file = notebook(LOGIN)
    run = await start(agent, call, allow)
    await edit(agent, run, CELL, LOGIN, "connect(os.environ['PASSWORD'])")
    await agent.use("run_end", run=run)
    plan = (await undo(call, run))[CELL]
    assert (plan["action"], len(plan["conflicts"])) == ("keep", 1)
    assert sources(file) == ["connect(os.environ['PASSWORD'])"]


async def test_lines_with_secrets_are_not_proposed(
    agent: AgentClient, call: Any, notebook: Write
) -> None:
    """The suggestion is kept without the secret, so accepting it would lose the secret."""
    notebook(LOGIN)
    run = await begin(agent)
    read = await agent.use("cell_read", path="a.ipynb", cell=CELL)
    change = {"run": run, "cell": CELL, "base": read["base"], "intent": "i"}
    changed = read["source"].replace("password = ", "password = salt + ")
    assert "password" in (await agent.use("cell_edit", **change, source=changed))["refused"]
    below = read["source"] + "\nrows = fetch()"
    assert (await agent.use("cell_edit", **change, source=below))["proposed"]
    insert = {"run": run, "source": "password = 'Tr0ub4dor-and-9xtra'", "intent": "i"}
    assert "password" in (await agent.use("cell_insert", **insert))["refused"]
    assert len((await agent.use("notebook_outline", path="a.ipynb"))["cells"]) == 1
    mark = "x = '‹redacted:password:00000000›'"
    assert "mark" in (await agent.use("cell_edit", **change, source=mark))["refused"]


@pytest.mark.parametrize("name", ["./a.ipynb", "x/../a.ipynb", "../root_dir/a.ipynb", "a//a.ipynb"])
async def test_odd_paths_are_no_notebooks(agent: AgentClient, notebook: Write, name: str) -> None:
    """P55"""
    notebook()
    assert "no such" in (await agent.use("notebook_outline", path=name))["refused"]


async def test_a_link_leads_to_the_same_notebook(
    agent: AgentClient, call: Any, notebook: Write, allow: Any
) -> None:
    """P55: whose permission counts."""
    file = notebook()
    os.symlink(file, file.with_name("link.ipynb"))
    await start(agent, call, allow, "off")
    assert "off" in (await agent.use("notebook_outline", path="link.ipynb"))["refused"]


async def test_a_run_stays_in_its_notebook(
    agent: AgentClient, call: Any, notebook: Write, allow: Any
) -> None:
    """P55: another one has taken its path."""
    file = notebook()
    run = await start(agent, call, allow)
    file.rename(file.with_name("old.ipynb"))
    file = notebook("private = 1", path="other.ipynb")
    await begin(agent, "other.ipynb")
    file.rename(file.with_name("a.ipynb"))
    change = {"run": run, "cell": CELL, "base": digest("x"), "source": "y", "intent": "i"}
    answer = await agent.use("cell_edit", **change)
    assert "another notebook" in answer["refused"] and "private" not in str(answer)


async def test_a_copy_has_no_runs_to_undo(
    agent: AgentClient, call: Any, notebook: Write, allow: Any
) -> None:
    file = notebook()
    run = await start(agent, call, allow)
    await edit(agent, run, CELL, LOAD, "df = 1")
    await agent.use("run_end", run=run)
    file.with_name("copy.ipynb").write_bytes(file.read_bytes())
    path = f"agents/runs/{await notebook_id(call)}/{run}/undo"
    assert (await call("POST", path, {"path": "copy.ipynb"})).status == 404


async def test_cells_in_a_row_are_inserted_again(
    agent: AgentClient, call: Any, notebook: Write, allow: Any
) -> None:
    """P53"""
    file = notebook(LOAD, PLOT)
    run = await start(agent, call, allow)
    above = CELL
    for text in ("a = 1", "b = 2"):
        insert = {"run": run, "after": above, "source": text, "intent": "i", "mode": "apply"}
        above = (await agent.use("cell_insert", **insert))["cell"]
    await agent.use("run_end", run=run)
    await undo(call, run)
    assert sources(file) == [LOAD, PLOT]
    await undo(call, run, "redo")
    assert sources(file) == [LOAD, "a = 1", "b = 2", PLOT]


async def test_a_locked_cell_is_not_changed(
    agent: AgentClient, call: Any, notebook: Write, allow: Any
) -> None:
    file = notebook()
    run = await start(agent, call, allow)
    content = json.loads(file.read_text("utf-8"))
    content["cells"][0]["metadata"]["editable"] = False
    file.write_text(json.dumps(content), "utf-8")
    assert "read-only" in (await edit(agent, run, CELL, LOAD, "df = 1"))["refused"]


async def test_a_save_at_the_same_moment_is_not_lost(
    agent: AgentClient, call: Any, notebook: Write, allow: Any, jp_fetch: Any
) -> None:
    """Jupyter takes a file that is being written for a damaged one."""
    file = notebook()
    run = await start(agent, call, allow)
    for number in range(10):
        content = json.loads(file.read_text("utf-8"))
        content["cells"][1]["source"] = f"person_{number} = 1"
        old = "".join(content["cells"][0]["source"])
        body = json.dumps({"type": "notebook", "format": "json", "content": content})
        saved, answer = await asyncio.gather(
            jp_fetch("api", "contents", "a.ipynb", method="PUT", body=body),
            edit(agent, run, CELL, old, f"agent_{number} = 1"),
        )
        assert saved.code == 200 and sources(file)[1] == f"person_{number} = 1"
        assert sources(file)[0] in (old, f"agent_{number} = 1"), answer
    assert not list(file.parent.glob("*.invalid"))


async def test_a_name_in_other_letters_is_the_same_agent(
    call: Any, notebook: Write, allow: Any, agent: AgentClient
) -> None:
    """P55"""
    notebook()
    await start(agent, call, allow, "off")
    for name in ("codex", "CODEX ", "Co\u200bdex"):
        answer = await AgentClient(call, name).use("notebook_outline", path="a.ipynb")
        assert "off" in answer["refused"]


async def test_a_damaged_file_of_permissions_allows_nothing(
    call: Any, notebook: Write, allow: Any, agent: AgentClient, tmp_path: Path
) -> None:
    """P55"""
    notebook()
    await start(agent, call, allow)
    (tmp_path / "data" / "aiserver" / "agents.json").write_text('{"x": ')
    assert "off" in (await agent.use("notebook_outline", path="a.ipynb"))["refused"]


async def test_old_notebooks_without_ids_can_be_changed(
    agent: AgentClient, call: Any, notebook: Write, allow: Any
) -> None:
    file = notebook()
    content = json.loads(file.read_text("utf-8")) | {"nbformat_minor": 4}
    for cell in content["cells"]:
        del cell["id"]
    file.write_text(json.dumps(content), "utf-8")
    outline = await agent.use("notebook_outline", path="a.ipynb")
    cell = outline["cells"][0]["cell"]
    assert (await agent.use("cell_read", path="a.ipynb", cell=cell))["source"] == LOAD
    run = await begin(agent)
    assert (await edit(agent, run, cell, LOAD, "df = 1"))["proposed"]


async def test_a_call_is_for_one_change(
    agent: AgentClient, call: Any, notebook: Write, allow: Any
) -> None:
    """P52"""
    notebook()
    run = await start(agent, call, allow)
    change = {"run": run, "intent": "i", "mode": "apply", "call": "1"}
    assert (await agent.use("cell_edit", **change, cell=CELL, base=digest(LOAD), source="x"))[
        "applied"
    ]
    other = await agent.use("cell_edit", **change, cell=OTHER, base=digest(PLOT), source="y")
    assert "another change" in other["refused"].lower()


async def test_a_file_is_read_again_before_it_is_written_unless_it_is_the_same(
    extension: Any, jp_serverapp: Any, notebook: Write
) -> None:
    """P52: nothing that was saved since the agent’s reading is overwritten."""
    contents = NotebookContents(jp_serverapp.contents_manager)
    notebook(LOAD)
    earlier = await contents.read("a.ipynb")
    async with contents.lock("a.ipynb"):
        assert await contents.read_locked("a.ipynb", earlier) is earlier
        notebook(PLOT)
        model = await contents.read_locked("a.ipynb", earlier)
    assert model["content"]["cells"][0]["source"] == PLOT
