"""Fit the optional texts into a prompt, and put its messages together.

The required texts are AI Server's rules, the cell's code and the request. They are always complete:
a model that got only half of the cell would delete the other half.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..requests import ContextCell
from .examples import EXAMPLE_MARK
from .images import fitting_images, with_images
from .mentions import mention_texts
from .notebook.earlier_cells import earlier_cells
from .parts import Part, parts_size, select_parts
from .prompt_input import MentionedText, PromptInput
from .receipt import ContextItem, size_of, turn_items
from .summary import summary_text
from .turns import Conversation, Count, Pair, first_that_fits, newest_that_fit

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage

    Prompt = tuple[list[BaseMessage], list[ContextItem]]

INTENT_TOKENS = 80  # reserved for the intent, so that a short intent doesn't change the other texts
MIN_CELLS_TOKENS = 100  # available for the earlier cells even if the prompt exceeds the budget


@dataclass(frozen=True)
class Fitted:
    """The texts that fit. ``items`` are those of the receipt before the cell's own code."""

    parts: list[Part]
    cells: str
    older_turns: str
    turns: list[Pair]
    mentions: str
    mentioned: list[MentionedText]
    items: list[ContextItem]
    mention_items: list[ContextItem]


async def fit(
    request: PromptInput,
    conversation: Conversation,
    parts: Sequence[Part],
    part_sizes: Sequence[int],
    cells: Sequence[ContextCell],
    room: int,
    count: Count,
    *,
    mention_form: Callable[[MentionedText], str],
    summary_form: Callable[[str], str],
) -> Fitted:
    """Choose the optional texts. ``room`` is the number of tokens that the required ones leave.

    The two forms return a mention and the summary of older turns as the prompt shows them.
    """
    shown, data_items = select_parts(parts, part_sizes, room)
    room -= parts_size(data_items)
    mentioned, image_items = fitting_images(request.mentions, room * 2 // 3)
    room -= size_of(image_items)
    kernel = request.parsed.language.kernel
    mentions, mention_items = await mention_texts(mentioned, mention_form, kernel, room, count)
    room -= size_of(mention_items)
    # Past turns are more relevant than earlier cells, so they get up to two thirds of the room.
    start, turn_sizes = await newest_that_fit(conversation.past, room * 2 // 3, count)
    first_turn = conversation.first_turn(start)
    older_turns, older_items = await summary_text(
        request.older_turns, first_turn, summary_form, room, count
    )
    if older_turns:
        room -= size_of(older_items)
        start = first_that_fits(turn_sizes, room * 2 // 3)
    room = max(room - sum(turn_sizes[start:]), MIN_CELLS_TOKENS)
    cell_texts, cell_items = await earlier_cells(request, cells, room, count)
    items = [
        *(item for item in data_items if item.kind == "headings"),
        *cell_items,
        *(item for item in data_items if item.kind != "headings"),
        *older_items,
        *turn_items(request.history, conversation.past, start, turn_sizes),
    ]
    turns = conversation.past[start:]
    mention_items += image_items
    return Fitted(shown, cell_texts, older_turns, turns, mentions, mentioned, items, mention_items)


def chat(
    rules: str,
    pairs: Iterable[Pair],
    last: str,
    *,
    examples: Iterable[Pair] = (),
    images: Sequence[MentionedText] = (),
) -> list[BaseMessage]:
    """Return the messages: the rules, the examples, the pairs, and the last text with images."""
    from langchain_core.messages import AIMessage, HumanMessage, SystemMessage

    messages: list[BaseMessage] = [SystemMessage(rules)]
    for mark, some in ((EXAMPLE_MARK, examples), ({}, pairs)):
        for pair in some:
            messages.append(HumanMessage(pair.request, additional_kwargs=mark))
            messages.append(AIMessage(pair.answer, additional_kwargs=mark))
    return [*messages, with_images(HumanMessage(last), images)]


def introduced(
    introduction: Iterable[str], pairs: list[Pair], last: str, *, is_warm_up: bool
) -> tuple[list[Pair], str]:
    """Put the introduction at the beginning of the first message, and return all of them.

    Some providers reject two consecutive messages with the same role.
    """
    if pairs:
        first = pairs[0]._replace(request=_joined([*introduction, pairs[0].request]))
        return [first, *pairs[1:]], last
    last = _joined([*introduction, last])
    # After a warm-up, the intent follows on a new line.
    return [], f"{last}\n" if is_warm_up and last and not last.endswith("\n") else last


def _joined(texts: Iterable[str]) -> str:
    return "\n".join(text for text in texts if text)
