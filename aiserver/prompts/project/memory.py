"""The entries of memories, such as “use polars”, as texts of the prompt.

Invariants:

- Memories get at most 1 / ``SHARE`` of the model's budget. If all entries fit, they are a part of
  the prompt that doesn't depend on the intent. Otherwise, the most relevant ones that fit are sent.
- An entry is sent completely or not at all. The receipt has an item for each entry that is sent,
  with its id instead of its text, so that nothing of a forgotten entry remains in a turn.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from .. import templates
from ..fence import marked
from ..history import Count
from ..prompt_input import MemoryText
from ..receipt import ContextItem
from ..templates import Style

SHARE = 6
_ENDS = frozenset(".!?。！？")
# With six entries, the 0.5B answered without code (``python -m benchmarks.memory``).
MAX_SMALL = 1
MAX_ENTRIES = 300  # the most relevant ones; counting the tokens of thousands would take time


@dataclass(frozen=True)
class MemoryTexts:
    """The entries as one text, and their items in the receipt.

    ``is_complete`` means that no entry is left out. In the style ``compact``, the text has no
    introduction.
    """

    text: str
    items: list[ContextItem]
    is_complete: bool


async def memory_texts(
    entries: Sequence[MemoryText], total: int, style: Style, budget: int, count: Count
) -> MemoryTexts:
    """Return the entries that fit. ``entries`` are the most relevant of ``total`` entries."""
    if not total:
        return MemoryTexts("", [], True)
    candidates = entries[: MAX_SMALL if style == "compact" else MAX_ENTRIES]
    introduction = "" if style == "compact" else templates.MEMORY
    sizes = await count([introduction, *(_format(entry, style) for entry in candidates)])
    room = budget // SHARE - sizes[0]
    chosen: list[int] = []
    for index, size in enumerate(sizes[1:]):
        if size <= room:
            chosen.append(index)
            room -= size
    # The introduction counts as a part of the first entry.
    introductions = itertools.chain([sizes[0]], itertools.repeat(0))
    items = [
        ContextItem("memory", candidates[index].name, sizes[index + 1] + extra)
        for index, extra in zip(chosen, introductions, strict=False)
    ]
    omitted = total - len(chosen)
    if omitted:
        items.append(ContextItem("memory", is_included=False, count=omitted))
    if not chosen:
        return MemoryTexts("", items, False)
    # In the order of the memory, so that the text rarely changes.
    shown = sorted((candidates[index] for index in chosen), key=lambda entry: entry.position)
    lines = [_format(entry, style) for entry in shown]
    if style == "compact":
        return MemoryTexts(" ".join(lines), items, not omitted)
    return MemoryTexts(introduction + marked("memory", "\n".join(lines)), items, not omitted)


def _format(entry: MemoryText, style: Style) -> str:
    text = " ".join(entry.text.split())
    if style == "compact":
        end = "。" if "\u4e00" <= text[-1:] <= "\u9fff" else "."
        return text if text[-1:] in _ENDS else text + end
    section = f"{entry.section}: " if entry.section else ""
    return f"- {section}{text}"
