"""``git``: whether git ignores or merges histories. A person decides this once per repository."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Literal

from ...errors import NotFound, StorageReadOnly
from ...handlers.base import AIServerHandler, guarded
from ...requests import Body
from ...sessions.file.directory import FOLDER
from ...sessions.file.manager import FileSessionManager
from . import setup


class GitBody(Body):
    """The user's choice for a repository: whether git ignores histories or merges them."""

    choice: Literal["ignore", "keep"]


class GitHandler(AIServerHandler):
    """Reports whether a person has to decide, and applies the decision."""

    @guarded("read")
    async def get(self) -> dict[str, str | None]:
        """Answer with the repository that needs a decision, or null.

        Users other than the server's owner always get null.
        """
        owner = self.services.owner
        root = None if owner and self.user_name != owner else self._root
        repository = root and await asyncio.to_thread(_undecided_repository, root)
        return {"repository": str(repository) if repository else None}

    @guarded("write")
    async def post(self) -> None:
        self.check_owner()
        body = self.body(GitBody)
        root = self._root
        if root is None:
            raise NotFound(setup.NO_REPOSITORY)
        apply = setup.ignore_histories if body.choice == "ignore" else setup.set_up_merging
        try:
            await asyncio.to_thread(apply, root)
        except OSError as exc:
            raise StorageReadOnly(setup.READ_ONLY) from exc

    @property
    def _root(self) -> Path | None:
        store = self.services.sessions
        return Path(store.root) if isinstance(store, FileSessionManager) else None


def _undecided_repository(root: Path) -> Path | None:
    return setup.undecided_repository(root) if (root / FOLDER).is_dir() else None
