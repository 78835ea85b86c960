"""Split a streamed answer into code for the cell and its explanation.

Invariants, in addition to those in ``parts.py``:

- A fence is three or more backticks at the start of a line (after at most three spaces). Backticks
  anywhere else in a block are code. A closing fence is at least as long as the opening fence.
- The suggestion is the first block that has no tag, or whose tag is the cell's language. Everything
  else is explanation, including all further blocks with their fences. A further block may be an
  alternative or sample output, which must not run in the cell.
- In a Python cell, an answer without any fence is code if it parses as Python and is more than a
  few words such as "Sorry". In other languages, an answer without any fence is code if it looks
  like code.
  Otherwise, the entire answer is explanation, and the suggestion is empty.
- The suggestion doesn't end in a line break. Line breaks of the form CRLF become LF.
"""

from __future__ import annotations

import ast
import re

from .language import CellLanguage, fence_name
from .parts import Parts, PartsReader
from .prose import ProseParser

_OPEN = re.compile(r" {0,3}(`{3,})[ \t]*([^`\s]*)[^`\n]*$")
_CLOSE = re.compile(r" {0,3}(`{3,})[ \t]*$")
_CONTROL_CODES = re.compile(r"\x1b\[[0-9;]*m|[\0-\x08\x0b\x0c\x0e-\x1f\x7f\ufeff]")
_CODE_SIGNS = re.compile(r"[;{}=]|<-|\w\(|^\s*(#|//|--)", re.MULTILINE)


def answer_parser(language: CellLanguage) -> PartsReader:
    """Return the parser for the answers in a cell of this language."""
    if language.is_prose:
        return ProseParser(language.name, language.head)
    return AnswerParser(language.name, language.head)


class AnswerParser(PartsReader):
    """Parses answers for code cells.

    Text before the first fence is buffered until the first fence or the end of the answer, because
    the text may be code if no fence follows.
    """

    def __init__(self, language: str = "python", head: str = "") -> None:
        super().__init__(head)
        self._language = fence_name(language)
        self._fence = ""  # the backticks that opened the current block
        self._in_suggestion = False  # whether the current block is the suggestion
        self._has_block = False  # whether any block has begun
        self._has_suggestion = False  # whether the suggestion has begun
        self._text_before_blocks = ""

    @property
    def _in_code(self) -> bool:
        return self._in_suggestion

    def _end(self) -> Parts:
        if self._has_block or not self._text_before_blocks.strip():
            return []
        text, self._text_before_blocks = self._text_before_blocks.strip("\n"), ""
        if self._looks_like_code(text):
            return self._add_code(text.rstrip())
        return self._add_explanation(text)

    def _whole_line(self, line: str, *, ended: bool) -> Parts:
        if self._fence:
            closing = _CLOSE.match(line)
            if closing and len(closing[1]) >= len(self._fence):
                return self._close_block(line)
        elif opening := _OPEN.match(line):
            return self._open_block(opening[1], opening[2], line)
        return self._line_text(line, ended=ended)

    def _open_block(self, fence: str, tag: str, line: str) -> Parts:
        self._fence = fence
        tag = tag.strip("{}.,")
        is_matching = not tag or fence_name(tag) == self._language
        self._in_suggestion = is_matching and not self._has_suggestion
        self._has_suggestion |= self._in_suggestion
        out = self._add_explanation(self._text_before_blocks)
        self._has_block, self._text_before_blocks = True, ""
        return out if self._in_suggestion else out + self._add_explanation(line + "\n")

    def _close_block(self, line: str) -> Parts:
        was_suggestion = self._in_suggestion
        self._fence, self._in_suggestion, self._breaks = "", False, 0
        return [] if was_suggestion else self._add_explanation(line + "\n")

    def _text(self, text: str) -> Parts:
        if self._in_suggestion:
            return self._code_text(text)
        if not self._has_block:
            self._text_before_blocks += text
            return []
        return self._add_explanation(text)

    def _looks_like_code(self, text: str) -> bool:
        if self._language != "python":
            return bool(_CODE_SIGNS.search(text))
        try:  # ignore byte order marks and colour codes
            body = ast.parse(_CONTROL_CODES.sub("", text)).body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return False
        # Prose such as "Sorry" or "Yes, no" is valid Python, too. So an answer that consists of
        # such expressions alone isn't code.
        prose_like = (ast.Name, ast.Tuple, ast.Constant, ast.Compare, ast.BoolOp)
        return any(
            not (isinstance(node, ast.Expr) and isinstance(node.value, prose_like)) for node in body
        )
