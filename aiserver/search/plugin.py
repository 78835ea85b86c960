"""The plugin that searches all turns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..plugin import Plugin

if TYPE_CHECKING:
    from ..handlers.base import Services
    from .engine import SearchEngine


class SearchPlugin(Plugin):
    """Searches all turns, by words or meaning."""

    name = "search"
    engine: SearchEngine

    def start(self, services: Services) -> None:
        """Create the search engine, which starts its process at the first search."""
        from .engine import SearchEngine

        self.engine = SearchEngine(services.sessions, process=services.search_process)

    async def stop(self) -> None:
        """End the process that searches."""
        await self.engine.close()

    def routes(self) -> dict[str, str]:
        """Return the route of searches."""
        return {"/aiserver/search": "aiserver.search.handler.SearchHandler"}
