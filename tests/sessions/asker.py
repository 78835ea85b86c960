"""A server process of the race in ``test_notebooks.py``: asks which ids notebooks must carry.

    python -m tests.sessions.asker ROOT COUNT

Waits for a line on its input, then prints one id a line, for ``0.ipynb`` and so on; its cells'
ids are its own, as those are that a page makes up.
"""

from __future__ import annotations

import asyncio
import sys
import uuid

from aiserver.notebooks.identity import NotebookRegistry
from aiserver.sessions.file.manager import FileSessionManager


class NoFiles:
    """Nothing is saved yet."""

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
