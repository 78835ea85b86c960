"""Closes objects that a merge by lines has left open in a session file. Pure.

Where both sides of a conflict are accepted, the lines of two records are written into one, and git
writes the lines that both sides have once. So an object of ours lacks its end, and the same key
follows again with the object of the other side. The layout of the files tells: a line that stands
as far left as the one that opened an object is not in it.

A text is refused where git may have put lines of one record into another: where a record has a key
twice, but its time only once. No two records of two branches have the same.
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
    expected_keys: set[str] = field(default_factory=set)  # keys that must follow again
    has_duplicates: bool = False  # a key, here or in an object in it

    @property
    def is_sound(self) -> bool:
        is_mixed = self.has_duplicates and self.keys["timestamp"] == 1
        return not (self.expected_keys or is_mixed)


def close_objects(text: str) -> str | None:
    """The text with all objects closed; None if it isn't one that a merge by lines has left."""
    lines: list[str] = []
    stack = [_OpenObject(-1, "", None)]

    def close(forced: bool) -> bool:
        one = stack.pop()
        lines.append(one.closer)
        if forced:
            stack[-1].expected_keys.add(one.key or "")
        stack[-1].has_duplicates |= one.has_duplicates and "timestamp" not in one.keys
        return one.is_sound and (not forced or one.key is not None)

    for text_line in text.split("\n"):
        match = _LINE.fullmatch(text_line)
        if match is None or not match[3]:
            continue
        if match[3][0] in _CLOSERS and len(match[3]) > 1 and match[3] not in ("{}", "[]"):
            return None  # not the layout of our files
        indent, key, rest = len(match[1]), match[2], match[3]
        is_end = rest in ("}", "]")
        while len(stack) > 1 and stack[-1].indent >= indent + is_end:
            if not close(forced=True):
                return None
        if is_end:
            if stack[-1].indent != indent or stack[-1].closer != rest or not close(forced=False):
                return None
            continue
        if key is not None:
            stack[-1].expected_keys.discard(key)
            stack[-1].keys[key] += 1
            stack[-1].has_duplicates |= stack[-1].keys[key] > 1
        lines.append(f'"{key}": {rest}' if key is not None else rest)
        if rest in _CLOSERS:
            stack.append(_OpenObject(indent, _CLOSERS[rest], key))
    return _join_lines(lines) if len(stack) == 1 else None


def _join_lines(lines: list[str]) -> str:
    parts: list[str] = []
    for line in lines:
        if parts and line not in ("}", "]") and parts[-1][-1] not in "{[":
            parts.append(",")
        parts.append(line)
    return "\n".join(parts)
