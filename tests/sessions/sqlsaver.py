"""Processes that save into a database, to be crowded or killed. Run by ``test_sql_faults.py``.

``python sqlsaver.py URL PROCESSES TURNS`` imports once, forks, and each child saves turns of one
cell; after each it says ``ack <its number> <turn_id>``, or ``error <code>``. With 0 processes it
forks one for each line of its input, says ``pid <n>`` first, and ``end`` when that has ended.
"""

from __future__ import annotations

import asyncio
import os
import sys

from aiserver.errors import StorageError
from aiserver.models import AIResponse, NewTurn, SessionKey, UserRequest
from aiserver.sessions.sql import SQLSessionManager, beside, database, mending, records, sessions

KEY = SessionKey("notebook", "cell")
IMPORTED = (beside, database, mending, records, sessions)  # before the fork, once for all


def turn(intent: str) -> NewTurn:
    """A turn of some kilobytes."""
    return NewTurn(
        timestamp="2026-01-27T12:00:00.000Z",
        user_request=UserRequest(intent=intent, current_code="", language="python"),
        ai_response=AIResponse(
            suggestion="x = 1\n" * 400, explanation="", status="success", error=None
        ),
    )


async def save(url: str, me: int, turns: int) -> None:
    """Save some turns, and say how each went."""
    store = SQLSessionManager(url=url)
    for number in range(turns):
        try:
            saved, _ = await store.save_interaction(KEY, turn(f"{me} {number}"))
            os.write(1, f"ack {me} {saved.turn_id}\n".encode())
        except StorageError as exc:
            os.write(1, f"error {exc.code}\n".encode())
    await store.close()


def forked(url: str, me: int, turns: int) -> int:
    """A child that saves; its id."""
    pid = os.fork()
    if not pid:
        try:
            asyncio.run(save(url, me, turns))
        finally:
            os._exit(0)
    return pid


def main(url: str, processes: int, turns: int) -> None:
    """Fork, and wait for all."""
    for pid in [forked(url, me, turns) for me in range(processes)]:
        os.waitpid(pid, 0)
    if not processes:
        for me, _ in enumerate(sys.stdin):
            pid = forked(url, me, turns)
            os.write(1, f"pid {pid}\n".encode())
            os.waitpid(pid, 0)
            os.write(1, b"end\n")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
