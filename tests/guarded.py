"""A Jupyter server in a process of its own, with a guard on every address it turns to.

    with GuardedServer(config, environment) as server: server.post("generate", {...}); server.asked

The guard is an audit hook of Python itself (``socket.getaddrinfo``, ``socket.connect`` and
``socket.sendto``), put up before anything of Jupyter is imported; no test double is involved. It
notes each address, and lets only this machine be reached. What it can't see: a library's own
network code in C, and processes that the server starts.

``asked`` holds ``host:port`` of each, the server's own sockets and the kernels' left out.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

TOKEN = "canary-token-52a7"

_CHILD = """
import ipaddress, json, os, sys

def guard(event, args, path=os.environ.pop("GUARD_NOTES")):
    if event == "socket.getaddrinfo":
        host, port = args[0], args[1]
    elif event in ("socket.connect", "socket.sendto") and isinstance(args[1], tuple):
        host, port = args[1][0], args[1][1]
    else:
        return
    host = host.decode() if isinstance(host, bytes) else str(host)
    fd = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(fd, (json.dumps([event, host, str(port)]) + "\\n").encode())
    os.close(fd)
    try:
        here = ipaddress.ip_address(host).is_loopback
    except ValueError:
        here = host == "localhost"
    if not here:
        raise OSError("the guard lets nothing out")

sys.addaudithook(guard)
sys.modules["aiodns"] = None  # it looks names up in C, unseen by the guard; Python does it then
from jupyter_server.serverapp import main
main()
"""


class GuardedServer:
    """The server. ``config`` is what a ``jupyter_server_config.json`` holds."""

    def __init__(
        self, folder: Path, config: dict[str, Any], environment: dict[str, str], debug: bool = True
    ) -> None:
        self.folder = folder
        self.notes = folder / "addresses.txt"
        self.log = folder / "log.txt"
        self.root = folder / "root"
        for name in ("root", "config", "data", "runtime", "home"):
            (folder / name).mkdir(parents=True, exist_ok=True)
        (folder / "config" / "jupyter_server_config.json").write_text(json.dumps(config))
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.environment = {
            "PATH": os.environ["PATH"],
            "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
            "PYTHONUNBUFFERED": "1",
            "HOME": str(folder / "home"),
            "JUPYTER_CONFIG_DIR": str(folder / "config"),
            "JUPYTER_DATA_DIR": str(folder / "data"),
            "JUPYTER_RUNTIME_DIR": str(folder / "runtime"),
            "PYTHON_KEYRING_BACKEND": "keyring.backends.fail.Keyring",
            "OLLAMA_HOST": "127.0.0.1:9",  # nobody listens there
            "AISERVER_MODEL_DIR": str(folder / "models"),
            "GUARD_NOTES": str(self.notes),
        } | environment
        arguments = [f"--ServerApp.port={self.port}", "--ServerApp.port_retries=0", "--no-browser"]
        arguments += [f"--IdentityProvider.token={TOKEN}", "--ip=127.0.0.1", "--allow-root"]
        arguments += [f"--ServerApp.root_dir={self.root}"] + ["--debug"] * debug
        self._command = [sys.executable, "-c", _CHILD, *arguments]
        self._command += ["--ServerApp.jpserver_extensions={'aiserver': True}"]
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> GuardedServer:
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                self._command, env=self.environment, stdout=log, stderr=log, cwd=self.folder
            )
        until = time.monotonic() + 60
        while time.monotonic() < until and self._process.poll() is None:
            try:
                self.get("health")
                return self
            except OSError:
                time.sleep(0.05)
        self.__exit__()
        raise AssertionError(self.log.read_text())

    def __exit__(self, *exc: object) -> None:
        assert self._process is not None
        self._process.terminate()
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    @property
    def asked(self) -> set[str]:
        """Every address the server turned to since its start."""
        lines = self.notes.read_text().splitlines() if self.notes.exists() else []
        found = {":".join(json.loads(line)[1:]) for line in lines}
        own = {f"127.0.0.1:{self.port}"}
        return {item for item in found if item not in own and not item.endswith((":0", ":None"))}

    def call(self, method: str, url: str, body: Any = None, accept: str = "*/*") -> bytes:
        """Any address of the server. An HTTP error's body is an answer, too."""
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}/{url}",
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": f"token {TOKEN}", "Accept": accept},
        )
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(request, timeout=60) as reply:
                return bytes(reply.read())
        except urllib.error.HTTPError as error:
            return bytes(error.read())

    def get(self, path: str) -> Any:
        """GET of our API."""
        return json.loads(self.call("GET", f"aiserver/{path}"))

    def post(self, path: str, body: Any) -> Any:
        """POST to our API; None where the answer is empty."""
        return json.loads(self.call("POST", f"aiserver/{path}", body) or b"null")
