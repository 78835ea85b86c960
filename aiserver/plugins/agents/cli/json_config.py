"""Settings in JSON: Claude Code's, Gemini CLI's and opencode's."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from .config_formats import NAME, Entry, Unsuitable, newline_of, without_entry

_SPACE = " \t\r\n"
_BOM = "\ufeff"


class Member(NamedTuple):
    """A member of an object: offsets of its key, of its value, and of the end of its value."""

    key: str
    start: int
    value: int
    end: int


class JSONConfig:
    """A JSON file with the entries of servers in the object ``section``."""

    def __init__(self, section: str) -> None:
        self._section = section

    def entry(self, text: str) -> Entry | None:
        """Return the entry with AI Server's name. Raises Unsuitable."""
        section = _parse(text).get(self._section, {})
        entry = section.get(NAME) if isinstance(section, dict) else None
        if not isinstance(section, dict) or not isinstance(entry, dict | None):
            raise Unsuitable(f"has no object “{self._section}”")
        return entry

    def add(self, text: str | None, entry: Entry) -> str:
        """Return a file's text with the entry, or that of a new file. Raises Unsuitable."""
        if text is None:
            return json.dumps({self._section: {NAME: entry}}, indent=2, ensure_ascii=False) + "\n"
        existing = self.entry(text)
        start = _start(text)
        section = _member(text, start, self._section)
        if section is None:
            result = _insert(text, start, self._section, {NAME: entry})
        elif existing is None:
            result = _insert(text, section.value, NAME, entry)
        else:
            old = _member(text, section.value, NAME)
            assert old is not None
            value = _dump(entry, text, _indent(text, old.start))
            result = text[: old.value] + value + text[old.end :]
        if self._rest(result) != self._rest(text) or self.entry(result) != entry:
            raise Unsuitable("has an unexpected structure")
        return result

    def remove(self, text: str) -> str | None:
        """Return the text without the entry; None if ``add`` made the file. Raises Unsuitable."""
        if self.entry(text) is None:
            return text
        start = _start(text)
        section = _member(text, start, self._section)
        assert section is not None
        result = _delete(text, section.value, NAME)
        if result is None:
            result = _delete(text, start, self._section)
        if result is not None and self._rest(result) != self._rest(text):
            raise Unsuitable("has an unexpected structure")
        return result

    def describe(self, entry: Entry) -> str:
        """Return what a person can add to a file by hand."""
        return json.dumps({self._section: {NAME: entry}}, indent=2, ensure_ascii=False)

    def _rest(self, text: str) -> Any:
        return without_entry(_parse(text), (self._section, NAME))


def _parse(text: str) -> dict[str, Any]:
    try:
        data = json.loads(text.removeprefix(_BOM))
    except (ValueError, RecursionError):
        raise Unsuitable("isn’t valid JSON") from None
    if not isinstance(data, dict):
        raise Unsuitable("doesn’t contain an object")
    return data


def _start(text: str) -> int:
    """Return the offset of the outermost object."""
    return text.index("{")


def _members(text: str, start: int) -> Iterator[Member]:
    """Yield the members of the object at ``start``, in valid JSON."""
    scan = json.JSONDecoder().raw_decode
    offset = _skip(text, start + 1)
    while text[offset] != "}":
        key, end = scan(text, offset)
        value = _skip(text, _skip(text, end) + 1)
        _, end_of_value = scan(text, value)
        yield Member(key, offset, value, end_of_value)
        offset = _skip(text, end_of_value)
        if text[offset] == ",":
            offset = _skip(text, offset + 1)


def _member(text: str, start: int, key: str) -> Member | None:
    """Return the member of an object with this key. The last one counts if there are several."""
    matches = [member for member in _members(text, start) if member.key == key]
    return matches[-1] if matches else None


def _skip(text: str, offset: int) -> int:
    while text[offset] in _SPACE:
        offset += 1
    return offset


def _insert(text: str, start: int, key: str, value: Any) -> str:
    """Insert a member at the end of the object at ``start``.

    In an empty object, it directly follows the bracket. By this, ``_delete`` recognises objects
    that were empty.
    """
    members = list(_members(text, start))
    if not members:
        inner = f"{json.dumps(key)}: {_dump(value, text, _indent(text, start))}"
        return text[: start + 1] + inner + text[start + 1 :]
    last = members[-1]
    before = text.rfind(",", 0, last.start) if len(members) > 1 else start
    space = text[before + 1 : last.start]
    inner = f"{json.dumps(key)}: {_dump(value, text, _indent(text, last.start))}"
    return f"{text[: last.end]},{space or ' '}{inner}{text[last.end :]}"


def _delete(text: str, start: int, key: str) -> str | None:
    """Remove a member from the object at ``start``; None if ``_insert`` made the object."""
    members = list(_members(text, start))
    index = max(i for i, member in enumerate(members) if member.key == key)
    member = members[index]
    if len(members) == 1:
        if member.start > start + 1:
            return None
        return text[: member.start] + text[member.end :]
    if index == len(members) - 1:
        return text[: members[index - 1].end] + text[member.end :]
    return text[: member.start] + text[members[index + 1].start :]


def _indent(text: str, offset: int) -> str:
    """Return the white space at the beginning of the line."""
    line = text[text.rfind("\n", 0, offset) + 1 : offset]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _dump(value: Any, text: str, indent: str) -> str:
    """Return a value in the style of a text: over several lines unless the text has one."""
    if "\n" not in text.strip():
        compact = json.dumps(value, ensure_ascii=False)
        # A space after the bracket of a new object: see ``_insert``.
        return f"{{ {compact[1:]}" if NAME in value else compact
    step = _step(text)
    lines = json.dumps(value, indent=step, ensure_ascii=False).split("\n")
    return f"{newline_of(text)}{indent}".join(lines)


def _step(text: str) -> str:
    """Return the indentation of one level, that of the first indented line."""
    for line in text.splitlines():
        if indent := line[: len(line) - len(line.lstrip(" \t"))]:
            return indent
    return "  "
