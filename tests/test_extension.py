"""The extension on a Jupyter server: it starts fast, and is loaded completely when needed."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tornado.httpclient import HTTPClientError

from aiserver.errors import SettingError

WRONG = "nosql://ada:canary-pass@db/histories"
IMPORT = """
import sys
import jupyter_server.serverapp, jupyter_server.extension.application
before = set(sys.modules)
from aiserver import _jupyter_server_extension_points
_jupyter_server_extension_points()[0]["app"]()
print(*sorted({name.partition(".")[0] for name in set(sys.modules) - before}))
print(*sorted(name for name in sys.modules if name.startswith("aiserver.")))
"""


def test_nothing_slow_is_imported_at_start():
    """Only the traits are loaded: no pydantic, no LangChain, no store."""
    done = subprocess.run(
        [sys.executable, "-c", IMPORT], capture_output=True, text=True, check=True
    )
    packages, ours = done.stdout.splitlines()
    assert packages.split() == ["aiserver"]
    light = ("_version", "extension", "gc_pause", "handlers", "handlers.loading")
    assert set(ours.split()) <= {f"aiserver.{name}" for name in light}


async def test_the_first_request_finds_the_api(jp_serverapp: Any, jp_fetch: Any):
    """This includes a request that arrives before the API is loaded."""
    app = jp_serverapp.extension_manager.extension_points["aiserver"].app
    assert not hasattr(app, "sessions")
    reply = await jp_fetch("aiserver", "models")
    assert reply.code == 200
    assert app.sessions is app.load().sessions
    await app.stop_extension()


async def test_a_started_server_has_loaded_the_api(jp_serverapp: Any):
    await jp_serverapp.extension_manager.start_all_extensions()
    app = jp_serverapp.extension_manager.extension_points["aiserver"].app
    assert app.sessions and app.models and app.assistant
    await app.stop_extension()


async def test_a_notebook_that_is_read_meanwhile_waits(
    jp_serverapp: Any, jp_root_dir: Path, monkeypatch: pytest.MonkeyPatch
):
    """P28: else its cells wouldn't be compared. Anything else is read at once."""
    app = jp_serverapp.extension_manager.extension_points["aiserver"].app
    contents, imported, was_read = jp_serverapp.contents_manager, asyncio.Event(), asyncio.Event()
    notebook = {"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    (jp_root_dir / "n.ipynb").write_text(json.dumps(notebook))
    read = contents.get

    async def observed(path: str, **more: Any) -> Any:
        model = await read(path, **more)
        was_read.set()
        return model

    monkeypatch.setattr(contents, "get", observed)
    monkeypatch.setattr("aiserver.extension.import_slow_modules", imported.wait)
    started = asyncio.create_task(jp_serverapp.extension_manager.start_all_extensions())
    for _ in range(10):
        await asyncio.sleep(0)
    assert (await contents.get(""))["type"] == "directory"
    was_read.clear()
    reading = asyncio.create_task(contents.get("n.ipynb"))
    await was_read.wait()
    await asyncio.sleep(0)
    assert not reading.done()
    imported.set()
    assert (await reading)["type"] == "notebook" and app.sessions
    await started
    await app.stop_extension()


async def test_the_store_is_selected_by_its_url(jp_configurable_serverapp: Any, tmp_path: Any):
    folder = tmp_path / "我的"
    app = jp_configurable_serverapp(
        config={
            "ServerApp": {"jpserver_extensions": {"aiserver": True}},
            "AIServer": {"session_manager": folder.as_uri(), "owner": "alice"},
        }
    )
    extension = app.extension_manager.extension_points["aiserver"].app
    services = extension.load()
    assert extension.sessions.root == str(folder)
    assert services.session_owner == "", "a folder has an owner"
    await extension.stop_extension()


@pytest.mark.parametrize(
    ("store", "level", "notice"),
    [
        ("memory://", "W", "they are lost when the server stops"),
        ("file", "I", "FileSessionManager: saved histories survive a crash"),
    ],
)
async def test_the_server_logs_the_guarantees_of_its_store(
    jp_configurable_serverapp: Any,
    capsys: pytest.CaptureFixture[str],
    store: str,
    level: int,
    notice: str,
):
    app = jp_configurable_serverapp(
        config={
            "ServerApp": {"jpserver_extensions": {"aiserver": True}},
            "AIServer": {"session_manager": store, "log_level": "INFO"},
        }
    )
    await app.extension_manager.start_all_extensions()
    [line] = [line for line in capsys.readouterr().err.splitlines() if notice in line]
    assert line.startswith(f"[{level} ")
    await app.extension_manager.extension_points["aiserver"].app.stop_extension()


@pytest.mark.parametrize("server_config", [{"AIServer": {"session_manager": WRONG}}])
async def test_an_invalid_setting_is_logged_and_jupyter_runs(
    jp_serverapp: Any, jp_fetch: Any, caplog: pytest.LogCaptureFixture
):
    """P8: the message has no password."""
    app = jp_serverapp.extension_manager.extension_points["aiserver"].app
    app.log.addHandler(caplog.handler)
    await jp_serverapp.extension_manager.start_all_extensions()
    app.log.removeHandler(caplog.handler)
    message = "".join(r.getMessage() for r in caplog.records if r.msg.startswith("AI Server"))
    assert "Unknown session store “nosql://ada:…@db/histories”" in message
    for method, path in (("GET", "models"), ("POST", "generate"), ("DELETE", "sessions/a/b")):
        body = "{}" if method == "POST" else None
        with pytest.raises(HTTPClientError) as caught:
            await jp_fetch("aiserver", *path.split("/"), method=method, body=body)
        answer = json.loads(caught.value.response.body)
        assert (caught.value.code, answer["code"]) == (500, "bad_setting")
        assert "nosql" in answer["message"] and "canary" not in answer["message"]
    assert (await jp_fetch("api", "status")).code == 200


async def test_a_registry_of_another_class_is_an_invalid_setting(jp_configurable_serverapp: Any):
    app = jp_configurable_serverapp(
        config={
            "ServerApp": {"jpserver_extensions": {"aiserver": True}},
            "AIServer": {"model_registry_class": "aiserver.models.Session"},
        }
    )
    with pytest.raises(SettingError, match="“Session” is not a ModelRegistry"):
        app.extension_manager.extension_points["aiserver"].app.load()
