"""Reads a model's answer for a Markdown or raw cell, in which fences may be part of the text.

What must hold, beside what ``parts.py`` says:

- We ask for a block of four backticks, in which three are text. Models also answer with a block
  of three that has blocks of three inside, and with the text alone: code blocks in it survive in
  each form.
- Inside a block of three, a tagged fence opens a block of the text's own, and the next bare one
  closes it. A bare fence outside of such is held back: if another bare one follows, the two were
  a block of the text; if a tagged one or the end follows, it closed the answer's block.
- Without a block around it the whole answer is the text, its fences included.
"""

from __future__ import annotations

import re
from typing import Literal

from .language import fence_name
from .parts import Parts, PartsReader

_FENCE = re.compile(r" {0,3}(`{3,})[ \t]*([^`\s]*)[^`\n]*$")
# A first line that is text of the cell and no "Sure, here it is".
_MARKDOWN = re.compile(r" {0,3}(#{1,6}\s|[-*+>|$<!]|\d+[.)]\s|\*\*|---|\[)")

_State = Literal["before", "inside", "perhaps closed", "after", "bare"]


class ProseParser(PartsReader):
    """Reads answers for cells of text. ``language`` is ``markdown`` or ``text``."""

    def __init__(self, language: str = "markdown", head: str = "") -> None:
        super().__init__(head)
        self._language = language
        self._state: _State = "before"
        self._fence = self._inner = ""  # the backticks of the block, and of one inside it
        self._held: list[str] = []  # whole lines that are not settled, and the last, if begun

    @property
    def _in_code(self) -> bool:
        return self._state == "inside" and not self._inner

    def _may_start(self) -> bool:
        return self._state in ("inside", "after", "bare")

    def _whole_line(self, line: str, *, ended: bool) -> Parts:
        if not ended and not line:
            return []
        fence = _FENCE.match(line)
        ticks, tag = (fence[1], fence[2].strip("{}.,")) if fence else ("", "")
        if self._state == "before":
            return self._before(line, ticks, tag, ended=ended)
        if self._state == "perhaps closed":
            return self._perhaps(line, ticks, tag, ended=ended)
        if self._state == "inside" and ticks:
            if len(self._fence) > 3:
                if not tag and len(ticks) >= len(self._fence):
                    return self._close()
            elif self._inner:
                if not tag and len(ticks) >= len(self._inner):
                    self._inner = ""
            elif tag or len(ticks) > 3:
                self._inner = ticks
            else:
                self._state, self._held = "perhaps closed", [line]
                return []
        return self._text(line) + (self._line_break() if ended else [])

    def _before(self, line: str, ticks: str, tag: str, *, ended: bool) -> Parts:
        first = not any(held.strip() for held in self._held)
        if ticks and self._wraps(ticks, tag, first):
            before, self._held = "\n".join([*self._held, ""]), []
            self._state, self._fence = "inside", ticks
            return self._add_explanation(before if before.strip() else "")
        self._held.append(line)
        if (first and line.strip()) and (ticks or _MARKDOWN.match(line)):
            self._state = "bare"
            return self._release(ended=ended)
        return []

    def _wraps(self, ticks: str, tag: str, first: bool) -> bool:
        """Whether this fence is around the answer, not part of it."""
        if len(ticks) > 3 or (tag and fence_name(tag) == self._language):
            return True
        return first and (not tag or self._language == "text")

    def _perhaps(self, line: str, ticks: str, tag: str, *, ended: bool) -> Parts:
        self._held.append(line)
        if not ticks:
            return []
        self._state = "after" if tag else "inside"
        if tag:
            self._breaks = 0
            del self._held[0]  # it was the closing fence
        return self._release(ended=ended)

    def _release(self, *, ended: bool) -> Parts:
        """Give out what was held, in the state that it turned out to be in."""
        held, self._held = self._held, []
        out: Parts = []
        for number, line in enumerate(held, 1):
            out += self._text(line)
            if ended or number < len(held):
                out += self._line_break()
        return out

    def _close(self) -> Parts:
        self._state, self._breaks = "after", 0
        return []

    def _text(self, text: str) -> Parts:
        if not text:
            return []
        return self._add_explanation(text) if self._state == "after" else self._code_text(text)

    def _line_break(self) -> Parts:
        return self._add_explanation("\n") if self._state == "after" else self._code_break()

    def _end(self) -> Parts:
        if self._state == "perhaps closed":
            self._state, self._breaks = "after", 0
            del self._held[0]
            return self._release(ended=False)
        if self._state == "before":
            self._state = "bare"
            return self._release(ended=False)
        return []
