"""The two parts of a streamed answer: code for the cell, and its explanation.

``PartsReader`` is the base class of two parsers: one for code cells (``answer.py``), and one for
Markdown and raw cells (``prose.py``). In Markdown and raw cells, the text for the cell counts as
code. The base class splits the stream into lines and collects both parts. The subclasses decide to
which part a line belongs.

Invariants: the two parts don't depend on the pieces in which the stream arrived. All outputs for a
part, joined, are the complete part.
"""

from __future__ import annotations

import io
import re
from abc import ABC, abstractmethod
from typing import Literal

Part = Literal["code", "explanation"]
Parts = list[tuple[Part, str]]

_MAY_BE_FENCE = re.compile(r" {0,3}(`.*)?$", re.DOTALL)
_LINES = re.compile(r"[^\n]*\n|[^\n]+")  # splitlines would also split at nine other characters


class PartsReader(ABC):
    """Parses an answer piece by piece, and outputs text once it is clear to which part it belongs.

    ``head`` contains the lines of the cell magic with which the cell begins; it is empty for a cell
    without a cell magic. The lines are added to code that doesn't begin with a cell magic.
    """

    def __init__(self, head: str = "") -> None:
        self._head = head
        self._start = ""  # the code's first characters, if they may begin a cell magic
        self._line = ""  # the characters of the current line that aren't output yet
        self._line_started = False  # whether the beginning of the current line was output
        self._breaks = 0  # line breaks in the code that are output only if more code follows
        self._code: list[str] = []
        self._explanation_parts: list[str] = []
        self._newlines = io.IncrementalNewlineDecoder(None, translate=True)
        self._started = False

    @property
    def suggestion(self) -> str:
        """The code so far, without fences."""
        return "".join(self._code)

    @property
    def explanation(self) -> str:
        """The explanation so far."""
        return "".join(self._explanation_parts).strip()

    def feed(self, text: str) -> Parts:
        """Parse the next piece of the answer, and return the new output."""
        if text and not self._started:  # drop a byte order mark
            text, self._started = text.removeprefix("\ufeff"), True
        return _join_adjacent(self._feed(self._newlines.decode(text)))

    def finish(self) -> Parts:
        """Parse the end of the answer, and return the remaining output."""
        out = self._feed(self._newlines.decode("", final=True))
        if self._in_code and not self._line.strip(" `"):
            self._line = ""  # an incomplete closing fence
        out += self._take_line(self._line, ended=False)
        return _join_adjacent(out + self._end() + self._settle_head(ended=True))

    # Implemented by subclasses.

    @property
    @abstractmethod
    def _in_code(self) -> bool:
        """Whether a closing fence on the current line would end the block with the code."""

    @abstractmethod
    def _whole_line(self, line: str, *, ended: bool) -> Parts:
        """Parse a complete line. ``ended`` means that a line break follows the line."""

    @abstractmethod
    def _text(self, text: str) -> Parts:
        """Parse a line break, or text from a line that isn't a fence."""

    @abstractmethod
    def _end(self) -> Parts:
        """Output the text that is still buffered at the end of the answer."""

    def _can_output_early(self) -> bool:
        """Return whether a line that isn't a fence can be output before it is complete."""
        return True

    # Shared by subclasses.

    def _feed(self, text: str) -> Parts:
        out: Parts = []
        for piece in _LINES.findall(text):
            self._line += piece
            if piece.endswith("\n"):
                out += self._take_line(self._line[:-1], ended=True)
            elif self._line_started or (
                self._can_output_early() and not _MAY_BE_FENCE.match(self._line)
            ):
                # Whatever follows, this line isn't a fence. So its characters can be output.
                out += self._text(self._line)
                self._line, self._line_started = "", True
        return out

    def _take_line(self, line: str, *, ended: bool) -> Parts:
        was_started, self._line, self._line_started = self._line_started, "", False
        if was_started:
            return self._line_text(line, ended=ended)
        return self._whole_line(line, ended=ended)

    def _line_text(self, line: str, *, ended: bool) -> Parts:
        out = self._text(line) if line else []
        return out + self._text("\n") if ended else out

    def _code_text(self, text: str) -> Parts:
        if text == "\n":
            if self._code or self._start:  # drop blank lines before the code
                self._breaks += 1
            return []
        breaks, self._breaks = "\n" * self._breaks, 0
        return self._add_code(breaks + text)

    def _add_code(self, text: str) -> Parts:
        if self._head:
            self._start += text
            return self._settle_head(ended=False)
        self._code.append(text)
        return [("code", text)] if text else []

    def _settle_head(self, *, ended: bool) -> Parts:
        """Output the code's first characters once it is certain whether they begin a cell magic.

        If they don't, output ``head`` before them.
        """
        start = self._start
        if not start or (start == "%" and not ended):  # "%" may be the beginning of "%%"
            return []
        if not start.startswith("%%"):
            start = f"{self._head}\n{start}"
        self._head = self._start = ""
        return self._add_code(start)

    def _add_explanation(self, text: str) -> Parts:
        if not self._explanation_parts:
            text = text.lstrip("\n")
        if not text:
            return []
        self._explanation_parts.append(text)
        return [("explanation", text)]


def _join_adjacent(parts: Parts) -> Parts:
    """Join adjacent texts that belong to the same part."""
    out: Parts = []
    for part, text in parts:
        if out and out[-1][0] == part:
            out[-1] = (part, out[-1][1] + text)
        elif text:
            out.append((part, text))
    return out
