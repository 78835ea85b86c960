"""Processes that confirm proposals, for tests of kills and disk errors.

Without arguments, it is like ``sessions/file/saver.py``: for each line of input, a child confirms
the proposal whose id is the order's ``work``. With arguments, it is like ``sessions/worker.py``:
for each line of input, a child proposes and confirms ``turns`` texts.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from pathlib import Path

from aiserver.errors import StorageError
from aiserver.memory.factory import create_person_store
from aiserver.memory.manager import MemoryManager
from aiserver.memory.stores.base import MemoryStore
from aiserver.memory.stores.file import FileMemoryStore
from aiserver.sessions.factory import create_session_manager
from aiserver.sessions.file.root import path_from_url
from tests.sessions import worker
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


async def confirm_many(choice: str, cell: str, turns: int) -> None:
    """Propose and confirm texts, and print the id of each entry. ``cell`` is the root."""
    if choice.startswith("file:"):
        window = open_files(Path(cell), FileMemoryStore(path_from_url(choice)))
        sessions = None
    else:
        sessions = create_session_manager(choice)
        window = open_files(Path(cell), create_person_store(sessions))
    for number in range(turns):
        scope = window.scopes[number % 2]
        proposal = await window.propose(f"text {number} of {cell[-8:]}", scope, "request")
        worker.say(f"proposed {proposal.id}")
        await window.confirm(proposal.id)
        worker.say(f"ack {proposal.id}")
    if sessions:
        await sessions.close()


if __name__ == "__main__":
    if len(sys.argv) == 1:
        asyncio.run(warm_up())
        saver.do = confirm
        saver.serve()
    else:
        for module in sys.argv[1:]:
            import_module(module)
        worker.save = confirm_many
        worker.serve()
