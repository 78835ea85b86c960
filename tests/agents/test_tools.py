"""The tools of agents, in notebooks that no page has open."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from aiserver.plugins.agents.operations import digest

from .conftest import LOAD, PLOT, AgentClient, sources

Write = Callable[..., Path]
CELL, OTHER = "ce110000", "ce110001"


def id_of(file: Path) -> str:
    metadata = json.loads(file.read_text("utf-8"))["metadata"]
    return str(metadata["aiserver"]["notebook_id"])


async def begin(agent: AgentClient, path: str = "a.ipynb", intent: str = "tidy up") -> str:
    return str((await agent.use("run_begin", path=path, intent=intent))["run"])


async def start(agent: AgentClient, call: Any, allow: Any, level: str = "edit") -> str:
    run = await begin(agent)
    await allow(await notebook_id(call), level)
    return run


async def test_an_agent_finds_its_way(
    agent: AgentClient, notebook: Write, jp_root_dir: Path
) -> None:
    notebook()
    outline = await agent.use("notebook_outline", path="a.ipynb")
    assert [cell["cell"] for cell in outline["cells"]] == [CELL, OTHER]
    assert outline["cells"][0]["first_line"] == LOAD
    assert outline["permission"] == "propose"
    assert (await agent.use("cell_read", path="a.ipynb", cell=CELL))["base"] == digest(LOAD)
    assert not (jp_root_dir / ".aiserver_sessions").exists(), "reading leaves nothing"
    assert "no such notebook" in (await agent.use("notebook_outline", path="b.ipynb"))["refused"]
    assert "no such cell" in (await agent.use("cell_read", path="a.ipynb", cell="x"))["refused"]


async def test_an_edit_is_a_proposal_with_author_run_and_intent(
    agent: AgentClient, call: Any, notebook: Write
) -> None:
    """P52"""
    file = notebook()
    run = await begin(agent)
    edit = {"run": run, "cell": CELL, "base": digest(LOAD), "source": "df = load()"}
    answer = await agent.use("cell_edit", **edit, intent="load it faster", call="c1")
    assert answer["proposed"] and answer["source"] == LOAD
    assert sources(file) == [LOAD, PLOT]
    runs = (await call("GET", f"agents/notebooks/{await notebook_id(call)}")).data["runs"]
    assert runs[0]["proposals"] == {"open": 1, "accepted": 0, "rejected": 0}
    replay = await call("GET", f"sessions/{await notebook_id(call)}/{CELL}/replay")
    step = replay.data["steps"][-1]
    assert (step["kind"], step["author"], step["name"], step["run"]) == (
        "turn",
        "agent",
        "Codex",
        run,
    )
    assert (step["title"], step["code"], step["outcome"]) == (
        "load it faster",
        "df = load()",
        "open",
    )
    assert step["data"] == {
        "intent": "load it faster",
        "tool": "cell_edit",
        "via": "mcp",
        "call": "c1",
        "base": digest(LOAD),
    }


async def notebook_id(call: Any, path: str = "a.ipynb") -> str:
    body = {"path": path, "cellIds": [CELL, OTHER]}
    return str((await call("POST", "notebooks", body)).data["notebookId"])


async def test_the_agent_learns_what_the_person_decided(
    agent: AgentClient, call: Any, notebook: Write
) -> None:
    notebook()
    run = await begin(agent)
    edit = {"run": run, "cell": CELL, "base": digest(LOAD), "intent": "i"}
    proposals = [
        (await agent.use("cell_edit", **edit, source=f"df = {n}"))["proposal"] for n in range(2)
    ]
    status = {"run": run, "cell": CELL}
    waiting = await agent.use("proposal_status", **status, proposal=proposals[0])
    assert waiting == {"status": "waiting"}
    asked = asyncio.ensure_future(
        agent.use("proposal_status", **status, proposal=proposals[1], wait=20)
    )
    path = f"sessions/{await notebook_id(call)}/{CELL}/events"
    reject = {"type": "reject", "turnId": proposals[1], "data": {"reason": "too slow"}}
    assert (await call("POST", path, [reject])).status == 201
    assert await asked == {"status": "rejected", "reason": "too slow"}


async def test_an_agent_that_may_edit_changes_the_file(
    agent: AgentClient, call: Any, notebook: Write, allow: Any
) -> None:
    file = notebook()
    run = await start(agent, call, allow)
    edit = {"run": run, "cell": CELL, "base": digest(LOAD), "intent": "i", "mode": "apply"}
    replaced = [{"old": "sales", "new": "orders"}]
    answer = await agent.use("cell_edit", **edit, edits=replaced)
    assert answer["applied"] and answer["base"] == digest("df = pd.read_csv('orders.csv')")
    new = await agent.use(
        "cell_insert", run=run, after=CELL, source="df.head()", intent="look", mode="apply"
    )
    await agent.use("cell_move", run=run, cell=OTHER, after=None, intent="first")
    assert sources(file) == [PLOT, "df = pd.read_csv('orders.csv')", "df.head()"]
    replay = await call("GET", f"sessions/{id_of(file)}/{CELL}/replay")
    steps = [(s["kind"], s["author"], s.get("name"), s.get("run")) for s in replay.data["steps"]]
    assert steps == [("start", "unknown", None, None), ("edit", "agent", "Codex", run)]
    replay = await call("GET", f"sessions/{id_of(file)}/{new['cell']}/replay")
    assert replay.data["steps"][0]["data"]["inserted"] is True
    await agent.use("run_end", run=run, summary="done")
    (listed,) = (await call("GET", f"agents/notebooks/{id_of(file)}")).data["runs"]
    assert (listed["state"], listed["edits"], listed["summary"]) == ("ended", 3, "done")
    assert listed["cells"] == [OTHER, CELL, new["cell"]]


async def test_an_agent_writes_no_empty_file(
    agent: AgentClient, call: Any, notebook: Write, allow: Any
) -> None:
    """P54: a page that opens it brings the cells back; after a write, it couldn't."""
    file = notebook()
    run = await start(agent, call, allow)
    file.write_bytes(b"")
    insert = {"run": run, "source": "x", "intent": "i", "mode": "apply"}
    assert "no such notebook" in (await agent.use("cell_insert", **insert))["refused"]
    begun = await agent.use("run_begin", path="a.ipynb", intent="i")
    assert "no such notebook" in begun["refused"] and file.read_bytes() == b""


async def test_a_stale_base_is_refused_with_what_is_there_now(
    agent: AgentClient, call: Any, notebook: Write, allow: Any
) -> None:
    file = notebook()
    run = await start(agent, call, allow)
    file.write_text(file.read_text("utf-8").replace(LOAD, "changed = 1"), "utf-8")
    stale = {"run": run, "cell": CELL, "base": digest(LOAD), "source": "x", "intent": "i"}
    for mode in ("propose", "apply"):
        answer = await agent.use("cell_edit", **stale, mode=mode)
        assert answer["now"] == [
            {"cell": CELL, "source": "changed = 1", "base": digest("changed = 1")}
        ]
    assert sources(file) == ["changed = 1", PLOT]
    (listed,) = (await call("GET", f"agents/notebooks/{await notebook_id(call)}")).data["runs"]
    assert [refused["tool"] for refused in listed["refused"]] == ["cell_edit"] * 2


async def test_the_same_call_changes_nothing_twice(
    agent: AgentClient, call: Any, notebook: Write, allow: Any
) -> None:
    file = notebook()
    run = await start(agent, call, allow)
    insert = {"run": run, "source": "x = 1", "intent": "i", "mode": "apply", "call": "same"}
    answers = await asyncio.gather(*(agent.use("cell_insert", **insert) for _ in range(3)))
    assert len({answer["cell"] for answer in answers}) == 1
    assert sources(file) == ["x = 1", LOAD, PLOT]


@pytest.mark.parametrize(
    ("level", "allowed"),
    [("off", 0), ("read", 1), ("propose", 3), ("edit", 4)],
)
async def test_each_call_is_checked(
    agent: AgentClient, call: Any, notebook: Write, allow: Any, level: str, allowed: int
) -> None:
    notebook()
    run = await start(agent, call, allow, level)
    edit = {"run": run, "cell": CELL, "base": digest(LOAD), "source": "x", "intent": "i"}
    answers = [
        await agent.use("cell_read", path="a.ipynb", cell=CELL),
        await agent.use("run_begin", path="a.ipynb", intent="i"),
        await agent.use("cell_edit", **edit),
        await agent.use("cell_move", run=run, cell=OTHER, intent="i"),
        await agent.use("cell_delete", run=run, cell=OTHER, base=digest(PLOT), intent="i"),
        await agent.use("cells_run", run=run, cells=[CELL]),
    ]
    refused = ["refused" in answer for answer in answers]
    assert refused == [False] * allowed + [True] * (6 - allowed)


async def test_nothing_in_the_project_raises_a_permission(
    agent: AgentClient, call: Any, notebook: Write, allow: Any, jp_root_dir: Path
) -> None:
    """P55"""
    notebook()
    await begin(agent)
    id_ = await notebook_id(call)
    before = {file for file in jp_root_dir.rglob("*") if file.is_file()}
    await allow(id_, "edit")
    assert {file for file in jp_root_dir.rglob("*") if file.is_file()} == before
    answer = await call(
        "PUT", f"agents/notebooks/{id_}/permission", {"agent": "Codex", "level": "all"}
    )
    assert answer.status == 404, "“all” is only for a page that is open"


async def test_values_and_secrets_stay_here(agent: AgentClient, notebook: Write, call: Any) -> None:
    """P55"""
    canary = "canary-4711"
    stream = {"output_type": "stream", "name": "stdout", "text": canary}
    source = "key = 'sk-proj-abcdefghijklmnopqrstuvwx1234'\nprint(canary)"
    file = notebook(source, outputs=[stream])
    read = await agent.use("cell_read", path="a.ipynb", cell=CELL)
    assert canary not in str(read) and "abcdefgh" not in str(read)
    assert read["outputs"] == [{"kind": "stream", "characters": len(canary)}]
    run = await begin(agent)
    with_mark = read["source"].replace("print", "show")
    edit = {"run": run, "cell": CELL, "base": read["base"], "source": with_mark, "intent": "i"}
    answer = await agent.use("cell_edit", **edit)
    assert "abcdefgh" not in str(answer) and sources(file) == [source]


async def test_the_run_of_another_agent_is_not_mine(
    agent: AgentClient, other_agent: AgentClient, notebook: Write
) -> None:
    notebook()
    run = await begin(agent)
    edit = {"run": run, "cell": CELL, "base": digest(LOAD), "source": "x", "intent": "i"}
    assert "another agent" in (await other_agent.use("cell_edit", **edit))["refused"]
    await agent.use("run_end", run=run)
    assert "no active run" in (await agent.use("cell_edit", **edit))["refused"]
    assert (
        "another agent" in (await other_agent.use("run_undo", path="a.ipynb", run=run))["refused"]
    )


async def test_what_agents_did_is_found_by_author_and_run(
    agent: AgentClient, other_agent: AgentClient, call: Any, notebook: Write, allow: Any
) -> None:
    notebook()
    run = await begin(agent)
    edit = {"run": run, "cell": CELL, "base": digest(LOAD), "intent": "load it faster"}
    await agent.use("cell_edit", **edit, source="df = load()")
    await allow(await notebook_id(call), "edit", "Claude Code")
    other_run = await begin(other_agent)
    edit = {"run": other_run, "cell": OTHER, "base": digest(PLOT), "intent": "画直方图"}
    await other_agent.use("cell_edit", **edit, source="df.hist()", mode="apply")

    async def search(query: str) -> list[tuple[str, str]]:
        results = (await agent.use("history_search", query=query))["results"]
        body = {"query": query, "notebookId": await notebook_id(call)}
        hits = (await call("POST", "search", body)).data["results"]
        assert [(hit["name"], hit["run"]) for hit in hits] == [
            (hit["by"], hit["run"]) for hit in results
        ]
        return sorted((hit["by"], hit["request"]) for hit in results)

    applied = ("Claude Code", "画直方图")
    assert await search("by:codex") == [("Codex", "load it faster")]
    assert await search("作者：智能体 直方圖") == [applied]
    assert await search(f"run:{other_run[:8]}") == [applied]
    assert await search("df.hist") == [applied]
    assert await search("by:me") == []
    (line,) = (await agent.use("blame", path="a.ipynb", cell=OTHER))["lines"]
    assert (line["name"], line["run"], line["intent"]) == (applied[0], other_run, applied[1])


async def test_the_texts_of_runs_have_no_secrets(
    agent: AgentClient, call: Any, notebook: Write, jp_root_dir: Path
) -> None:
    """P16"""
    notebook()
    key = "sk-proj-" + "a1B2c3D4" * 6
    run = await begin(agent, intent=f"use {key}")
    await agent.use("run_end", run=run, summary=f"used {key}")
    (shown,) = (await call("GET", f"agents/notebooks/{await notebook_id(call)}")).data["runs"]
    assert shown["intent"] == "use ‹redacted:openai-key›"
    files = (jp_root_dir / ".aiserver_sessions").rglob("*")
    assert not any(key.encode() in file.read_bytes() for file in files if file.is_file())


async def test_a_search_finds_nothing_that_is_not_served(
    agent: AgentClient, call: Any, notebook: Write, jp_root_dir: Path
) -> None:
    """P55: a store may be that of several folders."""
    file = notebook()
    run = await begin(agent)
    edit = {"run": run, "cell": CELL, "base": digest(LOAD), "intent": "load it faster"}
    await agent.use("cell_edit", **edit, source="df = load()")
    assert len((await agent.use("history_search", query="faster"))["results"]) == 1
    file.rename(jp_root_dir.parent / "a.ipynb")
    assert (await agent.use("history_search", query="faster"))["results"] == []
