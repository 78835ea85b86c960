"""The texts of a prompt that hold beyond one cell: rules files, memories, the notebook's note.

Invariants:

- Rules files such as ``AGENTS.md`` get at most 1 / ``SHARE`` of the budget. The longest are
  shortened from their ends, by whole paragraphs or lines; one of which no line fits is left out.
- Memories get as much. An entry is sent completely or not at all. The receipt has its id, so that
  nothing of a forgotten entry remains in a turn.
- Only the choice of entries depends on the intent, if not all of them fit.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from .mentions import fair_shares
from .prompt_input import MemoryText, PromptInput, RulesText
from .receipt import ContextItem, size_of
from .turns import Count

SHARE = 6
# A small model answered without code after six entries (``python -m benchmarks.memory``); counting
# the tokens of thousands would take time.
MAX_SMALL = 1
MAX_ENTRIES = 300
_PARAGRAPH_END = re.compile(r"\n[ \t]*\n")


@dataclass(frozen=True)
class ProjectTexts:
    """The texts by place, and their items in the receipt.

    ``reserved`` tokens suffice for any intent.
    """

    items: list[ContextItem]
    reserved: int
    after_rules: str = ""
    before_intent: str = ""
    line: str = ""


@dataclass(frozen=True)
class MemoryTexts:
    """The entries that fit; ``is_complete`` means that all do."""

    texts: list[str]
    items: list[ContextItem]
    is_complete: bool


async def rules_texts(
    files: Sequence[RulesText],
    form: Callable[[RulesText], str],
    introduction: str,
    budget: int,
    count: Count,
) -> tuple[list[str], list[ContextItem]]:
    """Return introduction and files as ``form`` shows them, and their items."""
    if not files:
        return [], []
    introduction_size, *sizes = await count([introduction, *map(form, files)])
    shares = fair_shares(sizes, max(budget // SHARE - introduction_size, 0))
    texts: list[str] = []
    items: list[ContextItem] = []
    for file, full_size, share in zip(files, sizes, shares, strict=True):
        shown, size = file, full_size
        while size > share and shown.text:
            shown = replace(shown, text=first_lines(shown.text, share / size))
            [size] = await count([form(shown)])
        item = ContextItem("rules_file", file.path, full_size, is_included=bool(shown.text))
        if item.is_included:
            # The first text includes the introduction.
            size += 0 if texts else introduction_size
            item = replace(item, tokens=size, is_shortened=shown is not file)
            texts.append(form(shown))
        items.append(item)
    return [introduction, *texts] if texts else [], items


async def memory_texts(
    request: PromptInput,
    entries: Sequence[MemoryText],
    form: Callable[[MemoryText], str],
    introduction: str,
    budget: int,
    count: Count,
) -> MemoryTexts:
    """Return the most relevant ``entries`` that fit, as ``form`` shows them."""
    total = max(request.memory_count, len(request.memory))
    if not total:
        return MemoryTexts([], [], True)
    introduction_size, *sizes = await count([introduction, *map(form, entries)])
    room = budget // SHARE - introduction_size
    chosen: list[MemoryText] = []
    items: list[ContextItem] = []
    for entry, size in zip(entries, sizes, strict=True):
        if size <= room:
            # The first entry includes the introduction.
            first = 0 if chosen else introduction_size
            items.append(ContextItem("memory", entry.name, size + first))
            chosen.append(entry)
            room -= size
    omitted = total - len(chosen)
    if omitted:
        items.append(ContextItem("memory", is_included=False, count=omitted))
    # In the order of the memory, so that the text rarely changes.
    chosen.sort(key=lambda entry: entry.position)
    return MemoryTexts([form(entry) for entry in chosen], items, not omitted)


def max_size(others: Iterable[ContextItem], memory: MemoryTexts, budget: int) -> int:
    """Return the tokens to reserve: the whole share if the choice depends on the intent."""
    return size_of(others) + (size_of(memory.items) if memory.is_complete else budget // SHARE)


def first_lines(text: str, fraction: float) -> str:
    """Return the first paragraphs, at most ``fraction`` (below 1) of the characters.

    Below half of that, return the first lines, or "".
    """
    length = int(len(text) * fraction)
    ends = [match.start() for match in _PARAGRAPH_END.finditer(text) if match.start() <= length]
    line_end = max(text.rfind("\n", 0, length + 1), 0)
    return text[: ends[-1] if ends and 2 * ends[-1] >= length else line_end].rstrip()


def labelled_note(note: str) -> str:
    """Return a note as prompts contain it."""
    return f"Notebook: {note}"


def closed_note(note: str) -> str:
    """Add the beginning of the closing mark, so that no other note contains this one."""
    return f"{labelled_note(note)}\n</note"
