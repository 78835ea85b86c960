"""Agents that bring back versions of cells, in notebooks that no page has open."""

from __future__ import annotations

from typing import Any

from aiserver.plugins.agents.operations import digest

from .conftest import LOAD, PLOT, AgentClient, sources
from .test_attacks import LOGIN, SECRET
from .test_tools import CELL, Write, id_of, notebook_id, start
from .test_undo_run import edit


async def test_an_earlier_version_is_proposed_or_written(
    agent: AgentClient, call: Any, notebook: Write, allow: Any
) -> None:
    file = notebook()
    run = await start(agent, call, allow)
    await edit(agent, run, CELL, LOAD, "df = 1")
    history = await agent.use("cell_history", path="a.ipynb", cell=CELL)
    assert [(each["step"], each["code"]) for each in history["steps"]] == [(0, LOAD), (1, "df = 1")]
    back = {"run": run, "cell": CELL, "base": digest("df = 1"), "step": 0, "intent": "go back"}
    assert (await agent.use("restore", **back))["proposed"]
    assert sources(file) == ["df = 1", PLOT]
    assert (await agent.use("restore", **back, mode="apply", call="1"))["source"] == LOAD
    assert sources(file) == [LOAD, PLOT]
    assert (await agent.use("restore", **back, mode="apply", call="1"))["repeated"]
    assert (await agent.use("restore", **back, mode="apply"))["now"][0]["source"] == LOAD
    replay = await call("GET", f"sessions/{id_of(file)}/{CELL}/replay")
    assert replay.data["steps"][-1]["data"]["tool"] == "restore"
    assert "no code" in (await agent.use("restore", **(back | {"step": 99})))["refused"]


async def test_the_last_clean_version_comes_back(
    agent: AgentClient, call: Any, notebook: Write, allow: Any
) -> None:
    file = notebook()
    run = await start(agent, call, allow)
    back = {"run": run, "cell": CELL, "step": "last clean", "intent": "i", "mode": "apply"}
    assert "No run" in (await agent.use("restore", **back, base=digest(LOAD)))["refused"]
    ran = {"type": "run", "source": LOAD, "data": {"status": "ok"}}
    await call("POST", f"sessions/{await notebook_id(call)}/{CELL}/events", [ran])
    await edit(agent, run, CELL, LOAD, "df = 1")
    assert (await agent.use("restore", **back, base=digest("df = 1")))["applied"]
    assert sources(file) == [LOAD, PLOT]


async def test_a_version_comes_back_with_its_secret_or_not_at_all(
    agent: AgentClient, call: Any, notebook: Write, allow: Any
) -> None:
    """P55: no mark is written in place of a secret, and no secret is shown."""
    file = notebook(LOGIN)
    run = await start(agent, call, allow)
    more = LOGIN + "\nrows = fetch()"
    read = await agent.use("cell_read", path="a.ipynb", cell=CELL)
    change = {"run": run, "cell": CELL, "intent": "i", "mode": "apply"}
    longer = read["source"] + "\nrows = fetch()"
    await agent.use("cell_edit", **change, base=read["base"], source=longer)
    assert sources(file) == [more]
    answer = await agent.use("restore", **change, base=digest(more), step=0)
    assert SECRET not in str(answer) and sources(file) == [LOGIN]
    await agent.use("cell_edit", **change, base=digest(LOGIN), source="rows = fetch()")
    refused = await agent.use("restore", **change, base=digest("rows = fetch()"), step=0)
    assert "secret" in refused["refused"] and sources(file) == ["rows = fetch()"]
