"""Build the prompt: rules, examples, earlier cells, a summary of older turns, past turns, the
cell's code, the intent.

Invariants:

- The prompt depends only on its input, the budget and the token counts. Only the marks around texts
  from the notebook also depend on the process (see ``fence.py``).
- AI Server's rules, the cell's code (or that of the cell above, if the request is about it) and the
  intent are always complete. (A model that got only half of the cell would delete the other half.)
  Rules files and mentions get a share of the budget. If the prompt is too long, earlier cells are
  shortened or left out. Past turns and files may be left out, too. Nothing else depends on the
  prompt's length.
- The text before the intent rarely depends on the intent. So a model can usually read this text
  while the person is still typing. The text depends on the intent if the intent is longer than
  ``INTENT_TOKENS``, needs an earlier cell that would otherwise be left out, names a data file, or
  asks a small model for an explanation, comments, tests or a conversion (``own_code.py``).
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ..gc_pause import pause_gc
from ..requests import CellType, ContextCell
from . import templates
from .data_parts import Part, code_of, data_parts, marked_texts, parts_size, select_parts, texts_of
from .examples import EXAMPLE_MARK
from .fence import marked
from .history import PER_MESSAGE, Count, conversation, first_that_fits, newest_that_fit, pair
from .images import fitting_images, with_images
from .language import CellLanguage
from .mentions import mention_texts
from .notebook.earlier_cells import earlier_cells
from .older_turns.text import older_turns_text
from .own_code import explanation_messages, is_conversion, own_code_messages
from .project.texts import project_texts
from .prompt_input import PromptInput, RestOfCell
from .receipt import ContextItem, ItemKind, fixed_items, own_items, size_of, source_item, turn_items
from .templates import Style

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage

    Messages = list[BaseMessage]

INTENT_TOKENS = 80  # reserved for the intent, so that a short intent doesn't change the other texts
MIN_CELLS_TOKENS = 100  # available for the earlier cells even if the prompt exceeds the budget


async def build_messages(
    request: PromptInput, *, style: Style, budget: int, count: Count
) -> tuple[list[BaseMessage], list[ContextItem]]:
    """Return the messages to send, within ``budget`` tokens if possible, and their receipt."""
    if not _loaded:
        await asyncio.to_thread(_load)
    from langchain_core.messages import AIMessage, HumanMessage, SystemMessage

    parsed = request.parsed
    language = parsed.language
    is_small = style == "compact"
    request = _without_mentioned_cells(request)
    if request.rest and is_small:
        request = _with_cell_above(request, request.rest)
    has_other_code = any(cell.cell_type == "code" and cell.source.strip() for cell in request.cells)
    # A small model gets the code of the cell above as if it were the cell's own.
    code = parsed.subject if is_small else parsed.code
    is_empty = not language.below_head(code).strip()
    intent = parsed.instruction + templates.another_answer(request)
    if is_small and parsed.asks_for_words(is_small=True):
        return await explanation_messages(request, budget, count)
    if is_small and (request.only_adds or is_conversion(parsed)):
        return await own_code_messages(request, budget, count)
    can_use_other_cells = bool(request.dataframes or has_other_code) and is_empty
    fixed: list[BaseMessage] = [
        SystemMessage(templates.rules(style, language, can_use_other_cells=can_use_other_cells))
    ]
    for example_intent, answer in templates.examples(
        style, language, can_use_other_cells=can_use_other_cells
    ):
        fixed += [
            HumanMessage(example_intent, additional_kwargs=EXAMPLE_MARK),
            AIMessage(answer, additional_kwargs=EXAMPLE_MARK),
        ]
    cell_turns = conversation(request.history, code, style, language, request.rest)
    parts = await asyncio.to_thread(data_parts, request, style, language)

    texts = [str(message.text) for message in (*fixed, *cell_turns.cell)]
    marked_above = ""
    if parsed.above and not is_small:
        above = parsed.above
        marked_above = templates.cell_above(above.source, failed=above.failed) + "\n"
    *sizes, before_size, above_size, intent_size = await count(
        [*(part.counted for part in parts), *texts, cell_turns.before_intent, marked_above, intent]
    )
    message_sizes = [size + PER_MESSAGE for size in sizes[len(parts) :]]
    fixed_sizes, cell_sizes = message_sizes[: len(fixed)], message_sizes[len(fixed) :]
    reserved = max(intent_size, INTENT_TOKENS) + before_size + above_size + 2 * PER_MESSAGE
    project = await project_texts(request, style, budget, count)
    fixed[0] = SystemMessage(str(fixed[0].text) + project.after_rules)
    if intent:
        intent = project.before_intent + intent + project.after_intent
    room = budget - sum(message_sizes) - project.reserved - reserved
    shown, data_items = select_parts(parts, sizes[: len(parts)], style, room)
    room -= parts_size(data_items)
    mentioned, images = fitting_images(request.mentions, room * 2 // 3)
    room -= size_of(images)
    mentions, mention_items = await mention_texts(mentioned, style, language, room, count)
    room -= size_of(mention_items)
    mention_items += images
    # Past turns are more relevant than earlier cells. So past turns get up to two thirds of the
    # room.
    start, turn_sizes = await newest_that_fit(cell_turns.past, room * 2 // 3, count)
    older_turns, older_items = await older_turns_text(
        request.older_turns, cell_turns, start, style, room, count
    )
    if older_turns:
        room -= size_of(older_items)
        start = first_that_fits(cell_turns.past, turn_sizes, room * 2 // 3)
    turns = cell_turns.past[start:]
    remaining = max(room - sum(turn_sizes[start:]), MIN_CELLS_TOKENS)
    cells, cell_items = await earlier_cells(request, remaining, count, prose=style == "full")

    messages = [
        *turns,
        *cell_turns.cell,
        HumanMessage(cell_turns.before_intent + marked_above + mentions + intent),
    ]
    if is_small:
        pairs = _cells_as_turns(cells, code_of(shown), language)
        fixed += pairs
        is_another_cell = bool(pairs or (cell_turns.cell and not turns))
        introduction = _small_introduction(shown, older_turns, language, is_another_cell)
    else:
        introduction = _introduction(shown, cells, older_turns)
    # The introduction becomes the beginning of the first message. It isn't a message of its own,
    # because some providers reject two consecutive messages with the same role.
    first_text = "\n".join(text for text in (*introduction, str(messages[0].text)) if text)
    has_intent_message = len(messages) == 1
    if has_intent_message and not intent and first_text and not first_text.endswith("\n"):
        first_text += "\n"  # this is a warm-up; in the request, the intent follows on a new line
    messages[0] = HumanMessage(first_text)
    messages[-1] = with_images(messages[-1], mentioned)

    receipt = [
        *fixed_items(fixed_sizes, project.items),
        *(item for item in data_items if item.kind == "headings"),
        *cell_items,
        *(item for item in data_items if item.kind != "headings"),
        *older_items,
        *turn_items(request.history, cell_turns, start, turn_sizes),
        *own_items(
            request.history,
            cell_turns,
            cell_sizes,
            before_size,
            parsed.above if is_small else None,
        ),
        *([source_item(above_size, parsed.above)] if marked_above else []),
        *mention_items,
        ContextItem("request", tokens=intent_size),
    ]
    return [*fixed, *messages], receipt


def _introduction(shown: Sequence[Part], cells: str, older_turns: str) -> list[str]:
    """Return the texts of what surrounds the cell, between marks."""
    return [
        marked_texts(shown, "headings"),
        marked("earlier-cells", cells) if cells else "",
        marked_texts(shown, "variables", "dataframe", "file", "plugin"),
        older_turns,
    ]


def _small_introduction(
    shown: Sequence[Part], older_turns: str, language: CellLanguage, is_another_cell: bool
) -> list[str]:
    """Return the same texts for a small model, which imitates what it reads between marks."""
    kinds: tuple[ItemKind, ...] = ("dataframe", "variables", "headings", "file", "plugin")
    next_cell = templates.next_cell(language) if is_another_cell else ""
    return [*(texts_of(shown, kind) for kind in kinds), next_cell, older_turns]


def _cells_as_turns(cells: str, frames_code: str, language: CellLanguage) -> list[BaseMessage]:
    """Return earlier cells, and code that prints DataFrames, as turns of a small model."""
    turns = pair(templates.NEW_NOTEBOOK, cells, language.kernel) if cells else []
    if frames_code:
        turns += pair(templates.ASK_FOR_COLUMNS, frames_code, language.kernel)
    return turns


def _without_mentioned_cells(request: PromptInput) -> PromptInput:
    """Return the request without the earlier code cells that it mentions, so that no cell is sent
    twice.
    """
    ids = {mention.cell_id for mention in request.mentions} - {None}
    if not ids:
        return request
    cells = [cell for cell in request.cells if cell.cell_type != "code" or cell.cell_id not in ids]
    return replace(request, cells=cells)


def _with_cell_above(request: PromptInput, rest: RestOfCell) -> PromptInput:
    """Return a request about selected lines with the lines above them as an earlier cell.

    A small model gets only these, since it would repeat lines that it knows from its own cell.
    """
    kind: CellType = "markdown" if request.parsed.language.is_prose else "code"
    above = ContextCell(cell_id=rest.cell_id, cell_type=kind, source=rest.above)
    return replace(request, cells=[*request.cells, above])


def as_text(messages: Sequence[BaseMessage]) -> list[tuple[str, str]]:
    """Return the role (``system``, ``user`` or ``assistant``) and the text of each message."""
    roles = {"human": "user", "ai": "assistant"}
    return [(roles.get(message.type, message.type), str(message.text)) for message in messages]


def is_example(message: BaseMessage) -> bool:
    """Return whether the message is one of the examples that ``build_messages`` adds."""
    return message.additional_kwargs.items() >= EXAMPLE_MARK.items()


_loaded = False


def _load() -> None:
    """Import the parts of LangChain that prompts need. Takes half a second the first time."""
    global _loaded
    with pause_gc():
        import markdown_it
        from langchain_core import messages

        # LangChain imports the module of each class only when the class is used. Answers are read
        # with ``markdown_it``.
        _ = messages.AIMessage, messages.HumanMessage, messages.SystemMessage, markdown_it
    _loaded = True
