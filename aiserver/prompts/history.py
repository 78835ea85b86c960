"""Past turns of the cell, as LangChain messages.

What must hold: failed and cancelled turns are left out; the newest turns that fit are kept, whole
and in order; a person's own change between two turns is told, for the model must build on it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING

from ..models import Interaction
from . import templates
from .fence import code_block
from .language import CellLanguage
from .templates import Style

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage

Count = Callable[[Sequence[str]], Awaitable[list[int]]]

PER_MESSAGE = 5  # tokens that a chat template puts around each message


def conversation(
    turns: Sequence[Interaction], source: str, style: Style, language: CellLanguage
) -> tuple[list[BaseMessage], list[BaseMessage], str]:
    """The past as messages, in three parts.

    The past turns, two messages each; those messages of them that must not be trimmed, for the
    cell's code is in them; and the frame of the wish: it goes in front of it.
    """
    past: list[BaseMessage] = []
    code = ""
    for turn in turns:
        if turn.ai_response.status != "success":
            continue
        asked = turn.user_request
        wish = asked.intent
        if not _same(asked.current_code, code):
            if style == "full":
                wish = templates.with_cell(wish, asked.current_code)
            else:
                past += _shown(asked.current_code, past, style, language)
        code = turn.ai_response.suggestion
        past += _pair(wish, code, style, language)
    if style == "full":
        return past, [], templates.with_cell("", source)
    if not language.below_head(source).strip():
        return past, [], f"{templates.EMPTIED}\n" if past else ""
    if past and _same(source, code):
        return past[:-2], past[-2:], ""
    return past, _shown(source, past, style, language), ""


def _shown(
    code: str, past: list[BaseMessage], style: Style, language: CellLanguage
) -> list[BaseMessage]:
    """The cell's code as the model's own answer, for code that it did not write."""
    if not language.below_head(code).strip():
        return []
    return _pair(templates.CHANGED if past else "", code, style, language)


def _pair(said: str, code: str, style: Style, language: CellLanguage) -> list[BaseMessage]:
    # A small model would copy the magic of an example: it sees and writes what is below it.
    shown = language.below_head(code) if style == "compact" else code
    return pair(said, shown, language.name)


def pair(said: str, code: str, language: str) -> list[BaseMessage]:
    """What was said, and the code that came of it."""
    from langchain_core.messages import AIMessage, HumanMessage

    return [HumanMessage(said), AIMessage(code_block(code, language))]


def _same(one: str, other: str) -> bool:
    return one.strip() == other.strip()


async def newest_that_fit(
    messages: Sequence[BaseMessage], budget: int, count: Count
) -> tuple[list[BaseMessage], int]:
    """The newest turns whose messages take at most ``budget`` tokens together, and what they take.

    LangChain's ``trim_messages`` does the same and adds up the sizes again for each length that it
    tries (``benchmarks/first_token.py``).
    """
    start, used, total = len(messages), 0, 0
    sizes = await count([str(message.text) for message in messages])
    for index in range(len(messages) - 1, -1, -1):
        total += sizes[index] + PER_MESSAGE
        if total > budget:
            break
        if messages[index].type == "human":
            start, used = index, total
    return list(messages[start:]), used
