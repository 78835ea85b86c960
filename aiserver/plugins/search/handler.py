"""``search``: find turns by words or by meaning."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Annotated

from pydantic import Field

from ...handlers.base import AIServerHandler, guarded
from ...models import Id
from ...requests import Body, SearchBy
from .embeddings import INSTALL_COMMAND, is_installed
from .hits import SearchByMeaning, SearchResult
from .plugin import SearchPlugin


class SearchBody(Body):
    """A search query. It is sent in a body, because URLs appear in logs of servers and proxies.

    Without ``meaning.available`` in the results, the search is always by words.
    """

    query: Annotated[str, Field(max_length=1000)] = ""
    notebook_id: Id | None = None
    by: SearchBy = "words"
    offset: Annotated[int, Field(ge=0, le=999_999_999)] = 0
    limit: Annotated[int, Field(ge=1, le=50)] = 20


class SearchQuery(SearchBody):
    """A search query in a URL, for clients that can't send a body.

    In the URL, the parameter ``q`` contains the ``query``.
    """

    query: Annotated[str, Field(max_length=1000, alias="q")] = ""


class SearchHandler(AIServerHandler):
    """Searches the turns of one or all notebooks."""

    _task: asyncio.Future[SearchResult] | None = None

    @guarded("read")
    async def post(self) -> SearchResult | None:
        """Answer with the requested range of the hits, best first."""
        return await self._answer(self.body(SearchBody))

    @guarded("read")
    async def get(self) -> SearchResult | None:
        """Do the same as ``post``.

        Prefer ``post``, because the URL of this request contains the query, and servers log URLs.
        """
        return await self._answer(self.query(SearchQuery))

    async def _answer(self, body: SearchBody) -> SearchResult | None:
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
            return None  # the client disconnected
        paths = await self.services.notebooks.paths({hit.notebook_id for hit in result.hits})
        hits = [replace(hit, path=paths[hit.notebook_id]) for hit in result.hits]
        is_available = is_installed()
        meaning = SearchByMeaning(is_available, None if is_available else INSTALL_COMMAND)
        return replace(result, hits=hits, meaning=meaning)

    def on_connection_close(self) -> None:
        """Cancel the search. Usually the page disconnects because it sent a newer query."""
        if self._task is not None:
            self._task.cancel()
        super().on_connection_close()
