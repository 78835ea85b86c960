"""A real server process, configured like a user's: token, XSRF check, log with ``--debug``."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from ..conftest import API_KEY
from ..ports import last_lines
from ..scripted_model import ScriptedModel


@dataclass
class LiveServer:
    """A running ``jupyter server``."""

    url: str
    token: str
    root: Path
    log_file: Path
    process: subprocess.Popen[bytes]
    model: ScriptedModel

    @property
    def log(self) -> str:
        """The server's log."""
        return self.log_file.read_text("utf-8", "replace")

    def client(self) -> httpx.Client:
        """Return a client that is logged in."""
        headers = {"Authorization": f"token {self.token}"}
        return httpx.Client(base_url=self.url, headers=headers, timeout=30, trust_env=False)


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveServer]:
    """Run one server with ``--debug`` for all tests of a module."""
    with ScriptedModel() as model:
        server = start(tmp_path_factory.mktemp("live"), model)
        yield server
        server.process.terminate()
        server.process.wait(30)


def start(folder: Path, model: ScriptedModel, *, debug: bool = True, **traits: Any) -> LiveServer:
    """Start a server on a free loopback port, with its files below ``folder``."""
    root, runtime = folder / "root", folder / "runtime"
    root.mkdir(exist_ok=True)
    options = {
        "ServerApp.root_dir": str(root),
        "ServerApp.jpserver_extensions": {"aiserver": True},
        "ServerApp.open_browser": False,
        "ServerApp.allow_root": True,
        "ServerApp.port": 0,
        "ServerApp.ip": "127.0.0.1",
        "AIServer.model": "openai:scripted",
        "ModelRegistry.model_options": {"base_url": model.base_url, "api_key": API_KEY},
        **traits,
    }
    config: dict[str, dict[str, Any]] = {}
    for name, value in options.items():
        section, trait = name.split(".")
        config.setdefault(section, {})[trait] = value
    (folder / "config.json").write_text(json.dumps(config))
    environment = os.environ | {
        "HOME": str(folder),
        "JUPYTER_RUNTIME_DIR": str(runtime),
        "JUPYTER_CONFIG_DIR": str(folder / "jupyter"),
        "JUPYTER_PLATFORM_DIRS": "0",
        "PYTHONUNBUFFERED": "1",
        # Only loopback is reachable, so no test downloads weights or queries a provider.
        "HTTP_PROXY": "http://127.0.0.1:9",
        "HTTPS_PROXY": "http://127.0.0.1:9",
        "NO_PROXY": "127.0.0.1,localhost",
        "PIP_INDEX_URL": "http://127.0.0.1:9/simple",
        "XDG_DATA_HOME": str(folder / "data"),
        "JUPYTER_DATA_DIR": str(folder / "data"),
        "PYTHON_KEYRING_BACKEND": "keyring.backends.null.Keyring",
    }
    log_file = folder / "log.txt"
    command = [sys.executable, "-m", "jupyter_server", *["--debug"] * debug]
    with log_file.open("wb") as log:
        process = subprocess.Popen(
            [*command, f"--config={folder / 'config.json'}"],
            stdout=log,
            stderr=subprocess.STDOUT,
            env=environment,
            cwd=root,
        )
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and process.poll() is None:
        for path in runtime.glob("jpserver-*.json"):
            try:
                info = json.loads(path.read_text())
                url = f"http://127.0.0.1:{info['port']}{info['base_url']}"
                httpx.get(url + "api", trust_env=False)
            except (ValueError, httpx.HTTPError):
                continue
            return LiveServer(url, info["token"], root, log_file, process, model)
        time.sleep(0.05)
    process.kill()
    raise AssertionError(last_lines(log_file.read_text()))
