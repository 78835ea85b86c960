"""Split files with git's conflict markers into our side and their side. Pure.

All of git's styles are supported (merge, diff3, zdiff3). In session files and logs, no other line
can look like a marker, because strings in JSON contain no line breaks. Markers may be longer than
seven characters (git's attribute ``conflict-marker-size``).

A line counts as a marker only if it is as long as the file's first marker. Git also writes longer
markers, for a conflict inside the base (the common ancestor of both sides). They are treated as
ordinary lines.
"""

from __future__ import annotations

import hashlib
import re
from typing import Literal, NamedTuple

_MARKER = re.compile(r"(<+|\|+|=+|>+)(?: (.*?))?\r?")
_BEGIN = re.compile(rb"^(<{7,}) .*", re.MULTILINE)
_END = re.compile(rb"^>{7,} .*", re.MULTILINE)

Side = Literal["both", "ours", "base", "theirs"]


class Line(NamedTuple):
    """A line of a file with conflict markers."""

    text: bytes
    side: Side
    """The side to which the line belongs; ``both`` for a line outside of a conflict."""
    merge_id: str
    """For a line of their side, the id of the merge that left the conflict; otherwise empty."""


def has_markers(data: bytes) -> bool:
    """Return whether these bytes contain an unresolved conflict."""
    return b"<<<<<<< " in data and bool(_BEGIN.search(data) and _END.search(data))


def split_lines(data: bytes) -> list[Line]:
    """Return all lines of a file except the markers, each with its side."""
    lines: list[Line] = []
    side: Side = "both"
    begin = _BEGIN.search(data)
    size = len(begin[1]) if begin else 7
    texts = data.split(b"\n")
    markers = [_parse_marker(text, size) for text in texts]
    merge_id = ""
    for index, (text, marker) in enumerate(zip(texts, markers, strict=True)):
        character, label = marker or ("", "")
        if character == "<" and side == "both":
            side = "ours"
            # The labels after the first and the last marker of a conflict are names of branches or
            # commits. Together they identify the merge.
            end_labels = (end[1] for end in markers[index + 1 :] if end and end[0] == ">")
            labels = f"{label}\n{next(end_labels, '')}"
            merge_id = hashlib.sha256(labels.encode()).hexdigest()[:16]
        elif character == "|" and side == "ours":
            side = "base"
        elif character == "=" and side in ("ours", "base"):
            side = "theirs"
        elif character == ">" and side == "theirs":
            side = "both"
        else:
            lines.append(Line(text, side, merge_id if side == "theirs" else ""))
    return lines


def split_sides(data: bytes) -> tuple[bytes, bytes, str]:
    """Return our side, their side, and the id of the merge.

    If several merges left conflicts, return the id of the last merge.
    """
    lines = split_lines(data)
    ours = b"\n".join(line.text for line in lines if line.side in ("both", "ours"))
    theirs = b"\n".join(line.text for line in lines if line.side in ("both", "theirs"))
    return ours, theirs, next((line.merge_id for line in reversed(lines) if line.merge_id), "")


def join_sides(ours: bytes, theirs: bytes, marked: bytes) -> bytes:
    """Return a file that consists of one conflict between two sides.

    The conflict's first and last markers are copied from the first conflict in ``marked``.
    """
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


def _parse_marker(text: bytes, size: int) -> tuple[str, str] | None:
    """Return the character and the label of a marker, or None if the line isn't a marker.

    ``size`` is the length of the file's markers. For the size 7, ``<<<<<<< main`` -> ``("<",
    "main")``.
    """
    if text[:size] not in (b"<" * size, b"|" * size, b"=" * size, b">" * size):
        return None
    match = _MARKER.fullmatch(text.decode("utf-8", "replace"))
    return (match[1][0], match[2] or "") if match and len(match[1]) == size else None
