"""P8 on a real server with ``--debug`` and a real kernel: keys reach only their provider."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest
from jupyter_client.blocking.client import BlockingKernelClient

from ..conftest import request
from ..guarded import GuardedServer

KEY = "canary-key-51d8c2"
SENTENCE = "canary-sentence-77aa"


def environment_of_a_kernel(server: GuardedServer) -> str:
    """Return the environment of a kernel that the server starts."""
    kernel = json.loads(server.call("POST", "api/kernels", {"name": "python3"}))["id"]
    path = server.folder / "runtime" / f"kernel-{kernel}.json"
    until = time.monotonic() + 30
    while not path.exists() and time.monotonic() < until:
        time.sleep(0.02)
    client = BlockingKernelClient(connection_file=str(path))
    client.load_connection_file()
    client.session.session = "of-the-test"
    client.start_channels()
    try:
        expression = {"all": "repr(dict(__import__('os').environ))"}
        reply = client.execute("", user_expressions=expression, reply=True, timeout=60)
        return str(reply["content"]["user_expressions"]["all"]["data"]["text/plain"])
    finally:
        client.stop_channels()
        server.call("DELETE", f"api/kernels/{kernel}")


def files_with(folder: Path, canary: str) -> set[str]:
    """Return the files below a folder that contain a text."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {path.name for path in files if canary.encode() in path.read_bytes()}


@pytest.mark.parametrize("backend", ["file", "keyring"])
def test_a_key_reaches_its_provider_and_nothing_else(
    scripted: Any, tmp_path: Path, backend: str
) -> None:
    """P8: it is in no response, log, other file or kernel's environment."""
    environment = {"TEST_KEYRING": str(tmp_path / "the-keyring.json"), "OPENAI_LOG": "debug"}
    if backend == "keyring":
        environment["PYTHON_KEYRING_BACKEND"] = "tests.keyring_backend.Keyring"
    answers = []
    with GuardedServer(tmp_path / "server", {}, environment) as server:

        def call(method: str, path: str, body: Any = None, accept: str = "*/*") -> bytes:
            answers.append(server.call(method, f"aiserver/{path}", body, accept))
            return answers[-1]

        call("PUT", "models/keys/openai", {"key": KEY + " "})
        body = {"key": KEY, "address": scripted.base_url}
        assert call("PUT", "models/keys/openai_compatible", body) == b""
        (provider,) = [
            item
            for item in json.loads(call("GET", "models"))["providers"]
            if item["name"] == "openai_compatible"
        ]
        assert provider["keySource"] == backend
        call("PUT", "models/choice", {"model": "openai_compatible:scripted"})
        message = f"{SENTENCE}: key {KEY} at {scripted.url} is wrong"
        for status in (401, 403, 404, 400, 500, 429):
            # Like some providers, this one repeats the key in its error.
            scripted.script(*[{"status": status, "message": message, "retry_after": 0}] * 3)
            call("POST", "generate", request())
            scripted.clear()
        scripted.script({"garbage": True}, {"garbage": True}, {"garbage": True})
        call("POST", "generate", request(), "text/event-stream")
        scripted.script({"text": "```python\nx = 1\n```"})
        assert json.loads(call("POST", "generate", request()))["ai_response"]["suggestion"]
        assert scripted.requests[-1]["authorization"] == f"Bearer {KEY}"
        kernel = environment_of_a_kernel(server)
        call("GET", "sessions/nb/c1")
    assert KEY not in kernel and "JPY_PARENT_PID" in kernel
    assert not [answer for answer in answers if KEY.encode() in answer]
    assert not [answer for answer in answers if SENTENCE.encode() in answer]
    log = server.log.read_text()
    assert "aiserver/models/keys/openai" in log  # it is the debug log
    assert KEY not in log and SENTENCE not in log
    key_file = {"file": ".keys.json", "keyring": "the-keyring.json"}[backend]
    assert files_with(tmp_path, KEY) == {key_file}
    assert files_with(tmp_path, SENTENCE) == set()


def test_a_removed_key_is_deleted(scripted: Any, tmp_path: Path) -> None:
    """P8: it is deleted on disk, and never served by the files and contents services."""
    with GuardedServer(
        tmp_path, {}, {"JUPYTER_DATA_DIR": str(tmp_path / "root" / "data")}
    ) as server:
        body = {"key": KEY, "address": scripted.base_url}
        server.call("PUT", "aiserver/models/keys/openai_compatible", body)
        assert files_with(tmp_path, KEY) == {".keys.json"}
        for path in ("files/data/aiserver/.keys.json", "api/contents/data/aiserver/.keys.json"):
            assert KEY.encode() not in server.call("GET", path)
        server.call("DELETE", "aiserver/models/keys/openai_compatible")
        assert files_with(tmp_path, KEY) == set()
