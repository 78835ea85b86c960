"""Split a streamed answer into code for the cell and its explanation.

Invariants, in addition to those in ``parts.py``:

- A fence only counts at the start of a line (after at most three spaces); backticks inside the code
  are code. A longer fence is closed by one of at least the same length.
- The suggestion is the first block in the cell's language, or without a tag. Everything else is
  explanation, including further blocks with their fences: they may be an alternative or sample
  output, and must not run after the first block.
- An answer without any fence is code if it parses as Python (or, for other languages, looks like
  code); otherwise it is explanation, and the suggestion is empty.
- The suggestion doesn't end in a line break; CRLF becomes LF.
"""

from __future__ import annotations

import ast
import re

from .language import CellLanguage, fence_name
from .parts import Parts, PartsReader
from .prose import ProseParser

_OPEN = re.compile(r" {0,3}(`{3,})[ \t]*([^`\s]*)[^`\n]*$")
_CLOSE = re.compile(r" {0,3}(`{3,})[ \t]*$")
_CONTROLS = re.compile(r"\x1b\[[0-9;]*m|[\0-\x08\x0b\x0c\x0e-\x1f\x7f\ufeff]")
_OTHER_CODE = re.compile(r"[;{}=]|<-|\w\(|^\s*(#|//|--)", re.MULTILINE)


def answer_parser(language: CellLanguage) -> PartsReader:
    """Return the parser for the answers in a cell of this language."""
    if language.is_prose:
        return ProseParser(language.name, language.head)
    return AnswerParser(language.name, language.head)


class AnswerParser(PartsReader):
    """Parses answers for code cells.

    Text before the first fence is buffered until a fence or the end, since an answer without a
    fence may be code.
    """

    def __init__(self, language: str = "python", head: str = "") -> None:
        super().__init__(head)
        self._language = fence_name(language)
        self._fence = ""  # the backticks that opened the current block
        self._in_block = False  # the current block is the suggestion
        self._seen_block = self._has_code = False
        self._plain = ""  # text before any block

    @property
    def _in_code(self) -> bool:
        return self._in_block

    def _end(self) -> Parts:
        if self._seen_block or not self._plain.strip():
            return []
        plain, self._plain = self._plain.strip("\n"), ""
        if self._looks_like_code(plain):
            return self._add_code(plain.rstrip())
        return self._add_explanation(plain)

    def _whole_line(self, line: str, *, ended: bool) -> Parts:
        if self._fence:
            closing = _CLOSE.match(line)
            if closing and len(closing[1]) >= len(self._fence):
                return self._close(line)
        elif opening := _OPEN.match(line):
            return self._open(opening[1], opening[2], line)
        return self._line_text(line, ended=ended)

    def _open(self, fence: str, tag: str, line: str) -> Parts:
        self._fence = fence
        tag = tag.strip("{}.,")
        is_matching = not tag or fence_name(tag) == self._language
        self._in_block = is_matching and not self._has_code
        self._has_code |= self._in_block
        out = self._add_explanation(self._plain)
        self._seen_block, self._plain = True, ""
        return out if self._in_block else out + self._add_explanation(line + "\n")

    def _close(self, line: str) -> Parts:
        was_code, self._fence, self._in_block, self._breaks = self._in_block, "", False, 0
        return [] if was_code else self._add_explanation(line + "\n")

    def _text(self, text: str) -> Parts:
        if self._in_block:
            return self._code_text(text)
        if not self._seen_block:
            self._plain += text
            return []
        return self._add_explanation(text)

    def _looks_like_code(self, text: str) -> bool:
        if self._language != "python":
            return bool(_OTHER_CODE.search(text))
        try:  # ignore byte order marks and colour codes
            body = ast.parse(_CONTROLS.sub("", text)).body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return False
        # "Sorry" and "Yes, no" are valid Python, too, but a bare expression isn't useful code.
        words = (ast.Name, ast.Tuple, ast.Constant, ast.Compare, ast.BoolOp)
        return any(
            not (isinstance(node, ast.Expr) and isinstance(node.value, words)) for node in body
        )
