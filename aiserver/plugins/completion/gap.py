"""The gap at the cursor that a completion fills: the code around it, and the completion's end.

Pure functions.

Invariants:

- A prompt contains only code: of the cells above in the same language, and of the cell itself.
- While a person types, the beginning of the prompt rarely changes. So a model that caches its
  prompt only reads what was typed.
- A completion ends with the line of the cursor or, where a block of code begins, with the block.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from ...prompts.language import cell_language, is_request
from ...requests import Body, Code
from ...tokens import estimate_tokens

MAX_TOKENS = 64  # the maximum length of a completion, in tokens

# The maximum lengths of the code before and after the cursor, in tokens. Together with a
# completion, they fit into the prompt of the smallest model.
PREFIX_TOKENS = 400
SUFFIX_TOKENS = 100

# If the code before the cursor is too long, at least this many tokens are removed at a time, so
# that the beginning of the prompt doesn't change with each character.
STEP_TOKENS = 100

_OPENING = {")": "(", "]": "[", "}": "{"}  # the opening bracket of each closing bracket


class CompletionBody(Body):
    """A request to complete a cell's code at the cursor.

    ``prefix`` and ``suffix`` are the cell's source before and after the cursor. ``cells`` are the
    sources of code cells above the cell, from top to bottom.
    """

    prefix: Code
    suffix: Code = ""
    language: Annotated[str, Field(min_length=1, max_length=64)] = "python"
    """The kernel's language."""
    cells: list[Code] = Field([], max_length=100)


@dataclass(frozen=True)
class Gap:
    """The place of a completion: the code before and after it.

    ``rest`` is the code after the cursor in the cursor's line. ``least_indent`` is the smallest
    indentation of a line that belongs to the block at the cursor; None if the completion ends with
    the cursor's line.
    """

    prefix: str
    suffix: str
    rest: str
    least_indent: int | None

    @property
    def stop(self) -> list[str]:
        return ["\n"] if self.least_indent is None else ["\n\n"]

    def end_of(self, text: str) -> int | None:
        """Return the position in ``text`` at which the completion ends.

        Return None if ``text``, the beginning of what the model writes, doesn't reach the end.
        """
        position = text.find("\n")
        if self.least_indent is None:
            return position if position >= 0 else None
        while position >= 0:
            line, is_complete, _ = text[position + 1 :].partition("\n")
            code = line.lstrip()
            if (not code and is_complete) or (code and len(line) - len(code) < self.least_indent):
                return position
            position = text.find("\n", position + 1)
        return None

    def fit(self, text: str) -> str:
        """Return the part of ``text`` to insert, without what already follows the cursor."""
        text = text[: self.end_of(text)].rstrip()
        is_repeated = self.rest and text.endswith(self.rest) and not _needs_end(text)
        return text.removesuffix(self.rest) if is_repeated else text


def find_gap(body: CompletionBody) -> Gap | None:
    """Return the gap at the cursor, or None if nothing can be completed there."""
    source = body.prefix + body.suffix
    language = cell_language(body.language, source)
    cells = [cell for cell in body.cells if cell_language(body.language, cell) == language]
    above = "".join(f"{cell.rstrip()}\n\n" for cell in cells if not is_request(cell))
    if language.is_prose or is_request(source) or not (above + source).strip():
        return None
    rest = body.suffix.partition("\n")[0].strip()
    indent = None if rest else _least_indent(body.prefix.rpartition("\n")[2])
    return Gap(_shorten_start(above + body.prefix), _shorten_end(body.suffix), rest, indent)


def _needs_end(text: str) -> bool:
    """Return whether ``text`` ends with a bracket that closes one in ``text``."""
    opening = _OPENING.get(text[-1:], "")
    return bool(opening) and text.count(text[-1]) <= text.count(opening)


def _least_indent(line: str) -> int | None:
    """Return the ``least_indent`` of a gap after ``line``, the code before it in its line.

    A block follows an empty line, a line that ends with a colon, and a comment, because people
    describe in comments what they are about to write.
    """
    code = line.strip()
    indent = len(line) - len(line.lstrip())
    if code.endswith(":"):
        return indent + 1
    return indent if not code or code.startswith("#") else None


def _shorten_start(text: str) -> str:
    """Remove lines at the beginning of ``text`` until it has at most ``PREFIX_TOKENS`` tokens."""
    lines = text.splitlines(keepends=True)
    counts = [estimate_tokens(line) for line in lines]
    excess = sum(counts) - PREFIX_TOKENS
    if excess <= 0:
        return text
    least_removed = math.ceil(excess / STEP_TOKENS) * STEP_TOKENS
    removed = first = 0
    while removed < least_removed and first < len(lines) - 1:
        removed += counts[first]
        first += 1
    # A character has at most 1.2 tokens, so a single line that is too long also becomes short.
    return "".join(lines[first:])[-PREFIX_TOKENS:] if removed < excess else "".join(lines[first:])


def _shorten_end(text: str) -> str:
    """Remove lines at the end of ``text`` until it has at most ``SUFFIX_TOKENS`` tokens."""
    count, short_text = 0, ""
    for line in text.splitlines(keepends=True):
        count += estimate_tokens(line)
        if count > SUFFIX_TOKENS:
            return short_text or line[:SUFFIX_TOKENS]
        short_text += line
    return text
