"""Restrict a request to the selected lines of a cell, so that no other line can change.

The model gets the selected lines as if they were the whole cell, without the indentation that they
have in common. Its answer replaces these lines, with their indentation. So the other lines stay as
they are, whatever the model answers.

Invariants:

- ``SelectedLines.insert`` and the stream of ``LineInserter`` give the same text, unless the model
  repeats the cell's other lines.
- Line breaks are ``\\n`` only, as in the page's editor.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile

from .language import CellLanguage


@dataclass(frozen=True)
class SelectedLines:
    """The lines of a cell above the selection, the selected lines, and the lines below it."""

    above: str
    selected: str
    below: str
    is_first: bool
    """Whether the selection begins in the cell's first line."""
    is_last: bool
    """Whether the selection ends in the cell's last line."""

    @property
    def indentation(self) -> str:
        """The white space with which all selected lines begin, except blank lines."""
        lines = [line for line in self.selected.split("\n") if line.strip()]
        if not lines:
            return self.selected.split("\n")[0]
        return _common_indentation(lines)

    @property
    def without_indentation(self) -> str:
        """The selected lines without the white space with which all of them begin."""
        indentation = self.indentation
        return "\n".join(line.removeprefix(indentation) for line in self.selected.split("\n"))

    @property
    def first_indentation(self) -> str:
        """The white space of the first selected line, without that of all selected lines."""
        first = next((line for line in self.selected.split("\n") if line.strip()), "")
        return _common_indentation([first]).removeprefix(self.indentation)

    def insert(self, code: str) -> str:
        """Return the cell's source with ``code`` instead of the selected lines.

        If the model has repeated all other lines, ``code`` is the cell's source. But if ``code`` is
        the selected lines as they were, it is never taken for the cell: in a cell such as ``a``
        three times, two selected lines also end with the line below them.
        """
        begins = self.is_first or code.startswith(f"{self.above}\n")
        ends = self.is_last or code.endswith(f"\n{self.below}")
        has_others = f"{self.above}{self.below}".strip() != "" and code != self.without_indentation
        if begins and ends and has_others and len(code) > len(self.above) + len(self.below) + 1:
            return code
        inserter = LineInserter(self)
        return inserter.feed(code) + inserter.finish()


def select_lines(source: str, first: int, last: int) -> SelectedLines:
    """Split a cell's source at the selection: the lines ``first`` to ``last``, counted from 1.

    Lines that don't exist are ignored.
    """
    lines = source.split("\n")
    first = max(1, min(first, len(lines)))
    last = max(first, min(last, len(lines)))
    return SelectedLines(
        above="\n".join(lines[: first - 1]),
        selected="\n".join(lines[first - 1 : last]),
        below="\n".join(lines[last:]),
        is_first=first == 1,
        is_last=last == len(lines),
    )


def as_cell(code: str, selection: SelectedLines, language: CellLanguage) -> str:
    """Return the selected lines as the code of a cell of their own.

    ``code`` is the text of these lines, in which secrets may be hidden. The lines with the cell's
    magics are put before them, because they determine the language.
    """
    indentation = selection.indentation
    code = "\n".join(line.removeprefix(indentation) for line in code.split("\n"))
    if language.head and not selection.is_first and not code.startswith("%%"):
        return f"{language.head}\n{code}"
    return code


class LineInserter:
    """Inserts the code of an answer between the lines above and below a selection, in pieces.

    If the first line of the answer is indented more than the first line that the model got, the
    whole answer is, so this indentation is removed. The selection's indentation is added.
    Cell magics at the beginning of the answer are left out, unless the selection contains the
    cell's first line.
    """

    def __init__(self, selection: SelectedLines) -> None:
        self._selection = selection
        self._indentation = selection.indentation
        self._answer_indentation: str | None = None
        self._start = ""  # the beginning of the current line, until it is clear how it begins
        self._is_in_line = False  # whether the current line's beginning was returned
        self._has_lines = False  # whether a line was returned

    def feed(self, code: str) -> str:
        """Return the text that the next piece of the code adds to the cell's source."""
        *ended, rest = code.split("\n")
        out = [self._text(line) + self._end_line() for line in ended]
        return "".join([*out, self._text(rest)])

    def finish(self) -> str:
        """Return the end of the cell's source."""
        end = self._end_line()
        if not self._has_lines:
            end = self._line_break()
        return end if self._selection.is_last else f"{end}\n{self._selection.below}"

    def _text(self, text: str) -> str:
        if self._is_in_line:
            return text
        self._start += text
        if not self._start.strip() or self._may_be_magic:
            return ""
        self._is_in_line = True
        return self._line_break() + self._indented(self._start)

    def _end_line(self) -> str:
        start, self._start = self._start, ""
        if self._is_in_line:
            self._is_in_line = False
            return ""
        if self._has_lines or not start.startswith("%%"):
            return self._line_break() + (self._indented(start) if start.strip() else "")
        return ""

    @property
    def _may_be_magic(self) -> bool:
        """Whether the current line may be a cell magic that is left out."""
        may_have_magic = not self._selection.is_first and not self._has_lines
        return may_have_magic and (self._start == "%" or self._start.startswith("%%"))

    def _line_break(self) -> str:
        """Return the text before a line: a line break or, before the first line, those above."""
        if self._has_lines:
            return "\n"
        self._has_lines = True
        return "" if self._selection.is_first else f"{self._selection.above}\n"

    def _indented(self, line: str) -> str:
        """Return a line with the selection's indentation instead of the answer's."""
        if self._answer_indentation is None:
            own = _common_indentation([line])
            expected = self._selection.first_indentation
            self._answer_indentation = own.removesuffix(expected) if own != expected else ""
        removed = _common_indentation([line, self._answer_indentation])
        return self._indentation + line.removeprefix(removed)


def _common_indentation(lines: Sequence[str]) -> str:
    """Return the white space with which all of these lines begin."""
    first, last = min(lines), max(lines)  # what these two have in common, all lines have
    same = takewhile(
        lambda pair: pair[0] == pair[1] and pair[0] in " \t", zip(first, last, strict=False)
    )
    return "".join(character for character, _ in same)
