"""Files with a JSON object a line. A damaged line is said, and the others are read."""

from __future__ import annotations

from typing import Any

from .base import NotUnderstood, decoded, loads


def lines_of(data: bytes) -> tuple[list[dict[str, Any]], list[str]]:
    """The objects, and what is to be said of the lines that are none."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        data = decoded(data).encode("utf-8", "surrogatepass")
    found: list[dict[str, Any]] = []
    complaints: list[str] = []
    for number, line in enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            value = loads(decoded(line))
            if not isinstance(value, dict):
                raise NotUnderstood("not a JSON object")
            found.append(value)
        except NotUnderstood as reason:
            complaints.append(f"line {number}: {reason}")
    return found, complaints
