"""Requests to models, and what all bodies have in common: fields are camelCase in the HTTP API.

Other bodies are in the modules of their handlers.

An invalid body raises pydantic's ValidationError. For this error, ``handlers/base.py`` responds
with status 400 and the name of the field. ``rest-api.yml`` describes the bodies by these classes.
"""

from __future__ import annotations

import base64
import hashlib
from functools import cached_property
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, SecretStr, field_validator
from pydantic.alias_generators import to_camel

from .models import Id

# The maximum lengths of texts, in characters.
MAX_TEXT = 200_000  # a cell's source in a request; nobody writes a longer cell by hand
MAX_SOURCE = 1_000_000  # a recorded source, which a program may have written
MAX_INTENT = 20_000  # the text of a request
MAX_CODE = 20_000  # the code of a cell that is completed, and of a cell above it

MAX_CELLS = 20_000  # the maximum number of cells in a notebook

Text = Annotated[str, Field(max_length=MAX_TEXT)]
Source = Annotated[str, Field(max_length=MAX_SOURCE)]
Code = Annotated[str, Field(max_length=MAX_CODE)]
Name = Annotated[str, Field(max_length=256)]
Key = Annotated[SecretStr, Field(max_length=4096)]
Address = Annotated[str, Field(max_length=2048)]


CellType = Literal["code", "markdown", "raw"]
SearchBy = Literal["words", "meaning"]
ExportFormat = Literal["html", "md", "ipynb"]
ContributorKind = Literal["person", "model", "agent", "program", "unknown"]


class Body(BaseModel):
    """Base class of bodies and queries. Unknown fields are rejected, so that typos are noticed."""

    model_config = ConfigDict(
        alias_generator=to_camel,
        validate_by_alias=True,
        validate_by_name=True,
        extra="forbid",
        defer_build=True,
    )


MAX_IMAGES = 2  # in a request
MAX_IMAGE_BYTES = 500_000  # of each image; all of them must fit into the body of a request
MAX_SIDE = 2000  # pixels; models scale larger images down

_PNG = b"\x89PNG\r\n\x1a\n"
_JPEG = b"\xff\xd8"
_SIGNATURES = {
    _PNG: "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"GIF87a": "image/gif",
    b"GIF89a": "image/gif",
}
# The markers of a JPEG's segments with its size. The other markers of this range are tables.
_JPEG_SIZE_MARKERS = set(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}


class OutputImage(Body):
    """An image that a cell shows, such as a plot. ``data`` is a PNG or JPEG in base64.

    Its content says which one it is, not a type that a client declares.
    """

    data: Annotated[str, Field(min_length=1, max_length=MAX_IMAGE_BYTES * 4 // 3 + 4)]

    @property
    def is_usable(self) -> bool:
        """Whether the image is a PNG or JPEG that isn't too large."""
        sides_fit = all(0 < side <= MAX_SIDE for side in self.size)
        return sides_fit and len(self.content) <= MAX_IMAGE_BYTES

    @cached_property
    def content(self) -> bytes:
        """The bytes of the image; empty if ``data`` isn't base64."""
        try:
            return base64.b64decode(self.data, validate=True)
        except ValueError:
            return b""

    @cached_property
    def sha256(self) -> str:
        """The SHA-256 of the bytes."""
        return hashlib.sha256(self.content).hexdigest()

    @property
    def media_type(self) -> Literal["image/png", "image/jpeg"]:
        """The media type, from the first bytes."""
        return "image/png" if self.content.startswith(_PNG) else "image/jpeg"

    @cached_property
    def size(self) -> tuple[int, int]:
        """The width and the height in pixels; zeros if the content isn't a PNG or JPEG."""
        content = self.content
        if content.startswith(_PNG) and content[12:16] == b"IHDR":
            return int.from_bytes(content[16:20], "big"), int.from_bytes(content[20:24], "big")
        return _jpeg_size(content) if content.startswith(_JPEG) else (0, 0)


def _jpeg_size(content: bytes) -> tuple[int, int]:
    """Return the size in the header of a JPEG; zeros if there is none."""
    position = 2
    while content[position : position + 1] == b"\xff" and position + 9 <= len(content):
        marker, length = content[position + 1], content[position + 2 : position + 4]
        if marker in _JPEG_SIZE_MARKERS:
            height, width = content[position + 5 : position + 7], content[position + 7 :][:2]
            return int.from_bytes(width, "big"), int.from_bytes(height, "big")
        position += 2 + int.from_bytes(length, "big")
    return 0, 0


def picture_type(data: bytes) -> str | None:
    """Return the media type of a picture from its first bytes; None for other data."""
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    return next((type_ for start, type_ in _SIGNATURES.items() if data.startswith(start)), None)


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


# The mode of a request whose mode is recognised from its text (``prompts/modes.py``).
DETECT_MODE = "generate"
# The mode of a request about chosen DataFrames.
ANALYZE_MODE = "analyze"
# The mode of a request that is sent again because the person wants another answer to it.
RETRY_MODE = "retry"


class WarmUpBody(Body):
    """A request whose text the user hasn't entered yet. It is used to warm up the model.

    ``source`` is the cell's current source. ``notebook_path`` is needed to find the data files that
    a request names, because their names are relative to the notebook's folder.

    If ``condenses_turns`` is false, the model gets no summary of older turns, and none is made
    after the request.
    """

    notebook_id: Id
    cell_id: Id
    notebook_path: Annotated[str, Field(max_length=4096)] | None = None
    source: Text = ""
    language: Annotated[str, Field(min_length=1, max_length=64)] = "python"
    """The kernel's language."""
    cell_type: CellType = "code"
    model: Annotated[str, Field(min_length=1, max_length=256)] | None = None
    context: Context = Context()
    condenses_turns: bool = True


class GenerateBody(WarmUpBody):
    """A request for the code of a cell, or for the text of a Markdown or raw cell.

    ``intent`` is the text of the request, and ``source`` the cell's current source.

    If ``parent_turn_id`` is given, the request continues from the turn with this id, and the model
    only gets this turn and the turns that led to it. There are two cases. While a suggestion is
    open, the request asks to change it, and ``source`` is the suggestion or the part of it that the
    user kept. Otherwise, the user has gone back to an older version of the cell, and ``source`` is
    that version.

    If ``mode`` is ``generate``, the turn is stored with the mode that the ``intent`` names by a
    slash word, such as ``/fix``, or else with the mode that is recognised from its words.

    If ``mode`` is ``retry``, the same request was answered before, and the user wants another
    answer. The model doesn't get the earlier answers to this request.

    If ``repeats_turn_id`` is given, the request of the turn with this id is asked again, of another
    model. The answer doesn't change what later requests in the cell continue from, until the user
    restores it. Without ``parent_turn_id``, the request begins a branch: the model gets none of the
    cell's turns.

    If ``stores_prompt`` is false, the messages that the model gets aren't stored with the turn.
    """

    intent: Annotated[str, Field(min_length=1, max_length=MAX_INTENT, pattern=r"\S")]
    mode: Annotated[str, Field(pattern=r"^[a-z_]{1,32}$")] = DETECT_MODE
    parent_turn_id: Annotated[int, Field(ge=1)] | None = None
    repeats_turn_id: Annotated[int, Field(ge=1)] | None = None
    stores_prompt: bool = True


class AnalyzeBody(GenerateBody):
    """A request for code about DataFrames in the kernel."""

    mode: Annotated[str, Field(pattern=r"^[a-z_]{1,32}$")] = ANALYZE_MODE
    dataframes: Annotated[list[DataFrameProfile], Field(min_length=1, max_length=20)]


class PreviewBody(WarmUpBody):
    """A request whose prompt is previewed. The user may not have entered its whole text yet."""

    intent: Annotated[str, Field(max_length=MAX_INTENT)] = ""
    parent_turn_id: Annotated[int, Field(ge=1)] | None = None
    dataframes: Annotated[list[DataFrameProfile], Field(max_length=20)] = []
