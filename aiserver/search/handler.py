"""``search``: find turns by words or by meaning."""

from __future__ import annotations

import asyncio
from dataclasses import asdict
from typing import Any

from pydantic.alias_generators import to_camel

from ..handlers.base import AIServerHandler, guarded
from ..requests import SearchBody, SearchQuery
from ..surrogates import json_bytes
from .embeddings import INSTALL_COMMAND, is_installed
from .hits import Hit, SearchResult
from .plugin import SearchPlugin


class SearchHandler(AIServerHandler):
    """Searches the turns of one or all notebooks."""

    _task: asyncio.Future[SearchResult] | None = None

    @guarded("read")
    async def post(self) -> None:
        """Answer with the requested range of the hits, best first."""
        await self._answer(self.body(SearchBody))

    @guarded("read")
    async def get(self) -> None:
        """Do the same as ``post``.

        Prefer ``post``, because the URL of this request contains the query, and servers log URLs.
        """
        await self._answer(self.query(SearchQuery))

    async def _answer(self, body: SearchBody) -> None:
        self._task = asyncio.ensure_future(
            self.services.plugins.get(SearchPlugin).engine.search(
                body.query,
                owner=self.services.session_owner,
                notebook_id=body.notebook_id,
                by=body.by,
                offset=body.offset,
                limit=body.limit,
            )
        )
        try:
            result = await self._task
        except asyncio.CancelledError:
            if not self._task.cancelled():
                raise
            return  # the client disconnected
        can_search_by_meaning = is_installed()
        paths = await self.services.notebooks.paths({hit.notebook_id for hit in result.hits})
        answer = {
            "results": [_hit_fields(hit, paths[hit.notebook_id]) for hit in result.hits],
            "total": result.total,
            "unread": result.unread,
            "meaning": {
                "available": can_search_by_meaning,
                "install": None if can_search_by_meaning else INSTALL_COMMAND,
            },
        }
        await self.finish(json_bytes(answer))

    def on_connection_close(self) -> None:
        """Cancel the search. Usually the page disconnects because it sent a newer query."""
        if self._task is not None:
            self._task.cancel()
        super().on_connection_close()


def _hit_fields(hit: Hit, path: str | None) -> dict[str, Any]:
    return {to_camel(name): value for name, value in asdict(hit).items()} | {"path": path}
