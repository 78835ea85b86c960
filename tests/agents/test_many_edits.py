"""Many edits of agents by different ways: each is in the history, with its author."""

from __future__ import annotations

import asyncio
from typing import Any

from aiserver.plugins.agents.operations import digest

from .conftest import AgentClient, sources
from .test_hook import hook
from .test_tools import CELL, OTHER, Write, begin, id_of, notebook_id

EDITS = 40


async def history(call: Any, notebook_id: str, cell: str) -> list[dict[str, Any]]:
    """Return the steps of a cell after its first content."""
    replay = await call("GET", f"sessions/{notebook_id}/{cell}/replay")
    return [step for step in replay.data["steps"] if step["kind"] != "start"]


async def test_two_agents_in_two_notebooks(
    agent: AgentClient, other_agent: AgentClient, call: Any, notebook: Write, allow: Any
) -> None:
    """P52"""

    async def work(who: AgentClient, path: str) -> None:
        file = notebook("n = 0", "m = 0", path=path)
        run = await begin(who, path)
        await allow(id_of(file), "edit", who.name)
        for number in range(1, EDITS + 1):
            edit = {"base": digest(f"n = {number - 1}"), "source": f"n = {number}"}
            edit |= {"intent": f"make it {number}", "mode": "apply"}
            answer = await who.use("cell_edit", run=run, cell=CELL, **edit)
            assert answer["applied"]
        assert sources(file) == [f"n = {EDITS}", "m = 0"]
        steps = await history(call, id_of(file), CELL)
        seen = [(s["code"], s["author"], s["name"], s["data"]["intent"]) for s in steps]
        assert seen == [
            (f"n = {n}", "agent", who.name, f"make it {n}") for n in range(1, EDITS + 1)
        ]
        assert await history(call, id_of(file), OTHER) == []

    await asyncio.gather(work(agent, "a.ipynb"), work(other_agent, "b.ipynb"))


async def test_files_that_an_agent_writes(call: Any, notebook: Write) -> None:
    """P52"""
    notebook("n = 0", "m = 0")
    for number in range(1, EDITS + 1):
        await hook(call, "before", number=number)
        notebook(f"n = {number}", "m = 0")
        await hook(call, "after", number=number)
    id_ = await notebook_id(call)
    seen = [(s["code"], s["author"], s["name"]) for s in await history(call, id_, CELL)]
    assert seen == [(f"n = {n}", "agent", "Claude Code") for n in range(1, EDITS + 1)]
    assert await history(call, id_, OTHER) == []


async def test_of_two_edits_of_one_version_one_is_refused(
    agent: AgentClient, other_agent: AgentClient, call: Any, notebook: Write, allow: Any
) -> None:
    """P52"""
    file = notebook("n = 0", "m = 0")
    agents = (agent, other_agent)
    runs = [await begin(who) for who in agents]
    for who in agents:
        await allow(id_of(file), "edit", who.name)
    source = "n = 0"
    for number in range(1, 101):
        base = digest(source)
        answers = await asyncio.gather(
            *(
                who.use(
                    "cell_edit",
                    run=run,
                    cell=CELL,
                    base=base,
                    source=f"n = {number}  # {who.name}",
                    intent="count",
                    mode="apply",
                )
                for who, run in zip(agents, runs, strict=True)
            )
        )
        (refused,) = [answer for answer in answers if "refused" in answer]
        source = sources(file)[0]
        assert refused["now"][0]["base"] == digest(source)
        assert source.startswith(f"n = {number} ")
    assert len(await history(call, id_of(file), CELL)) == 100
