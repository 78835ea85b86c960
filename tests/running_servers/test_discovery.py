"""Find running servers: only those that this user's files describe."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from aiserver.running_servers.client import Server
from aiserver.running_servers.discovery import (
    configured_server,
    hub_server,
    nearest_servers,
    running_servers,
)

TOKEN = "canary-token-91b2"


@pytest.fixture(autouse=True)
def runtime(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(tmp_path))
    return tmp_path


def write(folder: Path, pid: int, **fields: object) -> Path:
    info = {
        "pid": pid,
        "port": 8888,
        "hostname": "localhost",
        "base_url": "/user/me/",
        "token": TOKEN,
        "root_dir": "/data",
        "secure": False,
        "sock": "",
    }
    path = folder / f"jpserver-{pid}.json"
    path.write_text(json.dumps(info | fields))
    return path


def ended_pid() -> int:
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


@pytest.mark.parametrize(
    ("fields", "url"),
    [
        ({}, "http://localhost:8888/user/me/"),
        ({"hostname": "0.0.0.0"}, "http://127.0.0.1:8888/user/me/"),
        ({"hostname": "::1", "secure": True}, "https://[::1]:8888/user/me/"),
    ],
)
def test_a_runtime_file_has_the_address(runtime: Path, fields: dict, url: str) -> None:
    write(runtime, os.getpid(), **fields)
    [server] = running_servers(runtime)  # the same folder twice is one server
    assert (server.url, server.token, server.root_dir) == (url, TOKEN, "/data")
    assert TOKEN not in repr(server)


@pytest.mark.skipif(sys.platform == "win32", reason="links and owners of files")
def test_files_that_are_not_trusted_are_ignored(runtime: Path) -> None:
    """P6: links, leftovers, sockets, other people's files and garbage."""
    write(runtime, ended_pid())
    write(runtime, os.getpid(), sock="/tmp/x")
    (runtime / "jpserver-1.json").write_text("[]")
    (runtime / "jpserver-2.json").write_bytes(b"\xff")
    other = runtime / "other"
    other.mkdir()
    (runtime / "jpserver-3.json").symlink_to(write(other, os.getpid()))
    assert running_servers() == []
    if os.geteuid() == 0:
        os.chown(write(runtime, os.getpid()), 12345, 12345)
        assert running_servers() == []


def test_the_environment_names_a_server() -> None:
    assert configured_server({}) is None and hub_server({}) is None
    server = configured_server({"AISERVER_URL": "https://a/b", "AISERVER_TOKEN": TOKEN})
    assert server is not None and (server.url, server.token) == ("https://a/b", TOKEN)
    hub = {"JUPYTERHUB_SERVICE_URL": "http://0.0.0.0:4321/user/me/", "JPY_API_TOKEN": TOKEN}
    server = hub_server(hub)
    assert server is not None
    assert (server.url, server.token) == ("http://127.0.0.1:4321/user/me/", TOKEN)


def test_the_nearest_servers_serve_the_lowest_folder_above(tmp_path: Path) -> None:
    def names(*roots: str, folder: str = "a/b") -> list[str]:
        servers = [Server(str(i), root_dir=str(tmp_path / root)) for i, root in enumerate(roots)]
        return [server.url for server in nearest_servers(servers, tmp_path / folder)]

    assert names("", "a", "a/b", "a/b/c", "a/bb") == ["2"]
    assert names("a", "", "a") == ["0", "2"]
    assert names("b", "a/b/c") == []
    assert nearest_servers([Server("x")], tmp_path) == []
    if sys.platform != "win32":
        (tmp_path / "a").mkdir()
        (tmp_path / "link").symlink_to(tmp_path / "a")
        assert names("link", folder="a/b") == names("a", folder="link/b") == ["0"]
