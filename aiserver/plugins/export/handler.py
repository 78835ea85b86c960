"""``notebooks/…/export``: export a notebook's history as one file.

Invariants: the exported file is sent as text inside JSON, never as a web page of this server. The
content of the notebook's own file is only exported if the user may read that file and if it
contains the notebook's id.
"""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Annotated, Any

from pydantic import Field

from ...handlers.base import AIServerHandler, guarded
from ...handlers.notebooks import read_notebook
from ...requests import Body, ExportFormat
from .plugin import ExportPlugin


class ExportBody(Body):
    """The format in which a notebook's replay is exported, and the notebook's path.

    ``html`` is a web page, ``md`` Markdown, and ``ipynb`` the notebook, in which the history of
    each cell follows the cell. If the file at ``path`` has the notebook's id, the exported file is
    named after it, and an exported ``ipynb`` contains its outputs.
    """

    format: ExportFormat = "html"
    path: Annotated[str, Field(max_length=4096)] = ""


class ExportHandler(AIServerHandler):
    """Exports a history."""

    @guarded("read")
    async def post(self, notebook_id: str) -> None:
        await self._answer(notebook_id, self.body(ExportBody))

    @guarded("read")
    async def get(self, notebook_id: str) -> None:
        """Answer like ``post``.

        Prefer ``post``, because servers log URLs, and the URL of this request contains the
        notebook's path.
        """
        await self._answer(notebook_id, self.query(ExportBody))

    async def _answer(self, notebook_id: str, body: ExportBody) -> None:
        notebook = await self._notebook(body.path, notebook_id) if body.path else None
        name = None if notebook is None else PurePosixPath(body.path).name
        # The worker process encodes the JSON, because a large file would block the event loop.
        answer = await self.services.plugins.get(ExportPlugin).exporter.export(
            notebook_id, body.format, name=name, notebook=notebook
        )
        await self.finish(answer)

    async def _notebook(self, path: str, notebook_id: str) -> dict[str, Any] | None:
        """Return the notebook at a path.

        Return None if the notebook has a different id, or if it can't be read.
        """
        if not await self.can_read_files():
            return None
        model = await read_notebook(self.contents_manager, path)
        content = model["content"] if model else {}
        try:
            is_same_notebook = content["metadata"]["aiserver"]["notebook_id"] == notebook_id
        except (KeyError, TypeError):
            return None
        return content if is_same_notebook else None
