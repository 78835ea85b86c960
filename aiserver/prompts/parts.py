"""The two parts of an answer, as they grow: code for the cell, and what explains it.

The base of the two readers: ``answer.py`` for code, ``prose.py`` for text. It cuts the stream into
lines and keeps the parts; what a line means is theirs.

What must hold: the parts are the same however the text was cut into pieces; what was given out
joins to the whole.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from typing import Literal

Part = Literal["code", "explanation"]
Parts = list[tuple[Part, str]]

MAYBE_FENCE = re.compile(r" {0,3}(`.*)?$", re.DOTALL)
_LINES = re.compile(r"[^\n]*\n|[^\n]+")  # not splitlines, which knows nine more line ends


class PartsReader(ABC):
    """Feed it the answer piece by piece; it says at once what can be said for sure.

    ``head`` are lines that the cell begins with (a cell magic): code that comes without such
    gets them.
    """

    def __init__(self, head: str = "") -> None:
        self._head = head
        self._start = ""  # the code's first characters, until they show whether a head is there
        self._line = ""  # the unfinished line, or the part of it that is not given out yet
        self._line_started = False  # whether a piece of this line was given out
        self._breaks = 0  # line breaks inside code that are held back until more code comes
        self._code: list[str] = []
        self._explained: list[str] = []
        self._pending_cr = False
        self._begun = False

    @property
    def suggestion(self) -> str:
        """The code so far, without fences."""
        return "".join(self._code)

    @property
    def explanation(self) -> str:
        """The explanation so far."""
        return "".join(self._explained).strip()

    def feed(self, text: str) -> Parts:
        """Take one piece; return what it settled."""
        return joined(self._feed(self._line_ends(text)))

    def finish(self) -> Parts:
        """Take the end; return the rest."""
        out = self._feed("\n") if self._pending_cr else []
        self._pending_cr = False
        line, self._line = self._line, ""
        if self._in_code and not line.strip(" `"):
            line = ""  # the beginning of the closing fence
        out += self._text(line) if self._line_started else self._whole_line(line, ended=False)
        return joined(out + self._end() + self._settle_head(ended=True))

    # What the children say.

    @property
    @abstractmethod
    def _in_code(self) -> bool:
        """Whether the line before belonged to the code."""

    @abstractmethod
    def _whole_line(self, line: str, *, ended: bool) -> Parts:
        """Take a line of which nothing was given out yet; ``ended`` by a line break."""

    @abstractmethod
    def _text(self, text: str) -> Parts:
        """Take a piece of a line that is no fence."""

    @abstractmethod
    def _line_break(self) -> Parts:
        """Take the line break behind such a line."""

    @abstractmethod
    def _end(self) -> Parts:
        """Settle what was held back."""

    def _may_start(self) -> bool:
        """Whether a line that is no fence can go out before it is whole."""
        return True

    # What they share.

    def _line_ends(self, text: str) -> str:
        if text and not self._begun:  # a byte order mark belongs to the stream, not to the answer
            text, self._begun = text.removeprefix("\ufeff"), True
        if self._pending_cr:
            text, self._pending_cr = "\r" + text, False
        if text.endswith("\r"):
            text, self._pending_cr = text[:-1], True
        return text.replace("\r\n", "\n")

    def _feed(self, text: str) -> Parts:
        out: Parts = []
        for piece in _LINES.findall(text):
            out += self._feed_piece(piece)
        return out

    def _feed_piece(self, piece: str) -> Parts:
        out: Parts = []
        self._line += piece
        if self._line.endswith("\n"):
            line, self._line = self._line[:-1], ""
            if self._line_started:
                out += self._text(line) + self._line_break()
                self._line_started = False
            else:
                out += self._whole_line(line, ended=True)
        elif self._line and (
            self._line_started or (self._may_start() and not MAYBE_FENCE.match(self._line))
        ):
            # The line can't be a fence any more: what there is of it can go out.
            self._line_started = True
            out += self._text(self._line)
            self._line = ""
        return out

    def _code_text(self, text: str) -> Parts:
        if not text:
            return []
        held, self._breaks = "\n" * self._breaks, 0
        return self._add_code(held + text)

    def _code_break(self) -> Parts:
        if self._code or self._start:  # blank lines at the start are dropped
            self._breaks += 1
        return []

    def _add_code(self, text: str) -> Parts:
        if self._head:
            self._start += text
            return self._settle_head(ended=False)
        self._code.append(text)
        return [("code", text)] if text else []

    def _settle_head(self, *, ended: bool) -> Parts:
        start = self._start
        if not start or (start == "%" and not ended):
            return []
        if not start.startswith("%%"):
            start = f"{self._head}\n{start}"
        self._head = self._start = ""
        return self._add_code(start)

    def _add_explanation(self, text: str) -> Parts:
        if not self._explained:
            text = text.lstrip("\n")
        if not text:
            return []
        self._explained.append(text)
        return [("explanation", text)]


def joined(parts: Parts) -> Parts:
    """Neighbours of the same part as one."""
    out: Parts = []
    for part, text in parts:
        if out and out[-1][0] == part:
            out[-1] = (part, out[-1][1] + text)
        elif text:
            out.append((part, text))
    return out
