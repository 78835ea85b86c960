"""Convert the past turns of a cell to LangChain messages.

Invariants: failed and cancelled turns are omitted, and for a small model, which imitates what it
sees, also the answers in words. The newest of the other turns are included, as
many as fit into the prompt, complete and in order. If the person changed the code between two
turns, the changed code is included, because the model must build on that code.
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

PER_MESSAGE = 5  # tokens that a chat template adds to each message


def conversation(
    turns: Sequence[Interaction], source: str, style: Style, language: CellLanguage
) -> tuple[list[BaseMessage], list[BaseMessage], str]:
    """Return the parts of the prompt between the introduction and the intent, as three values.

    1. Two messages for each past turn.
    2. Messages that contain the cell's present code. They must never be left out.
    3. A text to put before the intent in the last message.
    """
    past: list[BaseMessage] = []
    code = ""
    for turn in turns:
        if turn.ai_response.status != "success":
            continue
        request = turn.user_request
        intent = request.intent
        if not _is_same_code(request.current_code, code):
            if style == "full":
                intent = templates.with_cell(intent, request.current_code)
            else:
                past += _as_answer(request.current_code, past, style, language)
        code = turn.ai_response.suggestion
        if code.strip():
            past += _pair(intent, code, style, language)
            continue
        code = request.current_code
        if style == "full" and turn.ai_response.explanation.strip():
            past += _in_words(intent, turn.ai_response.explanation)
    if style == "full":
        return past, [], templates.with_cell("", source)
    if not language.below_head(source).strip():
        return past, [], f"{templates.EMPTIED}\n" if past else ""
    if past and _is_same_code(source, code):
        return past[:-2], past[-2:], ""
    return past, _as_answer(source, past, style, language), ""


def _as_answer(
    code: str, past: list[BaseMessage], style: Style, language: CellLanguage
) -> list[BaseMessage]:
    """Present the cell's code, which the model didn't write, as the model's own answer."""
    if not language.below_head(code).strip():
        return []
    return _pair(templates.CHANGED if past else "", code, style, language)


def _in_words(request: str, answer: str) -> list[BaseMessage]:
    """Return the two messages of a turn whose answer has no code."""
    from langchain_core.messages import AIMessage, HumanMessage

    return [HumanMessage(request), AIMessage(answer)]


def _pair(request: str, code: str, style: Style, language: CellLanguage) -> list[BaseMessage]:
    # A small model would copy the cell magic of a past turn, so it only gets the code below the
    # magic.
    visible = language.below_head(code) if style == "compact" else code
    return pair(request, visible, language.name)


def pair(request: str, code: str, language: str) -> list[BaseMessage]:
    """Return the two messages of a turn: the request, and the answer with the code."""
    from langchain_core.messages import AIMessage, HumanMessage

    return [HumanMessage(request), AIMessage(code_block(code, language))]


def _is_same_code(left: str, right: str) -> bool:
    return left.strip() == right.strip()


async def newest_that_fit(
    messages: Sequence[BaseMessage], budget: int, count: Count
) -> tuple[list[BaseMessage], int]:
    """Return the messages of the newest turns that fit into ``budget`` tokens, and their size.

    The size is the number of tokens of these messages.

    LangChain's ``trim_messages`` does the same, but for each number of messages that it tries, it
    counts the tokens of all messages again, which takes too long (``benchmarks/first_token.py``).
    """
    start, used, total = len(messages), 0, 0
    sizes = await count([str(message.text) for message in messages])
    for index in range(len(messages) - 1, -1, -1):
        total += sizes[index] + PER_MESSAGE
        if total > budget:
            break
        if messages[index].type == "human":  # a turn begins, so it fits completely
            start, used = index, total
    return list(messages[start:]), used
