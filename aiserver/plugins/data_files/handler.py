"""``data-files``: the data files near a notebook that requests can contain."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from ...handlers.base import AIServerHandler, guarded
from ...prompts.prompt_input import DatabaseTable, FileProfile
from ...requests import Body
from .context import describe_files
from .names import is_data_file
from .reader import DataFiles


class DataFilesBody(Body):
    """The names of data files to describe. They are relative to the folder of the notebook.

    ``path`` is the notebook's path.
    """

    path: Annotated[str, Field(min_length=1, max_length=4096)]
    names: Annotated[
        list[Annotated[str, Field(min_length=1, max_length=1000)]],
        Field(min_length=1, max_length=5),
    ]


class DataFilesHandler(AIServerHandler):
    """Describes data files, about which the page suggests requests."""

    @guarded("read")
    async def post(self) -> dict[str, Any]:
        """Answer with the files and their columns. Nothing is changed or sent to a model."""
        body = self.body(DataFilesBody)
        data_files = DataFiles(await self.readable_folder())
        mentions = [[name] for name in body.names if is_data_file(name)]
        files = await describe_files(data_files, body.path, mentions)
        return {"files": [_file_fields(file) for file in files]}


def _file_fields(file: FileProfile) -> dict[str, Any]:
    """Return a file's tables with columns. Only a database's tables have names."""
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
