"""The texts of a prompt that hold beyond one cell: rules files, memories, the notebook's note."""

from __future__ import annotations

from dataclasses import dataclass

from .. import templates
from ..history import Count
from ..prompt_input import PromptInput
from ..receipt import ContextItem, size_of
from ..templates import Style
from .memory import SHARE, memory_texts
from .note import note_text
from .rules_files import rules_texts


@dataclass(frozen=True)
class ProjectTexts:
    """The texts, by their places in the prompt, and their items in the receipt."""

    after_rules: str
    before_intent: str
    after_intent: str
    items: list[ContextItem]
    reserved: int
    """The tokens that the texts need at most, whatever the intent is."""


async def project_texts(
    request: PromptInput, style: Style, budget: int, count: Count
) -> ProjectTexts:
    """Return the texts of the rules files, memories and note of a request.

    A large model reads them after AI Server's own rules, the note last; entries of memories that
    were chosen for the intent are before the intent. A small model gets all in one line after the
    intent, because it rarely follows rules anywhere else (``benchmarks/rules_files.py``).
    """
    rules, rules_items = await rules_texts(request.rules_files, style, budget, count)
    total = max(request.memory_count, len(request.memory))
    memory = await memory_texts(request.memory, total, style, budget, count)
    note, note_items = await note_text(request.note, style, count)
    items = [*rules_items, *memory.items, *note_items]
    # If entries are chosen for the intent, their sizes must not change the rest of the prompt.
    reserved = size_of(items if memory.is_complete else [*rules_items, *note_items])
    reserved += 0 if memory.is_complete else budget // SHARE
    if style == "compact":
        introduction = templates.project_rules(style)
        remembered = f" {memory.text}" if rules else f"{introduction} {memory.text}"
        return ProjectTexts("", "", rules + (remembered if memory.text else ""), items, reserved)
    after_rules = [memory.text, note] if memory.is_complete else [note]
    text = rules + "".join(f"\n\n{part}" for part in after_rules if part)
    before_intent = f"{memory.text}\n" if memory.text and not memory.is_complete else ""
    return ProjectTexts(text, before_intent, "", items, reserved)
