"""Plugins: the core works without each of them, and with others that fail."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, cast

import pytest

from aiserver.handlers.routes import ROUTES
from aiserver.loaded_plugins import OWN, Plugins, load_plugins
from aiserver.plugin import ContextRequest, ContextText, Plugin

from ..conftest import request

EXAMPLE = Path(__file__).parent.parent.parent / "examples" / "plugin"
ID = "0" * 32


async def do_the_main_job(call: Any) -> None:
    """Ask in a cell, and read how the cell was made."""
    reply = await call("POST", "notebooks", {"path": "a.ipynb", "cellIds": ["c1"]})
    notebook_id = reply.data["notebookId"]
    context = {
        "mentions": [{"kind": "file", "name": "@b.md", "file": "b.md"}],
        "rulesFiles": [{"path": "AGENTS.md", "sha256": 2 * ID}],
        "usesNote": True,
    }
    body = request("draw it from a.csv", notebookId=notebook_id, cellId="c1", context=context)
    body["notebookPath"] = "a.ipynb"
    assert (await call("POST", "generate/preview", body)).status == 200
    assert (await call("POST", "generate", body)).status == 200
    accepted = {"type": "accept", "turnId": 1, "source": "x"}
    reply = await call("POST", f"sessions/{notebook_id}/c1/events", [accepted])
    assert reply.status < 300
    steps = (await call("GET", f"sessions/{notebook_id}/c1/replay")).data["steps"]
    assert "draw it" in str(steps[0])
    for path in (f"notebooks/{notebook_id}/timeline", "models", "health"):
        assert (await call("GET", path)).status == 200
    assert (await call("DELETE", f"sessions/{notebook_id}/c1")).status == 204


@pytest.mark.parametrize(
    "server_config",
    [{"AIServer": {"disabled_plugins": names}} for names in (*([name] for name in OWN), [*OWN])],
    ids=lambda config: " ".join(config["AIServer"]["disabled_plugins"]),
)
async def test_the_main_job_works_without_a_plugin(
    call: Any, server_config: dict[str, Any], extension: Any, caplog: pytest.LogCaptureFixture
) -> None:
    await do_the_main_job(call)
    assert "The plugin “" not in caplog.text
    left = {pattern for pattern, _ in extension.plugins.routes()}
    removed = {pattern for pattern, _ in load_plugins().routes()} - left
    for pattern in removed:
        path = re.sub(r"\([^)]*\)", ID[:12], pattern).removeprefix("/aiserver/")
        assert (await call("GET", path)).status == 404, pattern
    assert not left & {pattern for pattern, _ in ROUTES}


class Broken(Plugin):
    name = "broken"

    async def context(self, request: Any) -> list[ContextText]:
        raise ValueError("canary")

    def routes(self) -> dict[str, str]:
        return {"/aiserver/broken": "no.such.Handler"}

    async def cost(self, model: Any, usage: Any) -> float:
        raise ValueError("canary")

    def checks(self) -> Any:
        raise ValueError("canary")

    def add_commands(self, groups: Any) -> None:
        raise ValueError("canary")

    async def stop(self) -> None:
        raise ValueError("canary")


class Slow(Plugin):
    """It even ignores that it is cancelled, once."""

    name = "slow"

    async def context(self, request: Any) -> list[ContextText]:
        await self._wait()
        return []

    async def cost(self, model: Any, usage: Any) -> float:
        await self._wait()
        return 1.0

    async def stop(self) -> None:
        await self._wait()

    async def _wait(self) -> None:
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.Event().wait()
        await asyncio.Event().wait()


class Odd(Plugin):
    name = "odd"

    async def context(self, request: Any) -> Any:
        return [ContextText("name", cast("str", 5))]

    def routes(self) -> dict[str, str]:
        return {"(": "aiserver.handlers.base.AIServerHandler"}

    async def cost(self, model: Any, usage: Any) -> float:
        raise asyncio.CancelledError


class Sure(Plugin):
    name = "sure"

    async def context(self, request: Any) -> list[ContextText]:
        return [ContextText("terms.json", "ARR: yearly revenue, password = 'canary-7731x'")]

    async def cost(self, model: Any, usage: Any) -> float:
        return 2.0


async def test_a_plugin_that_fails_harms_nobody(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("aiserver.loaded_plugins.CONTEXT_TIMEOUT", 0.01)
    monkeypatch.setattr("aiserver.loaded_plugins._TIMEOUT", 0.01)
    plugins = Plugins([Broken(), Slow(), Odd(), Sure()])
    assert await plugins.context(cast("ContextRequest", None)) == await Sure().context(None)
    assert not plugins.routes()
    assert not plugins.checks()
    plugins.add_commands(None)
    assert await plugins.cost(cast("Any", None), None) == 2.0
    await plugins.stop()
    still_waiting = asyncio.all_tasks() - {asyncio.current_task()}
    for task in still_waiting:
        task.cancel()
    await asyncio.gather(*still_waiting, return_exceptions=True)
    messages = [record.getMessage() for record in caplog.records]
    assert [text.split("“")[1].partition("”")[0] for text in messages] == [
        *("broken", "odd", "slow"),  # contexts
        *("broken", "odd"),  # routes
        *("broken", "broken"),  # checks and commands
        *("broken", "slow", "odd"),  # costs
        *("broken", "slow"),  # stops
    ]
    assert not any("canary" in text for text in messages)


def test_one_that_cannot_be_loaded_is_left_out(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(OWN, "missing", "no.such.Plugin")
    monkeypatch.setitem(OWN, "wrong", "pathlib.Path")
    with caplog.at_level(logging.ERROR):
        names = [plugin.name for plugin in load_plugins()]
    assert names == [name for name in OWN if name not in ("missing", "wrong")]
    assert len(caplog.records) == 2


@pytest.mark.usefixtures("remote_model")
async def test_a_text_of_a_plugin_is_sent_as_the_preview_and_the_receipt_say(
    call: Any, scripted: Any, extension: Any
) -> None:
    """Secrets in it are hidden from a remote model (P16)."""
    extension.plugins._plugins.append(Sure())
    extension.load()
    preview = (await call("POST", "generate/preview", request("ARR by month"))).data
    await call("POST", "generate", request("ARR by month"))
    sent = str(scripted.requests[-1])
    assert "yearly revenue" in sent
    assert "canary-7731x" not in sent
    for message in preview["messages"]:
        assert repr(message["text"])[1:-1] in sent or message["text"] in sent
    item = next(item for item in preview["items"] if item["kind"] == "plugin")
    assert (item["name"], item["included"]) == ("terms.json", True)


def test_the_example_adds_a_text_and_a_command(tmp_path: Path) -> None:
    source = EXAMPLE / "aiserver_terms.py"
    assert len(source.read_text("utf-8").splitlines()) <= 40
    project = (EXAMPLE / "pyproject.toml").read_text("utf-8")
    entry = 'terms = "aiserver_terms:TermsPlugin"'
    assert f'[project.entry-points."aiserver.plugins"]\n{entry}\n' in project
    info = tmp_path / "aiserver_terms-0.1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: aiserver-terms\nVersion: 0.1\n")
    text = f"[aiserver.plugins]\n{entry}\n".replace('"', "")
    (info / "entry_points.txt").write_text(text)
    (tmp_path / "aiserver_terms.py").write_text(source.read_text("utf-8"), "utf-8")
    (tmp_path / "terms.json").write_text('{"ARR": "年收入"}', "utf-8")
    code = f"""
import sys, asyncio
sys.path[:0] = [{str(tmp_path)!r}, {str(EXAMPLE.parent.parent)!r}]
from aiserver.loaded_plugins import load_plugins
from aiserver.plugin import ContextRequest
request = ContextRequest("arr by month", "", True, False, None, None)
[plugin] = [plugin for plugin in load_plugins() if plugin.name == "terms"]
print(*asyncio.run(plugin.context(request)))
from aiserver.cli.main import main
main(["terms"])
"""
    done = subprocess.run(
        [sys.executable, "-X", "utf8", "-c", code],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=True,
    )
    assert done.stdout.splitlines() == [
        "ContextText(name='terms.json', text='ARR: 年收入')",
        "ARR: 年收入",
    ]
