"""Fit the optional texts into a prompt, and put its messages together.

The required texts, AI Server's rules, the cell's code and the request, are always complete: a model
that got half of the cell would delete the other half.

The parts describe what surrounds the code: headings, variables, data. Each is one item of the
receipt. A DataFrame has up to three: its columns, their statistics and its rows. The text with
statistics replaces the one without.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from ..requests import ContextCell, DataFrameProfile
from .examples import EXAMPLE_MARK
from .images import fitting_images, with_images
from .mentions import mention_texts
from .notebook.earlier_cells import earlier_cells
from .prompt_input import MentionedText, PromptInput
from .receipt import ContextItem, ItemKind, size_of, turn_items
from .summary import summary_text
from .turns import Conversation, Count, Pair, first_that_fits, newest_that_fit

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage

    Prompt = tuple[list[BaseMessage], list[ContextItem]]

INTENT_TOKENS = 80  # reserved, so that a short intent doesn't change the other texts
MARK_TOKENS = 15  # for the marks around the parts of one kind
MIN_CELLS_TOKENS = 100  # for earlier cells, even if the prompt exceeds the budget


class Part(NamedTuple):
    """A text, and its item in the receipt. One of ``max_tokens`` or more is left out.

    ``code`` prints the text, if it is shown as output. If the request mentions the part by
    ``@``, it ``is_required``.
    """

    item: ContextItem
    text: str
    code: str = ""
    is_required: bool = False
    max_tokens: int | None = None

    @property
    def counted(self) -> str:
        return f"{self.code}\n{self.text}" if self.code else self.text


def frame_parts(
    frame: DataFrameProfile,
    columns_text: Callable[[DataFrameProfile], str],
    rows: str,
    code: str = "",
) -> list[Part]:
    """Return the columns of a DataFrame, also with their statistics, and its rows."""
    columns = [column.model_copy(update={"statistics": None}) for column in frame.columns]
    without = columns_text(frame.model_copy(update={"columns": columns}))
    item = ContextItem("dataframe", frame.name, level="schema")
    parts = [Part(item, without, code)]
    if (with_statistics := columns_text(frame)) != without:
        parts.append(Part(replace(item, level="statistics"), with_statistics, code))
    if frame.sample and rows:
        parts.append(Part(replace(item, level="sample", count=len(frame.sample.rows)), rows))
    return parts


def select_parts(
    parts: Sequence[Part], sizes: Sequence[int], room: int
) -> tuple[list[Part], list[ContextItem]]:
    """Return the parts for the prompt, and the receipt of all.

    Columns of DataFrames and variables are always included, because the person saw them before
    sending. ``room`` is in tokens. Statistics and rows get at most half of what columns and
    variables leave, files and texts of plugins half of the rest.
    """
    sizes = list(sizes)
    for index, part in enumerate(parts):
        if part.item.level == "statistics":
            sizes[index] = max(0, sizes[index] - sizes[index - 1])  # without those of the columns
    values = _fitting_values(parts, sizes, room)
    files_room = (room - sum(sizes[index] for index in values)) // 2
    shown: list[Part] = []
    items = []
    for index, (part, size) in enumerate(zip(parts, sizes, strict=True)):
        is_included = part.max_tokens is None or size < part.max_tokens
        if part.item.kind in ("file", "plugin"):
            is_included = part.is_required or size <= files_room
            files_room -= size if is_included else 0
        elif part.item.level in ("statistics", "sample"):
            is_included = index in values
        if is_included and part.item.level == "statistics":
            shown[-1] = part  # it includes the columns
        elif is_included:
            shown.append(part)
        items.append(replace(part.item, tokens=size, is_included=is_included))
    return shown, items


def _fitting_values(parts: Sequence[Part], sizes: Sequence[int], room: int) -> set[int]:
    levels = [part.item.level for part in parts]
    values = [index for index, level in enumerate(levels) if level in ("statistics", "sample")]
    values.sort(key=lambda index: levels[index] == "sample")
    required = ("dataframe", "variables")
    room -= sum(
        size
        for index, size in enumerate(sizes)
        if parts[index].item.kind in required and index not in values
    )
    room //= 2
    fitting: set[int] = set()
    for index in values:
        room -= sizes[index]
        if room < 0:
            break
        fitting.add(index)
    return fitting


def parts_size(items: Sequence[ContextItem]) -> int:
    """Return the tokens of the included parts, with their marks."""
    kinds = {item.kind for item in items if item.is_included}
    return size_of(items) + MARK_TOKENS * len(kinds)


def texts_of(parts: Iterable[Part], kind: ItemKind) -> str:
    """Join the texts of one kind."""
    return "\n".join(part.text for part in parts if part.item.kind == kind)


@dataclass(frozen=True)
class Fitted:
    """The texts that fit. ``items`` come before the cell's own code in the receipt."""

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
    """Choose the optional texts for ``room`` tokens.

    The two forms return a mention and the summary as the prompt shows them.
    """
    shown, data_items = select_parts(parts, part_sizes, room)
    room -= parts_size(data_items)
    mentioned, image_items = fitting_images(request.mentions, room * 2 // 3)
    room -= size_of(image_items)
    kernel = request.parsed.language.kernel
    mentions, mention_items = await mention_texts(mentioned, mention_form, kernel, room, count)
    room -= size_of(mention_items)
    # Past turns are more relevant than earlier cells, so they get more of the room.
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
    """Put the rules, examples, pairs and the last text with its images together as messages."""
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
    """Put the introduction into the first message.

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
