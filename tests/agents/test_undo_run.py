"""A run is undone as a whole, and a person's lines stay."""

from __future__ import annotations

import json
import uuid
from pathlib import Path
from typing import Any

import pytest

from aiserver.plugins.agents.operations import digest

from .conftest import LOAD, PLOT, AgentClient, sources
from .test_tools import CELL, OTHER, Write, begin, notebook_id, start

LONG = "import pandas as pd\ndf = pd.read_csv('sales.csv')\ndf.describe()"
EDITED = "import pandas as pd\ndf = pd.read_csv('sales.csv', sep=';')\ndf.describe()"


async def edit(agent: AgentClient, run: str, cell: str, old: str, new: str) -> Any:
    change = {"run": run, "cell": cell, "base": digest(old), "source": new, "intent": "i"}
    return await agent.use("cell_edit", **change, mode="apply")


async def undo(call: Any, run: str, action: str = "undo", *, preview: bool = False) -> Any:
    path = f"agents/runs/{await notebook_id(call)}/{run}/{action}"
    answer = await call("POST", path, {"path": "a.ipynb", "preview": preview})
    assert answer.status == 200, answer.raw
    return {cell["cellId"]: cell for cell in answer.data["cells"]}


@pytest.fixture
def worked(agent: AgentClient, call: Any, notebook: Write, allow: Any) -> Any:
    """Let the agent edit the first cell, insert one below it, and move the second to the top."""

    async def _worked(first: str = LONG) -> tuple[str, Path, str]:
        file = notebook(first, PLOT)
        run = await start(agent, call, allow)
        await edit(agent, run, CELL, first, EDITED)
        insert = {"run": run, "after": CELL, "source": "df.head()", "intent": "i", "mode": "apply"}
        new = (await agent.use("cell_insert", **insert))["cell"]
        await agent.use("cell_move", run=run, cell=OTHER, intent="i")
        await agent.use("run_end", run=run)
        assert sources(file) == [PLOT, EDITED, "df.head()"]
        return run, file, new

    return _worked


async def test_a_run_is_undone_and_redone_byte_for_byte(worked: Any, call: Any) -> None:
    """P53"""
    run, file, new = await worked()
    preview = await undo(call, run, preview=True)
    assert {cell: plan["action"] for cell, plan in preview.items()} == {
        CELL: "restore",
        new: "remove",
    }
    assert sources(file) == [PLOT, EDITED, "df.head()"]
    await undo(call, run)
    assert sources(file) == [LONG, PLOT]
    (listed,) = (await call("GET", f"agents/notebooks/{await notebook_id(call)}")).data["runs"]
    assert (listed["state"], listed["canRedo"]) == ("undone", True)
    await undo(call, run, "redo")
    assert sources(file) == [PLOT, EDITED, "df.head()"]


async def test_the_lines_of_a_person_stay(
    worked: Any, call: Any, notebook: Write, jp_root_dir: Path
) -> None:
    run, file, _ = await worked()
    text = file.read_text("utf-8").replace("df.describe()", "df.describe()\\nmine = 1")
    file.write_text(text, "utf-8")
    plans = await undo(call, run)
    assert plans[CELL]["action"] == "merge"
    assert plans[CELL]["conflicts"] == []
    assert sources(file) == [f"{LONG}\nmine = 1", PLOT]


async def test_a_line_that_both_have_changed_is_a_conflict(worked: Any, call: Any) -> None:
    run, file, _ = await worked()
    file.write_text(file.read_text("utf-8").replace("sep=';'", "sep='|'"), "utf-8")
    (conflict,) = (await undo(call, run))[CELL]["conflicts"]
    assert conflict == {"lines": [2, 2], "before": "df = pd.read_csv('sales.csv')"}
    mine = EDITED.replace("sep=';'", "sep='|'")
    assert sources(file)[0] == mine

    id_ = await notebook_id(call)
    session = (await call("GET", f"sessions/{id_}/{CELL}")).data
    (shown,) = session["interactions"]
    assert shown["user_request"]["intent"].startswith("Lines from before the run:\n")
    assert (shown["user_request"]["current_code"], shown["contributor"]["kind"]) == (mine, "person")
    assert shown["ai_response"]["suggestion"] == LONG
    (listed,) = (await call("GET", f"agents/notebooks/{id_}")).data["runs"]
    assert listed["proposals"]["open"] == 1

    accept = {"type": "accept", "turnId": shown["turn_id"], "source": LONG}
    await call("POST", f"sessions/{id_}/{CELL}/events", [accept])
    file.write_text(file.read_text("utf-8").replace(", sep='|'", ""), "utf-8")
    path = f"sessions/{id_}/{CELL}/blame"
    lines = (await call("POST", path, {"source": LONG})).data["lines"]
    assert "agent" not in {line["author"] for line in lines}
    assert CELL not in await undo(call, run, "redo"), "the undo itself didn't change the cell"


async def test_an_active_run_is_not_undone(
    agent: AgentClient, call: Any, notebook: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    notebook(LOAD)
    run = await begin(agent)
    path = f"agents/runs/{await notebook_id(call)}/{run}/undo"
    answer = await call("POST", path, {"path": "a.ipynb"})
    assert answer.status == 400 and "active" in answer.data["message"]
    monkeypatch.setattr("aiserver.plugins.agents.service._IDLE", 0)
    assert await undo(call, run) == {}, "its agent has gone"


async def test_an_accepted_proposal_is_undone(
    agent: AgentClient, call: Any, notebook: Write
) -> None:
    file = notebook(LONG)
    run = await begin(agent)
    proposal = {"run": run, "cell": CELL, "base": digest(LONG), "source": EDITED, "intent": "i"}
    turn = (await agent.use("cell_edit", **proposal))["proposal"]
    id_ = await notebook_id(call)
    accept = {"type": "accept", "turnId": turn, "source": EDITED}
    assert (await call("POST", f"sessions/{id_}/{CELL}/events", [accept])).status == 201
    text = file.read_text("utf-8").replace("'sales.csv')", "'sales.csv', sep=';')")
    file.write_text(text, "utf-8")
    await agent.use("run_end", run=run)
    assert (await undo(call, run))[CELL]["action"] == "restore"
    assert sources(file) == [LONG]


async def test_a_deleted_cell_returns_to_its_place(
    agent: AgentClient, call: Any, notebook: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = notebook(LOAD, PLOT)
    run = await begin(agent)
    monkeypatch.setattr("aiserver.plugins.agents.permissions.Permissions.level", lambda *_: "all")
    delete = {"run": run, "cell": CELL, "base": digest(LOAD), "intent": "i"}
    assert (await agent.use("cell_delete", **delete))["deleted"] is True
    assert sources(file) == [PLOT]
    await agent.use("run_end", run=run)
    assert (await undo(call, run))[CELL]["action"] == "return"
    assert sources(file) == [LOAD, PLOT]
    await undo(call, run, "redo")
    assert sources(file) == [PLOT]


async def test_what_a_person_wrote_between_two_edits_stays(
    agent: AgentClient, call: Any, notebook: Write, allow: Any
) -> None:
    """P53"""
    file = notebook(LONG)
    run = await start(agent, call, allow)
    await edit(agent, run, CELL, LONG, EDITED)
    by_hand = f"{EDITED}\nmine = 1"
    file.write_text(file.read_text("utf-8").replace("describe()", "describe()\\nmine = 1"), "utf-8")
    await edit(agent, run, CELL, by_hand, f"{by_hand}\ntheirs = 2")
    await agent.use("run_end", run=run)
    await undo(call, run)
    assert sources(file) == [f"{LONG}\nmine = 1"]


async def test_an_inserted_cell_with_a_line_of_a_person_stays(
    agent: AgentClient, call: Any, notebook: Write, allow: Any
) -> None:
    """P53: with the text of the last edit of the run."""
    file = notebook(LONG)
    run = await start(agent, call, allow)
    insert = {"run": run, "after": CELL, "source": "x = 1", "intent": "i", "mode": "apply"}
    new = (await agent.use("cell_insert", **insert))["cell"]
    await edit(agent, run, new, "x = 1", "x = 2")
    await agent.use("run_end", run=run)
    file.write_text(file.read_text("utf-8").replace("x = 2", "x = 2\\nmine = 1"), "utf-8")
    plan = (await undo(call, run))[new]
    assert (plan["action"], len(plan["conflicts"])) == ("keep", 1)
    assert sources(file) == [LONG, "x = 2\nmine = 1"]


async def move_first_to_end(call: Any, file: Path) -> None:
    """Do and save it as a person does in a page."""
    content = json.loads(file.read_text("utf-8"))
    content["cells"].append(content["cells"].pop(0))
    file.write_text(json.dumps(content), "utf-8")
    order = [{"id": cell["id"], "type": cell["cell_type"]} for cell in content["cells"]]
    body = {"id": uuid.uuid4().hex, "cells": [], "order": order, "saved": True}
    path = f"notebooks/{await notebook_id(call)}/changes"
    assert (await call("POST", path, body)).status == 201


async def test_a_cell_that_a_person_has_moved_stays_there(
    agent: AgentClient, call: Any, notebook: Write, allow: Any
) -> None:
    """P53: during the run, after it, and before it is redone."""
    file = notebook("a", "b", "c", "d")
    run = await start(agent, call, allow)
    ids = [cell["id"] for cell in json.loads(file.read_text("utf-8"))["cells"]]
    await edit(agent, run, ids[1], "b", "B")
    await move_first_to_end(call, file)
    await agent.use("cell_move", run=run, cell=ids[3], after=None, intent="i")
    await agent.use("run_end", run=run)
    assert sources(file) == ["d", "B", "c", "a"]
    await undo(call, run)
    assert sources(file) == ["b", "c", "d", "a"]
    await move_first_to_end(call, file)
    await undo(call, run, "redo")
    assert sources(file) == ["d", "c", "a", "B"]
