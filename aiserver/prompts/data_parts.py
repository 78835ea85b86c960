"""The parts of a prompt that describe what surrounds the code: headings, variables, data.

Each part is one item of the receipt. In the style ``full``, all parts of one kind are between one
pair of marks (``marked`` in ``fence.py``). In the style ``compact``, each part is a line in the
person's message, because a small model imitates what it reads in a block of code. The line of a
DataFrame looks like the output of a cell that prints the DataFrame's dtypes. The prompt also
contains the code of this cell, so that the model uses the name of the DataFrame's variable. In the
style ``compact``, variables that aren't DataFrames are left out, unless the intent mentions them by
``@``.

A DataFrame has up to three items in the receipt: its columns, their statistics and its rows. The
statistics are in the lines of the columns, so the text with them replaces the text without them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

from ..requests import DataFrameProfile
from . import data_texts, templates
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
    "plugin": "more",
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
    intent = request.parsed.intent
    variables = [item for item in request.variables if is_full or is_mentioned(item.name, intent)]
    if variables:
        item = ContextItem("variables", count=len(variables))
        parts.append(Part(item, templates.variables(variables)))
    for frame in request.dataframes:
        parts += frame_parts(frame, style)
    for file in request.files:
        text = (
            data_texts.data_file(file) if is_full else data_texts.data_file_as_line(file, language)
        )
        is_required = is_mentioned(file.name, intent)
        parts.append(Part(ContextItem("file", file.name), text, is_required=is_required))
    for name, text in ((item.name, item.text) for item in request.plugin_texts):
        shown = f"{name}:\n{text}" if is_full else f"{name}: {' '.join(text.split())}"
        parts.append(Part(ContextItem("plugin", name), shown))
    return parts


def frame_parts(frame: DataFrameProfile, style: Style) -> list[Part]:
    """Return the parts of a DataFrame: its columns, also with their statistics, and its rows."""
    columns = [column.model_copy(update={"statistics": None}) for column in frame.columns]
    code, output = _frame_texts(frame.model_copy(update={"columns": columns}), style)
    parts = [Part(ContextItem("dataframe", frame.name, level="schema"), output, code)]
    _, output_with_statistics = _frame_texts(frame, style)
    if output_with_statistics != output:
        item = ContextItem("dataframe", frame.name, level="statistics")
        parts.append(Part(item, output_with_statistics, code))
    if frame.sample and (rows := data_texts.data_frame_rows(frame, style)):
        count = len(frame.sample.rows)
        parts.append(Part(ContextItem("dataframe", frame.name, level="sample", count=count), rows))
    return parts


def _frame_texts(frame: DataFrameProfile, style: Style) -> tuple[str, str]:
    return (
        ("", data_texts.data_frame(frame))
        if style == "full"
        else data_texts.data_frame_as_output(frame)
    )


def select_parts(
    parts: Sequence[Part], sizes: Sequence[int], style: Style, room: int
) -> tuple[list[Part], list[ContextItem]]:
    """Return the parts to put into the prompt, and the receipt of all parts.

    The columns of DataFrames and variables are always included, because the person saw them before
    sending the request. ``room`` is the number of tokens that the required texts leave in the
    budget. Statistics and rows of DataFrames get at most half of the tokens that the columns and
    variables leave. Files and texts of plugins get at most half of the remaining tokens, unless the
    intent mentions a file by ``@``.
    """
    sizes = list(sizes)
    for index, part in enumerate(parts):
        if part.item.level == "statistics":
            sizes[index] = max(0, sizes[index] - sizes[index - 1])  # without the columns
    values = _fitting_values(parts, sizes, room)
    shown: list[Part] = []
    items = []
    files_room = (room - sum(sizes[index] for index in values)) // 2
    for index, (part, size) in enumerate(zip(parts, sizes, strict=True)):
        is_included = True
        if part.item.kind == "headings" and style == "compact":
            is_included = size < MAX_SECTION_TOKENS
        elif part.item.kind in ("file", "plugin"):
            is_included = part.is_required or size <= files_room
            files_room -= size if is_included else 0
        elif part.item.level in ("statistics", "sample"):
            is_included = index in values
        if is_included and part.item.level == "statistics":
            shown[-1] = part  # it contains the columns, too
        elif is_included:
            shown.append(part)
        items.append(replace(part.item, tokens=size, is_included=is_included))
    return shown, items


def _fitting_values(parts: Sequence[Part], sizes: Sequence[int], room: int) -> set[int]:
    """Return the indexes of the statistics and rows that fit.

    Rows are left out before any statistics, and those of later DataFrames before those of earlier
    ones.
    """
    required = ("dataframe", "variables")
    levels = [part.item.level for part in parts]
    values = [index for index, level in enumerate(levels) if level in ("statistics", "sample")]
    values.sort(key=lambda index: levels[index] == "sample")
    columns_size = sum(
        size
        for index, size in enumerate(sizes)
        if parts[index].item.kind in required and index not in values
    )
    room = (room - columns_size) // 2
    fitting: set[int] = set()
    for index in values:
        room -= sizes[index]
        if room < 0:
            break
        fitting.add(index)
    return fitting


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
