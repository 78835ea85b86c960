"""``notebooks``: which id the notebook at a path must carry."""

from __future__ import annotations

import json
from typing import Any

from jupyter_core.utils import ensure_async
from tornado import web

from ..requests import NotebookBody
from .base import AIServerHandler, guarded


class NotebooksHandler(AIServerHandler):
    """Knows notebooks by id, path and cells."""

    @guarded("write")
    async def post(self) -> None:
        """Answer with the id, and with the one it was copied from."""
        body = self.body(NotebookBody)
        found = await self.notebooks.identify(body.path, body.notebook_id, body.cell_ids)
        answer = {"notebookId": found.notebook_id}
        if found.forked_from:
            answer["forkedFrom"] = found.forked_from
        await self.finish(json.dumps(answer))


class Contents:
    """What the notebook registry needs to know of the server's files."""

    def __init__(self, manager: Any) -> None:
        self._manager = manager

    async def exists(self, path: str) -> bool:
        """Whether there is a file at a path. A path that can't be looked at has none."""
        try:
            return bool(await ensure_async(self._manager.file_exists(path)))
        except (web.HTTPError, OSError, ValueError):
            return False

    async def notebook_id(self, path: str) -> str | None:
        """The id that the notebook at a path carries on disk, or None."""
        try:
            model = await ensure_async(self._manager.get(path, content=True, type="notebook"))
            found = model["content"]["metadata"]["aiserver"]["notebook_id"]
        except (web.HTTPError, OSError, ValueError, KeyError, TypeError):
            return None
        return found if isinstance(found, str) else None
