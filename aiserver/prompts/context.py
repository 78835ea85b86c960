"""Build the prompt: rules, examples, earlier cells, past turns, the cell's code, the intent.

Invariants:

- The prompt is a pure function of its input, the budget and the token counts.
- Rules, the cell's code and the intent are always complete: a model that saw half of the cell would
  destroy the other half. Only the notebook's other cells and the past turns are shortened.
- Everything before the intent is independent of it (if it isn't longer than ``INTENT_TOKENS``), so
  that a model can read it while the user is still typing.
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

INTENT_TOKENS = 80
MIN_CELLS_TOKENS = 100  # for the earlier cells, even if the rest exceeds the budget
FRAME_TOKENS = 40  # around the earlier cells: marks, a fence, the number of omitted cells
_EXAMPLE = {"aiserver_example": True}  # marks messages as examples; not sent to the model
_CHARACTERS_PER_TOKEN = 8  # an upper bound: longer texts can't fit and needn't be counted


@dataclass(frozen=True)
class PromptInput:
    """The input of a prompt. ``intent`` is empty during a warm-up."""

    intent: str
    source: str = ""
    language: str = "python"
    """The kernel's language."""
    cells: list[ContextCell] = field(default_factory=list)
    history: list[Interaction] = field(default_factory=list)
    dataframes: list[DataFrameProfile] = field(default_factory=list)
    cell_type: CellType = "code"


async def build_messages(
    request: PromptInput, *, style: Style, budget: int, count: Count
) -> list[BaseMessage]:
    """Return the messages to send, within ``budget`` tokens if possible."""
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
    for intent, answer in templates.examples(style, language, builds_on=builds_on):
        fixed += [
            HumanMessage(intent, additional_kwargs=_EXAMPLE),
            AIMessage(answer, additional_kwargs=_EXAMPLE),
        ]
    past, cell, frame = conversation(request.history, request.source, style, language)
    frames = request.dataframes
    if style == "full":
        data = templates.data_frames(frames)
    else:
        data = templates.data_frames_as_cell(frames)

    required = [*fixed, *cell, HumanMessage(data), HumanMessage(frame)]
    *sizes, intent_size = await count([*(str(item.text) for item in required), request.intent])
    room = budget - sum(sizes) - max(intent_size, INTENT_TOKENS) - PER_MESSAGE * len(required)
    # Past turns are more relevant to this cell than other cells: they get up to two thirds.
    turns, used = await newest_that_fit(past, room * 2 // 3, count)
    remaining = max(room - used, MIN_CELLS_TOKENS)
    cells = await earlier_cells(request, remaining, count, prose=style == "full")

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
    # Prepended to the first message of the user, since some providers reject two consecutive
    # messages with the same role.
    first = "\n".join(part for part in (*before, str(messages[0].text)) if part)
    if len(messages) == 1 and not request.intent and first and not first.endswith("\n"):
        first += "\n"  # the intent will be on a line of its own
    messages[0] = HumanMessage(first)
    return [*fixed, *messages]


def as_text(messages: Sequence[BaseMessage]) -> list[tuple[str, str]]:
    """Return the role (``system``, ``user`` or ``assistant``) and the text of each message."""
    roles = {"human": "user", "ai": "assistant"}
    return [(roles.get(item.type, item.type), str(item.text)) for item in messages]


def is_example(message: BaseMessage) -> bool:
    """Whether the message is one of our examples, not written by the user or the model."""
    return message.additional_kwargs.items() >= _EXAMPLE.items()


_loaded = False


def _load() -> None:
    """Import the parts of LangChain that prompts need. Takes half a second the first time."""
    global _loaded
    with pause_gc():
        from langchain_core import messages

        # The module loads these lazily.
        _ = messages.AIMessage, messages.HumanMessage, messages.SystemMessage
    _loaded = True


async def earlier_cells(request: PromptInput, budget: int, count: Count, *, prose: bool) -> str:
    """Return the newest cells that fit completely, and outlines of older ones; in order.

    With ``prose``, includes Markdown cells as comments.
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
    """Return the remaining room, and the code or its outline, whichever fits first."""
    for text in (code, outline(code, language)):
        if text and len(text) <= room * _CHARACTERS_PER_TOKEN:
            size = (await count([text]))[0] + 1
            if size <= room:
                return room - size, text
    return room, ""
