"""The request bodies and queries of the HTTP API."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from ..models import Id, NewEvent, Timestamp, utc_now
from .base import (
    MAX_CELLS,
    MAX_INTENT,
    Address,
    Body,
    CellType,
    ContributorKind,
    Key,
    Request,
    Source,
    Text,
)
from .context import Context, DataFrameProfile

_Time = Annotated[Timestamp, Field(max_length=64, json_schema_extra={"format": "date-time"})]

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


class ChoiceBody(Body):
    """The id of the new default model; null removes the user's choice of a default model."""

    model: Annotated[str, Field(min_length=1, max_length=256)] | None


class CheckBody(Body):
    """A request to check whether a model can be used.

    ``key`` and ``address`` are the values that the user entered in a form, if any.
    """

    model: Annotated[str, Field(min_length=1, max_length=256)]
    key: Key | None = None
    address: Address | None = None


class NamesBody(Body):
    """A request to list the models of a provider.

    ``key`` and ``address`` are the values that the user entered in a form, if any.
    """

    provider: Annotated[str, Field(pattern=r"^[a-z_]{1,64}$")]
    key: Key | None = None
    address: Address | None = None


class KeyBody(Body):
    """The key of a provider, and the provider's address if it isn't the default address.

    ``on_this_machine`` is true if the user declares that the server at a loopback address runs its
    models itself. Otherwise the server counts as remote.
    """

    key: Key | None = None
    address: Address | None = None
    on_this_machine: bool = False


class PlaceBody(Body):
    """The user's declaration whether a provider's server runs its models on this machine."""

    on_this_machine: bool


class PreviewBody(WarmUpBody):
    """A request whose prompt is previewed. The user may not have entered its whole text yet."""

    intent: Annotated[str, Field(max_length=MAX_INTENT)] = ""
    parent_turn_id: Annotated[int, Field(ge=1)] | None = None
    dataframes: Annotated[list[DataFrameProfile], Field(max_length=20)] = []


class ContributorBody(Body):
    """The contributor of a change."""

    kind: ContributorKind
    name: Annotated[str, Field(min_length=1, max_length=256)] | None = None


class EventBody(Body):
    """An event to record. The server adds ``seq``, and the timestamp if it is missing.

    The client creates the ``id``. If an event with this id is already stored, it isn't stored
    again, and the response contains it as it was stored. So the client can send an event again if
    the response was lost.
    """

    type: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,31}$")]
    timestamp: _Time | None = None
    source: Source | None = None
    turn_id: Annotated[int, Field(ge=1)] | None = None
    data: dict[str, Any] | None = None
    id: Id | None = None
    contributor: ContributorBody | None = None

    def to_event(self) -> NewEvent:
        """Return the event to store."""
        fields = self.model_dump(exclude_none=True)
        return NewEvent.model_validate({"timestamp": utc_now()} | fields)


class ForkBody(Body):
    """The cell that a new cell was copied from or split off from."""

    notebook_id: Id
    cell_id: Id


class CellChangeBody(Body):
    """The events of one cell, oldest first, and the cells from which it was created, if any.

    ``fork_of`` is the cell that the new cell was copied from or split off from. ``parents`` are the
    cells of the notebook that were merged into the new cell.
    """

    cell_id: Id
    fork_of: ForkBody | None = None
    parents: Annotated[list[Id], Field(max_length=1000)] = []
    events: Annotated[list[EventBody], Field(max_length=100)] = []


class PlacedCell(Body):
    """The id and the type of one cell in a notebook's list of cells."""

    id: Id
    type: CellType


class ChangesBody(Body):
    """A batch of changes to the cells of a notebook.

    ``id`` identifies the batch; the page chooses it. If the order of the cells or a cell's type has
    changed, ``order`` lists all cells of the notebook. ``saved`` is true if the notebook was saved
    after these changes. ``page`` identifies the page. ``seen`` is the ``seq`` of the
    change log's last entry when the page opened the notebook or last recorded a save. If other
    pages have recorded changes since then, the batch isn't recorded as a save: ``others`` in the
    response names the changed cells, and the page must send these as they are in the file.
    """

    id: Id
    timestamp: _Time | None = None
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


class SessionListQuery(Request):
    """The notebook whose sessions are listed; ``offset`` and ``limit`` select part of the list."""

    notebook_id: Id
    offset: Annotated[int, Field(ge=0, le=999_999_999)] = 0
    limit: Annotated[int, Field(ge=1, le=5000)] = 1000


class BlameBody(Body):
    """A request for the contributor of each line of a text.

    The text is ``source`` (the cell's current source) or the version after step ``step``. If
    neither is given, it is the version after the last step.
    """

    source: Source | None = None
    step: Annotated[int, Field(ge=0)] | None = None
