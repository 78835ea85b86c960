"""``search``: the turns that fit some words, or what they mean."""

from __future__ import annotations

import asyncio
from dataclasses import asdict
from typing import Any, cast

from pydantic.alias_generators import to_camel

from ..errors import InvalidRequest
from ..models import check_id
from ..requests import SearchBody, SearchBy
from ..search import Found, Hit
from ..search.embeddings import INSTALL, is_installed
from ..surrogates import fix_surrogates, json_bytes
from .base import AIServerHandler, guarded

MAX_QUERY = 1000  # characters
_BY = ("words", "meaning")


class SearchHandler(AIServerHandler):
    """Looks through all turns of a notebook, or of all."""

    _searching: asyncio.Future[Found] | None = None

    @guarded("read")
    async def post(self) -> None:
        """Answer with one page of hits, best first."""
        await self._answer(self.body(SearchBody))

    @guarded("read")
    async def get(self) -> None:
        """The same, for clients that put the words into the URL and so into access logs."""
        query = fix_surrogates(self.get_query_argument("q", ""))
        if len(query) > MAX_QUERY:
            raise InvalidRequest(f"q: must be at most {MAX_QUERY} characters")
        by = self.get_query_argument("by", "words")
        if by not in _BY:
            raise InvalidRequest("by: must be words or meaning")
        notebook_id = self.get_query_argument("notebookId", "")
        asked = SearchBody(
            query=query,
            notebook_id=check_id("notebookId", notebook_id) if notebook_id else None,
            by=cast("SearchBy", by),
            offset=self.number("offset", 0, 0, 999_999_999),
            limit=self.number("limit", 20, 1, 50),
        )
        await self._answer(asked)

    async def _answer(self, asked: SearchBody) -> None:
        self._searching = asyncio.ensure_future(
            self.search.search(
                asked.query,
                owner=self.session_owner,
                notebook_id=asked.notebook_id,
                by=asked.by,
                offset=asked.offset,
                limit=asked.limit,
            )
        )
        try:
            found = await self._searching
        except asyncio.CancelledError:
            if not self._searching.cancelled():
                raise
            return  # nobody listens any more
        available = is_installed()
        paths = await self.notebooks.paths({hit.notebook_id for hit in found.hits})
        answer = {
            "results": [_row(hit, paths[hit.notebook_id]) for hit in found.hits],
            "total": found.total,
            "unread": found.unread,
            "meaning": {"available": available, "install": None if available else INSTALL},
        }
        await self.finish(json_bytes(answer))

    def on_connection_close(self) -> None:
        """Who types on asks anew: the search before is of no use."""
        if self._searching is not None:
            self._searching.cancel()
        super().on_connection_close()


def _row(hit: Hit, path: str | None) -> dict[str, Any]:
    return {to_camel(name): value for name, value in asdict(hit).items()} | {"path": path}
