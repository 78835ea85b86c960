"""Split files with git's conflict marks into their sides. Pure.

Supports all of git's styles (merge, diff3, zdiff3). In session files and logs, no line of text can
look like a mark, since strings contain no line breaks. Marks may be longer than seven characters
(``conflict-marker-size``); all marks of a file have the length of the first one, and longer ones
belong to a merge within the base.
"""

from __future__ import annotations

import hashlib
import re
from typing import Literal, NamedTuple

_MARK = re.compile(r"(<+|\|+|=+|>+)(?: (.*?))?\r?")
_BEGIN = re.compile(rb"^(<{7,}) .*", re.MULTILINE)
_END = re.compile(rb"^>{7,} .*", re.MULTILINE)

Part = Literal["both", "ours", "base", "theirs"]


class Line(NamedTuple):
    """A line, its side, and the id of the merge that left the conflict."""

    text: bytes
    part: Part
    merge_id: str


def has_marks(data: bytes) -> bool:
    """Return whether these bytes contain an unresolved conflict."""
    return b"<<<<<<< " in data and bool(_BEGIN.search(data) and _END.search(data))


def split_lines(data: bytes) -> list[Line]:
    """Return the lines without the marks."""
    lines: list[Line] = []
    part: Part = "both"
    begin = _BEGIN.search(data)
    size = len(begin[1]) if begin else 7
    texts = data.split(b"\n")
    marks = [_parse_mark(text, size) for text in texts]
    merge_id = ""
    for index, (text, mark) in enumerate(zip(texts, marks, strict=True)):
        sign, label = mark or ("", "")
        if sign == "<" and part == "both":
            part = "ours"
            end = next((other[1] for other in marks[index + 1 :] if other and other[0] == ">"), "")
            merge_id = hashlib.sha256(f"{label}\n{end}".encode()).hexdigest()[:16]
        elif sign == "|" and part == "ours":
            part = "base"
        elif sign == "=" and part in ("ours", "base"):
            part = "theirs"
        elif sign == ">" and part == "theirs":
            part = "both"
        else:
            lines.append(Line(text, part, merge_id if part == "theirs" else ""))
    return lines


def split_sides(data: bytes) -> tuple[bytes, bytes, str]:
    """Return our side, their side, and the id of the (last) merge."""
    lines = split_lines(data)
    ours = b"\n".join(line.text for line in lines if line.part in ("both", "ours"))
    theirs = b"\n".join(line.text for line in lines if line.part in ("both", "theirs"))
    return ours, theirs, next((line.merge_id for line in reversed(lines) if line.merge_id), "")


def join_sides(ours: bytes, theirs: bytes, marked: bytes) -> bytes:
    """Return two sides as one conflict, with the labels of the marks in ``marked``."""
    begin, end = _BEGIN.search(marked), _END.search(marked)
    size = len(begin[1]) if begin else 7
    return b"\n".join(
        [
            begin[0] if begin else b"<" * size,
            ours.rstrip(b"\n"),
            b"=" * size,
            theirs.rstrip(b"\n"),
            end[0] if end else b">" * size,
            b"",
        ]
    )


def _parse_mark(text: bytes, size: int) -> tuple[str, str] | None:
    """Return the sign and the label of a mark, or None for any other line."""
    if text[:size] not in (b"<" * size, b"|" * size, b"=" * size, b">" * size):
        return None
    match = _MARK.fullmatch(text.decode("utf-8", "replace"))
    return (match[1][0], match[2] or "") if match and len(match[1]) == size else None
