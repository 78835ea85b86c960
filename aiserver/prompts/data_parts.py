"""The parts of a prompt that describe what surrounds the code: headings, variables, data.

Each part is one item of the receipt. In the style ``full``, all parts of one kind are between one
pair of marks (``marked`` in ``fence.py``). In the style ``compact``, each part is a line in the
person's message, because a small model imitates what it reads in a block of code. The line of a
DataFrame looks like the output of a cell that prints the DataFrame's dtypes. The prompt also
contains the code of this cell, so that the model uses the name of the DataFrame's variable. In the
style ``compact``, variables that aren't DataFrames are left out, unless the intent mentions them by
``@``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

from . import templates
from .fence import marked
from .language import CellLanguage
from .mentions import is_mentioned
from .notebook.headings import heading_path
from .prompt_input import PromptInput
from .receipt import ContextItem, ItemKind, size_of
from .templates import Style

MARK_TOKENS = 15  # for the marks around the parts of one kind
MAX_SECTION_TOKENS = 30  # a small model gets the headings only if they are shorter
_MARKS: dict[ItemKind, str] = {
    "headings": "section",
    "variables": "variables",
    "dataframe": "data",
    "file": "files",
}


class Part(NamedTuple):
    """A text, and its item in the receipt.

    If the prompt presents the text as the output of a cell, ``code`` is the code of this cell.
    """

    item: ContextItem
    text: str
    code: str = ""
    is_required: bool = False
    """Whether the part must not be left out, because the intent mentions it by ``@``."""

    @property
    def counted(self) -> str:
        """The text whose tokens are counted."""
        return f"{self.code}\n{self.text}" if self.code else self.text


def data_parts(request: PromptInput, style: Style, language: CellLanguage) -> list[Part]:
    """Return the parts in the order in which the receipt lists them."""
    is_full = style == "full"
    parts = []
    if path := heading_path(request.cells):
        text = path if is_full else templates.section(path)
        parts.append(Part(ContextItem("headings", path), text))
    variables = [
        item for item in request.variables if is_full or is_mentioned(item.name, request.intent)
    ]
    if variables:
        item = ContextItem("variables", count=len(variables))
        parts.append(Part(item, templates.variables(variables)))
    for frame in request.dataframes:
        item = ContextItem("dataframe", frame.name)
        if is_full:
            parts.append(Part(item, templates.data_frame(frame)))
        else:
            code, output = templates.data_frame_as_output(frame)
            parts.append(Part(item, output, code))
    for file in request.files:
        text = templates.data_file(file) if is_full else templates.data_file_as_line(file, language)
        is_required = is_mentioned(file.name, request.intent)
        parts.append(Part(ContextItem("file", file.name), text, is_required=is_required))
    return parts


def select_parts(
    parts: Sequence[Part], sizes: Sequence[int], style: Style, room: int
) -> tuple[list[Part], list[ContextItem]]:
    """Return the parts to put into the prompt, and the receipt of all parts.

    DataFrames and variables are always included, because the person saw them before sending the
    request. ``room`` is the number of tokens that the required texts leave in the budget. Files get
    at most half of these tokens, unless the intent mentions them by ``@``.
    """
    shown, items = [], []
    files_room = room // 2
    for part, size in zip(parts, sizes, strict=True):
        is_included = True
        if part.item.kind == "headings" and style == "compact":
            is_included = size < MAX_SECTION_TOKENS
        elif part.item.kind == "file":
            is_included = part.is_required or size <= files_room
            files_room -= size if is_included else 0
        if is_included:
            shown.append(part)
        items.append(replace(part.item, tokens=size, is_included=is_included))
    return shown, items


def parts_size(items: Sequence[ContextItem]) -> int:
    """Return the number of tokens of the parts in the prompt, with their marks."""
    kinds = {item.kind for item in items if item.is_included}
    return size_of(items) + MARK_TOKENS * len(kinds)


def code_of(parts: Iterable[Part]) -> str:
    """Return the code of a cell that would print the DataFrames in ``parts``; may be empty."""
    return "\n".join(part.code for part in parts if part.code)


def texts_of(parts: Iterable[Part], kind: ItemKind) -> str:
    """Return the texts of the parts of one kind."""
    return "\n".join(part.text for part in parts if part.item.kind == kind)


def marked_texts(parts: Sequence[Part], *kinds: ItemKind) -> str:
    """Return the texts of the parts of these kinds, with marks around the texts of each kind."""
    texts = ((kind, texts_of(parts, kind)) for kind in kinds)
    return "\n".join(marked(_MARKS[kind], text) for kind, text in texts if text)
