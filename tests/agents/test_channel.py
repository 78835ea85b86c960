"""Changes of notebooks that a page has open: the page makes them, and nobody else."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from aiserver.plugins.agents import pages
from aiserver.plugins.agents.operations import digest

from .conftest import LOAD, PLOT, AgentClient, sources
from .test_tools import CELL, OTHER, Write, begin, notebook_id, start

UNSAVED = "df = pd.read_csv('unsaved.csv')"


class PageClient:
    """A page with one notebook, whose first cell isn't saved."""

    def __init__(self, socket: Any, answer: Callable[[dict[str, Any]], Any]) -> None:
        self.socket, self.answer = socket, answer
        self.received: list[dict[str, Any]] = []
        self.task = asyncio.ensure_future(self._listen())

    async def hello(self, path: str = "a.ipynb", page: str = "page1", **more: str) -> None:
        message = {"type": "hello", "page": page, "paths": [path], **more}
        await self.socket.write_message(json.dumps(message))

    async def _listen(self) -> None:
        while (raw := await self.socket.read_message()) is not None:
            message = json.loads(raw)
            self.received.append(message)
            answer = self.answer(message)
            if answer is not None:
                await self.socket.write_message(json.dumps(answer | {"id": message["id"]}))


def cells(*texts: str) -> list[dict[str, Any]]:
    ids = [CELL, OTHER]
    return [
        {"id": id_, "cell_type": "code", "source": text, "outputs": []}
        for id_, text in zip(ids, texts, strict=True)
    ]


@pytest.fixture
def open_page(jp_ws_fetch: Any, extension: Any) -> Callable[..., Any]:
    async def _open(answer: Callable[[dict[str, Any]], Any]) -> PageClient:
        page = PageClient(await jp_ws_fetch("aiserver", "agents", "channel"), answer)
        await page.hello()
        return page

    return _open


async def until(condition: Callable[[], Any]) -> None:
    while not condition():
        await asyncio.sleep(0.005)


def reads(message: dict[str, Any]) -> Any:
    if message["type"] == "read":
        return {"type": "content", "cells": cells(UNSAVED, PLOT)}
    return None


async def test_an_agent_sees_what_is_not_saved_yet(
    agent: AgentClient, notebook: Write, open_page: Any
) -> None:
    notebook()
    await open_page(reads)
    read: dict[str, Any] = {}
    while read.get("source") != UNSAVED:
        read = await agent.use("cell_read", path="a.ipynb", cell=CELL)
    assert read["base"] == digest(UNSAVED)


async def test_the_page_makes_the_change_and_the_file_stays(
    agent: AgentClient, call: Any, notebook: Write, open_page: Any, allow: Any
) -> None:
    file = notebook()
    text = [UNSAVED]

    def answer(message: dict[str, Any]) -> Any:
        if message["type"] == "read":
            return {"type": "content", "cells": cells(text[0], PLOT)}
        if message["type"] == "apply":
            (operation,) = message["operations"]
            if operation["base"] != digest(text[0]):
                now = [{"id": CELL, "source": text[0]}]
                return {"type": "refused", "code": "stale", "cells": now}
            text[0] = operation["source"]
            return {"type": "done", "cells": []}
        return None

    page = await open_page(answer)
    run = await start(agent, call, allow)
    edit = {"run": run, "cell": CELL, "intent": "i", "mode": "apply", "source": "df = 1"}
    stale = await agent.use("cell_edit", **edit, base=digest(LOAD))
    assert stale["now"][0]["source"] == UNSAVED
    done = await agent.use("cell_edit", **edit, base=digest(UNSAVED), call="c7")
    assert done == {"applied": True, "cell": CELL, "source": "df = 1", "base": digest("df = 1")}
    assert sources(file) == [LOAD, PLOT]
    author = [message for message in page.received if message["type"] == "apply"][-1]["author"]
    assert author["contributor"] == {"kind": "agent", "name": "Codex", "version": "1.2"}
    assert (author["run"], author["data"]["call"], author["data"]["intent"]) == (run, "c7", "i")
    replay = await call("GET", f"sessions/{await notebook_id(call)}/{CELL}/replay")
    assert replay.data["steps"] == [], "the page records what it has changed"


async def test_a_proposal_is_announced(agent: AgentClient, notebook: Write, open_page: Any) -> None:
    notebook()
    page = await open_page(reads)
    run = await begin(agent)
    edit = {"run": run, "cell": CELL, "base": digest(UNSAVED), "source": "x", "intent": "i"}
    proposed = await agent.use("cell_edit", **edit)
    await until(lambda: any(message["type"] == "proposed" for message in page.received))
    (message,) = [each for each in page.received if each["type"] == "proposed"]
    expected = CELL, proposed["proposal"], run
    assert (message["cellId"], message["turnId"], message["run"]) == expected


async def test_a_page_that_does_not_answer_is_not_overruled(
    agent: AgentClient, notebook: Write, open_page: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = notebook()
    monkeypatch.setattr(pages, "TIMEOUT", 0.2)
    page = await open_page(lambda _: None)
    refused: dict[str, Any] = {}
    while "doesn’t answer" not in refused.get("refused", ""):
        refused = await agent.use("notebook_outline", path="a.ipynb")
    monkeypatch.setattr(pages, "GRACE", 0.2)
    page.socket.close()
    await until(lambda: page.task.done())
    refused = await agent.use("notebook_outline", path="a.ipynb")
    assert "doesn’t answer" in refused["refused"], "it may come back with unsaved work"
    outline: dict[str, Any] = {}
    while "cells" not in outline:
        outline = await agent.use("notebook_outline", path="a.ipynb")
    assert sources(file) == [LOAD, PLOT]


async def test_all_is_allowed_until_the_page_closes(
    agent: AgentClient, call: Any, notebook: Write, open_page: Any
) -> None:
    notebook()
    page = await open_page(reads)
    await begin(agent)
    path = f"agents/notebooks/{await notebook_id(call)}"
    body = {"agent": "Codex", "level": "all", "page": "page1"}
    assert (await call("PUT", f"{path}/permission", body)).status == 204
    assert (await call("GET", path)).data["permissions"] == {"Codex": "all"}
    page.socket.close()
    while (await call("GET", path)).data["permissions"]:
        await asyncio.sleep(0.005)


async def test_a_page_needs_a_login(jp_ws_fetch: Any, extension: Any, tmp_path: Path) -> None:
    with pytest.raises(Exception, match="403"):
        await jp_ws_fetch("aiserver", "agents", "channel", headers={"Authorization": "token x"})
