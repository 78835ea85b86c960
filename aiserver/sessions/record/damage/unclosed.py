"""Close the JSON objects that git left open when it merged a session file by lines. Pure.

If a user accepts both sides of a conflict, the lines of two records follow each other, but git has
written the lines that both sides share only once. So an object of our side lacks its end, and its
key follows again with the object of their side. The indentation shows this: if a line isn't
indented further than the line that opened an object, it isn't part of that object.

A text is rejected if git may have mixed lines of two records, that is if a record has duplicate
keys but only one timestamp. Records of different branches never have the same timestamp.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field

_LINE = re.compile(r'( *)(?:"((?:[^"\\]|\\.)*)": )?(.*?),?\r?')
_CLOSERS = {"{": "}", "[": "]"}


@dataclass
class _OpenObject:
    indent: int
    closer: str
    key: str | None
    keys: Counter[str] = field(default_factory=Counter)
    expected_keys: set[str] = field(default_factory=set)  # keys that must occur again
    has_duplicates: bool = False  # duplicate keys, here or in a nested object

    @property
    def is_sound(self) -> bool:
        """Whether the object can be the result of merging two valid files by lines."""
        is_mixed = self.has_duplicates and self.keys["timestamp"] == 1
        return not (self.expected_keys or is_mixed)


def close_objects(text: str) -> str | None:
    """Return the text with all objects closed, or None if merging by lines can't cause it."""
    lines: list[str] = []
    stack = [_OpenObject(-1, "", None)]

    def close(*, is_forced: bool) -> bool:
        """Close the last object; return whether it is sound. Forced: its end is missing."""
        closed_object = stack.pop()
        lines.append(closed_object.closer)
        if is_forced:
            stack[-1].expected_keys.add(closed_object.key or "")
        stack[-1].has_duplicates |= (
            closed_object.has_duplicates and "timestamp" not in closed_object.keys
        )
        return closed_object.is_sound and (not is_forced or closed_object.key is not None)

    for text_line in text.split("\n"):
        match = _LINE.fullmatch(text_line)
        if match is None or not match[3]:
            continue
        if match[3][0] in _CLOSERS and len(match[3]) > 1 and match[3] not in ("{}", "[]"):
            return None  # not the layout of our files
        indent, key, value = len(match[1]), match[2], match[3]
        is_end = value in ("}", "]")
        while len(stack) > 1 and stack[-1].indent >= indent + is_end:
            if not close(is_forced=True):
                return None
        if is_end:
            if (
                stack[-1].indent != indent
                or stack[-1].closer != value
                or not close(is_forced=False)
            ):
                return None
            continue
        if key is not None:
            stack[-1].expected_keys.discard(key)
            stack[-1].keys[key] += 1
            stack[-1].has_duplicates |= stack[-1].keys[key] > 1
        lines.append(f'"{key}": {value}' if key is not None else value)
        if value in _CLOSERS:
            stack.append(_OpenObject(indent, _CLOSERS[value], key))
    return _join_lines(lines) if len(stack) == 1 else None


def _join_lines(lines: list[str]) -> str:
    parts: list[str] = []
    for line in lines:
        if parts and line not in ("}", "]") and parts[-1][-1] not in "{[":
            parts.append(",")
        parts.append(line)
    return "\n".join(parts)
