"""Make a note from a notebook's own text, without a model. Pure, except for registered secrets.

Invariants: the text has at most ``MAX_NOTE`` characters, no secret that ``redact`` recognises, and
nothing of lines that are about the notebook's author. It is empty if the notebook doesn't say what
it is about. Any cells give a result.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from ...errors import NotRemembered
from ...project_files.visible_text import visible_part
from ...redact import redact
from ...requests import NoteCell
from ...surrogates import fix_surrogates
from ..limits import MAX_NOTE, checked_note
from .data import read_data
from .note import fingerprints
from .personal import is_personal
from .prose import read_prose
from .wording import facts_texts, purpose_text

_MAX_SOURCES = 400_000  # characters of all cells; the cells after them are left out
_MAX_COMMENTS = 2000  # characters, from which the language is detected if there is no prose


@dataclass(frozen=True)
class Outline:
    """A note's text, and the fingerprints by which changes of the notebook are recognised.

    ``purpose`` is the first line of the text, which a model may word; ``facts`` are its other
    lines. ``cells`` and ``subject`` are as in ``Note``.
    """

    purpose: str = ""
    facts: tuple[str, ...] = ()
    subject: str = ""
    cells: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The whole note."""
        return self.with_purpose(self.purpose)

    def with_purpose(self, purpose: str) -> str:
        """Return the note with another first line, and as many of the facts as fit."""
        lines = [purpose] if purpose else []
        for fact in self.facts:
            if sum(map(len, lines)) + len(lines) + len(fact) <= MAX_NOTE:
                lines.append(fact)
        return "\n".join(lines)


def outline_of(cells: Sequence[NoteCell]) -> Outline:
    """Return the outline of a notebook. Takes up to a second for the longest notebooks."""
    digests = [_digest(f"{cell.cell_type}\0{cell.source}") for cell in cells]
    clean = clean_cells(cells)
    prose, data = read_prose(clean), read_data(clean)
    sample = prose.text if prose.text.strip() else _comments(clean)
    purpose = _checked(purpose_text(prose, sample))
    facts = [_checked(text) for text in facts_texts(prose, data, sample)]
    subject = "\0".join([prose.title, *data.files])
    return Outline(
        purpose,
        tuple(filter(None, facts)) if purpose or data.files else (),
        _digest(subject)[:16],
        fingerprints(digests),
    )


def clean_cells(cells: Sequence[NoteCell]) -> list[NoteCell]:
    """Return cells without secrets, invisible characters and lines about the author.

    The last cells of a very long notebook are left out.
    """
    clean = []
    room = _MAX_SOURCES
    for cell in cells:
        room -= len(cell.source)
        if room < 0:
            break
        clean.append(_clean(cell))
    return clean


def _clean(cell: NoteCell) -> NoteCell:
    is_prose = cell.cell_type != "code"
    lines = visible_part(fix_surrogates(cell.source)).splitlines()
    text = "\n".join(
        line
        for line in lines
        if not ((is_prose or line.lstrip().startswith("#")) and is_personal(line))
    )
    return cell.model_copy(update={"source": redact(text, is_prose=is_prose)})


def _comments(cells: Sequence[NoteCell]) -> str:
    lines = (line.strip() for cell in cells for line in cell.source.splitlines())
    return " ".join(line for line in lines if line.startswith("#"))[:_MAX_COMMENTS]


def _checked(text: str) -> str:
    """Return a sentence as a note may contain it; "" if it may not."""
    try:
        return checked_note(text)
    except NotRemembered:
        return ""


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
