"""Reads a model's answer as it comes: what is code for the cell, and what explains it.

What must hold:

- The parts are the same however the text was cut into pieces (a test tries all ways).
- A fence counts only at the start of a line (at most three spaces before it); backticks inside
  the code are code. A longer fence is closed by one as long.
- The suggestion is the first block in the cell's language (an untagged one counts as that). All
  else is explanation, further blocks with their fences: they may be a second way to do it, or
  sample output, and must not run behind the first.
- An answer without any fence is code if Python (or, for other languages, its look) says so; it
  is explanation otherwise, and the suggestion stays empty.
- No line break at the suggestion's end; a CRLF becomes a plain line break.
"""

from __future__ import annotations

import ast
import re
from typing import Literal

from .fence import fence_name

Part = Literal["code", "explanation"]

_OPEN = re.compile(r" {0,3}(`{3,})[ \t]*([^`\s]*)[^`\n]*$")
_CLOSE = re.compile(r" {0,3}(`{3,})[ \t]*$")
_MAYBE_FENCE = re.compile(r" {0,3}(`.*)?$", re.DOTALL)
_LINES = re.compile(r"[^\n]*\n|[^\n]+")  # not splitlines, which knows nine more line ends
_ALIASES = {"py": "python", "python3": "python", "ipython": "python", "rscript": "r", "jl": "julia"}
_OTHER_CODE = re.compile(r"[;{}=]|<-|\w\(|^\s*(#|//|--)", re.MULTILINE)


class AnswerParser:
    """Feed it the answer piece by piece; it says at once what can be said for sure.

    Plain text before the first fence is held back only until a fence or the end decides what it
    is, for an answer without a fence may be code.
    """

    def __init__(self, language: str = "python") -> None:
        self._language = fence_name(language)
        self._line = ""  # the unfinished line, or the part of it that is not given out yet
        self._line_started = False  # whether a piece of this line was given out
        self._fence = ""  # the backticks that opened the block we are in
        self._in_code = False  # in a block of the cell's language
        self._seen_block = self._has_code = False
        self._plain = ""  # text before any block
        self._breaks = 0  # line breaks inside code that are held back until more code comes
        self._code: list[str] = []
        self._explained: list[str] = []
        self._pending_cr = False

    @property
    def suggestion(self) -> str:
        """The code so far, without fences."""
        return "".join(self._code)

    @property
    def explanation(self) -> str:
        """The explanation so far."""
        return "".join(self._explained).strip()

    def feed(self, text: str) -> list[tuple[Part, str]]:
        """Take one piece; return what it settled."""
        return _joined(self._feed(self._line_ends(text)))

    def finish(self) -> list[tuple[Part, str]]:
        """Take the end; return the rest."""
        out = self._feed("\n") if self._pending_cr else []
        self._pending_cr = False
        line, self._line = self._line, ""
        if self._in_code and not line.strip(" `"):
            line = ""  # the beginning of the closing fence
        out += self._text(line) if self._line_started else self._whole_line(line, ended=False)
        if not self._seen_block and self._plain.strip():
            plain, self._plain = self._plain.strip("\n"), ""
            if self._looks_like_code(plain):
                out += self._add_code(plain.rstrip())
            else:
                out += self._add_explanation(plain)
        return _joined(out)

    def _line_ends(self, text: str) -> str:
        if self._pending_cr:
            text, self._pending_cr = "\r" + text, False
        if text.endswith("\r"):
            text, self._pending_cr = text[:-1], True
        return text.replace("\r\n", "\n")

    def _feed(self, text: str) -> list[tuple[Part, str]]:
        out: list[tuple[Part, str]] = []
        for piece in _LINES.findall(text):
            out += self._feed_piece(piece)
        return out

    def _feed_piece(self, piece: str) -> list[tuple[Part, str]]:
        out: list[tuple[Part, str]] = []
        self._line += piece
        if self._line.endswith("\n"):
            line, self._line = self._line[:-1], ""
            if self._line_started:
                out += self._text(line) + self._line_break()
                self._line_started = False
            else:
                out += self._whole_line(line, ended=True)
        elif self._line and (self._line_started or not _MAYBE_FENCE.match(self._line)):
            # The line can't be a fence any more: what there is of it can go out.
            self._line_started = True
            out += self._text(self._line)
            self._line = ""
        return out

    def _whole_line(self, line: str, *, ended: bool) -> list[tuple[Part, str]]:
        if self._fence:
            closing = _CLOSE.match(line)
            if closing and len(closing[1]) >= len(self._fence):
                return self._close(line)
        elif opening := _OPEN.match(line):
            return self._open(opening[1], opening[2], line)
        return self._text(line) + (self._line_break() if ended else [])

    def _open(self, fence: str, tag: str, line: str) -> list[tuple[Part, str]]:
        self._fence = fence
        tag = tag.strip("{}.").lower()
        ours = not tag or _ALIASES.get(tag, tag) == self._language
        self._in_code = ours and not self._has_code
        self._has_code |= self._in_code
        out = self._add_explanation(self._plain)
        self._seen_block, self._plain = True, ""
        return out if self._in_code else out + self._add_explanation(line + "\n")

    def _close(self, line: str) -> list[tuple[Part, str]]:
        was_code, self._fence, self._in_code, self._breaks = self._in_code, "", False, 0
        return [] if was_code else self._add_explanation(line + "\n")

    def _text(self, text: str) -> list[tuple[Part, str]]:
        if not text:
            return []
        if self._in_code:
            held, self._breaks = "\n" * self._breaks, 0
            return self._add_code(held + text)
        if not self._seen_block:
            self._plain += text
            return []
        return self._add_explanation(text)

    def _line_break(self) -> list[tuple[Part, str]]:
        if self._in_code:
            if self._code:  # blank lines at the start are dropped
                self._breaks += 1
            return []
        if not self._seen_block:
            self._plain += "\n"
            return []
        return self._add_explanation("\n")

    def _add_code(self, text: str) -> list[tuple[Part, str]]:
        self._code.append(text)
        return [("code", text)] if text else []

    def _add_explanation(self, text: str) -> list[tuple[Part, str]]:
        if not self._explained:
            text = text.lstrip("\n")
        if not text:
            return []
        self._explained.append(text)
        return [("explanation", text)]

    def _looks_like_code(self, text: str) -> bool:
        if self._language != "python":
            return bool(_OTHER_CODE.search(text))
        try:
            body = ast.parse(text).body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return False
        # "Sorry" and "Yes, no" are Python, too: a bare name is no code worth putting in a cell.
        words = (ast.Name, ast.Tuple, ast.Constant, ast.Compare, ast.BoolOp)
        return any(
            not (isinstance(node, ast.Expr) and isinstance(node.value, words)) for node in body
        )


def _joined(parts: list[tuple[Part, str]]) -> list[tuple[Part, str]]:
    """Neighbours of the same part as one."""
    joined: list[tuple[Part, str]] = []
    for part, text in parts:
        if joined and joined[-1][0] == part:
            joined[-1] = (part, joined[-1][1] + text)
        elif text:
            joined.append((part, text))
    return joined
