"""Settings in YAML: Goose's.

Goose rewrites its file without comments, so the entry is found by its name.
"""

from __future__ import annotations

import json
import re
from typing import Any

from .config_formats import (
    NAME,
    Entry,
    Unsuitable,
    append,
    cut,
    lines_of,
    newline_of,
    without_entry,
    without_lines,
)

_SECTION = "extensions"
_MARK = "# added by “jupyter aiserver agents connect”"
_SECTION_LINE = re.compile(rf"""(["']?){_SECTION}\1\s*:\s*(#.*)?$""")
_ENTRY_LINE = re.compile(rf"""\s+(["']?){NAME}\1\s*:\s*(#.*)?$""")


class YAMLConfig:
    """Goose's file ``config.yaml``."""

    def entry(self, text: str) -> Entry | None:
        """Return the entry with AI Server's name. Raises Unsuitable."""
        section = _parse(text).get(_SECTION) or {}
        entry = section.get(NAME) if isinstance(section, dict) else None
        if not isinstance(section, dict) or not isinstance(entry, dict | None):
            raise Unsuitable(f"has no mapping “{_SECTION}”")
        return entry

    def add(self, text: str | None, entry: Entry) -> str:
        """Return a file's text with the entry, or that of a new file. Raises Unsuitable."""
        rest = text if text is None or self.entry(text) is None else self.remove(text)
        if rest is None or _SECTION not in _parse(rest):
            result = append(rest, [f"{_SECTION}: {_MARK}", *_entry_lines(entry, "  ")])
        else:
            result = _insert(rest, entry)
        if _rest(result) != _rest(text or "") or self.entry(result) != entry:
            raise Unsuitable("has an unexpected structure")
        return result

    def remove(self, text: str) -> str | None:
        """Return the text without the entry; None if ``add`` made the file. Raises Unsuitable."""
        if self.entry(text) is None:
            return text
        lines = lines_of(text)
        section = _find(lines, _SECTION_LINE, 0)
        first = _find(lines, _ENTRY_LINE, section + 1)
        last = _last_line(lines, first)
        below = next((line for line in lines[last + 1 :] if line.strip()), "")
        if _MARK in lines[section] and first == section + 1 and not below.startswith(" "):
            result = cut(text, section, last)
        else:
            result = without_lines(text, first, last)
        if _rest(result or "") != _rest(text) or self.entry(result or "") is not None:
            raise Unsuitable("has an unexpected structure")
        return result

    def describe(self, entry: Entry) -> str:
        """Return what a person can add to a file by hand."""
        return "\n".join([f"{_SECTION}:", *_entry_lines(entry, "  ")])


def _insert(text: str, entry: Entry) -> str:
    """Insert the entry at the beginning of the section. Raises Unsuitable."""
    lines = lines_of(text)
    section = _find(lines, _SECTION_LINE, 0)
    inner = [line for line in lines[section + 1 :] if line.strip() and line.lstrip()[0] != "#"]
    indent = inner[0][: len(inner[0]) - len(inner[0].lstrip())] if inner else ""
    newline = newline_of(text)
    own = [line + newline for line in _entry_lines(entry, indent or "  ")]
    if not lines[section].endswith("\n"):
        own = [newline + line.rstrip("\r\n") for line in own]
    return "".join(lines[: section + 1] + own + lines[section + 1 :])


def _entry_lines(entry: Entry, indent: str) -> list[str]:
    # JSON's values are also YAML's.
    pairs = [
        f"{indent}  {key}: {json.dumps(value, ensure_ascii=False)}" for key, value in entry.items()
    ]
    return [f"{indent}{NAME}:", *pairs]


def _find(lines: list[str], pattern: re.Pattern[str], start: int) -> int:
    """Return the index of the first line that matches. Raises Unsuitable."""
    for index, line in enumerate(lines[start:], start):
        if pattern.match(line.rstrip()):
            return index
    raise Unsuitable("has an unexpected structure")


def _last_line(lines: list[str], first: int) -> int:
    """Return the index of the last line that belongs to the key at ``first``."""
    indent = _indent(lines[first])
    last = first
    for index, line in enumerate(lines[first + 1 :], first + 1):
        if line.strip():
            if _indent(line) <= indent:
                break
            last = index
    return last


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _rest(text: str) -> Any:
    return without_entry(_parse(text), (_SECTION, NAME))


def _parse(text: str) -> dict[str, Any]:
    import yaml

    try:
        data = yaml.safe_load(text)
    except (yaml.YAMLError, RecursionError, ValueError):
        raise Unsuitable("isn’t valid YAML") from None
    if not isinstance(data, dict | None):
        raise Unsuitable("doesn’t contain a mapping")
    return data or {}
