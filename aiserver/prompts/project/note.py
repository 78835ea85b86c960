"""The note of a notebook as a text of the prompt.

Invariants: the text is between marks that it can't close. It doesn't depend on the intent.
"""

from __future__ import annotations

from .. import templates
from ..fence import marked
from ..history import Count
from ..receipt import ContextItem
from ..templates import Style

_KIND = "note"
_LABEL = "Notebook: "


def labelled(note: str) -> str:
    """Return a note as prompts contain it."""
    return _LABEL + note


def closed(note: str) -> str:
    """Return a note with the beginning of its closing mark, to find stored prompts with it.

    Otherwise, a note would be found in prompts with a longer one that begins in the same way.
    """
    return f"{labelled(note)}\n</{_KIND}"


async def note_text(note: str, style: Style, count: Count) -> tuple[str, list[ContextItem]]:
    """Return the text, and its item in the receipt. It is empty in the style ``compact``.

    There, further lines of the memory cost right answers (``python -m benchmarks.memory``), and so
    may a note.
    """
    if not note or style == "compact":
        return "", []
    text = templates.NOTE + marked(_KIND, labelled(note))
    [size] = await count([text])
    return text, [ContextItem("note", tokens=size)]
