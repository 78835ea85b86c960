"""Close the JSON objects that git left open when it merged a session file by lines. Pure.

If a user accepts both sides of a conflict, the lines of the record from our branch come first, and
then the lines of the record from the other branch. But if both records end with the same lines, git
writes these lines only once, after the second record. So the first record may lack its last lines.
In this example, the first object lacks two lines::

    "user_request": {
      "intent": "our request",
    "user_request": {
      "intent": "their request",
      "language": "python"
    }

The indentation shows where our object ends: the lines of an object are indented further than the
line that opens it.

A text is rejected if one of its records may mix lines of two records. This is assumed if the record
has duplicate keys but only one timestamp. A record with all lines of two records would have two
timestamps, because records of different branches have different timestamps.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field

_LINE = re.compile(r'( *)(?:"((?:[^"\\]|\\.)*)": )?(.*?),?\r?')
_CLOSERS = {"{": "}", "[": "]"}


@dataclass
class _OpenObject:
    """A JSON object or list whose end hasn't been read yet."""

    indent: int  # the number of spaces at the start of the line that opens it
    closer: str  # the bracket that closes it
    key: str | None  # its key in the outer object
    keys: Counter[str] = field(default_factory=Counter)
    expected_keys: set[str] = field(default_factory=set)
    """The keys of nested objects that lacked their closing bracket. Each of these keys must occur
    again in this object, because the nested object of the other side must follow."""
    has_duplicates: bool = False
    """Whether the object, or a nested object that isn't a record, has duplicate keys."""

    @property
    def is_sound(self) -> bool:
        """Whether the object can be the result of merging two valid files by lines."""
        is_mixed = self.has_duplicates and self.keys["timestamp"] == 1
        return not (self.expected_keys or is_mixed)


def close_objects(text: str) -> str | None:
    """Return the text with all objects closed.

    Return None if a merge by lines can't have produced the text.
    """
    lines: list[str] = []
    stack = [_OpenObject(-1, "", None)]  # the first item represents the text around all objects

    def close(*, is_forced: bool) -> bool:
        """Close the innermost open object; return whether the text is sound so far.

        ``is_forced`` means that the text lacks the closing bracket of this object.
        """
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
            return None  # AI Server writes each opening bracket at the end of a line
        indent, key, value = len(match[1]), match[2], match[3]
        is_end = value in ("}", "]")
        # Close the objects to which this line can't belong. A closing bracket has the indentation
        # of its object; any other line is indented further than its object.
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
    """Return the lines with commas between the items of objects and lists."""
    result: list[str] = []
    for line in lines:
        if result and line not in ("}", "]") and result[-1][-1] not in "{[":
            result.append(",")
        result.append(line)
    return "\n".join(result)
