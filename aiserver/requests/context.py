"""The context of a request: what the page sends about the notebook and the kernel."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from ..models import Id
from .base import MAX_TEXT, Body, CellType, Name, Text


class ContextCell(Body):
    """A cell above the request's cell, as context for the model."""

    cell_id: Id | None = None
    cell_type: CellType = "code"
    source: Text = ""
    failed: bool = False
    """Whether the cell's last run ended with an error."""


class ColumnProfile(Body):
    """One column of a DataFrame: its name and dtype, as text.

    ``examples`` are some of the column's values. They are sent only to models on this machine.
    """

    name: Annotated[str, Field(max_length=1000)]
    dtype: Name
    examples: Annotated[list[Name], Field(max_length=5)] = []


class DataFrameProfile(Body):
    """A DataFrame in the kernel.

    ``name`` is the name of its variable, and ``kind`` its class. ``columns`` may contain only the
    first columns; ``column_count`` is the number of all columns. ``index`` describes the levels of
    the index, unless it only numbers the rows; the name of an unnamed level is empty.
    """

    name: Annotated[str, Field(min_length=1, max_length=256)]
    kind: Name = "pandas.DataFrame"
    row_count: Annotated[int, Field(ge=0)]
    column_count: Annotated[int, Field(ge=0)]
    columns: Annotated[list[ColumnProfile], Field(max_length=500)] = []
    index: Annotated[list[ColumnProfile], Field(max_length=20)] = []


class Variable(Body):
    """A variable in the kernel that isn't a DataFrame: its name, and its class and size as text."""

    name: Annotated[str, Field(min_length=1, max_length=256)]
    kind: Name


class LineRange(Body):
    """Some lines of the cell's source, counted from 1: from ``first`` to ``last``."""

    first: Annotated[int, Field(ge=1, le=MAX_TEXT)]
    last: Annotated[int, Field(ge=1, le=MAX_TEXT)]


class Mention(Body):
    """Something that the request mentions by a name such as ``@cell3``, with what it contains.

    ``name`` is written as in the request. ``source`` is the code of a cell, or the text of the
    error that ``@error`` means. The text of a file isn't sent: the server reads the file
    ``file``, whose path is relative to the notebook's folder.

    A model on another machine gets the output of a cell and the text of a file only if ``shared``
    is true: the user has chosen to send it.
    """

    kind: Literal["cell", "error", "file"]
    name: Annotated[str, Field(min_length=1, max_length=1000)]
    cell_id: Id | None = None
    source: Text = ""
    error: Annotated[str, Field(max_length=5000)] = ""
    output: Annotated[str, Field(max_length=20_000)] = ""
    file: Annotated[str, Field(max_length=1000)] = ""
    shared: bool = False


_RULES_FILE = r"^(?:[^/]+/)*(?:AGENTS\.md|CLAUDE\.md|\.github/copilot-instructions\.md)$"


class UsedRulesFile(Body):
    """A rules file that the user has chosen to use.

    ``path`` is relative to the folder that Jupyter serves, and ``sha256`` is the digest of the text
    that the user saw.
    """

    path: Annotated[str, Field(max_length=1000, pattern=_RULES_FILE)]
    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class Context(Body):
    """The context of a request.

    ``cells`` are the cells above the request's cell, from top to bottom. ``kernel`` is the display
    name of the kernel. ``dataframes`` are the DataFrames that the page attached automatically, and
    ``variables`` are variables of the kernel that aren't DataFrames. ``selection`` are the lines of
    the cell that the user selected: only they may change. ``mentions`` are the cells, files and
    errors that the request mentions. ``rules_files`` are the rules files to send, such as
    ``AGENTS.md``; the server reads them.
    """

    cells: Annotated[list[ContextCell], Field(max_length=2000)] = []
    kernel: Name = ""
    dataframes: Annotated[list[DataFrameProfile], Field(max_length=20)] = []
    variables: Annotated[list[Variable], Field(max_length=200)] = []
    selection: LineRange | None = None
    mentions: Annotated[list[Mention], Field(max_length=20)] = []
    rules_files: Annotated[list[UsedRulesFile], Field(max_length=20)] = []
