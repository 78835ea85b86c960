"""The plugin that reads the files that a request names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...plugin import ContextPart, ContextRequest, Host, Plugin

if TYPE_CHECKING:
    from .reader import DataFiles


class DataFilesPlugin(Plugin):
    """Lists and describes data files, and reads the texts of other files."""

    name = "data-files"
    files: DataFiles

    def start(self, host: Host) -> None:
        from .reader import DataFiles

        self.files = DataFiles(host.folder)

    def routes(self) -> dict[str, str]:
        return {"/aiserver/data-files": "aiserver.plugins.data_files.handler.DataFilesHandler"}

    async def context(self, request: ContextRequest) -> Sequence[ContextPart]:
        from .context import file_parts

        return await file_parts(self.files, request)
