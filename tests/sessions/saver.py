"""A process that saves, to be killed or failed at any system call. Run by ``test_file_faults.py``.

``python saver.py`` imports once and then forks a child per line of its input, a JSON object
``{"root", "turns", "limit"}``. The child says ``pid <n>``, waits for one byte (so that a tracer
can attach), saves that many turns and says ``ack <turn_id>`` after each, or ``error <code>``.
When it has ended, ``end <status>`` follows.
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
from typing import Any

from aiserver.errors import StorageError
from aiserver.models import AIResponse, NewTurn, SessionKey, UserRequest
from aiserver.sessions.file import FileSessionManager

KEY = SessionKey("notebook", "cell")


def say(line: str) -> None:
    """Write a line at once; a fault that was meant for the store must not silence us."""
    for _ in range(20):
        with contextlib.suppress(OSError):
            os.write(1, line.encode() + b"\n")
            return


def turn(number: int) -> NewTurn:
    """A turn of some kilobytes."""
    return NewTurn(
        timestamp="2026-01-27T12:00:00.000Z",
        user_request=UserRequest(intent=f"turn {number}", current_code="", language="python"),
        ai_response=AIResponse(
            suggestion="x = 1\n" * 400, explanation="", status="success", error=None
        ),
    )


async def save(root: str, turns: int) -> None:
    """Save some turns of one cell, and say how each went."""
    store = FileSessionManager(root=root)
    for number in range(turns):
        try:
            saved, _ = await store.save_interaction(KEY, turn(number))
            say(f"ack {saved.turn_id}")
        except StorageError as exc:
            say(f"error {exc.code}")


def child(root: str, turns: int, limit: int | None = None) -> None:
    """Wait for the word, save, end."""
    with contextlib.suppress(OSError, AttributeError):
        # A tracer need not be our parent (0x59616D61 = PR_SET_PTRACER, -1 = anybody).
        ctypes.CDLL(None).prctl(0x59616D61, ctypes.c_ulong(-1 & 0xFFFFFFFFFFFFFFFF), 0, 0, 0)
    say(f"pid {os.getpid()}")
    os.read(0, 1)
    if limit:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    asyncio.run(save(root, turns))


def serve() -> None:
    """One child per line of input."""
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
    """A line of input, without reading ahead: what follows is for the child."""
    line = b""
    while (byte := os.read(0, 1)) not in (b"", b"\n"):
        line += byte
    return line


if __name__ == "__main__":
    if len(sys.argv) > 1:
        asyncio.run(save(sys.argv[1], int(sys.argv[2])))
    else:
        serve()
