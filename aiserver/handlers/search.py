"""``search``: find turns by words or by meaning."""

from __future__ import annotations

import asyncio
from dataclasses import asdict
from typing import Any, cast

from pydantic.alias_generators import to_camel

from ..errors import InvalidField
from ..models import check_id
from ..requests import SearchBody, SearchBy
from ..search import Hit, SearchResult
from ..search.embeddings import INSTALL, is_installed
from ..surrogates import fix_surrogates, json_bytes
from .base import AIServerHandler, guarded

MAX_QUERY = 1000  # characters
_BY = ("words", "meaning")


class SearchHandler(AIServerHandler):
    """Searches the turns of one or all notebooks."""

    _task: asyncio.Future[SearchResult] | None = None

    @guarded("read")
    async def post(self) -> None:
        """Answer with a page of hits, best first."""
        await self._answer(self.body(SearchBody))

    @guarded("read")
    async def get(self) -> None:
        """Do the same for clients that send the query in the URL, and so to access logs."""
        query = fix_surrogates(self.get_query_argument("q", ""))
        if len(query) > MAX_QUERY:
            raise InvalidField("q", InvalidField.too_long.fill(str(MAX_QUERY)))
        by = self.get_query_argument("by", "words")
        if by not in _BY:
            raise InvalidField("by", "must be words or meaning")
        notebook_id = self.get_query_argument("notebookId", "")
        body = SearchBody(
            query=query,
            notebook_id=check_id("notebookId", notebook_id) if notebook_id else None,
            by=cast("SearchBy", by),
            offset=self.int_argument("offset", 0, 0, 999_999_999),
            limit=self.int_argument("limit", 20, 1, 50),
        )
        await self._answer(body)

    async def _answer(self, body: SearchBody) -> None:
        self._task = asyncio.ensure_future(
            self.search.search(
                body.query,
                owner=self.session_owner,
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
        available = is_installed()
        paths = await self.notebooks.paths({hit.notebook_id for hit in result.hits})
        answer = {
            "results": [_row(hit, paths[hit.notebook_id]) for hit in result.hits],
            "total": result.total,
            "unread": result.unread,
            "meaning": {"available": available, "install": None if available else INSTALL},
        }
        await self.finish(json_bytes(answer))

    def on_connection_close(self) -> None:
        """Cancel the search: the page sent a newer query."""
        if self._task is not None:
            self._task.cancel()
        super().on_connection_close()


def _row(hit: Hit, path: str | None) -> dict[str, Any]:
    return {to_camel(name): value for name, value in asdict(hit).items()} | {"path": path}
