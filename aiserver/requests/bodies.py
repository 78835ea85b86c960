"""The requests to a model."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from ..models import Id
from .base import (
    MAX_INTENT,
    Body,
    CellType,
    Text,
)
from .context import Context, DataFrameProfile

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
