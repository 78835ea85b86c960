"""Build the prompt: rules, examples, earlier cells, past turns, the cell's code, the intent.

Invariants:

- The prompt depends only on its input, the budget and the token counts.
- The rules, the cell's code and the intent are always complete. (A model that got only half of the
  cell would delete the other half.) If the prompt is too long, earlier cells are shortened or left
  out, and past turns are left out. Nothing else is changed.
- The text before the intent doesn't depend on the intent, unless the intent is longer than
  ``INTENT_TOKENS``. So a model can read the text before the intent while the person is still
  typing.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..gc_pause import pause_gc
from . import templates
from .earlier_cells import earlier_cells
from .fence import marked
from .history import PER_MESSAGE, Count, conversation, newest_that_fit, pair
from .language import cell_language
from .prompt_input import PromptInput
from .templates import Style

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage

    Messages = list[BaseMessage]

INTENT_TOKENS = 80  # reserved for the intent, so that a short intent doesn't change the other texts
MIN_CELLS_TOKENS = 100  # available for the earlier cells even if the prompt exceeds the budget
_EXAMPLE = {"aiserver_example": True}  # marks a message as an example; not sent to the model


async def build_messages(
    request: PromptInput, *, style: Style, budget: int, count: Count
) -> list[BaseMessage]:
    """Return the messages to send, within ``budget`` tokens if possible."""
    if not _loaded:
        await asyncio.to_thread(_load)
    from langchain_core.messages import AIMessage, HumanMessage, SystemMessage

    language = cell_language(request.language, request.source, request.cell_type)
    has_other_code = any(cell.cell_type == "code" and cell.source.strip() for cell in request.cells)
    is_empty = not language.below_head(request.source).strip()
    builds_on = bool(request.dataframes or has_other_code) and is_empty
    fixed: list[BaseMessage] = [
        SystemMessage(templates.rules(style, language, builds_on=builds_on))
    ]
    for intent, answer in templates.examples(style, language, builds_on=builds_on):
        fixed += [
            HumanMessage(intent, additional_kwargs=_EXAMPLE),
            AIMessage(answer, additional_kwargs=_EXAMPLE),
        ]
    past, cell, before_intent = conversation(request.history, request.source, style, language)
    frames = request.dataframes
    if style == "full":
        data = "\n".join(
            text
            for text in (templates.variables_text(request.variables), templates.data_frames(frames))
            if text
        )
    else:
        data = templates.data_frames_as_cell(frames)

    required = [*fixed, *cell, HumanMessage(data), HumanMessage(before_intent)]
    *sizes, intent_size = await count(
        [*(str(message.text) for message in required), request.intent]
    )
    room = budget - sum(sizes) - max(intent_size, INTENT_TOKENS) - PER_MESSAGE * len(required)
    # Past turns are more relevant than earlier cells. So past turns get up to two thirds of the
    # room.
    turns, turns_size = await newest_that_fit(past, room * 2 // 3, count)
    remaining = max(room - turns_size, MIN_CELLS_TOKENS)
    cells = await earlier_cells(request, remaining, count, prose=style == "full")

    messages = [*turns, *cell, HumanMessage(before_intent + request.intent)]
    if style == "full":
        introduction = [marked("earlier-cells", cells) if cells else "", data]
    else:
        if cells:
            fixed += pair(templates.NEW_NOTEBOOK, cells, language.kernel)
        if data:
            fixed += pair(templates.LOOK, data, language.kernel)
        is_another_cell = cells or data or (cell and not turns)
        introduction = [templates.next_cell(language) if is_another_cell else ""]
    # The introduction is put into the first of the messages and isn't a message of its own, because
    # some providers reject two consecutive messages with the same role.
    first_text = "\n".join(text for text in (*introduction, str(messages[0].text)) if text)
    has_intent_message = len(messages) == 1
    if has_intent_message and not request.intent and first_text and not first_text.endswith("\n"):
        first_text += "\n"  # after this warm-up, the request puts the intent on a line of its own
    messages[0] = HumanMessage(first_text)
    return [*fixed, *messages]


def as_text(messages: Sequence[BaseMessage]) -> list[tuple[str, str]]:
    """Return the role (``system``, ``user`` or ``assistant``) and the text of each message."""
    roles = {"human": "user", "ai": "assistant"}
    return [(roles.get(message.type, message.type), str(message.text)) for message in messages]


def is_example(message: BaseMessage) -> bool:
    """Return whether the message is one of the examples that ``build_messages`` adds."""
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
