"""A Jupyter server in its own process, with a guard for every address that it contacts.

    with GuardedServer(config, environment) as server: server.post("generate", {...}); server.asked

The guard is an audit hook of Python itself (``socket.getaddrinfo``, ``socket.connect`` and
``socket.sendto``; ``subprocess.Popen``, ``os.posix_spawn``, ``os.exec``, ``os.system`` and
``os.fork``), installed before Jupyter is imported; only waits before retries are shorter than
usual. It records each address and blocks all other machines. It records each process, because it
can't see what that process does. It can't see network code in C libraries, either.

``asked`` has the ``host:port`` of each address, except the sockets of the server and its kernels;
``started`` has the processes.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

from .ports import ReservedPort, last_lines

# Other extensions of JupyterLab start programs (npm, Rscript, git …).
_OTHERS = ("jupyterlab", "jupyter_lsp", "jupyter_server_terminals", "notebook", "notebook_shim")
_EXTENSIONS = dict.fromkeys(_OTHERS, False) | {"aiserver": True}

# The loggers of Jupyter Server's own messages.
_JUPYTERS = ("['uname', '-p']", "['git', 'rev-parse', '--short', 'HEAD']")

TOKEN = "canary-token-52a7"

_CHILD = """
import ipaddress, json, os, sys

def note(*what, path=os.environ.pop("GUARD_NOTES")):
    fd = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(fd, (json.dumps(what) + "\\n").encode())
    os.close(fd)

def guard(event, args):
    if event in ("subprocess.Popen", "os.posix_spawn", "os.exec", "os.system", "os.fork"):
        note("started", event, *(str(arg) for arg in args[:2]))
        return
    if event == "socket.getaddrinfo":
        host, port = args[0], args[1]
    elif event in ("socket.connect", "socket.sendto") and isinstance(args[1], tuple):
        host, port = args[1][0], args[1][1]
    else:
        return
    host = host.decode() if isinstance(host, bytes) else str(host)
    note("asked", host, str(port))
    try:
        here = ipaddress.ip_address(host).is_loopback
    except ValueError:
        here = host == "localhost"
    if not here:
        raise OSError("the guard lets nothing out")

sys.addaudithook(guard)
sys.modules["aiodns"] = None  # it looks names up in C, unseen by the guard; Python does it then
from aiserver.llm.remote import model
model.FIRST_WAIT = 0.01
from jupyter_server.serverapp import main
main()
"""


class GuardedServer:
    """The server. ``config`` is the content of its ``jupyter_server_config.json``."""

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
        self._reserved = ReservedPort()
        self.port = self._reserved.number
        self.environment = {
            "PATH": os.environ["PATH"],
            "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
            "PYTHONUNBUFFERED": "1",
            "HOME": str(folder / "home"),
            "JUPYTER_CONFIG_DIR": str(folder / "config"),
            "JUPYTER_DATA_DIR": str(folder / "data"),
            "JUPYTER_RUNTIME_DIR": str(folder / "runtime"),
            "PYTHON_KEYRING_BACKEND": "keyring.backends.fail.Keyring",
            "OLLAMA_HOST": "127.0.0.1:9",  # nothing listens there
            "AISERVER_MODEL_DIR": str(folder / "models"),
            "GUARD_NOTES": str(self.notes),
        } | environment
        arguments = [f"--ServerApp.port={self.port}", "--ServerApp.port_retries=0", "--no-browser"]
        arguments += [f"--IdentityProvider.token={TOKEN}", "--ip=127.0.0.1", "--allow-root"]
        arguments += [f"--ServerApp.root_dir={self.root}"] + ["--debug"] * debug
        self._command = [sys.executable, "-c", _CHILD, *arguments]
        self._command += [f"--ServerApp.jpserver_extensions={_EXTENSIONS}"]
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
        raise AssertionError(last_lines(self.log.read_text()))

    def __exit__(self, *exc: object) -> None:
        assert self._process is not None
        self._process.terminate()
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._reserved.release()

    def clear(self) -> None:
        """Remove all records."""
        self.notes.write_text("")

    @property
    def asked(self) -> set[str]:
        """The addresses that the server has contacted."""
        addresses = {":".join(details) for kind, *details in self._records() if kind == "asked"}
        own = {f"127.0.0.1:{self.port}"}
        return {
            item for item in addresses if item not in own and not item.endswith((":0", ":None"))
        }

    @property
    def started(self) -> list[str]:
        """The processes that the server started or became, except Jupyter's own two."""
        commands = (" ".join(details) for kind, *details in self._records() if kind == "started")
        return [details for details in commands if not details.endswith(_JUPYTERS)]

    def _records(self) -> list[list[str]]:
        lines = self.notes.read_text().splitlines() if self.notes.exists() else []
        return [json.loads(line) for line in lines]

    def call(self, method: str, url: str, body: Any = None, accept: str = "*/*") -> bytes:
        """Request a path of the server. The body of an HTTP error is returned, too."""
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
        """Send GET to our API."""
        return json.loads(self.call("GET", f"aiserver/{path}"))

    def post(self, path: str, body: Any) -> Any:
        """Send POST to our API; return None if the response is empty."""
        return json.loads(self.call("POST", f"aiserver/{path}", body) or b"null")
