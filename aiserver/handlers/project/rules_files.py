"""``rules-files``: the files that tell models a project's conventions, such as ``AGENTS.md``."""

from __future__ import annotations

import asyncio
from dataclasses import asdict

from ...project_files.rules_files import list_files
from ...requests import RulesFilesBody
from ...surrogates import json_bytes
from ..base import AIServerHandler, guarded
from ..notebooks import served_folder


class RulesFilesHandler(AIServerHandler):
    """Lists the rules files for a notebook."""

    @guarded("read")
    async def post(self) -> None:
        """Answer with the files and their texts. Nothing is changed or sent to a model.

        The notebook's path is in the body, because URLs appear in logs. The list is empty if the
        user may not read files, or if the administrator doesn't allow files in requests.
        """
        body = self.body(RulesFilesBody)
        is_forbidden = self.services.features.files == "forbidden"
        is_readable = not is_forbidden and await self.can_read_files()
        root = served_folder(self.contents_manager) if is_readable else None
        root_path = None if root is None else str(root)
        files = await asyncio.to_thread(list_files, root_path, body.path)
        await self.finish(json_bytes({"files": [asdict(file) for file in files]}))
