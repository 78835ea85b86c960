"""What a client sends: request bodies, checked. camelCase on the wire, snake_case here.

A bad body raises pydantic's ValidationError, which ``handlers/base.py`` turns into a 400 that
names the field. ``rest-api.yml`` describes the same shapes; a test holds the two together.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, SecretStr
from pydantic.alias_generators import to_camel

from .models import Id, NewEvent, utc_now

MAX_TEXT = 200_000  # characters: a cell of more is not written by hand
MAX_SOURCE = 1_000_000  # characters of a source that is recorded: programs write cells, too
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


class Body(BaseModel):
    """Base of all request bodies. Unknown fields are refused, so that a typo is noticed."""

    model_config = ConfigDict(
        alias_generator=to_camel,
        validate_by_alias=True,
        validate_by_name=True,
        extra="forbid",
        defer_build=True,
    )


class ContextCell(Body):
    """Another cell of the notebook, as context. Cells come in the notebook's order."""

    cell_id: Id | None = None
    cell_type: CellType = "code"
    source: Text = ""


class ColumnProfile(Body):
    """One column of a DataFrame: its name and dtype, as text."""

    name: Annotated[str, Field(max_length=1000)]
    dtype: Name


class DataFrameProfile(Body):
    """A DataFrame of the kernel: its variable's name, shape ``(rows, columns)`` and columns.

    ``columns`` may be cut; ``column_count`` is the true number.
    """

    name: Annotated[str, Field(min_length=1, max_length=256)]
    kind: Name = "pandas.DataFrame"
    row_count: Annotated[int, Field(ge=0)]
    column_count: Annotated[int, Field(ge=0)]
    columns: Annotated[list[ColumnProfile], Field(max_length=500)] = []


class Context(Body):
    """What the notebook holds around the cell: the cells before it, oldest first."""

    cells: Annotated[list[ContextCell], Field(max_length=2000)] = []
    kernel: Name = ""


class WarmUpBody(Body):
    """All that is known before the person has said what they want: enough to warm a model."""

    notebook_id: Id
    cell_id: Id
    source: Text = ""
    language: Annotated[str, Field(min_length=1, max_length=64)] = "python"
    """What the notebook's kernel runs."""
    cell_type: CellType = "code"
    model: Annotated[str, Field(min_length=1, max_length=256)] | None = None
    context: Context = Context()


class GenerateBody(WarmUpBody):
    """A request for code in a cell, or for text in a Markdown or raw one.

    ``source`` is what the cell holds now.

    With ``parent_turn_id`` the request goes on from that turn, and the model is told of those
    turns alone that led to it. Where nobody has accepted the turn's answer yet, ``source`` is that
    answer, perhaps in part; else it is the older version that a person went back to.
    """

    intent: Annotated[str, Field(min_length=1, max_length=MAX_INTENT, pattern=r"\S")]
    mode: Annotated[str, Field(pattern=r"^[a-z_]{1,32}$")] = "generate"
    notebook_path: Annotated[str, Field(max_length=4096)] | None = None
    parent_turn_id: Annotated[int, Field(ge=1)] | None = None


class AnalyzeBody(GenerateBody):
    """A request for code about DataFrames of the kernel."""

    mode: Annotated[str, Field(pattern=r"^[a-z_]{1,32}$")] = "analyze"
    dataframes: Annotated[list[DataFrameProfile], Field(min_length=1, max_length=20)]


class GitBody(Body):
    """What git is to do with histories: ignore them, or merge those of branches."""

    choice: Literal["ignore", "keep"]


class ChoiceBody(Body):
    """The id of the model that is to be the default one; null forgets the choice."""

    model: Annotated[str, Field(min_length=1, max_length=256)] | None


class CheckBody(Body):
    """The id of a model of a connected provider, or of one with what was entered for it."""

    model: Annotated[str, Field(min_length=1, max_length=256)]
    key: Key | None = None
    address: Address | None = None


class NamesBody(Body):
    """The provider whose models are to be listed, and what was entered for it."""

    provider: Annotated[str, Field(pattern=r"^[a-z_]{1,64}$")]
    key: Key | None = None
    address: Address | None = None


class InstallBody(Body):
    """With ``join`` only an installation that runs already is followed, and none is begun."""

    join: bool = False


class KeyBody(Body):
    """How a provider is reached: the key, and its address where it isn't the usual one.

    ``on_this_machine``: the person says that the server there runs its models itself.
    """

    key: Key | None = None
    address: Address | None = None
    on_this_machine: bool = False


class PlaceBody(Body):
    """Whether the server at a provider's address runs its models on this machine."""

    on_this_machine: bool


class PreviewBody(WarmUpBody):
    """A request that is not sent: what would be? Any of its parts may still be missing."""

    intent: Annotated[str, Field(max_length=MAX_INTENT)] = ""
    parent_turn_id: Annotated[int, Field(ge=1)] | None = None
    dataframes: Annotated[list[DataFrameProfile], Field(max_length=20)] = []


class ContributorBody(Body):
    """Who or what made a change."""

    kind: ContributorKind
    name: Annotated[str, Field(min_length=1, max_length=256)] | None = None


class EventBody(Body):
    """One event to record. The server adds ``seq``, and the time where none is given."""

    type: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,31}$")]
    timestamp: Annotated[str, Field(max_length=64)] | None = None
    source: Source | None = None
    turn_id: Annotated[int, Field(ge=1)] | None = None
    data: dict[str, Any] | None = None
    id: Id | None = None
    contributor: ContributorBody | None = None

    def to_event(self) -> NewEvent:
        """The event as the store takes it. Raises ValidationError on a time that is none."""
        fields = self.model_dump(exclude_none=True)
        return NewEvent.model_validate({"timestamp": utc_now()} | fields)


class ForkBody(Body):
    """The cell that a new one began as a copy of."""

    notebook_id: Id
    cell_id: Id


class CellChangeBody(Body):
    """What happened to one cell, oldest first.

    ``fork_of`` and ``parents`` say where a new cell came from: it was split off or copied, or
    made of others of the notebook.
    """

    cell_id: Id
    fork_of: ForkBody | None = None
    parents: Annotated[list[Id], Field(max_length=1000)] = []
    events: Annotated[list[EventBody], Field(max_length=100)] = []


class PlacedCell(Body):
    """One cell in the order of a notebook's cells."""

    id: Id
    type: CellType


class ChangesBody(Body):
    """What happened to the cells of a notebook between two moments of it.

    ``id`` is the sender's name of the batch. ``order``, where it or a cell's type changed, has
    all cells. ``saved``: in this state the notebook was saved. ``page`` names the sender, ``seen``
    is the ``seq`` of the last answer up to which it knows what other pages recorded.
    """

    id: Id
    timestamp: Annotated[str, Field(max_length=64)] | None = None
    saved: bool = False
    page: Id | None = None
    seen: Annotated[int, Field(ge=0)] | None = None
    order: Annotated[list[PlacedCell], Field(max_length=MAX_CELLS)] | None = None
    cells: Annotated[list[CellChangeBody], Field(max_length=200)] = []


class NotebookBody(Body):
    """Where a notebook was seen, with which id (if it has one) and which cells."""

    path: Annotated[str, Field(min_length=1, max_length=4096)]
    notebook_id: Id | None = None
    cell_ids: Annotated[list[Id], Field(max_length=MAX_CELLS)]


class SearchBody(Body):
    """What to look for. In a body, for a URL is in the logs of servers and proxies."""

    query: Annotated[str, Field(max_length=1000)] = ""
    notebook_id: Id | None = None
    by: SearchBy = "words"
    offset: Annotated[int, Field(ge=0, le=999_999_999)] = 0
    limit: Annotated[int, Field(ge=1, le=50)] = 20


class ExportBody(Body):
    """How a notebook's replay is to be exported, and where its file is."""

    format: ExportFormat = "html"
    path: Annotated[str, Field(max_length=4096)] = ""


class BlameBody(Body):
    """Of which text the lines are asked for: what the cell holds now, or held after a step."""

    source: Source | None = None
    step: Annotated[int, Field(ge=0)] | None = None
