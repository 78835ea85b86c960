"""The tools that need the kernel of an open notebook, and how much of its data they give."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import product
from typing import Any

import pytest

from aiserver.plugins.agents.operations import digest
from aiserver.plugins.agents.outputs import describe_outputs
from aiserver.plugins.agents.tools import TOOLS

from .conftest import LOAD, PLOT, AgentClient
from .test_channel import PageClient, cells
from .test_tools import CELL, OTHER, Write, begin, notebook_id

SECRET = "sk-proj-abcdefghijklmnopqrstuvwx1234"
# The answers contain times, so this number isn't part of any.
STATISTICS, ROWS, OUTPUTS = "4711.5", "canary-row", ("canary-output", "canary-error", "canary-html")
NEVER = ("canary-example", "canary-text-minimum", SECRET)
ALL = (STATISTICS, ROWS, *OUTPUTS, *NEVER)
ALLOWED = {"schema": (), "statistics": (STATISTICS,), "sample": (STATISTICS, ROWS, *OUTPUTS[:2])}

OUTPUT = [
    {"output_type": "stream", "name": "stdout", "text": f"canary-output {SECRET}"},
    {
        "output_type": "error",
        "ename": "KeyError",
        "evalue": "canary-error",
        "traceback": ["canary-error"],
    },
    {"output_type": "display_data", "data": {"text/html": "canary-html"}, "metadata": {}},
]
NUMBERS = {"rows": 891, "missing": 7, "distinct": 88, "min": 0.5, "max": 80, "mean": 4711.5}
COLUMNS = [
    {"name": "city", "dtype": "object", "examples": ["canary-example"]},
    {"name": "price", "dtype": "float64", "statistics": NUMBERS},
]
FRAME = {
    "name": "sales",
    "kind": "pandas.DataFrame",
    "rowCount": 891,
    "columnCount": 2,
    "columns": COLUMNS,
    "level": "sample",
    "sample": {"rows": [["canary-row", "1.5"], [f"api_key = {SECRET}", None]]},
}
PROBLEM = {
    **{"line": 2, "column": 3, "endLine": 2, "endColumn": 8, "kind": "missing_column"},
    **{"name": "prise", "message": "The DataFrame has no column 'prise'.", "candidates": ["price"]},
    **{"correction": "price", "package": "", "import": ""},
}
WARNING = {
    **{"line": 1, "column": 0, "endLine": 1, "endColumn": 5, "kind": "frame", "name": "sales"},
    **{"rows": 891, "width": 2, "labels": [], "otherName": "sales_2", "uses": [[1, 0]]},
}


def answer(message: dict[str, Any]) -> dict[str, Any] | None:
    """Answer as a page does that gives all values, whatever the server asks for."""
    if message["type"] == "read":
        shown = [cell | {"outputs": OUTPUT} for cell in cells(LOAD, PLOT)]
        return {"type": "cells", "cells": shown}
    if message["type"] in ("run", "execute"):
        ran = {"status": "error", "executionCount": 3, "outputs": OUTPUT}
        return {"type": "ran", "cells": [ran | {"id": id_} for id_ in message.get("cells", [None])]}
    if message["type"] == "data":
        return {"type": "described", "frames": [FRAME]}
    if message["type"] == "check":
        return {"type": "checked", "problems": [PROBLEM], "warnings": [WARNING]}
    if message["type"] == "permit":
        return {"type": "permitted", "allowed": True}
    return {"type": "refused", "code": "read_only"} if message["type"] == "apply" else None


OpenPage = Callable[..., Any]


@pytest.fixture
def open_page(
    agent: AgentClient, call: Any, notebook: Write, jp_ws_fetch: Any, extension: Any
) -> OpenPage:
    """Open a page in which the agent has a permission and a level of data; return it and a run."""

    async def _open(
        permission: str = "all", answers: Callable[..., Any] = answer, **hello: str
    ) -> tuple[PageClient, str]:
        notebook()
        page = PageClient(await jp_ws_fetch("aiserver", "agents", "channel"), answers)
        await page.hello(**hello)
        while not (outline := await agent.use("notebook_outline", path="a.ipynb")).get("open"):
            assert "refused" not in outline
        run = await begin(agent)
        path = f"agents/notebooks/{await notebook_id(call)}/permission"
        chosen = {"agent": "Codex", "level": permission, "page": "page1"}
        assert (await call("PUT", path, chosen)).status == 204
        return page, run

    return _open


async def everything(agent: AgentClient, run: str) -> str:
    """Return what all tools and resources answer."""
    at = {"path": "a.ipynb", "cell": CELL}
    edit = {"run": run, "cell": CELL, "base": digest(LOAD), "intent": "i"}
    calls: dict[str, dict[str, Any]] = {
        "notebook_outline": {"path": "a.ipynb"},
        "cell_read": at,
        "cell_history": at,
        "last_clean": at,
        "blame": at,
        "notebook_as_of": {"path": "a.ipynb"},
        "history_search": {"query": "sales"},
        "check_code": {**at, "source": "sales['prise']"},
        "data_describe": {"path": "a.ipynb", "name": "sales"},
        "proposal_status": {"run": run, "cell": CELL, "proposal": 1},
        "look_closer": {"tool": "data_describe", "arguments": {"path": "a.ipynb", "name": "sales"}},
        "run_begin": {"path": "a.ipynb", "intent": "i"},
        "cell_edit": {**edit, "source": "x = 1"},
        "restore": {**edit, "step": "last clean"},
        "cell_insert": {"run": run, "source": "y = 1", "intent": "i"},
        "cell_delete": {"run": run, "cell": OTHER, "base": digest("?"), "intent": "i"},
        "cell_move": {"run": run, "cell": "no", "intent": "i"},
        "cell_split": {**edit, "lines": [9]},
        "cell_merge": {"run": run, "cells": [CELL, OTHER], "bases": ["", ""], "intent": "i"},
        "cells_run": {"run": run, "cells": [CELL]},
        "scratch_run": {"run": run, "code": "sales.head()"},
        "run_undo": {"path": "a.ipynb", "run": run},
        "run_end": {"run": run},
    }
    assert calls.keys() == TOOLS.keys(), "each tool is tested"
    answers = [await agent.use(tool, **arguments) for tool, arguments in calls.items()]
    answers += [await agent.use("notebook_as_of", path="a.ipynb", at="2999")]
    for uri in ("notebook", f"cell/{CELL}", f"history/{CELL}", f"run/{run}"):
        read = await agent.send("resources/read", {"uri": f"aiserver://{uri}/a.ipynb"})
        answers.append(read.data)
    return json.dumps(answers, ensure_ascii=False)


@pytest.mark.parametrize(
    ("level", "permission"), [*product(("schema", "statistics", "sample"), ("all", "edit"))]
)
async def test_no_answer_has_more_than_the_person_allows(
    agent: AgentClient, call: Any, open_page: OpenPage, level: str, permission: str
) -> None:
    """P55: the level of data that the person has chosen in the page, and only with “all”."""
    _, run = await open_page(permission, level=level)
    outputs = {"text": "canary-output", "truncated": False}
    ran = {"status": "error", "error": "KeyError: canary-error", "outputs": outputs}
    events = [
        {"type": "run", "source": LOAD, "data": ran},
        {"type": "run", "source": LOAD, "data": {"status": "ok", "outputs": outputs}},
    ]
    path = f"sessions/{await notebook_id(call)}/{CELL}/events"
    assert (await call("POST", path, events)).status == 201
    text = await everything(agent, run)
    allowed = ALLOWED[level] if permission == "all" else ()
    assert {canary for canary in ALL if canary in text} == {*allowed}


async def test_without_a_page_there_are_only_names(agent: AgentClient, notebook: Write) -> None:
    """P55"""
    notebook(outputs=OUTPUT)
    text = await everything(agent, await begin(agent))
    assert not [canary for canary in ALL if canary in text]


@pytest.mark.parametrize(
    ("server_config", "allowed"),
    [
        ({"AIServer": {"features": {"data_values": "forbidden"}}}, ()),
        ({"AIServer": {"features": {"outputs": "forbidden"}}}, (STATISTICS, ROWS)),
    ],
)
async def test_the_administrator_can_forbid_values(
    agent: AgentClient, open_page: OpenPage, server_config: Any, allowed: Any
) -> None:
    """P55"""
    _, run = await open_page(level="sample")
    text = await everything(agent, run)
    assert {canary for canary in ALL if canary in text} == {*allowed}


async def test_of_two_pages_the_lower_level_counts(
    agent: AgentClient, open_page: OpenPage, jp_ws_fetch: Any
) -> None:
    page, _ = await open_page(level="sample")
    other = PageClient(await jp_ws_fetch("aiserver", "agents", "channel"), answer)
    await other.hello(page="page2", level="statistics")
    outline: dict[str, Any] = {}
    while outline.get("data") != "statistics":
        outline = await agent.use("notebook_outline", path="a.ipynb")
    await page.hello(level="schema")
    while outline.get("data") != "schema":
        outline = await agent.use("notebook_outline", path="a.ipynb")


async def test_data_is_described_as_to_models(agent: AgentClient, open_page: OpenPage) -> None:
    page, _ = await open_page(level="statistics")
    described = await agent.use("data_describe", path="a.ipynb", name="sales")
    (text,) = described["dataframes"]
    assert text.startswith(
        "sales: pandas.DataFrame, 891 x 2\n  'city': object\n  'price': float64;"
    )
    question = page.received[-1]
    assert (question["name"], question["level"]) == ("sales", "statistics")


async def test_code_is_checked_without_being_written(
    agent: AgentClient, open_page: OpenPage
) -> None:
    page, _ = await open_page("read")
    checked = await agent.use("check_code", path="a.ipynb", source="x\nsales['prise']", cell=CELL)
    assert checked == {
        "problems": [
            {
                **{"line": 2, "column": 3, "kind": "missing_column", "name": "prise"},
                **{"message": PROBLEM["message"], "candidates": ["price"]},
            }
        ],
        "overwrites": [{"line": 1, "kind": "frame", "name": "sales", "rows": 891, "width": 2}],
    }
    assert page.received[-1]["cell"] == CELL
    unknown = await agent.use("check_code", path="a.ipynb", source="x", cell="no")
    assert "no such cell" in unknown["refused"]


@pytest.mark.parametrize("tool", ["check_code", "data_describe"])
async def test_a_tool_without_a_kernel_is_refused(
    agent: AgentClient, notebook: Write, open_page: OpenPage, tool: str
) -> None:
    notebook()
    given = {"path": "a.ipynb"} | ({"source": "x"} if tool == "check_code" else {})
    assert "isn’t open in JupyterLab" in (await agent.use(tool, **given))["refused"]

    def busy(message: dict[str, Any]) -> Any:
        is_question = message["type"] in ("check", "data")
        return {"type": "refused", "code": "busy"} if is_question else answer(message)

    await open_page(answers=busy)
    assert "kernel can’t tell" in (await agent.use(tool, **given))["refused"]


async def test_code_without_a_cell_is_recorded_in_the_run(
    agent: AgentClient, call: Any, open_page: OpenPage
) -> None:
    page, run = await open_page(level="sample")
    code = f"connect('{SECRET}')"
    outcome = await agent.use("scratch_run", run=run, code=code)
    assert outcome["status"] == "error" and "cell" not in outcome
    assert outcome["outputs"][1] == {"kind": "error", "error": "KeyError", "text": "canary-error"}
    (asked,) = [each for each in page.received if each["type"] == "execute"]
    assert (asked["author"]["data"]["tool"], asked["code"]) == ("scratch_run", code)
    (listed,) = (await call("GET", f"agents/notebooks/{await notebook_id(call)}")).data["runs"]
    assert len(listed["code"]) == 1 and SECRET not in listed["code"][0]


@pytest.mark.parametrize(
    ("allowed", "sentence"), [(True, ""), (False, "doesn’t allow it"), (None, "within 45 seconds")]
)
async def test_before_an_agent_deletes_or_runs_the_person_is_asked(
    agent: AgentClient, call: Any, open_page: OpenPage, allowed: bool | None, sentence: str
) -> None:
    """P53: with “edit”."""

    def decide(message: dict[str, Any]) -> Any:
        return {"allowed": allowed} if message["type"] == "permit" else answer(message)

    page, run = await open_page("edit", decide)
    delete = {"run": run, "cell": OTHER, "base": digest(PLOT), "intent": "i"}
    stale = await agent.use("cell_delete", **delete | {"base": digest("x")})
    assert stale["now"][0]["source"] == PLOT, "nobody is asked"
    answers = [
        await agent.use("cell_delete", **delete),
        await agent.use("cells_run", run=run, cells=[CELL]),
        await agent.use("scratch_run", run=run, code="x"),
    ]
    asked = [each for each in page.received if each["type"] == "permit"]
    assert [(each["act"], each["cells"], each["code"]) for each in asked] == [
        ("delete", [OTHER], ""),
        ("run", [CELL], ""),
        ("run", [], "x"),
    ]
    assert {(each["agent"], each["path"]) for each in asked} == {("Codex", "a.ipynb")}
    done = [each["type"] for each in page.received if each["type"] in ("apply", "run", "execute")]
    assert done == (["apply", "run", "execute"] if allowed else [])
    (listed,) = (await call("GET", f"agents/notebooks/{await notebook_id(call)}")).data["runs"]
    assert listed["code"] == (["x"] if allowed else [])
    if not allowed:
        assert all(sentence in each["refused"] for each in answers)
        refused = ["cell_delete", "cell_delete", "cells_run", "scratch_run"]
        assert [each["tool"] for each in listed["refused"]] == refused


async def test_no_answer_about_code_is_not_code_that_may_be_running(
    agent: AgentClient, call: Any, open_page: OpenPage
) -> None:
    def close(message: dict[str, Any]) -> Any:
        if message["type"] == "permit":
            page.socket.close()
            return None
        return answer(message)

    page, run = await open_page("edit", close)
    assert "doesn’t answer" in (await agent.use("scratch_run", run=run, code="x"))["refused"]
    (listed,) = (await call("GET", f"agents/notebooks/{await notebook_id(call)}")).data["runs"]
    assert listed["code"] == []


@pytest.mark.parametrize("permission", ["propose", "all"])
async def test_only_with_edit_the_person_is_asked(
    agent: AgentClient, open_page: OpenPage, permission: str
) -> None:
    page, run = await open_page(permission)
    refused = "refused" in await agent.use("scratch_run", run=run, code="x")
    assert refused == (permission == "propose")
    assert not [each for each in page.received if each["type"] == "permit"]


async def test_code_that_a_page_refuses_to_run_is_not_in_the_run(
    agent: AgentClient, call: Any, open_page: OpenPage
) -> None:
    """P53"""

    def busy(message: dict[str, Any]) -> Any:
        is_code = message["type"] == "execute"
        return {"type": "refused", "code": "busy"} if is_code else answer(message)

    _, run = await open_page(level="sample", answers=busy)
    assert "kernel can’t tell" in (await agent.use("scratch_run", run=run, code="x"))["refused"]
    (listed,) = (await call("GET", f"agents/notebooks/{await notebook_id(call)}")).data["runs"]
    assert listed["code"] == [] and listed["refused"][0]["tool"] == "scratch_run"


def test_the_name_of_an_error_has_no_values() -> None:
    """P55: the code chooses it."""
    error = {"output_type": "error", "ename": "Anna Smith,555-1234", "evalue": ""}
    assert describe_outputs([error], with_values=False) == [{"kind": "error"}]
    error["ename"] = "pandas.errors.MergeError"
    assert describe_outputs([error], with_values=False)[0]["error"] == error["ename"]
