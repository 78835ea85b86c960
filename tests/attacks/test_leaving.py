"""P30: clients that never read, and clients that disconnect (see ``benchmarks/streams.py``)."""

from __future__ import annotations

import asyncio
import json
import socket
from typing import Any

import psutil

from aiserver.generation.generation import QUEUE_SIZE

from ..conftest import SSE, request
from ..handlers.test_generate import until


def send(port: int, base: str, headers: dict[str, str], body: dict[str, Any]) -> socket.socket:
    """Send a request with a small receive buffer, and read nothing."""
    raw = json.dumps(body).encode()
    head = [f"POST {base}aiserver/generate HTTP/1.1", f"Host: 127.0.0.1:{port}"]
    head += [f"{k}: {v}" for k, v in (SSE | headers | {"Content-Length": str(len(raw))}).items()]
    client = socket.socket()
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    client.connect(("127.0.0.1", port))
    client.sendall("\r\n".join([*head, "", ""]).encode() + raw)
    return client


async def test_a_client_that_never_reads_uses_little_memory(
    scripted, extension, http_server, jp_http_port, jp_base_url, jp_auth_header
):
    """P30: the queue of a huge answer is bounded; disconnecting stops everything."""
    chunks = ["```python\n", *["x = 1  # " + "y" * 4000 + "\n"] * 2000]
    scripted.script({"chunks": chunks, "hold_after": 1})
    with send(jp_http_port, jp_base_url, jp_auth_header, request()):
        await until(lambda: extension.assistant._running and scripted.requests)
        [generation] = extension.assistant._running.values()
        scripted.release()
        await until(
            lambda: generation._free_slots.locked() or scripted.requests[-1]["outcome"] != "running"
        )
        assert generation._queue.qsize() <= QUEUE_SIZE + 2
    await until(lambda: scripted.requests[-1]["outcome"] != "running")
    await until(lambda: not extension.assistant._running)


async def test_interrupted_turns_leave_no_tasks_or_files(
    call, scripted, extension, http_server, jp_http_port, jp_base_url, jp_auth_header
):
    """P30: no task, open file or running answer remains; each turn is stored as stopped."""
    process = psutil.Process()

    async def round_of(count: int, first: int) -> None:
        for number in range(first, first + count):
            scripted.script({"chunks": ["```python\n", "x = 1\n", "y"], "hold_after": 2})
            body = request(cellId=f"c{number}")
            with send(jp_http_port, jp_base_url, jp_auth_header, body):
                await until(lambda: scripted.requests and scripted.requests[-1]["sent"] == 2)
            await until(lambda: scripted.requests[-1]["outcome"] == "gone")
            await until(lambda: not extension.assistant._running)
            scripted.clear()

    await round_of(5, 0)  # creates what is created once
    tasks, files = len(asyncio.all_tasks()), process.num_fds()
    await round_of(25, 5)
    # (The task of this test is one more.)
    await until(lambda: len(asyncio.all_tasks()) <= tasks + 1 and process.num_fds() <= files)
    stored = (await call("GET", "sessions/nb/c29")).data["interactions"]
    assert [turn["ai_response"]["status"] for turn in stored] == ["cancelled"]
