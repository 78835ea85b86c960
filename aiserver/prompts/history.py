"""Convert the past turns of a cell to LangChain messages.

Invariants: failed and cancelled turns are omitted. So are answers in words if the model is small,
because a small model imitates what it sees. Of the other turns, the newest that fit into the prompt
are included, complete and in order. If the person changed the code between two turns, the changed
code is included, because the model must build on that code.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..models import Interaction
from . import templates
from .fence import code_block
from .language import CellLanguage
from .modes import instruct
from .prompt_input import RestOfCell
from .templates import Style

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage

Count = Callable[[Sequence[str]], Awaitable[list[int]]]

PER_MESSAGE = 5  # tokens that a chat template adds to each message


@dataclass(frozen=True)
class Conversation:
    """The parts of the prompt between the introduction and the intent.

    ``past`` contains the messages of the past turns, and ``past_turns`` contains, for each of these
    messages, the index of its turn. ``cell`` contains the messages with the cell's present code,
    which must never be left out. If these messages are those of a past turn, ``cell_turn`` is the
    index of this turn. ``before_intent`` is a text to put before the intent in the last message.
    """

    past: list[BaseMessage]
    past_turns: list[int]
    cell: list[BaseMessage]
    before_intent: str
    cell_turn: int | None = None

    def first_turn(self, start: int) -> int | None:
        """Return the index of the oldest turn in the prompt; None if it contains no turn.

        ``start`` is the index in ``past`` of the first message that fits.
        """
        return self.past_turns[start] if start < len(self.past_turns) else self.cell_turn


def conversation(
    turns: Sequence[Interaction],
    source: str,
    style: Style,
    language: CellLanguage,
    rest: RestOfCell | None = None,
) -> Conversation:
    """Return the past turns and the cell's present code as messages.

    If the request is about selected lines only, ``source`` are these lines, and ``rest`` is the
    rest of their cell.
    """
    past: list[BaseMessage] = []
    past_turns: list[int] = []
    code = ""
    for index, turn in enumerate(turns):
        if turn.ai_response.status != "success":
            continue
        request = turn.user_request
        intent = instruct(request.intent, language, above=not request.current_code.strip())
        if not _is_same_code(request.current_code, code):
            if style == "full":
                intent = templates.with_cell(intent, request.current_code)
            else:
                past += _as_answer(request.current_code, past, style, language)
        code = turn.ai_response.suggestion
        if code.strip():
            past += _pair(intent, code, style, language)
        else:
            code = request.current_code
            if style == "full" and turn.ai_response.explanation.strip():
                past += _in_words(intent, turn.ai_response.explanation)
        past_turns += [index] * (len(past) - len(past_turns))
    if style == "full":
        return Conversation(past, past_turns, [], templates.with_cell("", source, rest))
    if not language.below_head(source).strip():
        return Conversation(past, past_turns, [], f"{templates.CELL_EMPTIED}\n" if past else "")
    if past and _is_same_code(source, code):
        return Conversation(past[:-2], past_turns[:-2], past[-2:], "", past_turns[-1])
    return Conversation(past, past_turns, _as_answer(source, past, style, language), "")


def _as_answer(
    code: str, past: list[BaseMessage], style: Style, language: CellLanguage
) -> list[BaseMessage]:
    """Present the cell's code, which the model didn't write, as the model's own answer."""
    if not language.below_head(code).strip():
        return []
    return _pair(templates.CELL_CHANGED if past else "", code, style, language)


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
) -> tuple[int, list[int]]:
    """Return the index of the first message to include, and the number of tokens of each message.

    This message and all later messages fit into ``budget`` tokens. Turns are never split.

    LangChain's ``trim_messages`` does the same, but it counts the tokens of all messages again for
    each number of messages that it tries. This takes too long (``benchmarks/first_token.py``).
    """
    texts = [str(message.text) for message in messages]
    sizes = [size + PER_MESSAGE for size in await count(texts)]
    return first_that_fits(messages, sizes, budget), sizes


def first_that_fits(messages: Sequence[BaseMessage], sizes: Sequence[int], budget: int) -> int:
    """Return the index of the first message to include, given the sizes of all messages."""
    start, total = len(messages), 0
    for index in range(len(messages) - 1, -1, -1):
        total += sizes[index]
        if total > budget:
            break
        if messages[index].type == "human":  # a turn begins here, so the whole turn fits
            start = index
    return start
