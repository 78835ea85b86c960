"""Read JSON Lines files. Damaged lines are reported, and all undamaged lines are read."""

from __future__ import annotations

from typing import Any

from .base import UnreadableInput, decode_text, loads


def objects_in_lines(data: bytes) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the lines' JSON objects, and a message about each line that isn't a JSON object.

    Blank lines are skipped.
    """
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        data = decode_text(data).encode("utf-8", "surrogatepass")
    objects: list[dict[str, Any]] = []
    problems: list[str] = []
    for number, line in enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            value = loads(decode_text(line))
            if not isinstance(value, dict):
                raise UnreadableInput("not a JSON object")
            objects.append(value)
        except UnreadableInput as reason:
            problems.append(f"line {number}: {reason}")
    return objects, problems
