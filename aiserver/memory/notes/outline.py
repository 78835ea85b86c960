"""Make a note from a notebook's own text, without a model. Pure, except for registered secrets.

Invariants: the text has at most ``MAX_NOTE`` characters and no secret that ``redact`` recognises.
It is empty if the notebook doesn't say what it is about. Any cells give a result.
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
from .prose import read_prose
from .wording import facts_texts, purpose_text

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
    """Return the outline of a notebook. Takes some milliseconds for each hundred cells."""
    digests = [_digest(f"{cell.cell_type}\0{cell.source}") for cell in cells]
    clean = without_secrets(cells)
    prose, data = read_prose(clean), read_data(clean)
    sample = prose.text if prose.text.strip() else _comments(clean)
    purpose = _checked(purpose_text(prose, sample))
    facts = [_checked(text) for text in facts_texts(prose, data, sample)]
    has_content = purpose or data.files or data.tables or len(prose.sections) > 1
    subject = "\0".join([prose.title, *data.files, *data.tables])
    return Outline(
        purpose,
        tuple(filter(None, facts)) if has_content else (),
        _digest(subject)[:16],
        fingerprints(digests),
    )


def without_secrets(cells: Sequence[NoteCell]) -> list[NoteCell]:
    """Return cells without secrets and invisible characters."""
    return [_clean(cell) for cell in cells]


def _clean(cell: NoteCell) -> NoteCell:
    text = visible_part(fix_surrogates(cell.source))
    text = redact(text, is_prose=cell.cell_type != "code")
    return cell.model_copy(update={"source": text})


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
