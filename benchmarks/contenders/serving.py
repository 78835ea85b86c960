"""Compare the times of two requests to a Jupyter server: a session, and an empty answer.

The first is ``GET sessions/{notebook}/{cell}``. The second is answered by a handler that does
nothing, so the difference is the time that AI Server needs.
"""

from __future__ import annotations

import asyncio
import http.client
import os
import secrets
import statistics
import subprocess
import sys
import time
from pathlib import Path

from aiserver.models import SessionKey
from aiserver.sessions.file.manager import FileSessionManager
from tests.ports import ReservedPort

from .field import ROOT, WORKER

WARM_UP = 20  # the number of rounds at the beginning that aren't measured

# A Jupyter server extension with the handler that answers `{}`.
EMPTY = """
from jupyter_server.base.handlers import APIHandler
from tornado import web


class Empty(APIHandler):
    @web.authenticated
    async def get(self):
        self.finish(b"{}")


def _jupyter_server_extension_points():
    return [{"module": "empty_handler"}]


def _load_jupyter_server_extension(app):
    base = app.web_app.settings["base_url"].rstrip("/")
    app.web_app.add_handlers(".*$", [(base + "/empty", Empty)])
"""


def request_times(folder: Path, sizes: list[int], rounds: int) -> dict[str, float]:
    """Return the median milliseconds of each request, by its name.

    The names are ``empty`` for the empty answer, and for example ``20 turns`` for a session.
    """
    folder.mkdir()
    asyncio.run(_fill(folder, sizes))
    (folder / "empty_handler.py").write_text(EMPTY)
    token, reserved = secrets.token_hex(16), ReservedPort()
    port = reserved.number
    env = dict(
        os.environ, PYTHONPATH=os.pathsep.join([str(folder), str(ROOT)]), JUPYTER_TOKEN=token
    )
    for name in ("CONFIG", "DATA", "RUNTIME"):
        env[f"JUPYTER_{name}_DIR"] = str(folder / name)
    options = [
        *(f"--ServerApp.port={port}", "--ServerApp.port_retries=0", "--no-browser", "--allow-root"),
        *("--ServerApp.jpserver_extensions=empty_handler=True", f"--ServerApp.root_dir={folder}"),
        *("--ServerApp.jpserver_extensions=aiserver=True", "--log-level=ERROR"),
    ]
    command = [sys.executable, "-m", "jupyter_server", *options]
    server = subprocess.Popen(command, env=env, stderr=subprocess.DEVNULL, cwd=folder)
    try:
        return _measure(port, token, sizes, rounds)
    finally:
        server.terminate()
        server.wait()
        reserved.release()


def _measure(port: int, token: str, sizes: list[int], rounds: int) -> dict[str, float]:
    """Send the requests alternately, and return the median time of each in milliseconds."""
    paths = {"empty": "/empty"}
    paths |= {f"{size} turns": f"/aiserver/sessions/notebook/cell-{size}" for size in sizes}
    connection = _connect(port, token)
    times: dict[str, list[float]] = {name: [] for name in paths}
    for number in range(rounds + WARM_UP):
        for name, path in paths.items():
            start = time.perf_counter()
            status, body = _get(connection, token, path)
            elapsed = (time.perf_counter() - start) * 1000
            assert status == 200, (path, status, body[:200])
            if number >= WARM_UP:
                times[name].append(elapsed)
    connection.close()
    return {name: statistics.median(samples) for name, samples in times.items()}


def _get(connection: http.client.HTTPConnection, token: str, path: str) -> tuple[int, bytes]:
    connection.request("GET", path, headers={"Authorization": f"token {token}"})
    answer = connection.getresponse()
    return answer.status, answer.read()


def _connect(port: int, token: str) -> http.client.HTTPConnection:
    """Wait until the server answers, and return a connection to it."""
    deadline = time.monotonic() + 60
    while True:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        try:
            if _get(connection, token, "/empty")[0] == 200:
                return connection
        except OSError:
            if time.monotonic() > deadline:
                raise
        time.sleep(0.1)


async def _fill(folder: Path, sizes: list[int]) -> None:
    """Store one session for each number of turns in ``sizes``."""
    # The modules of the contenders import each other without a package name (see `worker.py`).
    sys.path.insert(0, str(WORKER.parent))
    from ours import to_session
    from turns import turn

    store = FileSessionManager(root=str(folder))
    for size in sizes:
        key = SessionKey("notebook", f"cell-{size}")
        await store.merge_copy(key, to_session(key, [turn(number) for number in range(size)]))
    await store.close()
