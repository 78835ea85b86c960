"""The plugin that describes the data files that a request names."""

from __future__ import annotations

from ..plugin import Plugin


class DataFilesPlugin(Plugin):
    """Lists and describes data files."""

    name = "data-files"

    def routes(self) -> dict[str, str]:
        """Return the route of the list."""
        return {
            "/aiserver/data-files": "aiserver.handlers.project.files.DataFilesHandler",
        }
