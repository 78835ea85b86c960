"""The prompt for a small model, which imitates examples instead of following rules.

It looks like a conversation: examples; earlier cells; past turns; the cell's code, as if it were
the model's last answer; the intent. A small model then changes this code, whereas it mostly copies
code in any other format. So data is in the person's messages, as lines that look like output; only
the code that would print it is an answer.

Invariant: the intent is the last text, except rules, which a small model rarely follows anywhere
else (``benchmarks/rules_files.py``). The others rarely depend on it, so that a model can read them
while the person is typing. Requests to explain, document, test or convert code have other prompts
(``small_code.py``).
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ..requests import ContextCell, DataFrameProfile
from . import texts
from .amounts import with_digits
from .data_texts import columns_in_line, file_in_line, printing_code, rows_in_line
from .examples import NEW_NOTEBOOK, NEXT_CELL, examples_in
from .fence import code_block
from .fitting import INTENT_TOKENS, Part, chat, fit, frame_parts, introduced, texts_of
from .language import CellLanguage, display_name
from .mentions import is_mentioned, is_named, mention_text
from .notebook.headings import heading_path
from .project import MAX_SMALL, ProjectTexts, max_size, memory_texts, rules_texts
from .prompt_input import MemoryText, MentionedText, PromptInput, RulesText
from .receipt import ContextItem, ItemKind, fixed_items, source_item
from .turns import PER_MESSAGE, Conversation, Count, Pair, answered_turns, is_same

if TYPE_CHECKING:
    from .fitting import Prompt

MAX_SECTION_TOKENS = 30  # longer headings are left out

_CODE_RULES = """\
You write the {language} code of one notebook cell. Reply with one ```{fence} block that holds the \
whole cell. Spell the names of files and columns exactly as they are given."""
_NEXT_CELL_RULES = f"""\
{_CODE_RULES} Use the variables of the cells before it, import what else you use, and print what \
is asked for."""
_PROSE_RULES = """\
You write the text of one {kind}: {markup}, in the language of the request. Reply with one \
````{fence} block that holds the whole cell. Spell the names of files and columns exactly as they \
are given."""

_PROJECT_RULES = "\nRules:"
_OLDER_REQUESTS = "Earlier requests:"
_CELL_CHANGED = "I changed the cell."
_CELL_EMPTIED = "The cell is empty again."
_ASK_FOR_COLUMNS = f"{NEXT_CELL}\nwhich columns are there"
_ENDS = frozenset(".!?。！？")


async def small_prompt(request: PromptInput, budget: int, count: Count) -> Prompt:
    """Return the messages for a small model, and their receipt."""
    request = _with_lines_above(request)
    parsed, language = request.parsed, request.parsed.language
    # The code above counts as the cell's own.
    is_empty = not language.below_head(parsed.subject).strip()
    has_code = any(cell.cell_type == "code" and cell.source.strip() for cell in request.cells)
    is_next_cell = is_empty and bool(request.dataframes or has_code)
    rules = small_rules(language, is_next_cell=is_next_cell)
    examples = [
        Pair(intent, code_block(code, language.name))
        for intent, code in examples_in(language.name, can_use_other_cells=is_next_cell)
    ]
    project = await project_line(request, budget, count)
    parts = await asyncio.to_thread(_parts, request)
    conversation = _conversation(request)
    emptied = f"{_CELL_EMPTIED}\n" if is_empty and conversation.past else ""
    intent = with_digits(parsed.instruction) + texts.another_answer(request)

    fixed = [rules, *(text for example in examples for text in example[:2])]
    cell = conversation.cell[:2] if conversation.cell else ()
    counted = [*(part.counted for part in parts), *fixed, *cell, emptied, intent]
    *sizes, emptied_size, intent_size = await count(counted)
    part_sizes = sizes[: len(parts)]
    message_sizes = [size + PER_MESSAGE for size in sizes[len(parts) :]]
    fixed_sizes, cell_sizes = message_sizes[: len(fixed)], message_sizes[len(fixed) :]
    required = sum(message_sizes) + emptied_size + max(intent_size, INTENT_TOKENS)
    fitted = await fit(
        request,
        conversation,
        parts,
        part_sizes,
        [cell for cell in request.cells if cell.cell_type == "code" and not cell.failed],
        budget - required - 2 * PER_MESSAGE - project.reserved,
        count,
        mention_form=lambda mention: mention_in_blocks(mention, language),
        summary_form=_older_requests,
    )

    before = _cells_as_turns(fitted.cells, fitted.parts, language)
    turns = [*fitted.turns, *([conversation.cell] if conversation.cell else [])]
    is_another_cell = bool(before or (conversation.cell and not fitted.turns))
    kinds: tuple[ItemKind, ...] = ("dataframe", "variables", "headings", "file", "plugin")
    introduction = [
        *(texts_of(fitted.parts, kind) for kind in kinds),
        _next_cell(language) if is_another_cell else "",
        fitted.older_turns,
    ]
    mentions = f"{fitted.mentions}\n" if fitted.mentions else ""
    last = emptied + mentions + (intent + project.line if intent else "")
    turns, last = introduced(introduction, turns, last, is_warm_up=not intent)
    receipt = [
        *fixed_items(fixed_sizes, project.items),
        *fitted.items,
        *_cell_items(request, conversation, cell_sizes, emptied_size),
        *fitted.mention_items,
        ContextItem("request", tokens=intent_size),
    ]
    pairs = [*before, *turns]
    return chat(rules, pairs, last, examples=examples, images=fitted.mentioned), receipt


def _with_lines_above(request: PromptInput) -> PromptInput:
    if request.rest is None:
        return request
    above = ContextCell(
        cell_id=request.rest.cell_id,
        cell_type="markdown" if request.parsed.language.is_prose else "code",
        source=request.rest.above,
    )
    return replace(request, cells=[*request.cells, above])


def small_rules(language: CellLanguage, *, is_next_cell: bool = False) -> str:
    """Return the system message. ``is_next_cell``: an empty cell can use other cells or data."""
    if language.is_prose:
        return _PROSE_RULES.format(fence=language.name, **texts.PROSE_CELLS[language.name])
    rules = _NEXT_CELL_RULES if is_next_cell and not language.head else _CODE_RULES
    return rules.format(language=display_name(language.name), fence=language.name)


async def project_line(request: PromptInput, budget: int, count: Count) -> ProjectTexts:
    """Return rules files and memories as one line, to append to the intent.

    There is no note: further lines cost right answers (``python -m benchmarks.memory``).
    """
    rules, rules_items = await rules_texts(
        request.rules_files, _rules_file, _PROJECT_RULES, budget, count
    )
    memory = await memory_texts(request, request.memory[:MAX_SMALL], _entry, "", budget, count)
    if memory.texts and not rules:
        rules = [_PROJECT_RULES]
    items = [*rules_items, *memory.items]
    line = " ".join([*rules, *memory.texts])
    return ProjectTexts(items, max_size(rules_items, memory, budget), line=line)


def _rules_file(file: RulesText) -> str:
    lines = [line.strip(" \t*-") for line in file.text.splitlines()]
    return " ".join(line for line in lines if line and not line.startswith("#")) or file.text


def _entry(entry: MemoryText) -> str:
    text = texts.in_line(entry.text)
    end = "。" if "\u4e00" <= text[-1:] <= "\u9fff" else "."
    return text if text[-1:] in _ENDS else text + end


def _parts(request: PromptInput) -> list[Part]:
    """Return what surrounds the cell. Of the variables, only those that the intent names count."""
    parts = []
    intent, language = request.parsed.intent, request.parsed.language
    if path := heading_path(request.cells):
        item = ContextItem("headings", path)
        parts.append(Part(item, f"Section {path!r}", max_tokens=MAX_SECTION_TOKENS))
    variables = [item for item in request.variables if is_named(item.name, intent)]
    if variables:
        item = ContextItem("variables", count=len(variables))
        parts.append(Part(item, texts.variables(variables)))
    parts += data_frames(request.dataframes)
    for file in request.files:
        is_required = is_mentioned(file.name, intent)
        item = ContextItem("file", file.name)
        parts.append(Part(item, file_in_line(file, language), is_required=is_required))
    for text in request.plugin_texts:
        item = ContextItem("plugin", text.name)
        parts.append(Part(item, f"{text.name}: {texts.in_line(text.text)}"))
    return parts


def data_frames(frames: Sequence[DataFrameProfile]) -> list[Part]:
    """Return parts as output of code that prints them."""
    return [
        part
        for frame in frames
        for part in frame_parts(frame, columns_in_line, rows_in_line(frame), printing_code(frame))
    ]


def _conversation(request: PromptInput) -> Conversation:
    """Return the past turns, with the present code as the model's last answer.

    Words and cell magics are left out, because the model would imitate them.
    """
    language = request.parsed.language
    past: list[Pair] = []
    code_after = ""
    for turn in answered_turns(request):
        changed = language.below_head(turn.changed_code or "")
        if changed.strip():
            block = code_block(changed, language.name)
            past.append(Pair(_CELL_CHANGED if past else "", block, turn.number))
        if turn.code.strip():
            block = code_block(language.below_head(turn.code), language.name)
            past.append(Pair(turn.intent, block, turn.number))
        code_after = turn.code_after
    code = language.below_head(request.parsed.subject)
    if not code.strip():
        return Conversation(past)
    if past and is_same(request.parsed.subject, code_after):
        return Conversation(past[:-1], past[-1])
    block = code_block(code, language.name)
    return Conversation(past, Pair(_CELL_CHANGED if past else "", block))


def _cell_items(
    request: PromptInput, conversation: Conversation, sizes: Sequence[int], emptied_size: int
) -> list[ContextItem]:
    items = []
    if conversation.cell and conversation.cell.turn is not None:
        turn_ids = (request.history[conversation.cell.turn].turn_id,)
        items.append(ContextItem("turn", tokens=sizes[0], turn_ids=turn_ids))
        sizes = sizes[1:]
    if code_size := sum(sizes) + emptied_size:
        items.append(source_item(code_size, request.parsed.above))
    return items


def _cells_as_turns(cells: str, parts: Sequence[Part], language: CellLanguage) -> list[Pair]:
    """Return earlier cells, and code that prints the DataFrames, as answers of the model.

    The output isn't a comment in the code: the model would end its own with a similar one.
    """
    pairs = [Pair(NEW_NOTEBOOK, code_block(cells, language.kernel))] if cells else []
    if code := "\n".join(part.code for part in parts if part.code):
        pairs.append(Pair(_ASK_FOR_COLUMNS, code_block(code, language.kernel)))
    return pairs


def _next_cell(language: CellLanguage) -> str:
    return f"{NEXT_CELL} It is a {language.name} cell." if language.is_prose else NEXT_CELL


def _older_requests(text: str) -> str:
    """Return the summary in one line, which works best (``docs/performance.md``)."""
    lines = (line.strip(" -*•.;。；") for line in text.splitlines())
    return f"{_OLDER_REQUESTS} {'; '.join(line for line in lines if line)}."


def mention_in_blocks(mention: MentionedText, language: CellLanguage) -> str:
    """Show a mention's code and output in blocks."""
    of_code = language.name if mention.is_past_answer else language.kernel
    code, text = code_block(mention.code, of_code), code_block(mention.text, "text")
    return mention_text(mention, code, text)
