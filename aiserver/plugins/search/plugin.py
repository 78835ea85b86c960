"""The plugin that searches all turns."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from ...plugin import Host, Plugin

if TYPE_CHECKING:
    from .engine import SearchEngine
    from .process import SearchProcess


class SearchPlugin(Plugin):
    """Searches all turns, by words or meaning."""

    name = "search"
    engine: SearchEngine

    @cached_property
    def process(self) -> SearchProcess:
        """The process that searches and ranks memories. It starts when it is first used."""
        from .process import SearchProcess

        return SearchProcess()

    def start(self, host: Host) -> None:
        """Create the search engine."""
        from .engine import SearchEngine

        self.engine = SearchEngine(host.sessions, process=self.process)

    async def stop(self) -> None:
        """End the process that searches."""
        await self.engine.close()

    def routes(self) -> dict[str, str]:
        """Return the route of searches."""
        return {"/aiserver/search": "aiserver.plugins.search.handler.SearchHandler"}
