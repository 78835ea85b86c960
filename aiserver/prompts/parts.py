"""The parts of a prompt that describe what surrounds the code: headings, variables, data.

Each part is one item of the receipt. A DataFrame has up to three: its columns, their statistics and
its rows. The statistics are in the lines of the columns, so the text with them replaces the text
without them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

from ..requests import DataFrameProfile
from .receipt import ContextItem, ItemKind, size_of

MARK_TOKENS = 15  # for the marks around the parts of one kind


class Part(NamedTuple):
    """A text, and its item in the receipt. A part of ``max_tokens`` or more is left out.

    If the text is shown as the output of a cell, ``code`` is the code of this cell. A part that the
    request mentions by ``@`` ``is_required``.
    """

    item: ContextItem
    text: str
    code: str = ""
    is_required: bool = False
    max_tokens: int | None = None

    @property
    def counted(self) -> str:
        """The text whose tokens are counted."""
        return f"{self.code}\n{self.text}" if self.code else self.text


def frame_parts(
    frame: DataFrameProfile,
    columns_text: Callable[[DataFrameProfile], str],
    rows: str,
    code: str = "",
) -> list[Part]:
    """Return the parts of a DataFrame: its columns, also with their statistics, and its rows."""
    columns = [column.model_copy(update={"statistics": None}) for column in frame.columns]
    without = columns_text(frame.model_copy(update={"columns": columns}))
    item = ContextItem("dataframe", frame.name, level="schema")
    parts = [Part(item, without, code)]
    if (with_statistics := columns_text(frame)) != without:
        parts.append(Part(replace(item, level="statistics"), with_statistics, code))
    if frame.sample and rows:
        parts.append(Part(replace(item, level="sample", count=len(frame.sample.rows)), rows))
    return parts


def select_parts(
    parts: Sequence[Part], sizes: Sequence[int], room: int
) -> tuple[list[Part], list[ContextItem]]:
    """Return the parts to put into the prompt, and the receipt of all parts.

    The columns of DataFrames and variables are always included, because the person saw them before
    sending the request. ``room`` is the number of tokens that the required texts leave in the
    budget. Statistics and rows of DataFrames get at most half of the tokens that the columns and
    variables leave, files and texts of plugins half of the rest.
    """
    sizes = list(sizes)
    for index, part in enumerate(parts):
        if part.item.level == "statistics":
            sizes[index] = max(0, sizes[index] - sizes[index - 1])  # without the columns
    values = _fitting_values(parts, sizes, room)
    files_room = (room - sum(sizes[index] for index in values)) // 2
    shown: list[Part] = []
    items = []
    for index, (part, size) in enumerate(zip(parts, sizes, strict=True)):
        is_included = part.max_tokens is None or size < part.max_tokens
        if part.item.kind in ("file", "plugin"):
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
    """Return the indexes of the values that fit: all statistics, then rows, in order."""
    levels = [part.item.level for part in parts]
    values = [index for index, level in enumerate(levels) if level in ("statistics", "sample")]
    values.sort(key=lambda index: levels[index] == "sample")
    required = ("dataframe", "variables")
    room -= sum(
        size
        for index, size in enumerate(sizes)
        if parts[index].item.kind in required and index not in values
    )
    room //= 2
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


def texts_of(parts: Iterable[Part], kind: ItemKind) -> str:
    """Return the texts of the parts of one kind."""
    return "\n".join(part.text for part in parts if part.item.kind == kind)
