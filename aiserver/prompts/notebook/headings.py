"""Find the Markdown headings above a cell, which say what it is about. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ...requests import ContextCell

MAX_LEVELS = 3
MAX_LENGTH = 120  # characters; longer headings are cut off
SEPARATOR = " > "
_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]+(.*)$")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)$")


def heading_path(cells: Sequence[ContextCell]) -> str:
    """Return the nearest heading and its parents: ``Results > Prices``, or ""."""
    path: list[str] = []
    level = 7
    for cell in reversed(cells):
        if cell.cell_type != "markdown" or "#" not in cell.source:
            continue
        for heading_level, text in reversed(list(headings(cell.source))):
            if heading_level < level:
                level = heading_level
                path.append(text)
            if len(path) == MAX_LEVELS or level == 1:
                return SEPARATOR.join(reversed(path))
    return SEPARATOR.join(reversed(path))


def headings(source: str, max_length: int = MAX_LENGTH) -> Iterator[tuple[int, str]]:
    """Yield the level and the text of each heading, not those in code blocks."""
    fence = ""
    for line in source.splitlines():
        if match := _FENCE.match(line):
            marks, info = match[1], match[2]
            if not fence:
                fence = marks
            elif marks.startswith(fence) and not info.strip():
                fence = ""
        elif not fence and (match := _HEADING.match(line)):
            words = match[2].split()
            if words and not words[-1].strip("#"):  # as in `# Prices #`
                words.pop()
            text = " ".join(words)[:max_length]
            if text:
                yield len(match[1]), text
