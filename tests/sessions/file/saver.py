"""A process that saves, for tests that kill it or inject faults at any system call.

Run by ``test_faults.py``.

``python saver.py`` imports once and then forks a child per line of its input, a JSON object
``{"root", "turns", "limit", "work"}``. The child prints ``pid <n>``, waits for one byte (so that a
tracer can attach), saves that many turns and prints ``ack <turn_id>`` after each, or ``error
<code>``. With ``work``, one of ``WORK``, it runs that operation instead. When it has ended, ``end
<status>`` is printed.
"""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import json
import os
import resource
import signal
import sys
import tempfile
import threading
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

from aiserver.errors import StorageError
from aiserver.models import AIResponse, NewEvent, NewLogEntry, NewTurn, SessionKey, UserRequest
from aiserver.sessions.file.manager import FileSessionManager

KEY = SessionKey("notebook", "cell")


def say(line: str) -> None:
    """Write a line unbuffered, even if a fault was injected for the store."""
    for _ in range(20):
        with contextlib.suppress(OSError):
            os.write(1, line.encode() + b"\n")
            return


def turn(number: int) -> NewTurn:
    """Return a turn of some kilobytes."""
    return NewTurn(
        timestamp="2026-01-27T12:00:00.000Z",
        user_request=UserRequest(intent=f"turn {number}", current_code="", language="python"),
        ai_response=AIResponse(
            suggestion="x = 1\n" * 400, explanation="", status="success", error=None
        ),
    )


async def save(root: str, turns: int) -> None:
    """Save some turns of one cell, and print the outcome of each."""
    store = FileSessionManager(root=root)
    for number in range(turns):
        try:
            saved, _ = await store.save_interaction(KEY, turn(number))
            say(f"ack {saved.turn_id}")
        except StorageError as exc:
            say(f"error {exc.code}")


BLOB = bytes(range(256)) * 40
OTHER = SessionKey("notebook", "other")
WORK: dict[str, Callable[[FileSessionManager], Coroutine[Any, Any, Any]]] = {
    "events": lambda store: store.record_events(KEY, [event(0), event(1)]),
    "delete": lambda store: store.delete(KEY),
    "fork": lambda store: store.fork(KEY, OTHER),
    "log": lambda store: store.append_notebook_log("notebook", [entry(0), entry(1)]),
    "blob": lambda store: store.put_blob(BLOB),
    "mend": lambda store: store.save_interaction(KEY, turn(0)),
}


def event(number: int) -> NewEvent:
    """Return a new event."""
    source = f"x = {number}\n" * 100
    return NewEvent(type="edit", timestamp="2026-01-27T12:00:00.000Z", source=source)


def entry(number: int) -> NewLogEntry:
    """Return a new change log entry."""
    data = {"path": f"{number}.ipynb"}
    return NewLogEntry(type="path_seen", timestamp="2026-01-27T12:00:00.000Z", data=data)


async def do(root: str, work: str) -> None:
    """Run one operation, and print its outcome."""
    try:
        await WORK[work](FileSessionManager(root=root))
        say("ack")
    except StorageError as exc:
        say(f"error {exc.code}")


def child(root: str, turns: int, limit: int | None = None, work: str | None = None) -> None:
    """Wait for a line of input, save, and exit."""
    with contextlib.suppress(OSError, AttributeError):
        # Allow any process to trace this one (0x59616D61 = PR_SET_PTRACER, -1 = any).
        ctypes.CDLL(None).prctl(0x59616D61, ctypes.c_ulong(-1 & 0xFFFFFFFFFFFFFFFF), 0, 0, 0)
    say(f"pid {os.getpid()}")
    os.read(0, 1)
    if limit:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    asyncio.run(do(root, work) if work else save(root, turns))


async def warm_up() -> None:
    """Import everything that the operations need, so that no traced call belongs to an import."""
    with tempfile.TemporaryDirectory() as root:
        store = FileSessionManager(root=root)
        for name in ("events", "delete", "log", "blob", "mend", "fork"):
            await WORK[name](store)
        (path,) = Path(root, ".aiserver_sessions").glob("notebook_cell.json")
        path.write_bytes(path.read_bytes()[:-40])
        await WORK["mend"](store)
        await store.close()


def serve() -> None:
    """Fork one child per line of input."""
    assert threading.active_count() == 1, "a child would have no other threads"
    while line := read_line():
        order: dict[str, Any] = json.loads(line)
        pid = os.fork()
        if not pid:
            try:
                child(**order)
            finally:
                os._exit(0)
        _, status = os.waitpid(pid, 0)
        say(f"end {status}")


def read_line() -> bytes:
    """Read a line of input without reading ahead, since the rest is for the child."""
    line = b""
    while (byte := os.read(0, 1)) not in (b"", b"\n"):
        line += byte
    return line


if __name__ == "__main__":
    if len(sys.argv) > 1:
        asyncio.run(save(sys.argv[1], int(sys.argv[2])))
    else:
        asyncio.run(warm_up())
        serve()
