"""The texts of a prompt that hold beyond one notebook, and their places: rules files, memories."""

from __future__ import annotations

from dataclasses import dataclass

from .. import templates
from ..history import Count
from ..prompt_input import PromptInput
from ..receipt import ContextItem, size_of
from ..templates import Style
from .memory import SHARE, memory_texts
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
    """Return the texts of the rules files and memories of a request.

    A large model reads them after AI Server's own rules; entries of memories that were chosen for
    the intent are before the intent. A small model gets all in one line after the intent, because
    it rarely follows rules anywhere else (``benchmarks/rules_files.py``).
    """
    rules, rules_items = await rules_texts(request.rules_files, style, budget, count)
    total = max(request.memory_count, len(request.memory))
    memory = await memory_texts(request.memory, total, style, budget, count)
    items = [*rules_items, *memory.items]
    # If entries are chosen for the intent, their sizes must not change the rest of the prompt.
    reserved = size_of(items if memory.is_complete else rules_items)
    reserved += 0 if memory.is_complete else budget // SHARE
    if style == "compact":
        introduction = templates.project_rules(style)
        remembered = f" {memory.text}" if rules else f"{introduction} {memory.text}"
        return ProjectTexts("", "", rules + (remembered if memory.text else ""), items, reserved)
    if memory.is_complete:
        separator = "\n\n" if memory.text else ""
        return ProjectTexts(rules + separator + memory.text, "", "", items, reserved)
    return ProjectTexts(rules, f"{memory.text}\n" if memory.text else "", "", items, reserved)
