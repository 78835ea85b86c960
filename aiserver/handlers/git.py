"""``git``: whether a person still has to decide what git does with histories, and the decision."""

from __future__ import annotations

import asyncio
from pathlib import Path

from ..errors import NotFound, StorageReadOnly
from ..git import setup
from ..requests import GitBody
from ..sessions.file.manager import FileSessionManager
from ..sessions.file.root import FOLDER
from ..surrogates import json_bytes
from .base import AIServerHandler, guarded


class GitHandler(AIServerHandler):
    """Histories in a git repository."""

    @guarded("read")
    async def get(self) -> None:
        """Answer with the repository in which nothing was decided, or with null.

        A guest on somebody's server gets null, for it isn't theirs to decide.
        """
        owner = self.settings["aiserver_owner"]
        root = None if owner and self.asker != owner else self._root
        top = root and await asyncio.to_thread(_undecided, root)
        await self.finish(json_bytes({"repository": str(top) if top else None}))

    @guarded("write")
    async def post(self) -> None:
        """Write the decision into the repository."""
        self.check_owner()
        body = self.body(GitBody)
        root = self._root
        if root is None:
            raise NotFound(setup.NO_REPOSITORY)
        work = setup.ignore if body.choice == "ignore" else setup.keep
        try:
            await asyncio.to_thread(work, root)
        except OSError as exc:
            raise StorageReadOnly(setup.READ_ONLY) from exc
        self.set_status(204)
        await self.finish()

    @property
    def _root(self) -> Path | None:
        """The folder that holds the histories, if they are files."""
        store = self.sessions
        return Path(store.root) if isinstance(store, FileSessionManager) else None


def _undecided(root: Path) -> Path | None:
    return setup.undecided(root) if (root / FOLDER).is_dir() else None
