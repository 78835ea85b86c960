"""``notebooks/…/export``: export a notebook's replay as one file.

Invariants: the file is sent as text inside JSON, never as a page of this server (P10). The
notebook's own file is read only if the user may read it and it carries the notebook's id.
"""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Any

from jupyter_core.utils import ensure_async
from tornado import web

from ..errors import InvalidField
from ..requests import ExportBody, ExportFormat
from ..sharing.export import FORMATS
from ..sharing.process import Exporter
from .base import AIServerHandler, guarded


class ExportHandler(AIServerHandler):
    """Exports a replay."""

    @guarded("read")
    async def post(self, notebook_id: str) -> None:
        """Answer with the file's name and content."""
        body = self.body(ExportBody)
        await self._answer(notebook_id, body.format, body.path)

    @guarded("read")
    async def get(self, notebook_id: str) -> None:
        """Do the same for clients that send the path in the URL, and so to access logs."""
        format_ = self.get_query_argument("format", "html")
        if format_ not in FORMATS:
            raise InvalidField("format", f"must be one of {', '.join(FORMATS)}")
        await self._answer(notebook_id, format_, self.get_query_argument("path", ""))

    async def _answer(self, notebook_id: str, format_: ExportFormat, path: str) -> None:
        exporter: Exporter = self.settings["aiserver_exporter"]
        notebook = await self._notebook(path, notebook_id) if path else None
        name = None if notebook is None else PurePosixPath(path).name
        # The worker process encoded the JSON: a large file would block the event loop.
        await self.finish(await exporter.export(notebook_id, format_, name=name, notebook=notebook))

    async def _notebook(self, path: str, notebook_id: str) -> dict[str, Any] | None:
        """Read the notebook at a path if it carries this id and the user may read it."""
        allowed = self.authorizer.is_authorized(self, self.current_user, "read", "contents")
        if not await ensure_async(allowed):
            return None
        try:
            manager: Any = self.contents_manager
            model = await ensure_async(manager.get(path, content=True, type="notebook"))
            content: dict[str, Any] = model["content"]
            is_same_notebook = content["metadata"]["aiserver"]["notebook_id"] == notebook_id
        except (web.HTTPError, OSError, ValueError, KeyError, TypeError):
            return None
        return content if is_same_notebook else None
