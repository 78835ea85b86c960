"""The context of a request: what the page sends about the notebook and the kernel."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, field_validator

from ..models import Id
from .base import MAX_INTENT, MAX_TEXT, Body, CellType, Name, Text
from .images import MAX_IMAGES, OutputImage

# The data values that a model on another machine may get of a DataFrame: none, statistics of its
# columns, or these and some of its rows.
Level = Literal["schema", "statistics", "sample"]

MAX_MENTIONS = 21  # 20 mentions in the request's text, and an example
MAX_SAMPLE_BYTES = 64_000  # of all values of a sample, in UTF-8


class ContextCell(Body):
    """A cell above the request's cell, as context for the model."""

    cell_id: Id | None = None
    cell_type: CellType = "code"
    source: Text = ""
    failed: bool = False
    """Whether the cell's last run ended with an error."""


Count = Annotated[int, Field(ge=0)]
Number = Annotated[float, Field(allow_inf_nan=False)]
_DATE = r"^[+-]?\d{4,6}-\d\d-\d\d(?:[T ]\d\d:\d\d[\d:.]{0,13}(?:Z|[+-]\d\d:?\d\d)?)?$"
Bound = Number | Annotated[str, Field(max_length=40, pattern=_DATE)]


class ColumnStatistics(Body):
    """Statistics of a column of a DataFrame, without any value of a text.

    ``rows`` is the number of rows that were examined, and ``missing`` and ``distinct`` the numbers
    of missing and of different values in them. The other fields are those of a column of numbers or
    dates. ``quartiles`` are the values below which 25, 50 and 75 % of the numbers are.
    """

    rows: Count
    missing: Count | None = None
    distinct: Count | None = None
    min: Bound | None = None
    max: Bound | None = None
    mean: Number | None = None
    quartiles: Annotated[list[Number], Field(min_length=3, max_length=3)] | None = None


class ColumnProfile(Body):
    """One column of a DataFrame: its name and dtype, as text.

    ``examples`` are some of the column's values. They are sent only to models on this machine.
    """

    name: Annotated[str, Field(max_length=1000)]
    dtype: Name
    examples: Annotated[list[Name], Field(max_length=5)] = []
    statistics: ColumnStatistics | None = None


Value = Annotated[str, Field(max_length=60)]
Row = Annotated[list[Value | None], Field(min_length=1, max_length=200)]


class Sample(Body):
    """Some rows of a DataFrame: for each row, the values of the first columns as texts.

    A missing value is None.
    """

    rows: Annotated[list[Row], Field(min_length=1, max_length=20)]

    @field_validator("rows")
    @classmethod
    def _limit_bytes(cls, rows: list[list[str | None]]) -> list[list[str | None]]:
        values = (value for row in rows for value in row if value)
        if sum(len(value.encode("utf-8", "surrogatepass")) for value in values) > MAX_SAMPLE_BYTES:
            raise ValueError(f"a sample has at most {MAX_SAMPLE_BYTES} bytes")
        return rows


class DataFrameProfile(Body):
    """A DataFrame in the kernel.

    ``name`` is the name of its variable, and ``kind`` its class. ``columns`` may contain only the
    first columns; ``column_count`` is the number of all columns. ``index`` describes the levels of
    the index, unless it only numbers the rows; the name of an unnamed level is empty.

    ``level`` is the privacy level that the user has chosen. A model on another machine gets the
    statistics of the columns and the rows of ``sample`` only if this level allows it. A model on
    this machine always gets them, if there is room.
    """

    name: Annotated[str, Field(min_length=1, max_length=256)]
    kind: Name = "pandas.DataFrame"
    row_count: Annotated[int, Field(ge=0)]
    column_count: Annotated[int, Field(ge=0)]
    columns: Annotated[list[ColumnProfile], Field(max_length=500)] = []
    index: Annotated[list[ColumnProfile], Field(max_length=20)] = []
    level: Level = "schema"
    sample: Sample | None = None


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
    error that ``@error`` means. ``output`` is the output of a cell, or the value of a variable as
    text. The text of a file isn't sent: the server reads the file ``file``, whose path is relative
    to the notebook's folder.

    A ``past_answer`` is an accepted answer of another notebook, which the user has chosen as an
    example: ``name`` is the notebook's name, ``source`` the answer's code, and ``request`` the
    request that it answered.

    ``images`` are images in the output of a cell, such as plots. ``omitted_images`` is the number
    of further images that aren't in the request, because they are too large or too many.

    A model on another machine gets the output of a cell, its images, the value of a variable and
    the text of a file only if ``shared`` is true: the user has chosen to send it.
    """

    kind: Literal["cell", "error", "file", "variable", "past_answer"]
    name: Annotated[str, Field(min_length=1, max_length=1000)]
    cell_id: Id | None = None
    source: Text = ""
    request: Annotated[str, Field(max_length=MAX_INTENT)] = ""
    error: Annotated[str, Field(max_length=5000)] = ""
    output: Annotated[str, Field(max_length=20_000)] = ""
    file: Annotated[str, Field(max_length=1000)] = ""
    images: Annotated[list[OutputImage], Field(max_length=MAX_IMAGES)] = []
    omitted_images: Annotated[int, Field(ge=0, le=1000)] = 0
    shared: bool = False

    def omit_images(self, room: int) -> None:
        """Omit the images that aren't usable, and those after the first ``room`` usable ones."""
        usable = [image for image in self.images if image.is_usable][:room]
        self.omitted_images += len(self.images) - len(usable)
        self.images = usable


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
    name of the kernel. ``dataframes`` are the DataFrames that the page attached automatically,
    ``detached`` the names of those that the user removed, so that nothing of them is sent, and
    ``variables`` are variables of the kernel that aren't DataFrames. ``selection`` are the lines of
    the cell that the user selected: only they may change. ``mentions`` are the cells, files,
    errors and values of variables that the request mentions. ``rules_files`` are the rules files to
    send, such as ``AGENTS.md``; the server reads them. If ``uses_memory`` is false, nothing of the
    memories is sent. The notebook's note is sent only if ``uses_note`` is true.
    """

    cells: Annotated[list[ContextCell], Field(max_length=2000)] = []
    kernel: Name = ""
    dataframes: Annotated[list[DataFrameProfile], Field(max_length=20)] = []
    detached: Annotated[list[Name], Field(max_length=100)] = []
    variables: Annotated[list[Variable], Field(max_length=200)] = []
    selection: LineRange | None = None
    mentions: Annotated[list[Mention], Field(max_length=MAX_MENTIONS)] = []
    rules_files: Annotated[list[UsedRulesFile], Field(max_length=20)] = []
    uses_memory: bool = True
    uses_note: bool = False

    @field_validator("mentions")
    @classmethod
    def _limit_images(cls, mentions: list[Mention]) -> list[Mention]:
        room = MAX_IMAGES
        for mention in mentions:
            mention.omit_images(room)
            room -= len(mention.images)
        return mentions
