"""Processes that save to any store, for tests of kills and concurrent writes.

    python -m tests.sessions.worker MODULE …

imports the modules once and then forks, for each line of its input, a JSON object ``{"choice",
"cell", "turns", "count"}``, that many children. Each prints ``pid <n>``, opens the chosen
store, and appends that many turns to the cell, with an event after every third; it prints ``ack
<number> <revision>`` after each turn, or ``error <code>``. When all have ended, ``end <status> …``
is printed. ``Worker`` controls the process.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from aiserver.errors import StorageError
from aiserver.models import AIResponse, NewEvent, NewTurn, SessionKey, UserRequest
from aiserver.sessions.factory import create_session_manager

ROOT = Path(__file__).parent.parent.parent
NOON = "2026-01-27T12:00:00.000Z"


def turn(intent: str) -> NewTurn:
    """Return a turn of some kilobytes."""
    code = "x = 1\n" * 400
    return NewTurn(
        timestamp=NOON,
        user_request=UserRequest(intent=intent, current_code="", language="python"),
        ai_response=AIResponse(suggestion=code, explanation="", status="success", error=None),
    )


async def save(choice: str, cell: str, turns: int) -> None:
    """Save some turns of one cell, and print the outcome of each."""
    store = create_session_manager(choice)
    key = SessionKey("notebook", cell)
    for number in range(turns):
        try:
            saved, revision = await store.save_interaction(key, turn(f"{os.getpid()} {number}"))
            say(f"ack {saved.turn_id} {revision}")
            if number % 3 == 2:
                await store.record_events(key, [NewEvent(type="run", timestamp=NOON)])
        except StorageError as exc:
            say(f"error {exc.code}")
    await store.close()


def say(line: str) -> None:
    """Write a line unbuffered, so that it survives this process."""
    os.write(1, line.encode() + b"\n")


def serve() -> None:
    """Fork one or several children per line of input."""
    for line in iter(sys.stdin.readline, ""):
        order: dict[str, Any] = json.loads(line)
        pids = [fork(order) for _ in range(order.pop("count"))]
        say("end " + " ".join(str(os.waitpid(pid, 0)[1]) for pid in pids))


def fork(order: dict[str, Any]) -> int:
    pid = os.fork()
    if not pid:
        try:
            say(f"pid {os.getpid()}")
            asyncio.run(save(order["choice"], order["cell"], order["turns"]))
        finally:
            os._exit(0)
    return pid


class Worker:
    """The process that forks, and the output of its children."""

    def __init__(self, *modules: str, program: str = "tests.sessions.worker") -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", program, *modules],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=ROOT,
            text=True,
        )

    def start(self, choice: str, cell: str, turns: int, count: int = 1) -> list[int]:
        """Start children; return their process ids."""
        assert self._process.stdin
        order = {"choice": choice, "cell": cell, "turns": turns, "count": count}
        self._process.stdin.write(json.dumps(order) + "\n")
        self._process.stdin.flush()
        self._early: list[str] = []
        pids: list[int] = []
        while len(pids) < count:
            line = self._line()
            if line.startswith("pid "):
                pids.append(int(line.removeprefix("pid ")))
            else:
                self._early.append(line)
        return pids

    def output_lines(self) -> Iterator[str]:
        """Yield the output lines of the children until all have ended."""
        yield from self._early
        while not (line := self._line()).startswith("end "):
            yield line
        statuses = {int(status) for status in line.split()[1:]}
        assert statuses <= {0, signal.SIGKILL}, line

    def close(self) -> None:
        assert self._process.stdin and self._process.stdout
        self._process.stdin.close()
        self._process.wait(timeout=30)
        self._process.stdout.close()

    def _line(self) -> str:
        assert self._process.stdout
        line = self._process.stdout.readline().rstrip("\n")
        assert line, "the worker has died"
        return line


if __name__ == "__main__":
    for module in sys.argv[1:]:
        import_module(module)
    with contextlib.suppress(KeyboardInterrupt):
        serve()
