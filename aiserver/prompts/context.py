"""Builds the prompt: rules, examples, earlier cells, past turns, the cell's code, the wish.

What must hold:

- A pure function of its input, the budget and the token counts.
- Rules, the cell's code and the wish are always whole: a model that saw half of the cell would
  destroy the other half. What is shortened is the notebook's other cells and the past turns.
- All before the wish is the same whether the wish is known or not (as long as it is no longer
  than ``WISH_TOKENS``), so that a model can read it while the person still types.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..gc_pause import pause_gc
from ..models import Interaction
from ..requests import CellType, ContextCell, DataFrameProfile
from . import templates
from .fence import marked
from .history import PER_MESSAGE, Count, conversation, newest_that_fit, pair
from .language import cell_language
from .outline import outline
from .templates import Style

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage

    Messages = list[BaseMessage]

WISH_TOKENS = 80
LEAST_TOKENS = 100  # for the earlier cells, however much the rest takes: one must be among them
FRAME_TOKENS = 40  # around the earlier cells: marks, a fence, how many are not shown
_EXAMPLE = {"aiserver_example": True}  # on the messages that are examples; no model is told
_CHARACTERS_PER_TOKEN = 8  # text has never more: what is longer can't fit and isn't counted


@dataclass(frozen=True)
class PromptInput:
    """What a prompt is made of. ``intent`` is empty while a model is made ready."""

    intent: str
    source: str = ""
    language: str = "python"
    """The kernel's."""
    cells: list[ContextCell] = field(default_factory=list)
    history: list[Interaction] = field(default_factory=list)
    dataframes: list[DataFrameProfile] = field(default_factory=list)
    cell_type: CellType = "code"


async def build_messages(
    request: PromptInput, *, style: Style, budget: int, count: Count
) -> list[BaseMessage]:
    """The messages to send, in at most ``budget`` tokens if that is possible at all."""
    if not _loaded:
        await asyncio.to_thread(_load)
    from langchain_core.messages import AIMessage, HumanMessage, SystemMessage

    language = cell_language(request.language, request.source, request.cell_type)
    others = any(item.cell_type == "code" and item.source.strip() for item in request.cells)
    empty = not language.below_head(request.source).strip()
    builds_on = bool(request.dataframes or others) and empty
    fixed: list[BaseMessage] = [
        SystemMessage(templates.rules(style, language, builds_on=builds_on))
    ]
    for wish, answer in templates.examples(style, language, builds_on=builds_on):
        fixed += [
            HumanMessage(wish, additional_kwargs=_EXAMPLE),
            AIMessage(answer, additional_kwargs=_EXAMPLE),
        ]
    past, cell, frame = conversation(request.history, request.source, style, language)
    frames = request.dataframes
    if style == "full":
        data = templates.data_frames(frames)
    else:
        data = templates.data_frames_as_cell(frames)

    whole = [*fixed, *cell, HumanMessage(data), HumanMessage(frame)]
    *sizes, wish_size = await count([*(str(item.text) for item in whole), request.intent])
    room = budget - sum(sizes) - max(wish_size, WISH_TOKENS) - PER_MESSAGE * len(whole)
    # A turn tells more about this cell than another cell does: up to two thirds are for turns.
    turns, used = await newest_that_fit(past, room * 2 // 3, count)
    left = max(room - used, LEAST_TOKENS)
    cells = await earlier_cells(request, left, count, prose=style == "full")

    messages = [*turns, *cell, HumanMessage(frame + request.intent)]
    if style == "full":
        before = [marked("earlier-cells", cells) if cells else "", data]
    else:
        if cells:
            fixed += pair(templates.NEW_NOTEBOOK, cells, language.kernel)
        if data:
            fixed += pair(templates.LOOK, data, language.kernel)
        follows = cells or data or (cell and not turns)
        before = [templates.next_cell(language) if follows else ""]
    # In front of what the person says first, for some providers refuse two messages of the same
    # kind in a row.
    first = "\n".join(part for part in (*before, str(messages[0].text)) if part)
    if len(messages) == 1 and not request.intent and first and not first.endswith("\n"):
        first += "\n"  # the wish will stand on a line of its own
    messages[0] = HumanMessage(first)
    return [*fixed, *messages]


def as_text(messages: Sequence[BaseMessage]) -> list[tuple[str, str]]:
    """Who speaks (``system``, ``user`` or ``assistant``) and the text of each message."""
    roles = {"human": "user", "ai": "assistant"}
    return [(roles.get(item.type, item.type), str(item.text)) for item in messages]


def is_example(message: BaseMessage) -> bool:
    """Whether it comes with AI Server: no word of it is the person's or the model's."""
    return message.additional_kwargs.items() >= _EXAMPLE.items()


_loaded = False


def _load() -> None:
    """Load what prompts need of LangChain: half a second the first time, in a thread."""
    global _loaded
    with pause_gc():
        from langchain_core import messages

        # It loads a name when it is first asked for.
        _ = messages.AIMessage, messages.HumanMessage, messages.SystemMessage
    _loaded = True


async def earlier_cells(request: PromptInput, budget: int, count: Count, *, prose: bool) -> str:
    """The newest cells that fit whole, of older ones the outline; in order.

    With ``prose`` Markdown cells are told too, as comments.
    """
    codes = [_as_code(cell) for cell in request.cells if prose or cell.cell_type == "code"]
    codes = [code for code in codes if code]
    room = budget - FRAME_TOKENS
    newest: list[str] = []
    for code in reversed(codes):
        room, text = await _fit(code, request.language, room, count)
        if not text:
            break
        newest.append(text)
    return templates.earlier_code(newest[::-1], len(codes) - len(newest)) if newest else ""


def _as_code(cell: ContextCell) -> str:
    text = cell.source.strip()
    if cell.cell_type == "code" or not text:
        return text
    return "\n".join(f"# {line}".rstrip() for line in text.splitlines())


async def _fit(code: str, language: str, room: int, count: Count) -> tuple[int, str]:
    """The code, or its outline, whichever fits first; and the room that is left."""
    for text in (code, outline(code, language)):
        if text and len(text) <= room * _CHARACTERS_PER_TOKEN:
            size = (await count([text]))[0] + 1
            if size <= room:
                return room - size, text
    return room, ""
