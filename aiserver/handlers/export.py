"""``notebooks/…/export``: a notebook's replay as one file, to be handed on.

What must hold: the file is text inside JSON, never a page of this server (P10); the notebook's own
file is looked at only if whoever asks may read it, and if it is the very notebook.
"""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Any

from jupyter_core.utils import ensure_async
from tornado import web

from ..errors import InvalidRequest
from ..requests import ExportBody, ExportFormat
from ..sharing.export import FORMATS
from ..sharing.process import Exporter
from .base import AIServerHandler, guarded


class ExportHandler(AIServerHandler):
    """Hands a replay on."""

    @guarded("read")
    async def post(self, notebook_id: str) -> None:
        """Answer with the file's name and what it holds."""
        body = self.body(ExportBody)
        await self._answer(notebook_id, body.format, body.path)

    @guarded("read")
    async def get(self, notebook_id: str) -> None:
        """The same, for clients that put the path into the URL and so into access logs."""
        format_ = self.get_query_argument("format", "html")
        if format_ not in FORMATS:
            raise InvalidRequest(f"format: must be one of {', '.join(FORMATS)}")
        await self._answer(notebook_id, format_, self.get_query_argument("path", ""))

    async def _answer(self, notebook_id: str, format_: ExportFormat, path: str) -> None:
        exporter: Exporter = self.settings["aiserver_exporter"]
        notebook = await self._notebook(path, notebook_id) if path else None
        name = None if notebook is None else PurePosixPath(path).name
        # As the other process wrote it: to encode a large file here would hold up the event loop.
        await self.finish(await exporter.export(notebook_id, format_, name=name, notebook=notebook))

    def compute_etag(self) -> str | None:
        """None: a hash of a large file would hold up the event loop, and nobody asks again."""
        return None

    async def _notebook(self, path: str, notebook_id: str) -> dict[str, Any] | None:
        """What the file at a path holds, if it carries this id and may be read."""
        allowed = self.authorizer.is_authorized(self, self.current_user, "read", "contents")
        if not await ensure_async(allowed):
            return None
        try:
            manager: Any = self.contents_manager
            model = await ensure_async(manager.get(path, content=True, type="notebook"))
            content: dict[str, Any] = model["content"]
            is_it = content["metadata"]["aiserver"]["notebook_id"] == notebook_id
        except (web.HTTPError, OSError, ValueError, KeyError, TypeError):
            return None
        return content if is_it else None
