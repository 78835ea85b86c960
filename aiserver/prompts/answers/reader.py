"""Read a model's answer, as a whole and while it arrives.

Invariants:

- The result depends only on the whole text, not on the pieces in which it arrived.
- If more text changes what was shown, as a closing tag of thoughts does, the part is shown again as
  a whole.
- Code doesn't begin or end in a blank line. CRLF becomes LF.
- Reading the text so far again and again takes at most a twentieth of the time.
"""

from __future__ import annotations

import re
import time
from dataclasses import dataclass
from typing import Literal

from ..language import CellLanguage
from .code import Replaced, read_words, split_code, without_stop_tokens
from .prose import is_settled, split_prose
from .thoughts import split_thoughts

Part = Literal["code", "explanation"]

_SIGN_OF_CODE = re.compile(r"[=(\[{:%!`~]")
_SHORT = 40  # characters; a shorter line may be code or words
_SHARE = 20  # reading takes at most a twentieth of the time


@dataclass(frozen=True)
class Answer:
    """The parts of an answer. ``code`` is the text for the cell, also in Markdown."""

    code: str = ""
    explanation: str = ""
    thoughts: str = ""
    replaced: tuple[Replaced, ...] = ()


@dataclass(frozen=True)
class Change:
    """A change of a part: ``text`` is added to it or, if it ``replaces``, is all of it."""

    part: Part
    text: str
    replaces: bool = False


def read_answer(
    text: str, language: CellLanguage, *, in_words: bool = False, ended: bool = True
) -> Answer:
    """Read an answer. If it hasn't ended, text that may be code or words is left out.

    The code of an answer ``in_words`` is a part of the explanation.
    """
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    thoughts, text = split_thoughts(text)
    complete, text = text, without_stop_tokens(text)
    if not ended and _is_unclear(text, language, in_words):
        return Answer(thoughts=thoughts)
    replaced: tuple[Replaced, ...] = ()
    if in_words:
        code, explanation = "", read_words(text, language)
    elif language.is_prose:
        code, explanation = split_prose(text, language.name)
    else:
        code, explanation, replaced = split_code(text, language)
    ends_in_words = bool(explanation) and text.rstrip().endswith(explanation)
    if code and text != complete and not (ends_in_words or text.endswith(("`", "~"))):
        replaced = (*replaced, "stop_tokens")
    if code and language.head and not code.startswith("%%"):
        code = f"{language.head}\n{code}"
    return Answer(code, explanation, thoughts, replaced)


def _is_unclear(text: str, language: CellLanguage, in_words: bool) -> bool:
    """Return whether more text decides if this is the cell's text."""
    is_cell_text = language.is_prose and not in_words
    line, line_break, _ = text.lstrip().partition("\n")
    is_unclear_line = len(line) <= _SHORT or _SIGN_OF_CODE.search(line) is not None
    return (is_unclear_line and not line_break) or (
        is_cell_text and not is_settled(text, language.name)
    )


class AnswerReader:
    """Collects an answer, and reports how its parts change."""

    def __init__(self, language: CellLanguage, *, in_words: bool = False) -> None:
        self.answer = Answer()
        self._language, self._in_words = language, in_words
        self._text = ""
        self._has_read = False
        self._next_reading = 0.0

    @property
    def is_long(self) -> bool:
        return len(self._text) > 4_000

    def feed(self, text: str) -> list[Change]:
        """Add the next piece; return the changes, if it is time."""
        self._text += text
        started = time.monotonic()
        if not text or started < self._next_reading:
            return []
        changes = self._read(ended=False)
        ended = time.monotonic()
        # The first reading may be slow, because it loads the parser.
        if self._has_read:
            self._next_reading = ended + _SHARE * (ended - started)
        self._has_read = True
        return changes

    def finish(self) -> list[Change]:
        return self._read(ended=True)

    def _read(self, *, ended: bool) -> list[Change]:
        before = self.answer
        self.answer = read_answer(self._text, self._language, in_words=self._in_words, ended=ended)
        return [
            *changes_of("code", before.code, self.answer.code),
            *changes_of("explanation", before.explanation, self.answer.explanation),
        ]


def changes_of(part: Part, old: str, new: str) -> list[Change]:
    """Return the change of a part's text, or []."""
    if new.startswith(old):
        return [Change(part, new[len(old) :])] if new != old else []
    return [Change(part, new, replaces=True)]
