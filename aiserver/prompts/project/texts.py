"""The texts of a prompt that hold beyond one notebook, and their places: rules files, memories."""

from __future__ import annotations

from dataclasses import dataclass

from .. import templates
from ..history import Count
from ..prompt_input import PromptInput
from ..receipt import ContextItem
from ..templates import Style
from .memory import memory_texts
from .rules_files import rules_texts


@dataclass(frozen=True)
class ProjectTexts:
    """The texts, by their places in the prompt, and their items in the receipt."""

    after_rules: str
    before_intent: str
    after_intent: str
    items: list[ContextItem]


async def project_texts(
    request: PromptInput, style: Style, budget: int, count: Count
) -> ProjectTexts:
    """Return the texts of the rules files and memories of a request.

    A large model reads them after AI Server's own rules; entries of memories that were chosen for
    the intent are before the intent. A small model gets all in one line after the intent, because
    it rarely follows rules anywhere else (``benchmarks/rules_files.py``).
    """
    rules, rules_items = await rules_texts(request.rules_files, style, budget, count)
    memory = await memory_texts(request.memory, style, budget, count)
    items = [*rules_items, *memory.items]
    if style == "compact":
        introduction = templates.project_rules(style)
        remembered = f" {memory.text}" if rules else f"{introduction} {memory.text}"
        return ProjectTexts("", "", rules + (remembered if memory.text else ""), items)
    if memory.is_complete:
        separator = "\n\n" if memory.text else ""
        return ProjectTexts(rules + separator + memory.text, "", "", items)
    return ProjectTexts(rules, f"{memory.text}\n" if memory.text else "", "", items)
