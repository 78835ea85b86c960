"""The sides of a file in which git left conflict marks. Pure.

All of git's styles are read (merge, diff3, zdiff3). In session files and logs no text begins a
line as a mark does: line breaks within strings are escaped. Marks may be longer than seven
characters (``conflict-marker-size``); in a file all are as long as the first, and longer ones are
those of a merge within the base.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

_MARK = re.compile(r"(<+|\|+|=+|>+)(?: (.*?))?\r?")
_BEGIN = re.compile(rb"^(<{7,}) ", re.MULTILINE)
_END = re.compile(rb"^>{7,} ", re.MULTILINE)
_BEGIN_LINE = re.compile(rb"^(<{7,}) .*", re.MULTILINE)
_END_LINE = re.compile(rb"^>{7,} .*", re.MULTILINE)

Part = Literal["both", "ours", "base", "theirs"]


class Line(NamedTuple):
    """A line, the side it is of, and the name of the merge that left it."""

    text: bytes
    part: Part
    merge_id: str


def has_marks(data: bytes) -> bool:
    """Whether these bytes hold a conflict that nobody has resolved."""
    return b"<<<<<<< " in data and bool(_BEGIN.search(data) and _END.search(data))


def split_lines(data: bytes) -> list[Line]:
    """The lines without the marks."""
    return list(_split_lines(data.split(b"\n")))


def split_sides(data: bytes) -> tuple[bytes, bytes, str]:
    """Our side, the other one, and the name of the merge (of the last one, if there were more)."""
    lines = split_lines(data)
    ours = b"\n".join(line.text for line in lines if line.part in ("both", "ours"))
    theirs = b"\n".join(line.text for line in lines if line.part in ("both", "theirs"))
    return ours, theirs, next((line.merge_id for line in reversed(lines) if line.merge_id), "")


def join_sides(ours: bytes, theirs: bytes, marked: bytes) -> bytes:
    """Two sides as one conflict, with the names that the marks of another file give them."""
    begin, end = _BEGIN_LINE.search(marked), _END_LINE.search(marked)
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


def _split_lines(texts: list[bytes]) -> Iterator[Line]:
    part: Part = "both"
    begin = next((found for text in texts if (found := _BEGIN.match(text))), None)
    size = len(begin[1]) if begin else 7
    names = [_parse_mark(text, size) for text in texts]
    merge_id = ""
    for place, (text, mark) in enumerate(zip(texts, names, strict=True)):
        sign, label = mark or ("", "")
        if sign == "<" and part == "both":
            part = "ours"
            end = next((two[1] for two in names[place + 1 :] if two and two[0] == ">"), "")
            merge_id = hashlib.sha256(f"{label}\n{end}".encode()).hexdigest()[:16]
        elif sign == "|" and part == "ours":
            part = "base"
        elif sign == "=" and part in ("ours", "base"):
            part = "theirs"
        elif sign == ">" and part == "theirs":
            part = "both"
        else:
            yield Line(text, part, merge_id if part == "theirs" else "")


def _parse_mark(text: bytes, size: int) -> tuple[str, str] | None:
    """The sign of a mark and its label."""
    if text[:size] not in (b"<" * size, b"|" * size, b"=" * size, b">" * size):
        return None
    match = _MARK.fullmatch(text.decode("utf-8", "replace"))
    return (match[1][0], match[2] or "") if match and len(match[1]) == size else None
