"""Split a streamed answer into code for the cell and its explanation.

Invariants, in addition to those in ``parts.py``:

- A fence is three or more backticks at the start of a line (after at most three spaces). Backticks
  anywhere else in a block are code. A closing fence is at least as long as the opening fence.
- The suggestion is the first block that has no tag, or whose tag is the cell's language. Everything
  else is explanation, including all further blocks with their fences. A further block may be an
  alternative or sample output, which must not run in the cell.
- In a Python cell, an answer without any fence is code if it parses as Python and is more than a
  few words such as "Sorry". In other languages, an answer without any fence is code if it looks
  like code. If an answer has neither a fence nor code, the entire answer is explanation, and the
  suggestion is empty: the answer is in words.
- The suggestion doesn't end in a line break. Line breaks of the form CRLF become LF.
"""

from __future__ import annotations

import ast
import re

from .language import CellLanguage, fence_name
from .parts import Parts, PartsReader
from .prose import ProseParser

_OPENING_FENCE = re.compile(r" {0,3}(`{3,})[ \t]*([^`\s]*)[^`\n]*$")
_CLOSING_FENCE = re.compile(r" {0,3}(`{3,})[ \t]*$")
_CONTROL_CODES = re.compile(r"\x1b\[[0-9;]*m|[\0-\x08\x0b\x0c\x0e-\x1f\x7f\ufeff]")
_BRACKETS = (("(", ")"), ("[", "]"), ("{", "}"))
_INLINE_CODE = re.compile(r"`[^`\n]*`")
# Matches the first line of a statement that continues on the next line, although the first line
# doesn't end in ":": a decorator, or ``try: x = 1``.
_BEGINS_LONGER_STATEMENT = re.compile(r"\s*(@|try\b)")
# The beginning of a sentence, the end of a sentence, and signs of code that no sentence contains.
_SENTENCE_START = re.compile(r"(?:[-*>•]\s+|\d+[.)]\s+)*[\"“‘「『(*]*(?:[A-Z]|[^\W\d_a-zA-Z])")
_SENTENCE_END = re.compile(r"[.!?:…。！？：][\"”’」』)*]*$")
_IN_NO_SENTENCE = re.compile(r"^[%!?@#]|[=;{}\[\]]|\w\(|\\$")
# In Chinese and Japanese, which have no spaces between words, each character counts as a word.
_WORDS = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]|[^\W\d_]{2,}")
_MIN_WORDS = 4
_CODE_SIGNS = re.compile(r"[;{}=]|<-|\w\(|^\s*(#|//|--)", re.MULTILINE)


def answer_parser(language: CellLanguage) -> PartsReader:
    """Return the parser for the answers in a cell of this language."""
    if language.is_prose:
        return ProseParser(language.name, language.head)
    return AnswerParser(language.name, language.head)


def is_prose(code: str, language: CellLanguage) -> bool:
    """Return whether the code of an answer for a Python cell consists of sentences.

    A text that isn't valid Python may be code with a syntax error. So the result is true only if no
    line has signs of code, and if the text begins and ends like a sentence.
    """
    lines = [_INLINE_CODE.sub("x", line).strip() for line in code.splitlines() if line.strip()]
    return (
        language.name == "python"
        and len(_WORDS.findall(code)) >= _MIN_WORDS
        and _SENTENCE_START.match(lines[0]) is not None
        and _SENTENCE_END.search(lines[-1]) is not None
        and not any(_IN_NO_SENTENCE.search(line) for line in lines)
        and not _is_python(code)
    )


class AnswerParser(PartsReader):
    """Parses answers for code cells.

    Text before the first fence is buffered until the first fence or the end of the answer, because
    the text may be code if no fence follows. But if its first line can't be the beginning of code,
    the text is output as soon as it arrives.
    """

    def __init__(self, language: str = "python", head: str = "") -> None:
        super().__init__(head)
        self._language = fence_name(language)
        self._fence = ""  # the backticks that opened the current block
        self._in_suggestion = False  # whether the current block is the suggestion
        self._has_block = False  # whether any block has begun
        self._has_suggestion = False  # whether the suggestion has begun
        self._text_before_blocks = ""
        self._is_in_words = False  # whether the text before the first fence can't be code

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
            closing = _CLOSING_FENCE.match(line)
            if closing and len(closing[1]) >= len(self._fence):
                return self._close_block(line)
        elif opening := _OPENING_FENCE.match(line):
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
        if self._has_block or self._is_in_words:
            return self._add_explanation(text)
        is_first_line = not self._text_before_blocks.strip().count("\n")
        self._text_before_blocks += text
        if text == "\n" and is_first_line and self._cannot_be_code(self._text_before_blocks):
            text, self._text_before_blocks = self._text_before_blocks, ""
            self._is_in_words = True
            return self._add_explanation(text)
        return []

    def _cannot_be_code(self, first_line: str) -> bool:
        """Return whether the first line of a text rules out that the text is code."""
        line = _CONTROL_CODES.sub("", first_line).strip("\n")
        return (
            self._language == "python"
            and bool(line.strip())
            and not line.rstrip().endswith((":", "\\"))
            and not any(quotes in line for quotes in ('"""', "'''"))
            and all(line.count(opening) <= line.count(closing) for opening, closing in _BRACKETS)
            and not _BEGINS_LONGER_STATEMENT.match(line)
            and not _is_python(line)
        )

    def _looks_like_code(self, text: str) -> bool:
        if self._language != "python":
            return bool(_CODE_SIGNS.search(text))
        # Prose such as "Sorry" or "Yes, no" is valid Python, too. So an answer that consists of
        # such expressions alone isn't code.
        prose_like = (ast.Name, ast.Tuple, ast.Constant, ast.Compare, ast.BoolOp)
        return any(
            not (isinstance(node, ast.Expr) and isinstance(node.value, prose_like))
            for node in _parse(text) or []
        )


def _is_python(text: str) -> bool:
    return _parse(text) is not None


def _parse(text: str) -> list[ast.stmt] | None:
    """Parse a text as Python, ignoring control characters. Return None if it isn't Python."""
    try:
        return ast.parse(_CONTROL_CODES.sub("", text)).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
