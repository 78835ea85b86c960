"""A server process for the race in ``test_notebooks.py``, which asks for the ids of notebooks.

    python -m tests.sessions.asker ROOT COUNT

It waits for a line of input, then prints the ids of ``0.ipynb`` and so on, one per line. Its cells
have random ids, like those that a page creates.
"""

from __future__ import annotations

import asyncio
import sys
import uuid

from aiserver.notebooks.identity import NotebookRegistry
from aiserver.sessions.file.manager import FileSessionManager


class NoFiles:
    """A contents manager without files."""

    def name(self, path: str) -> str:
        return path

    def path(self, name: str) -> str | None:
        return name

    async def exists(self, name: str) -> bool:
        return True

    async def notebook_id(self, name: str) -> str | None:
        return None

    async def is_same(self, name: str, other: str) -> bool:
        return name == other


async def main(root: str, count: int) -> None:
    registry = NotebookRegistry(FileSessionManager(root=root), NoFiles())
    print("ready", flush=True)
    sys.stdin.readline()
    for number in range(count):
        session = await registry.identify(f"{number}.ipynb", None, [uuid.uuid4().hex])
        print(session.notebook_id, flush=True)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], int(sys.argv[2])))
