"""Read JSON Lines files. A damaged line is reported, and the others are read."""

from __future__ import annotations

from typing import Any

from .base import UnreadableSource, decode_text, loads


def lines_of(data: bytes) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the objects, and a message for each line that isn't one."""
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
                raise UnreadableSource("not a JSON object")
            objects.append(value)
        except UnreadableSource as reason:
            problems.append(f"line {number}: {reason}")
    return objects, problems
