"""The contract of the formats in which clients keep their settings, and what the formats share.

Invariants:

- A file is edited as text: everything but AI Server's entry keeps its bytes.
- The result is parsed and compared before it is written. If anything else would change, the edit is
  refused.
- ``remove`` undoes ``add`` byte for byte, unless others have rewritten the file in the meantime.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import PurePath
from typing import Any, Protocol

NAME = "aiserver"
"""The name of the entry."""

Entry = Mapping[str, Any]


class Unsuitable(Exception):
    """The content of a file can't be edited. The message is the end of a sentence about it."""


class Format(Protocol):
    """A format of a file with settings, which may contain AI Server's entry."""

    def entry(self, text: str) -> Entry | None:
        """Return the entry with AI Server's name. Raises Unsuitable."""

    def add(self, text: str | None, entry: Entry) -> str:
        """Return a file's text with the entry, or that of a new file. Raises Unsuitable."""

    def remove(self, text: str) -> str | None:
        """Return the text without the entry; None if ``add`` made the file. Raises Unsuitable."""

    def describe(self, entry: Entry) -> str:
        """Return what a person can add to a file by hand."""


def command_of(entry: Entry) -> list[str]:
    """Return the command that an entry starts, with its arguments."""
    command = entry.get("command", entry.get("cmd"))
    words = [*command] if isinstance(command, list) else [command]
    arguments = entry.get("args")
    words += arguments if isinstance(arguments, list) else []
    return [word for word in words if isinstance(word, str)]


def is_own(entry: Entry) -> bool:
    """Return whether ``connect`` wrote an entry, in this environment or in another one."""
    words = command_of(entry)
    program = PurePath(words[0].replace("\\", "/")).stem if words else ""
    return program == "jupyter-aiserver" and words[1:2] == ["mcp"]


def without_entry(data: Any, path: tuple[str, ...]) -> Any:
    """Return parsed settings without the entry at a path, and without objects that are then empty.

    Objects that were empty before are removed, too, so that the results can be compared.
    """
    if not path or not isinstance(data, dict):
        return data
    name, *rest = path
    rest_of_data = {key: value for key, value in data.items() if key != name}
    if rest and name in data:
        inner = without_entry(data[name], tuple(rest))
        if inner not in ({}, None):
            rest_of_data[name] = inner
    return rest_of_data


def append(text: str | None, lines: list[str]) -> str:
    """Return a text with lines at its end, after an empty line.

    If the text has no line break at its end, the new lines don't either. So ``cut`` can restore it.
    """
    newline = newline_of(text or "")
    block = newline.join(lines)
    if not text:
        return block if text == "" else block + newline
    if text.endswith("\n"):
        return text + newline + block + newline
    return text + newline + newline + block


def cut(text: str, first: int, last: int) -> str | None:
    """Return a text without the lines ``first`` to ``last``, which ``append`` may have added.

    Returns None if ``append`` made the text. Lines are those of ``lines_of``, counted from 0.
    """
    lines = lines_of(text)
    if len(lines) == last + 1 - first:
        return None if lines[-1].endswith("\n") else ""
    is_at_end = last + 1 == len(lines)  # else, somebody has added lines below
    if is_at_end and not lines[first - 1].strip():
        first -= 1
    return without_lines(text, first, last)


def without_lines(text: str, first: int, last: int) -> str:
    """Return a text without some lines. If it ends without a line break, so does the result."""
    lines = lines_of(text)
    rest = "".join(lines[:first] + lines[last + 1 :])
    return rest if text.endswith("\n") else rest.removesuffix("\n").removesuffix("\r")


def lines_of(text: str) -> list[str]:
    """Return the lines of a text with their line breaks."""
    return re.findall(r"[^\n]*\n|[^\n]+", text)


def newline_of(text: str) -> str:
    """Return the line break that a text uses."""
    return "\r\n" if "\r\n" in text else "\n"
