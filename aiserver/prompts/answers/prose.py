"""Find the text for a Markdown or raw cell in an answer, in which fences may be part of the text.

The prompt asks for fences of four backticks around the text, so that three are a part of it. Some
models use three, too, or none. In all cases, the code blocks in the text are preserved.

In an outer block of three backticks, a fence with a tag or with more backticks opens an inner
block, which the next fence without a tag closes. Otherwise, a fence of three backticks without a
tag opens an inner block if the next fence has no tag either, and else closes the outer block.
"""

from __future__ import annotations

import re

from ..language import fence_name

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,}(?!~))([^`]*)$")
# A first line with Markdown belongs to the cell's text; another may be an introduction such as
# "Sure, here it is".
_MARKDOWN = re.compile(r" {0,3}(#{1,6}\s|[-*+>|$<!]|\d+[.)]\s|\*\*|---|\[)")

_Fences = list[tuple[int, str, str]]
"""The fences of an answer: each one's line, its backticks or tildes, and its tag."""


def split_prose(text: str, language: str) -> tuple[str, str]:
    """Return the cell's text and the explanation. ``language`` is ``markdown`` or ``text``."""
    lines = text.split("\n")
    fences = _fences(lines)
    opening = _opening_fence(lines, fences, language)
    if opening is None:
        return text.strip("\n"), ""
    first, ticks, _ = fences[opening]
    last = _closing_line(ticks, fences[opening + 1 :], len(lines))
    if last == len(lines) and re.fullmatch(r" {0,3}[`~]+", lines[-1]):
        lines = lines[:-1]  # an incomplete closing fence
    explanation = "\n".join([*lines[:first], *lines[last + 1 :]])
    return "\n".join(lines[first + 1 : last]).strip("\n"), explanation.strip()


def is_settled(text: str, language: str) -> bool:
    """Return whether it is clear where the cell's text begins."""
    lines = text.split("\n")
    return _begins_text(lines) or _opening_fence(lines, _fences(lines), language) is not None


def _fences(lines: list[str]) -> _Fences:
    return [
        (number, match[1], next(iter(match[2].split()), "").strip("{}.,"))
        for number, line in enumerate(lines)
        if (match := _FENCE.match(line))
    ]


def _begins_text(lines: list[str]) -> bool:
    return bool(_MARKDOWN.match(next((line for line in lines if line.strip()), "")))


def _opening_fence(lines: list[str], fences: _Fences, language: str) -> int | None:
    first_line = next((n for n, line in enumerate(lines) if line.strip()), 0)
    begins_text = _begins_text(lines)
    for index, (number, ticks, tag) in enumerate(fences):
        is_first = number == first_line
        if begins_text and not is_first:
            return None
        if len(ticks) > 3 or (tag and fence_name(tag) == language):
            return index
        if is_first:
            return index if not tag or language == "text" else None
    return None


def _closing_line(outer: str, fences: _Fences, end: int) -> int:
    inner = ""
    for index, (number, ticks, tag) in enumerate(fences):
        is_closing = not tag and ticks[0] == (inner or outer)[0]
        if inner:
            if is_closing and len(ticks) >= len(inner):
                inner = ""
        elif len(outer) > 3 or outer[0] == "~":
            if is_closing and len(ticks) >= len(outer):
                return number
        elif (
            tag
            or len(ticks) > 3
            or ticks[0] != outer[0]
            or (index + 1 < len(fences) and not fences[index + 1][2])
        ):
            inner = ticks
        else:
            return number
    return end
