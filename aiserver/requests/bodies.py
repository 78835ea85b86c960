"""The request bodies and queries of the HTTP API."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from ..models import Id, NewEvent, Timestamp, utc_now
from .base import (
    MAX_CELLS,
    MAX_INTENT,
    Address,
    Body,
    CellType,
    Code,
    ContributorKind,
    ExportFormat,
    Key,
    Request,
    SearchBy,
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


class CompletionBody(Body):
    """A request to complete a cell's code at the cursor.

    ``prefix`` and ``suffix`` are the cell's source before and after the cursor. ``cells`` are the
    sources of code cells above the cell, from top to bottom.
    """

    prefix: Code
    suffix: Code = ""
    language: Annotated[str, Field(min_length=1, max_length=64)] = "python"
    """The kernel's language."""
    cells: Annotated[list[Code], Field(max_length=100)] = []


class GitBody(Body):
    """The user's choice for a repository: whether git ignores histories or merges them."""

    choice: Literal["ignore", "keep"]


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


class InstallBody(Body):
    """A request to install a local model.

    ``name`` is the model's name in the catalogue. If it is None, the smallest model is installed;
    with ``join``, the running installation is reported, whatever its model.
    """

    join: bool = False
    """If true, report the progress of an installation that is already running; never start one."""
    name: Annotated[str, Field(max_length=100)] | None = None


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


class RulesFilesBody(Body):
    """The path of the notebook for which rules files are listed."""

    path: Annotated[str, Field(min_length=1, max_length=4096)]


class DataFilesBody(Body):
    """The names of data files to describe. They are relative to the folder of the notebook.

    ``path`` is the notebook's path.
    """

    path: Annotated[str, Field(min_length=1, max_length=4096)]
    names: Annotated[
        list[Annotated[str, Field(min_length=1, max_length=1000)]],
        Field(min_length=1, max_length=5),
    ]


class RecipesBody(Body):
    """The path of the notebook for which recipes are listed."""

    path: Annotated[str, Field(min_length=1, max_length=4096)]


class RecipeBody(Body):
    """A recipe to save. With ``own``, it is saved in the user's folder, else in the notebook's.

    ``path`` is the notebook's path. ``name`` has letters of any language, digits, ``-`` and ``_``.
    With ``replace``, a recipe with the same name is replaced.
    """

    path: Annotated[str, Field(min_length=1, max_length=4096)]
    name: Annotated[str, Field(max_length=64)]
    text: Annotated[str, Field(min_length=1, max_length=5000, pattern=r"\S")]
    own: bool = True
    replace: bool = False


class SessionListQuery(Request):
    """The notebook whose sessions are listed; ``offset`` and ``limit`` select part of the list."""

    notebook_id: Id
    offset: Annotated[int, Field(ge=0, le=999_999_999)] = 0
    limit: Annotated[int, Field(ge=1, le=5000)] = 1000


class UsageQuery(Request):
    """The notebook whose usage is summed; without an id, the usage of all notebooks is summed.

    Only requests at the time ``since`` or later count.
    """

    notebook_id: Id | None = None
    since: Timestamp | None = None


class SearchBody(Body):
    """A search query. It is sent in a body, because URLs appear in logs of servers and proxies.

    Without ``meaning.available`` in the results, the search is always by words.
    """

    query: Annotated[str, Field(max_length=1000)] = ""
    notebook_id: Id | None = None
    by: SearchBy = "words"
    offset: Annotated[int, Field(ge=0, le=999_999_999)] = 0
    limit: Annotated[int, Field(ge=1, le=50)] = 20


class SearchQuery(SearchBody):
    """A search query in a URL, for clients that can't send a body.

    In the URL, the parameter ``q`` contains the ``query``.
    """

    query: Annotated[str, Field(max_length=1000, alias="q")] = ""


class ExportBody(Body):
    """The format in which a notebook's replay is exported, and the notebook's path.

    ``html`` is a web page, ``md`` Markdown, and ``ipynb`` the notebook, in which the history of
    each cell follows the cell. If the file at ``path`` has the notebook's id, the exported file is
    named after it, and an exported ``ipynb`` contains its outputs.
    """

    format: ExportFormat = "html"
    path: Annotated[str, Field(max_length=4096)] = ""


class BlameBody(Body):
    """A request for the contributor of each line of a text.

    The text is ``source`` (the cell's current source) or the version after step ``step``. If
    neither is given, it is the version after the last step.
    """

    source: Source | None = None
    step: Annotated[int, Field(ge=0)] | None = None
