"""Processes that confirm proposals, for tests of kills and disk errors.

It is like ``sessions/file/saver.py``: for each line of input, a child confirms the proposal whose
id is the order's ``work``.
"""

from __future__ import annotations

import asyncio
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from aiserver.errors import StorageError
from aiserver.plugins.memory.manager import MemoryManager
from aiserver.plugins.memory.stores.base import MemoryStore
from aiserver.plugins.memory.stores.file import FileMemoryStore
from tests.sessions.file import saver

OWNER = "ada"


def open_files(root: Path, person: MemoryStore | None = None) -> MemoryManager:
    """Return a manager with files in two folders, or with the files of a project alone."""
    return MemoryManager(
        person or FileMemoryStore(root / "person"),
        FileMemoryStore(root / "project" / ".aiserver_memory", is_shared_by_git=True),
        owner=OWNER,
        project_name="p",
    )


async def confirm(root: str, work: str) -> None:
    """Confirm one proposal, and print the outcome.

    All work is done in one thread, because strace counts the system calls of each thread.
    """
    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(max_workers=1))
    try:
        await open_files(Path(root)).confirm(work)
        saver.say("ack")
    except StorageError as exc:
        saver.say(f"error {exc.code}")


async def warm_up() -> None:
    """Import everything that a confirmation needs, so that no traced call belongs to an import."""
    with tempfile.TemporaryDirectory() as root:
        (Path(root) / "project").mkdir()
        for scope in open_files(Path(root)).scopes:
            proposal = await open_files(Path(root)).propose("Use polars", scope, "request")
            await open_files(Path(root)).confirm(proposal.id)


if __name__ == "__main__":
    asyncio.run(warm_up())
    saver.do = confirm
    saver.serve()
