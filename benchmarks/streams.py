"""Measure a server that streams many answers at once: the lateness of its event loop, and leaks.

    python -m benchmarks.streams [--streams 100] [--aborted 1000]

The benchmark starts a real server, which uses a scripted model on loopback. The first part requests
``--streams`` answers of 200 chunks at once. Meanwhile a task in the server, which sleeps 10 ms at a
time, measures how late it wakes.

The second part requests ``--aborted`` answers and disconnects in the middle of each. The server's
memory, open files and tasks should not grow with the number of aborted answers.

The result is one JSON object. ``psutil`` is needed, which ``ipykernel`` installs.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

import httpx
import psutil

from tests.attacks.conftest import LiveServer, start
from tests.scripted_model import ScriptedModel

# A Jupyter server extension that measures the event loop, and answers requests with the results.
PROBE = """
import asyncio, gc, json, time
from jupyter_server.base.handlers import APIHandler
from jupyter_server.utils import url_path_join
from tornado import web

LATE = []

async def watch():
    while True:
        began = time.perf_counter()
        await asyncio.sleep(0.01)
        LATE.append(time.perf_counter() - began - 0.01)

class Probe(APIHandler):
    @web.authenticated
    async def get(self):
        late, LATE[:] = sorted(LATE), []
        gc.collect()
        self.finish(json.dumps({"late": late[-1] if late else 0, "wakes": len(late),
            "late99": late[int(len(late) * .99)] if late else 0,
            "tasks": len(asyncio.all_tasks())}))

def _jupyter_server_extension_points():
    return [{"module": "aiserver_probe"}]

def _load_jupyter_server_extension(app):
    url = url_path_join(app.web_app.settings["base_url"], "probe")
    app.web_app.add_handlers(".*$", [(url, Probe)])
    app.io_loop.add_callback(lambda: asyncio.ensure_future(watch()))
"""


def body(number: int) -> dict[str, Any]:
    """Return the body of a request. Each ``number`` is another cell."""
    return {"notebookId": "nb", "cellId": f"c{number}", "intent": "x", "source": ""}


async def stream(client: httpx.AsyncClient, number: int, until: int | None = None) -> float:
    """Read an answer, and return the seconds until its first token.

    If ``until`` is given, disconnect after that many tokens.
    """
    started, first, seen = time.perf_counter(), 0.0, 0
    headers = {"Accept": "text/event-stream"}
    async with client.stream("POST", "generate", json=body(number), headers=headers) as reply:
        assert reply.status_code == 200, await reply.aread()
        async for line in reply.aiter_lines():
            if line == "event: token":
                first = first or time.perf_counter() - started
                seen += 1
                if seen == until:
                    return first
    return first


async def measure(server: LiveServer, streams: int, aborted: int) -> dict[str, Any]:
    """Run both parts, and return the results."""
    process = psutil.Process(server.process.pid)
    headers = {"Authorization": f"token {server.token}"}
    limits = httpx.Limits(max_connections=None)
    url = f"{server.url}aiserver/"

    async def probe() -> dict[str, Any]:
        """Return the lateness since the last call, and the memory, files and tasks in use now."""
        # First wait until the model isn't producing any answer any more, at most 10 seconds.
        for _ in range(200):
            if all(item["outcome"] != "running" for item in server.model.requests):
                break
            await asyncio.sleep(0.05)
        result = (await client.get(f"{server.url}probe")).json()
        memory, files = process.memory_info().rss / 2**20, process.num_fds()
        return result | {"MiB": round(memory, 1), "files": files}

    async with httpx.AsyncClient(
        base_url=url, headers=headers, limits=limits, timeout=120, trust_env=False
    ) as client:
        await stream(client, 0)
        await probe()
        answer = {"chunks": ["```python\n", *(f"x{n} = 1\n" for n in range(200)), "```"]}
        server.model.script(*[answer | {"delay": 0.01}] * streams)
        started = time.perf_counter()
        firsts = await asyncio.gather(*(stream(client, n) for n in range(streams)))
        elapsed = time.perf_counter() - started
        during = await probe()

        fresh = itertools.count(1000)

        async def abort(count: int) -> dict[str, Any]:
            """Request ``count`` answers and disconnect; return the result of ``probe`` then."""
            for _ in range(count // 20):
                server.model.script(*[answer | {"endless": True, "delay": 0.002}] * 20)
                cells = [next(fresh) for _ in range(20)]
                await asyncio.gather(*(stream(client, cell, until=3) for cell in cells))
            for _ in range(100):
                if all(r["outcome"] != "running" for r in server.model.requests):
                    break
                await asyncio.sleep(0.05)
            server.model.clear()
            return await probe()

        rounds = [await abort(aborted // 5) for _ in range(5)]
    return {
        "streams": streams,
        "seconds": round(elapsed, 2),
        "first token, median ms": round(statistics.median(firsts) * 1000),
        "event loop late at most, ms": round(during["late"] * 1000, 1),
        "99 of 100 wakes late at most, ms": round(during["late99"] * 1000, 1),
        "aborted": aborted,
        "MiB after each fifth of the aborted": [item["MiB"] for item in rounds],
        "open files": [item["files"] for item in rounds],
        "tasks": [item["tasks"] for item in rounds],
        "late while aborting, ms": round(max(item["late"] for item in rounds) * 1000, 1),
    }


def main() -> None:
    """Run the benchmark and print the results."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--streams", type=int, default=100)
    parser.add_argument("--aborted", type=int, default=1000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, ScriptedModel() as model:
        (Path(folder) / "root").mkdir()
        (Path(folder) / "root" / "aiserver_probe.py").write_text(PROBE)
        extensions = {"ServerApp.jpserver_extensions": {"aiserver": True, "aiserver_probe": True}}
        server = start(Path(folder), model, debug=False, **extensions)
        try:
            result = asyncio.run(measure(server, options.streams, options.aborted))
        finally:
            server.process.terminate()
            server.process.wait(30)
    print(json.dumps(result, indent=2))


if __name__ == "__main__":
    main()
