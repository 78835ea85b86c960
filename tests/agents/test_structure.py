"""Agents that split and merge cells, in notebooks that no page has open."""

from __future__ import annotations

import json
from typing import Any

import pytest

from aiserver.plugins.agents.operations import digest

from .conftest import LOAD, PLOT, AgentClient, sources
from .test_attacks import LOGIN
from .test_tools import CELL, OTHER, Write, begin, id_of, start
from .test_undo_run import edit, undo

CODE = "a = 1\nb = 2\n\nc = 3\nd = 4"


async def steps_of(call: Any, notebook_id: str, cell: str) -> list[tuple[str, Any, Any]]:
    replay = await call("GET", f"sessions/{notebook_id}/{cell}/replay")
    return [(step["kind"], step.get("name"), step.get("run")) for step in replay.data["steps"]]


async def test_a_split_is_recorded_as_one_and_undone(
    agent: AgentClient, call: Any, notebook: Write, allow: Any
) -> None:
    """P52, P53"""
    file = notebook(CODE, PLOT)
    run = await start(agent, call, allow)
    await edit(agent, run, CELL, CODE, CODE + "\ne = 5")
    split = {"run": run, "cell": CELL, "base": digest(CODE + "\ne = 5"), "intent": "smaller cells"}
    done = await agent.use("cell_split", **split, lines=[2, 4], call="1")
    assert [cell["source"] for cell in done["cells"]] == ["a = 1", "b = 2", "c = 3\nd = 4\ne = 5"]
    assert [cell["cell"] for cell in done["cells"]][-1] == CELL
    assert sources(file) == ["a = 1", "b = 2", "c = 3\nd = 4\ne = 5", PLOT]
    for cell in done["cells"]:
        steps = await steps_of(call, id_of(file), cell["cell"])
        assert steps == [("start", None, None), ("edit", "Codex", run), ("split", "Codex", run)]
    assert (await agent.use("cell_split", **split, lines=[2, 4], call="1"))["repeated"]
    await agent.use("run_end", run=run)
    plan = await undo(call, run)
    assert not any(cell["conflicts"] for cell in plan.values())
    assert sources(file) == [CODE, PLOT]
    await undo(call, run, "redo")
    assert sources(file) == ["a = 1", "b = 2", "c = 3\nd = 4\ne = 5", PLOT]


async def test_a_merge_is_recorded_as_one_and_undone(
    agent: AgentClient, call: Any, notebook: Write, allow: Any
) -> None:
    """P52, P53"""
    file = notebook("first = 0", LOAD, PLOT)
    second, third = OTHER, "ce110002"
    run = await start(agent, call, allow)
    merge = {"run": run, "cells": [second, third], "bases": [digest(LOAD), digest(PLOT)]}
    done = await agent.use("cell_merge", **merge, intent="belongs together")
    (merged,) = done["cells"]
    assert sources(file) == ["first = 0", f"{LOAD}\n\n{PLOT}"]
    assert await steps_of(call, id_of(file), merged["cell"]) == [("merge", "Codex", run)]
    for cell in (second, third):
        assert (await steps_of(call, id_of(file), cell))[-1] == ("merge", "Codex", run)
    await agent.use("run_end", run=run)
    await undo(call, run)
    assert sources(file) == ["first = 0", LOAD, PLOT]
    await undo(call, run, "redo")
    assert sources(file) == ["first = 0", f"{LOAD}\n\n{PLOT}"]


async def test_what_a_person_wrote_after_a_split_stays(
    agent: AgentClient, call: Any, notebook: Write, allow: Any
) -> None:
    """P53"""
    file = notebook(CODE, PLOT)
    run = await start(agent, call, allow)
    split = {"run": run, "cell": CELL, "base": digest(CODE), "intent": "i"}
    await agent.use("cell_split", **split, lines=[4])
    await agent.use("run_end", run=run)
    file.write_text(file.read_text("utf-8").replace("a = 1", "a = 100").replace("d = 4", "d = 400"))
    await undo(call, run)
    text = "\n".join(sources(file))
    assert "a = 100" in text and "d = 400" in text and "c = 3" in text and "b = 2" in text


@pytest.mark.parametrize(
    ("tool", "given", "sentence"),
    [
        ("cell_split", {"lines": [9]}, "must have text"),
        ("cell_split", {"lines": [4, 2]}, "must have text"),
        ("cell_split", {"lines": [3, 4]}, "must have text"),
        ("cell_split", {"lines": [2], "base": digest("x")}, "isn’t as the agent saw it"),
        ("cell_merge", {"cells": [OTHER, CELL]}, "below each other"),
        ("cell_merge", {"cells": [CELL, CELL]}, "below each other"),
        ("cell_merge", {"cells": [CELL, "no"]}, "no such cell"),
        ("cell_merge", {"bases": [digest(CODE)]}, "a base for each"),
        ("cell_merge", {"bases": [digest(CODE), digest("x")]}, "isn’t as the agent saw it"),
    ],
)
async def test_a_split_or_merge_that_makes_no_sense_changes_nothing(
    agent: AgentClient,
    call: Any,
    notebook: Write,
    allow: Any,
    tool: str,
    given: dict[str, Any],
    sentence: str,
) -> None:
    """P52"""
    file = notebook(CODE, PLOT)
    run = await start(agent, call, allow)
    bases = {CELL: digest(CODE), OTHER: digest(PLOT)}
    cells = given.get("cells", [CELL, OTHER])
    valid = {
        "cell_split": {"cell": CELL, "base": digest(CODE)},
        "cell_merge": {"cells": cells, "bases": [bases.get(cell, "") for cell in cells]},
    }
    answer = await agent.use(tool, run=run, intent="i", **(valid[tool] | given))
    assert sentence in answer["refused"]
    assert sources(file) == [CODE, PLOT]


async def test_a_secret_moves_to_no_other_cell(
    agent: AgentClient, call: Any, notebook: Write, allow: Any
) -> None:
    """An undo couldn’t bring it back."""
    file = notebook(LOGIN, PLOT)
    run = await start(agent, call, allow)
    base = {"base": digest(LOGIN), "intent": "i"}
    assert (
        "password"
        in (await agent.use("cell_split", run=run, cell=CELL, lines=[2], **base))["refused"]
    )
    merge = {"cells": [CELL, OTHER], "bases": [digest(LOGIN), digest(PLOT)], "intent": "i"}
    assert "password" in (await agent.use("cell_merge", run=run, **merge))["refused"]
    assert sources(file) == [LOGIN, PLOT]


@pytest.mark.parametrize(
    "more", [{"attachments": {"p.png": {"image/png": ""}}}, {"metadata": {"tags": ["parameters"]}}]
)
async def test_what_the_history_lacks_is_not_merged_away(
    agent: AgentClient, call: Any, notebook: Write, allow: Any, more: dict[str, Any]
) -> None:
    """P52: an undo couldn’t bring it back."""
    file = notebook(CODE, PLOT)
    content = json.loads(file.read_text("utf-8"))
    content["cells"][0] |= more
    file.write_text(json.dumps(content), "utf-8")
    run = await start(agent, call, allow)
    merge = {"cells": [CELL, OTHER], "bases": [digest(CODE), digest(PLOT)], "intent": "i"}
    assert "Only the person" in (await agent.use("cell_merge", run=run, **merge))["refused"]
    assert sources(file) == [CODE, PLOT]


async def test_splitting_needs_the_permission_to_edit(agent: AgentClient, notebook: Write) -> None:
    """P55"""
    file = notebook(CODE, PLOT)
    run = await begin(agent)
    split = {"run": run, "cell": CELL, "base": digest(CODE), "intent": "i", "lines": [2]}
    assert "“edit”" in (await agent.use("cell_split", **split))["refused"]
    assert sources(file) == [CODE, PLOT]
