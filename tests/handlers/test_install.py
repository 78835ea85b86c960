"""Install the local model over HTTP, with the real command and a fake hub."""

from __future__ import annotations

import asyncio
import hashlib
import os
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from aiserver.plugins.local_models.catalogue import SMALLEST

from ..conftest import SSE, Call
from .test_generate import until
from .test_models import bare_machine, jp_server_config  # noqa: F401 - fixtures

CONTENT = bytes(range(256)) * 100_000  # 25.6 MB, more than one chunk of the hub's client
DIGEST = hashlib.sha256(CONTENT).hexdigest()
# What the hub sends must be what the catalogue says. Python imports this module when it starts.
_SITE = f"""
from aiserver.plugins.local_models.catalogue import CATALOGUE
for model in CATALOGUE:
    vars(model).update(size={len(CONTENT)}, sha256={DIGEST!r})
"""


class Hub(ThreadingHTTPServer):
    """A hub with one file. It sends ``hold`` bytes, and the rest once ``go`` is set."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.hold = len(CONTENT)
        self.go = threading.Event()
        self.starts: list[int] = []


class _Handler(BaseHTTPRequestHandler):
    server: Hub

    def do_HEAD(self) -> None:
        self._head()

    def _head(self) -> int:
        start = 0
        if wanted := self.headers.get("Range"):
            start = int(wanted.removeprefix("bytes=").split("-")[0])
        self.send_response(206 if wanted else 200)
        self.send_header("Content-Length", str(len(CONTENT) - start))
        self.send_header("ETag", f'"{DIGEST}"')
        self.send_header("X-Repo-Commit", "1" * 40)
        self.send_header("Accept-Ranges", "bytes")
        if wanted:
            rest = f"bytes {start}-{len(CONTENT) - 1}/{len(CONTENT)}"
            self.send_header("Content-Range", rest)
        self.end_headers()
        return start

    def do_GET(self) -> None:
        start = self._head()
        self.server.starts.append(start)
        try:
            self.wfile.write(CONTENT[start : self.server.hold])
            if self.server.go.wait(60):
                self.wfile.write(CONTENT[max(start, self.server.hold) :])
        except OSError:
            self.close_connection = True  # stopped

    def log_message(self, *args: object) -> None:
        pass


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Hub]:
    (tmp_path / "site").mkdir()
    (tmp_path / "site/sitecustomize.py").write_text(_SITE)
    folders = [str(tmp_path / "site"), os.environ["PYTHONPATH"]]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(folders))
    with Hub() as server:
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{server.server_port}")
        monkeypatch.setenv("HF_HOME", str(tmp_path / "hf"))
        monkeypatch.setenv("HF_HUB_DISABLE_XET", "1")
        yield server
        server.go.set()
        server.shutdown()


@pytest.fixture
def target(tmp_path: Path) -> Path:
    return tmp_path / "models" / SMALLEST.file


async def state(call: Call) -> Any:
    return (await call("GET", "models")).data["local"]["installing"]


async def test_the_model_is_downloaded_with_progress_and_used(call: Call, hub: Hub, target: Path):
    hub.go.set()
    answer = await call("POST", "models/local/install", {}, headers=SSE)
    names = [name for name, _ in answer.events]
    assert names[-1] == "done" and set(names[:-1]) == {"progress"}
    seen = [data for name, data in answer.events if name == "progress"]
    assert seen[0]["phase"] == "looking"
    assert {"fetching", "checking"} <= {data["phase"] for data in seen}
    assert seen[-1]["phase"] == "done"
    assert (seen[-1]["bytes"], seen[-1]["total"]) == (len(CONTENT), len(CONTENT))
    assert {data["source"] for data in seen} == {None, "hub"}
    assert target.read_bytes() == CONTENT
    after = (await call("GET", "models")).data
    assert after["local"]["installed"] and after["local"]["installing"] is None
    assert after["default"] == after["local"]["id"]  # ready without another step


async def test_a_cancelled_download_resumes(call: Call, hub: Hub, target: Path):
    """Cancelling keeps the partial file; both clients get the same end; the next try resumes."""
    hub.hold = 15_000_000
    watching = [
        asyncio.create_task(call("POST", "models/local/install", {}, headers=SSE)) for _ in range(2)
    ]

    async def paused() -> None:
        while (progress := await state(call)) is None or progress["bytes"] < 10_000_000:
            await asyncio.sleep(0.05)

    await asyncio.wait_for(paused(), 60)
    assert len(hub.starts) == 1  # the second request joined the first
    assert (await call("DELETE", "models/local/install")).status == 204
    for task in watching:
        assert (await asyncio.wait_for(task, 10)).events[-1] == ("cancelled", {})
    assert await state(call) is None
    assert not target.exists()

    hub.go.set()
    answer = await call("POST", "models/local/install", {}, headers=SSE)
    assert answer.events[-1][0] == "done"
    assert hub.starts[1] >= 10_000_000
    assert target.read_bytes() == CONTENT


async def test_a_client_may_disconnect_and_reconnect(
    call: Call, hub: Hub, target: Path, jp_http_port: int, jp_base_url: str, jp_auth_header: Any
):
    """The download continues without a client."""
    hub.hold = 1000
    head = [f"POST {jp_base_url}aiserver/models/local/install HTTP/1.1"]
    headers = {"Host": f"127.0.0.1:{jp_http_port}", "Content-Length": "2"} | SSE | jp_auth_header
    head += [f"{name}: {value}" for name, value in headers.items()]
    reader, writer = await asyncio.open_connection("127.0.0.1", jp_http_port)
    writer.write("\r\n".join([*head, "", "{}"]).encode())
    await reader.readuntil(b"event: progress")
    writer.close()
    await until(lambda: hub.starts, 60)
    assert (await state(call))["phase"] in ("looking", "fetching")
    hub.go.set()
    await until(target.exists, 60)


async def test_without_a_stream_the_request_only_starts_the_download(
    call: Call, hub: Hub, extension: Any
):
    reply = await call("POST", "models/local/install", {})
    assert (reply.status, reply.data["phase"]) == (202, "looking")
    assert (await call("DELETE", "models/local/install")).status == 204
    assert extension.models.local.installer.current is None
    assert (await call("DELETE", "models/local/install")).status == 204  # again, without effect


async def test_error_messages_contain_no_path(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """P8"""
    (tmp_path / "models").write_text("this is no folder")
    answer = await call("POST", "models/local/install", {}, headers=SSE)
    name, data = answer.events[-1]
    assert (name, data["code"]) == ("error", "install_failed")
    assert str(tmp_path) not in answer.raw.decode()
    assert await state(call) is None


async def test_a_missing_package_is_reported_before_the_download(
    call: Call, monkeypatch: pytest.MonkeyPatch
):
    import sys

    monkeypatch.setitem(sys.modules, "xllamacpp", None)  # simulates a missing package
    reply = await call("POST", "models/local/install", {}, headers=SSE)
    assert (reply.status, reply.data["code"]) == (503, "model_package_missing")
    assert reply.data["install"] == "pip install 'aiserver[local]'"
    local = (await call("GET", "models")).data["local"]
    assert (local["package"], local["install"]) == (False, reply.data["install"])


async def test_stopping_the_server_stops_the_download(call: Call, hub: Hub, extension: Any):
    await call("POST", "models/local/install", {})
    installation = extension.models.local.installer.current
    await extension.stop_extension()
    assert installation.end.cancelled()
    assert installation._process.returncode is not None


async def test_joining_never_starts_a_download(call: Call, hub: Hub, extension: Any):
    """P4: a reloaded page follows a running download; only the button starts one."""
    reply = await call("POST", "models/local/install", {"join": True}, headers=SSE)
    assert (reply.status, reply.data["code"]) == (404, "not_found")
    assert extension.models.local.installer.current is None and hub.starts == []
    await call("POST", "models/local/install", {})
    running = extension.models.local.installer.current
    assert (await call("POST", "models/local/install", {"join": True})).status == 202
    assert extension.models.local.installer.current is running
