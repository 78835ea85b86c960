"""Validated request bodies. camelCase on the wire, snake_case here.

An invalid body raises pydantic's ValidationError, which ``handlers/base.py`` turns into a 400 that
names the field. ``rest-api.yml`` describes the same shapes; a test compares the two.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, SecretStr
from pydantic.alias_generators import to_camel

from .models import Id, NewEvent, Timestamp, utc_now

MAX_TEXT = 200_000  # characters: longer cells aren't written by hand
MAX_SOURCE = 1_000_000  # characters of a recorded source: programs write cells, too
MAX_CELLS = 20_000
MAX_INTENT = 20_000

Text = Annotated[str, Field(max_length=MAX_TEXT)]
Source = Annotated[str, Field(max_length=MAX_SOURCE)]
Name = Annotated[str, Field(max_length=256)]
Key = Annotated[SecretStr, Field(max_length=4096)]
Address = Annotated[str, Field(max_length=2048)]


CellType = Literal["code", "markdown", "raw"]
SearchBy = Literal["words", "meaning"]
ExportFormat = Literal["html", "md", "ipynb"]
ContributorKind = Literal["person", "model", "agent", "program", "unknown"]


class _Request(BaseModel):
    """Base class of bodies and queries. Rejects unknown fields, so that typos are noticed."""

    model_config = ConfigDict(
        alias_generator=to_camel,
        validate_by_alias=True,
        validate_by_name=True,
        extra="forbid",
        defer_build=True,
    )


class Body(_Request):
    """Base class of all request bodies."""


class ContextCell(Body):
    """Another cell of the notebook, as context. Cells are in the notebook's order."""

    cell_id: Id | None = None
    cell_type: CellType = "code"
    source: Text = ""


class ColumnProfile(Body):
    """One column of a DataFrame: its name and dtype, as text."""

    name: Annotated[str, Field(max_length=1000)]
    dtype: Name


class DataFrameProfile(Body):
    """A DataFrame in the kernel: its variable's name, shape ``(rows, columns)`` and columns.

    ``columns`` may be truncated; ``column_count`` is the full number.
    """

    name: Annotated[str, Field(min_length=1, max_length=256)]
    kind: Name = "pandas.DataFrame"
    row_count: Annotated[int, Field(ge=0)]
    column_count: Annotated[int, Field(ge=0)]
    columns: Annotated[list[ColumnProfile], Field(max_length=500)] = []


class Context(Body):
    """The notebook around the cell: the cells before it, oldest first."""

    cells: Annotated[list[ContextCell], Field(max_length=2000)] = []
    kernel: Name = ""


class WarmUpBody(Body):
    """The request so far, before the user has entered an intent: enough to warm up a model."""

    notebook_id: Id
    cell_id: Id
    source: Text = ""
    language: Annotated[str, Field(min_length=1, max_length=64)] = "python"
    """The kernel's language."""
    cell_type: CellType = "code"
    model: Annotated[str, Field(min_length=1, max_length=256)] | None = None
    context: Context = Context()


class GenerateBody(WarmUpBody):
    """A request for code in a cell, or for text in a Markdown or raw one.

    ``source`` is the cell's current source.

    With ``parent_turn_id`` the request continues from that turn, and the model only gets the turns
    that led to it. If that turn's answer isn't accepted yet, ``source`` is that answer or a part of
    it; otherwise it is the older version to which the user returned.
    """

    intent: Annotated[str, Field(min_length=1, max_length=MAX_INTENT, pattern=r"\S")]
    mode: Annotated[str, Field(pattern=r"^[a-z_]{1,32}$")] = "generate"
    notebook_path: Annotated[str, Field(max_length=4096)] | None = None
    parent_turn_id: Annotated[int, Field(ge=1)] | None = None


class AnalyzeBody(GenerateBody):
    """A request for code about DataFrames in the kernel."""

    mode: Annotated[str, Field(pattern=r"^[a-z_]{1,32}$")] = "analyze"
    dataframes: Annotated[list[DataFrameProfile], Field(min_length=1, max_length=20)]


class GitBody(Body):
    """Whether git ignores histories, or merges those of branches."""

    choice: Literal["ignore", "keep"]


class ChoiceBody(Body):
    """The id of the new default model; null removes the choice."""

    model: Annotated[str, Field(min_length=1, max_length=256)] | None


class CheckBody(Body):
    """The id of a model to check, with the key and address entered for its provider, if any."""

    model: Annotated[str, Field(min_length=1, max_length=256)]
    key: Key | None = None
    address: Address | None = None


class NamesBody(Body):
    """A provider to list models of, with the key and address entered for it, if any."""

    provider: Annotated[str, Field(pattern=r"^[a-z_]{1,64}$")]
    key: Key | None = None
    address: Address | None = None


class InstallBody(Body):
    """With ``join``, only follow a running installation and never start one."""

    join: bool = False


class KeyBody(Body):
    """The key of a provider, and its address if it isn't the default one.

    ``on_this_machine``: the user declares that the server at that address runs its models itself.
    """

    key: Key | None = None
    address: Address | None = None
    on_this_machine: bool = False


class PlaceBody(Body):
    """A declaration whether the server at a provider's address runs on this machine."""

    on_this_machine: bool


class PreviewBody(WarmUpBody):
    """A request to preview. Any of its parts may still be missing."""

    intent: Annotated[str, Field(max_length=MAX_INTENT)] = ""
    parent_turn_id: Annotated[int, Field(ge=1)] | None = None
    dataframes: Annotated[list[DataFrameProfile], Field(max_length=20)] = []


class ContributorBody(Body):
    """The person or program that made a change."""

    kind: ContributorKind
    name: Annotated[str, Field(min_length=1, max_length=256)] | None = None


class EventBody(Body):
    """An event to record. The server adds ``seq``, and the time if none is given."""

    type: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,31}$")]
    timestamp: Annotated[Timestamp, Field(max_length=64)] | None = None
    source: Source | None = None
    turn_id: Annotated[int, Field(ge=1)] | None = None
    data: dict[str, Any] | None = None
    id: Id | None = None
    contributor: ContributorBody | None = None

    def to_event(self) -> NewEvent:
        """Convert to the store's event."""
        fields = self.model_dump(exclude_none=True)
        return NewEvent.model_validate({"timestamp": utc_now()} | fields)


class ForkBody(Body):
    """The cell of which a new one is a copy."""

    notebook_id: Id
    cell_id: Id


class CellChangeBody(Body):
    """The events of one cell, oldest first.

    ``fork_of`` and ``parents`` give the origin of a new cell: it was split off or copied from
    another cell, or merged from several cells of the notebook.
    """

    cell_id: Id
    fork_of: ForkBody | None = None
    parents: Annotated[list[Id], Field(max_length=1000)] = []
    events: Annotated[list[EventBody], Field(max_length=100)] = []


class PlacedCell(Body):
    """A cell in the order of a notebook's cells."""

    id: Id
    type: CellType


class ChangesBody(Body):
    """A batch of changes to the cells of a notebook.

    ``id`` is the sender's id of the batch. ``order`` lists all cells if their order or a type
    changed. ``saved``: the notebook was saved in this state. ``page`` identifies the sender, and
    ``seen`` is the ``seq`` up to which it has received the changes of other pages.
    """

    id: Id
    timestamp: Annotated[Timestamp, Field(max_length=64)] | None = None
    saved: bool = False
    page: Id | None = None
    seen: Annotated[int, Field(ge=0)] | None = None
    order: Annotated[list[PlacedCell], Field(max_length=MAX_CELLS)] | None = None
    cells: Annotated[list[CellChangeBody], Field(max_length=200)] = []


class NotebookBody(Body):
    """A notebook's path, its id (if it has one) and its cells."""

    path: Annotated[str, Field(min_length=1, max_length=4096)]
    notebook_id: Id | None = None
    cell_ids: Annotated[list[Id], Field(max_length=MAX_CELLS)]


class SessionListQuery(_Request):
    """The part of a notebook's sessions to list."""

    notebook_id: Id
    offset: Annotated[int, Field(ge=0, le=999_999_999)] = 0
    limit: Annotated[int, Field(ge=1, le=5000)] = 1000


class SearchBody(Body):
    """A search query. In a body, since URLs appear in the logs of servers and proxies."""

    query: Annotated[str, Field(max_length=1000)] = ""
    notebook_id: Id | None = None
    by: SearchBy = "words"
    offset: Annotated[int, Field(ge=0, le=999_999_999)] = 0
    limit: Annotated[int, Field(ge=1, le=50)] = 20


class SearchQuery(SearchBody):
    """The same in a URL."""

    query: Annotated[str, Field(max_length=1000, alias="q")] = ""


class ExportBody(Body):
    """The format in which to export a notebook's replay, and the notebook's path."""

    format: ExportFormat = "html"
    path: Annotated[str, Field(max_length=4096)] = ""


class BlameBody(Body):
    """The text to blame: the cell's current source, or its source after a step."""

    source: Source | None = None
    step: Annotated[int, Field(ge=0)] | None = None
