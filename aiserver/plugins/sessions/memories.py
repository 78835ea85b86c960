"""Read the memories of other programs, to import them as entries of ours.

- nanobot's ``MEMORY.md`` is Markdown with headings, lists and paragraphs.
- PCAI's ``MEMORY.md`` and ``knowledge.md`` are Markdown, too. In older files, a line such as
  ``- [2026-02-05] #preference: …`` contains a date and a category.
- PCAI's ``memory_store.json`` is a list of objects with ``content``, which is Markdown, ``id``,
  ``timestamp``, ``tags`` and ``vector``.
- PCAI keeps items that wait for a confirmation only in memory. In JSON, they are objects with
  ``content``, ``category``, ``mode``, ``created_at`` and an ``id`` such as ``pending_1770963``.

Other JSON is read if it has this shape: a list of texts or of objects with ``text``, ``content`` or
``memory``, or an object that contains such a list or maps ids to such objects.

Invariants: a file is only read, and either completely or not at all. Texts aren't checked here, and
nothing is written. Dates, tags and vectors are left out. Headings of our own memories become part
of the texts, because they can say which table a text is about; others are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from ...surrogates import fix_surrogates
from ..memory import document
from ..memory.entries import MemoryEntry
from .importers.base import UnreadableInput, decode_text, loads
from .importers.pcai import normalize_names

MAX_FILE_BYTES = 64 * 1024 * 1024  # a thousand entries of PCAI with their vectors have 12 MB
MAX_TEXT_LENGTH = 4 * 1024 * 1024  # characters of all texts of a file
_JSON_SUFFIX = ".json"
_TEXT_NAMES = ("text", "content", "memory")
_LIST_NAMES = ("entries", "memories", "memory", "items", "pending", "pendingitems", "data")
_PENDING_ID = "pending_"
_OUR_COMMENT = "<!-- aiserver id="
_DATE_AND_CATEGORY = re.compile(r"\[\d{4}-\d{2}-\d{2}\]\s*(?:#[^\s:：]+[:：]?\s*)?")
# PCAI writes this line directly below a paragraph, which makes the paragraph a heading.
_RULE = re.compile(r"^-{3,}[ \t]*$", re.MULTILINE)
# What nanobot and PCAI write into a new file, and no person's memory.
_TEMPLATE_TEXTS = {
    "This file stores important information that should persist across sessions.",
    "(Important facts about the user)",
    "(User preferences learned over time)",
    "(Information about ongoing projects)",
    "(Things to remember)",
    "*This file is automatically updated by nanobot when important information should be "
    "remembered.*",
    "此文件包含經過篩選的持久記憶。",
}


class MemoryText(NamedTuple):
    """A text of a memory, with the number of its entry in the file.

    ``is_pending`` is set for what the person hadn't confirmed in the other program.
    """

    text: str
    number: int
    is_pending: bool = False


@dataclass
class MemoryFile:
    """The texts of a file, and a message about each entry that can't be read."""

    texts: list[MemoryText] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


def read_memories(path: Path) -> MemoryFile:
    """Read a file. Raises UnreadableInput with the reason, if it can't be read as a memory."""
    text = decode_text(_read(path))
    is_json = path.suffix.lower() == _JSON_SUFFIX
    if is_json or (path.suffix.lower() != ".md" and text.lstrip()[:1] in ("[", "{")):
        return _read_json(loads(text))
    _check_length(len(text))
    has_rules = path.name.lower() != "memory.md"
    return MemoryFile([MemoryText(*pair) for pair in _numbered(_texts_in(text, has_rules))])


def _read(path: Path) -> bytes:
    try:
        if path.is_dir():
            raise UnreadableInput("is a folder; name the files in it")
        if not path.is_file():
            raise UnreadableInput("no such file")
        with path.open("rb") as file:
            data = file.read(MAX_FILE_BYTES + 1)
    except OSError as exc:
        raise UnreadableInput("can't be read") from exc
    if len(data) > MAX_FILE_BYTES:
        raise UnreadableInput(f"larger than {MAX_FILE_BYTES // 1024**2} MB")
    return data


def _check_length(length: int) -> None:
    if length > MAX_TEXT_LENGTH:
        raise UnreadableInput(f"has more than {MAX_TEXT_LENGTH // 1024**2} million characters")


def _read_json(content: Any) -> MemoryFile:
    entries, is_pending = _entries(content)
    _check_length(sum(len(_text_of(entry) or "") for entry in entries))
    file = MemoryFile()
    for number, entry in enumerate(entries, 1):
        text = _text_of(entry) or ""
        if fix_surrogates(text) != text:  # JSON can contain half of an emoji
            file.problems.append(f"entry {number}: contains half of a character")
            continue
        texts = list(_texts_in(text, True))
        id_ = entry.get("id") if isinstance(entry, dict) else None
        waits = is_pending or (isinstance(id_, str) and id_.startswith(_PENDING_ID))
        file.texts += [MemoryText(each, number, waits) for each in texts]
        if not texts:
            file.problems.append(f"entry {number}: has no text")
    return file


def _entries(content: Any) -> tuple[list[Any], bool]:
    """Return the entries, and whether they wait for a confirmation. Raises UnreadableInput."""
    if isinstance(content, list):
        if not content or any(_text_of(entry) is not None for entry in content):
            return content, False
    elif isinstance(content, dict):
        if _text_of(content) is not None:
            return [content], False
        names = normalize_names(content)
        name = next((name for name in _LIST_NAMES if isinstance(names.get(name), list)), None)
        if name is not None:
            return _entries(names[name])[0], name.startswith("pending")
        values = list(content.values())
        if values and all(isinstance(value, dict) and _text_of(value) for value in values):
            return values, False
    raise UnreadableInput("not a list of memories")


def _text_of(entry: Any) -> str | None:
    if isinstance(entry, str):
        return entry
    names = normalize_names(entry)
    return next((names[name] for name in _TEXT_NAMES if isinstance(names.get(name), str)), None)


def text_with_heading(entry: MemoryEntry) -> str:
    """Return the text with which an entry is imported, because a new entry has no heading."""
    return f"{entry.section}: {entry.text}" if entry.section else entry.text


def _texts_in(markdown: str, has_rules: bool) -> Iterator[str]:
    """Yield the items and paragraphs of Markdown."""
    is_ours = _OUR_COMMENT in markdown
    for entry in document.parse(_RULE.sub("", markdown) if has_rules else markdown):
        text = text_with_heading(entry) if is_ours else entry.text
        if text[:1] == "[" and not is_ours:
            text = _DATE_AND_CATEGORY.sub("", text)
        if text.strip() and text not in _TEMPLATE_TEXTS:
            yield text


def _numbered(texts: Iterator[str]) -> Iterator[tuple[str, int]]:
    for number, text in enumerate(texts, 1):
        yield text, number
