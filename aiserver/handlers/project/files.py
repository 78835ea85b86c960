"""``rules-files`` and ``data-files``: the files near a notebook that requests can contain."""

from __future__ import annotations

import asyncio
from dataclasses import asdict
from typing import Any

from ...data_files.names import is_data_file
from ...data_files.profile import DatabaseTable, FileProfile
from ...data_files.reader import DataFiles
from ...generation.compose import describe_files
from ...project_files.rules_files import list_files
from ...requests import DataFilesBody, RulesFilesBody
from ...surrogates import json_bytes
from ..base import AIServerHandler, guarded
from ..notebooks import served_folder


class FilesHandler(AIServerHandler):
    """Base of the handlers that read files near a notebook.

    The paths are in the body of the request, because URLs appear in logs.
    """

    async def readable_root(self) -> str | None:
        """Return the folder that Jupyter serves.

        Return None if notebooks aren't files, if the user may not read files, or if the
        administrator doesn't allow files in requests.
        """
        is_forbidden = self.services.features.files == "forbidden"
        is_readable = not is_forbidden and await self.can_read_files()
        root = served_folder(self.contents_manager) if is_readable else None
        return None if root is None else str(root)


class RulesFilesHandler(FilesHandler):
    """Lists the rules files for a notebook."""

    @guarded("read")
    async def post(self) -> None:
        """Answer with the files and their texts. Nothing is changed or sent to a model."""
        body = self.body(RulesFilesBody)
        root = await self.readable_root()
        files = await asyncio.to_thread(list_files, root, body.path)
        await self.finish(json_bytes({"files": [asdict(file) for file in files]}))


class DataFilesHandler(FilesHandler):
    """Describes data files, about which the page suggests requests."""

    @guarded("read")
    async def post(self) -> None:
        """Answer with the files and their columns. Nothing is changed or sent to a model."""
        body = self.body(DataFilesBody)
        data_files = DataFiles(await self.readable_root())
        mentions = [[name] for name in body.names if is_data_file(name)]
        files = await describe_files(data_files, body.path, mentions)
        await self.finish(json_bytes({"files": [_file_fields(file) for file in files]}))


def _file_fields(file: FileProfile) -> dict[str, Any]:
    """Return the tables of a file, with the names and dtypes of their columns.

    Tables without columns are left out. The table of a file that isn't a database has no name.
    """
    database = file.database
    items = database.tables if database else [DatabaseTable("", "table", file.table)]
    tables = [
        {
            "name": item.name,
            "hasHeader": item.table.has_header,
            "columns": [
                {"name": column.name, "dtype": column.dtype} for column in item.table.columns
            ],
        }
        for item in items
        if item.table.columns
    ]
    return {"name": file.name, "tables": tables}
