"""Parse a streamed answer for a Markdown or raw cell, in which fences may be part of the text.

Invariants, in addition to those in ``parts.py``:

- The prompt asks for the cell's text in a block with fences of four backticks, so that fences of
  three backticks are a part of the text. Some models use fences of three backticks for this outer
  block, too, and some write the text without an outer block. In all of these cases, the code blocks
  in the text are preserved.
- If the outer block has three backticks, a fence with a tag or with more backticks opens an inner
  block. The next fence without a tag closes the inner block. Outside of an inner block, a fence of
  three backticks without a tag is ambiguous, so it is buffered until the next fence. If the next
  fence has no tag either, the two fences enclose an inner block. If the next fence has a tag, or if
  the answer ends, the buffered fence closed the outer block.
- Without an outer block, the entire answer is the text, including its fences.
"""

from __future__ import annotations

import re
from typing import Literal

from .language import fence_name
from .parts import Parts, PartsReader

_FENCE = re.compile(r" {0,3}(`{3,})[ \t]*([^`\s]*)[^`\n]*$")
# The beginning of a line with Markdown. If the answer begins with such a line, the line belongs to
# the cell's text. Otherwise, the line may be an introduction such as "Sure, here it is".
_MARKDOWN = re.compile(r" {0,3}(#{1,6}\s|[-*+>|$<!]|\d+[.)]\s|\*\*|---|\[)")

_State = Literal["before", "inside", "perhaps closed", "after", "bare"]
"""The parser's position relative to the outer block. ``perhaps closed`` means that an ambiguous
fence is buffered, and ``bare`` that there is no outer block."""


class ProseParser(PartsReader):
    """Parses answers for cells with prose. ``language`` is ``markdown`` or ``text``."""

    def __init__(self, language: str = "markdown", head: str = "") -> None:
        super().__init__(head)
        self._language = language
        self._state: _State = "before"
        self._fence = self._inner = ""  # the backticks of the outer and of the inner block
        self._buffer: list[str] = []  # lines whose part is not yet certain

    @property
    def _in_code(self) -> bool:
        return self._state == "inside" and not self._inner

    def _can_output_early(self) -> bool:
        return self._state in ("inside", "after", "bare")

    def _whole_line(self, line: str, *, ended: bool) -> Parts:
        if not ended and not line:
            return []
        fence = _FENCE.match(line)
        ticks, tag = (fence[1], fence[2].strip("{}.,")) if fence else ("", "")
        if self._state == "before":
            return self._parse_before_text(line, ticks, tag, ended=ended)
        if self._state == "perhaps closed":
            return self._parse_after_ambiguous_fence(line, ticks, tag, ended=ended)
        if self._state == "inside" and ticks:
            if len(self._fence) > 3:
                if not tag and len(ticks) >= len(self._fence):
                    return self._close_outer_block()
            elif self._inner:
                if not tag and len(ticks) >= len(self._inner):
                    self._inner = ""
            elif tag or len(ticks) > 3:
                self._inner = ticks
            else:
                self._state, self._buffer = "perhaps closed", [line]
                return []
        return self._line_text(line, ended=ended)

    def _parse_before_text(self, line: str, ticks: str, tag: str, *, ended: bool) -> Parts:
        """Parse a line of an answer in which the cell's text hasn't begun."""
        is_first = not any(previous.strip() for previous in self._buffer)
        if ticks and self._is_outer(ticks, tag, is_first):
            before, self._buffer = "\n".join([*self._buffer, ""]), []
            self._state, self._fence = "inside", ticks
            return self._add_explanation(before if before.strip() else "")
        self._buffer.append(line)
        if (is_first and line.strip()) and (ticks or _MARKDOWN.match(line)):
            self._state = "bare"
            return self._release(ended=ended)
        return []

    def _is_outer(self, ticks: str, tag: str, is_first: bool) -> bool:
        """Return whether a fence opens the outer block, instead of being a part of the text."""
        if len(ticks) > 3 or (tag and fence_name(tag) == self._language):
            return True
        return is_first and (not tag or self._language == "text")

    def _parse_after_ambiguous_fence(
        self, line: str, ticks: str, tag: str, *, ended: bool
    ) -> Parts:
        """Parse a line after an ambiguous fence, which may have closed the outer block."""
        self._buffer.append(line)
        if not ticks:
            return []
        self._state = "after" if tag else "inside"
        if tag:
            self._breaks = 0
            del self._buffer[0]  # the fence that closed the outer block
        return self._release(ended=ended)

    def _release(self, *, ended: bool) -> Parts:
        """Output the buffered lines. ``self._state`` determines to which part they belong."""
        lines, self._buffer = self._buffer, []
        out: Parts = []
        for number, line in enumerate(lines, 1):
            out += self._line_text(line, ended=ended or number < len(lines))
        return out

    def _close_outer_block(self) -> Parts:
        self._state, self._breaks = "after", 0
        return []

    def _text(self, text: str) -> Parts:
        return self._add_explanation(text) if self._state == "after" else self._code_text(text)

    def _end(self) -> Parts:
        if self._state == "perhaps closed":
            self._state, self._breaks = "after", 0
            del self._buffer[0]  # the fence that closed the outer block
            return self._release(ended=False)
        if self._state == "before":
            self._state = "bare"
            return self._release(ended=False)
        return []
