"""Restrict a request to the selected lines of a cell, so that no other line can change.

The model gets the selected lines as if they were the cell, without their common indentation. Its
answer replaces them, with that indentation. Line breaks are ``\\n`` only, as in the page's editor.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import dropwhile, takewhile

from .language import CellLanguage


@dataclass(frozen=True)
class SelectedLines:
    """A cell's lines above, in and below a selection."""

    above: str
    selected: str
    below: str
    is_first: bool
    """Whether the selection begins in the cell's first line."""
    is_last: bool
    """Whether the selection ends in the cell's last line."""

    @property
    def indentation(self) -> str:
        """The white space with which all lines begin, except blank ones."""
        lines = [line for line in self.selected.split("\n") if line.strip()]
        if not lines:
            return self.selected.split("\n")[0]
        return _common_indentation(lines)

    @property
    def without_indentation(self) -> str:
        indentation = self.indentation
        return "\n".join(line.removeprefix(indentation) for line in self.selected.split("\n"))

    @property
    def first_indentation(self) -> str:
        """The first line's white space beyond ``indentation``."""
        first = next((line for line in self.selected.split("\n") if line.strip()), "")
        return _common_indentation([first]).removeprefix(self.indentation)

    def insert(self, code: str) -> str:
        """Return the cell's source with ``code`` instead of the selected lines.

        If the model has repeated all other lines, ``code`` is the source; but never if it is the
        selected lines as they were, which may begin and end like the cell.
        """
        begins = self.is_first or code.startswith(f"{self.above}\n")
        ends = self.is_last or code.endswith(f"\n{self.below}")
        has_others = f"{self.above}{self.below}".strip() != "" and code != self.without_indentation
        if begins and ends and has_others and len(code) > len(self.above) + len(self.below) + 1:
            return code
        return self.begin(code) + ("" if self.is_last else f"\n{self.below}")

    def begin(self, code: str) -> str:
        """Return the lines above, and the code with the selection's indentation.

        Indentation of the first line beyond that of the line that the model got is removed from all
        lines. Cell magics are left out, unless the selection contains the cell's first line.
        """
        lines = code.split("\n")
        if not self.is_first:
            lines = list(dropwhile(lambda line: line.startswith("%%"), lines))
        own = _common_indentation([next(filter(str.strip, lines), "")])
        surplus = own.removesuffix(self.first_indentation) if own != self.first_indentation else ""
        indented = [
            self.indentation + line.removeprefix(_common_indentation([line, surplus]))
            if line.strip()
            else ""
            for line in lines
        ]
        return "\n".join([*([] if self.is_first else [self.above]), "\n".join(indented)])


def select_lines(source: str, first: int, last: int) -> SelectedLines:
    """Split at the lines ``first`` to ``last``, from 1, as far as they exist."""
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
    """Put selected code below the magics of its language, as a cell."""
    indentation = selection.indentation
    code = "\n".join(line.removeprefix(indentation) for line in code.split("\n"))
    if language.head and not selection.is_first and not code.startswith("%%"):
        return f"{language.head}\n{code}"
    return code


def _common_indentation(lines: Sequence[str]) -> str:
    first, last = min(lines), max(lines)  # what these two share, all lines share
    same = takewhile(
        lambda pair: pair[0] == pair[1] and pair[0] in " \t", zip(first, last, strict=False)
    )
    return "".join(character for character, _ in same)
