"""Texts for large and small models."""

from __future__ import annotations

from collections.abc import Sequence

from ..requests import Variable
from .prompt_input import PromptInput

ANOTHER_ANSWER = "Your last answer isn't what I need. Write it in another way."
FAILED = "# This cell failed when it was last run."
PROSE_CELLS = {
    "markdown": {"kind": "Markdown cell", "markup": "Markdown"},
    "text": {
        "kind": "raw cell, which is neither run nor rendered",
        "markup": "plain text, or the markup that it uses",
    },
}


def another_answer(request: PromptInput) -> str:
    """Return the line for a repeated request, which differs each time."""
    count = request.earlier_answers
    if count > 1:
        return f"\n{ANOTHER_ANSWER.replace('answer isn', f'{count} answers aren')}"
    return f"\n{ANOTHER_ANSWER}" if count else ""


def variables(items: Sequence[Variable]) -> str:
    """Return a line for each variable."""
    return "\n".join(f"{in_line(item.name)}: {in_line(item.kind)}" for item in items)


def in_line(text: str) -> str:
    """Return a text in one line."""
    return " ".join(text.split())
