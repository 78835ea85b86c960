"""Find out from a notebook's Markdown what the notebook is about. Pure; takes linear time.

Lines about the author must have been removed.

Invariant: the results are single lines without markup and without paths in a home folder.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ...prompts.notebook.headings import headings
from ...requests import NoteCell

MAX_TITLE = 100  # characters
MAX_INTRODUCTION = 220
MAX_NAME = 40  # of a section
_MAX_HEADING = 1000  # in the Markdown, with the targets of links
_ELLIPSIS = "…"

_IMAGE = re.compile(r"!\[[^\[\]\n]*\]\([^()\n]*\)")
_LINK = re.compile(r"\[([^\[\]\n]*)\]\([^()\n]*\)")
_TAG = re.compile(r"<[^<>\n]*>")
_EMPHASIS = re.compile(
    r"`+|\*{1,3}(?=\S)|(?<=\S)\*{1,3}|(?<!\w)_{1,3}(?=\S)|(?<=\S)_{1,3}(?!\w)|\$"
)
_HOME_PATH = re.compile(
    r"(?:~|/root|(?:/mnt/[a-z])?/(?:home|Users)|[A-Za-z]:[/\\]+[Uu]sers)[/\\]+[^\s'\"`,;，。；、]*"
)
_HEADING = re.compile(r" {0,3}#{1,6}\s")
# Lines that aren't sentences: list items, tables, quotes, rules, HTML, formulas.
_NO_SENTENCE = re.compile(r"\s*(?:[-*+]\s|\d{1,3}[.)]\s|\||>|[-*_=]{3,}\s*$|\$\$|:?-{2,})")
_FENCE = re.compile(r" {0,3}(?:```|~~~)")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[^\Wa-z_])|(?<=[。！？])")


@dataclass(frozen=True)
class Prose:
    """The title, the first sentences below it, and the last other heading with code below it.

    All may be empty. ``last_section`` is, too, if the notebook has only one such heading.
    """

    title: str
    introduction: str
    last_section: str

    @property
    def text(self) -> str:
        """All words of the prose, from which its language is detected."""
        return " ".join([self.title, self.introduction, self.last_section])


def read_prose(cells: Sequence[NoteCell]) -> Prose:
    """Return the prose of a notebook's cells, whose secrets must have been redacted."""
    first_code = next((i for i, cell in enumerate(cells) if _is_code(cell)), len(cells))
    all_headings = [
        (index, level, _plain(text, MAX_TITLE))
        for index, cell in enumerate(cells)
        if cell.cell_type == "markdown"
        for level, text in headings(re.sub(r"[ \t]+", " ", cell.source), _MAX_HEADING)
    ]
    listed = [heading for heading in all_headings if heading[2]]
    title = next((heading for heading in listed if heading[1] == 1), None)
    if title is None and listed and listed[0][0] <= first_code:
        title = listed[0]
    others = [heading for heading in listed if heading is not title]
    start = title[0] if title else 0
    return Prose(
        title[2] if title else "",
        _introduction(cells[start:], has_title=title is not None),
        _last_section(cells, [(index, text) for index, _, text in others]),
    )


def shorten(text: str, length: int) -> str:
    """Return a text with at most ``length`` characters."""
    return text if len(text) <= length else text[: length - 1].rstrip() + _ELLIPSIS


def _is_code(cell: NoteCell) -> bool:
    return cell.cell_type == "code" and bool(cell.source.strip())


def _last_section(cells: Sequence[NoteCell], others: Sequence[tuple[int, str]]) -> str:
    codes = [index for index, cell in enumerate(cells) if _is_code(cell)]
    last = codes[-1] if codes else -1
    above = [text for index, text in others if index < last]
    return shorten(above[-1].rstrip(":： "), MAX_NAME) if above and len(others) > 1 else ""


def _introduction(cells: Sequence[NoteCell], *, has_title: bool) -> str:
    """Return the first one or two sentences, up to the next heading or code."""
    lines: list[str] = []
    has_started = not has_title
    for cell in cells:
        if _is_code(cell) or len(lines) > 20:
            break
        in_fence = False
        for line in cell.source.splitlines() if cell.cell_type == "markdown" else ():
            if _FENCE.match(line):
                in_fence = not in_fence
            elif in_fence or _NO_SENTENCE.match(line):
                if lines:
                    return _sentences(lines)
            elif _HEADING.match(line):
                if has_started:
                    return _sentences(lines)
                has_started = True
            elif plain := _plain(line, 2 * MAX_INTRODUCTION) if has_started else "":
                lines.append(plain)
            elif lines:
                return _sentences(lines)
        if lines:
            break
    return _sentences(lines)


def _sentences(lines: Sequence[str]) -> str:
    """Return the first sentence, and the second one if it fits."""
    text = ""
    for line in lines:
        is_chinese = bool(text) and ord(text[-1]) > 0x2E7F and ord(line[0]) > 0x2E7F
        text += line if is_chinese or not text else f" {line}"
    sentences = [part.strip() for part in _SENTENCE_END.split(text) if part.strip()][:2]
    if not sentences:
        return ""
    separator = "" if ord(sentences[0][-1]) > 0x2E7F else " "
    both = separator.join(sentences)
    return both if len(both) <= MAX_INTRODUCTION else shorten(sentences[0], MAX_INTRODUCTION)


def _plain(text: str, length: int) -> str:
    """Return Markdown in one line as plain text."""
    text = _LINK.sub(r"\1", _IMAGE.sub("", text))
    text = _EMPHASIS.sub("", _TAG.sub("", text))
    text = _HOME_PATH.sub(lambda match: _file_name(match[0]), text)
    return shorten(" ".join(text.split()), length)


def _file_name(path: str) -> str:
    """Return the last part of a path, unless that may be a person's name."""
    parts = [part for part in re.split(r"[/\\]+", path) if part]
    return parts[-1] if len(parts) > (2 if path[0] == "~" else 3) or "." in parts[-1] else "~"
