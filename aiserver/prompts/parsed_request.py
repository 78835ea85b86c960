"""Parse a request once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from ..requests import CellType, ContextCell
from .language import CellLanguage, cell_language, code_of, is_request
from .modes import (
    Mode,
    instruct,
    mode_of,
    split_slash_word,
    without_slash,
    works_on_cell_above,
)
from .selection import SelectedLines, select_lines


@dataclass(frozen=True)
class ParsedRequest:
    """A request about code. ``intent`` is empty in a warm-up.

    ``code`` is the cell's, or the selected lines as a cell. A request in an empty cell may be about
    the code cell ``above``.
    """

    intent: str
    language: CellLanguage
    code: str = ""
    above: ContextCell | None = None
    selection: SelectedLines | None = None
    """The selected lines and the others, if the request is limited to them."""

    @property
    def subject(self) -> str:
        """The code that the request is about."""
        return self.above.source if self.above else self.code

    @cached_property
    def subject_language(self) -> CellLanguage:
        """The language of ``subject``, which may begin with a cell magic of its own."""
        return cell_language(self.language.kernel, self.subject) if self.above else self.language

    @cached_property
    def slash_mode(self) -> Mode | None:
        return split_slash_word(self.intent, self.language)[0]

    @property
    def mode(self) -> Mode:
        return mode_of(self.intent, self.code, self.language)

    @property
    def demands_words(self) -> bool:
        return self.slash_mode == "explain" and self._has_code

    @property
    def is_question(self) -> bool:
        """Whether words are asked for, which a small model can't tell itself."""
        mode = mode_of(self.intent, self.subject, self.language)
        return mode == "explain" and self._has_code

    @property
    def _has_code(self) -> bool:
        return bool(self.language.below_head(self.subject).strip())

    @property
    def instruction(self) -> str:
        """The request with an instruction instead of a slash word."""
        return instruct(self.intent, self.language, above=self.above is not None)

    @property
    def without_slash(self) -> str:
        return without_slash(self.intent, self.language)


def parse_request(
    intent: str,
    source: str,
    kernel: str,
    cell_type: CellType = "code",
    *,
    cells: Sequence[ContextCell] = (),
    lines: tuple[int, int] | None = None,
    mentions_cell: bool = False,
) -> ParsedRequest:
    """Read a request. ``cells`` are those above, and ``lines`` the selected ones, from 1.

    ``/explain`` and the like in an empty cell are about the nearest code cell above, unless a cell
    is mentioned. Empty cells and cells with ``%%ai`` don't count.
    """
    language = cell_language(kernel, source, cell_type)
    selection = select_lines(source, *lines) if lines else None
    code = source if selection else code_of(source, intent)
    above = None
    if not code_of(source, intent).strip() and not mentions_cell:
        candidates = [cell for cell in reversed(cells) if _has_code(cell)]
        above = candidates[0] if candidates and works_on_cell_above(intent, language) else None
    return ParsedRequest(intent, language, code, above, selection)


def _has_code(cell: ContextCell) -> bool:
    has_source = cell.cell_type == "code" and bool(cell.source.strip())
    return has_source and not is_request(cell.source)
