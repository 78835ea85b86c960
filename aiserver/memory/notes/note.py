"""A note, and the document with all notes of an owner. Pure.

Invariants:

- The text of an expired note is never returned. The choice not to send a note doesn't expire.
- The document has at most ``MAX_NOTES`` notes that were made, and ``MAX_OWN_NOTES`` with a text or
  a choice of the person; the least recently used ones are dropped first.
- Unknown fields of stored notes are preserved. A note of an unknown author, which a newer version
  has stored, is treated as the person's, so that it isn't replaced.
- A damaged document is never overwritten.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal, get_args

from ...errors import MemoryUnreadable, UserText
from ..limits import MAX_NOTE

Author = Literal["outline", "model", "person"]
"""The origin of a text: made without a model, worded by a model, or written by the person."""

MAX_NOTES = 200
MAX_OWN_NOTES = 400
_FINGERPRINT = 4  # characters: enough to compare cells, and too few to find out their texts
_MAX_DIFFERENCE = 0.3  # the share of cells that may differ before a note is made again
_DAMAGED = UserText(
    "AI Server can’t read the notes about your notebooks: the file with them is damaged. "
    "It is not overwritten."
)


@dataclass(frozen=True)
class Note:
    """The note of one notebook. The times are in seconds since 1970.

    The text is empty if the person has deleted it, or if only the choice not to send the note is
    left. ``model`` is the id of the model that worded it.
    ``subject`` is a fingerprint of the notebook's title and files, and ``cells`` are those of its
    cells, when the note was made.
    """

    text: str
    author: Author
    written_at: float
    used_at: float
    is_used: bool = True
    model: str = ""
    subject: str = ""
    cells: tuple[str, ...] = ()
    extra: Mapping[str, Any] = field(default_factory=dict)

    @property
    def is_own(self) -> bool:
        """Whether the note has a text or a choice of the person."""
        return self.author == "person" or not self.is_used

    def without_text(self) -> Note:
        """Return the note with nothing of the notebook's or the person's text."""
        return replace(self, text="", model="", subject="", cells=())

    def expires_at(self, lifetime: float) -> float | None:
        """Return the time at which the text expires if it isn't used; None if it never does."""
        return None if self.author == "person" else self.used_at + lifetime

    def is_outdated(self, subject: str, cells: Sequence[str]) -> bool:
        """Return whether a notebook has changed so much that its note should be made again."""
        if subject != self.subject:
            return True
        same = (Counter(cells) & Counter(self.cells)).total()
        return max(len(cells), len(self.cells)) - same > _MAX_DIFFERENCE * max(len(cells), 1)

    def to_dict(self, notebook_id: str) -> dict[str, Any]:
        """Return the note as it is stored."""
        stored = dict(self.extra) | {
            "notebook_id": notebook_id,
            "text": self.text,
            "author": self.extra.get("author", self.author),
            "written_at": self.written_at,
            "used_at": self.used_at,
            "used": self.is_used,
        }
        if self.model:
            stored["model"] = self.model
        if self.subject:
            stored["subject"] = self.subject
        if self.cells:
            stored["cells"] = "".join(self.cells)
        return stored


_NAMES = {item.name for item in fields(Note)} | {"notebook_id", "used"}


def fingerprints(digests: Sequence[str]) -> tuple[str, ...]:
    """Return the fingerprints of cells, given their digests."""
    return tuple(digest[:_FINGERPRINT] for digest in digests)


def parse(data: bytes | None, now: float, lifetime: float) -> dict[str, Note]:
    """Return the notes that haven't expired, by the ids of their notebooks.

    Of an expired note that the person doesn't send, the choice is returned. Invalid notes are left
    out. Raises MemoryUnreadable if the document is damaged.
    """
    if data is None:
        return {}
    try:
        stored = json.loads(data)
    except (ValueError, RecursionError) as reason:
        raise MemoryUnreadable(_DAMAGED) from reason
    listed = stored.get("notes") if isinstance(stored, dict) else None
    if not isinstance(listed, list):
        raise MemoryUnreadable(_DAMAGED)
    notes: dict[str, Note] = {}
    for item in listed:
        note = _note(item)
        if note is None:
            continue
        expires_at = note.expires_at(lifetime)
        if expires_at is None or expires_at > now:
            notes[item["notebook_id"]] = note
        elif not note.is_used:
            notes[item["notebook_id"]] = note.without_text()
    return notes


def encode(notes: Mapping[str, Note]) -> bytes | None:
    """Return notes as they are stored; None if there are none."""
    if not notes:
        return None
    by_use = sorted(notes.items(), key=lambda pair: pair[1].used_at)
    of_notebooks = [pair for pair in by_use if not pair[1].is_own][-MAX_NOTES:]
    of_person = [pair for pair in by_use if pair[1].is_own][-MAX_OWN_NOTES:]
    listed = [note.to_dict(notebook_id) for notebook_id, note in of_notebooks + of_person]
    return (json.dumps({"notes": listed}, ensure_ascii=False, indent=1) + "\n").encode()


def _note(item: Any) -> Note | None:
    if not isinstance(item, dict):
        return None
    stored_author = item.get("author")
    authors: tuple[Author, ...] = get_args(Author)
    author: Author = next((author for author in authors if author == stored_author), "person")
    texts = [item.get(name, "") for name in ("notebook_id", "text", "model", "subject", "cells")]
    times = [item.get(name) for name in ("written_at", "used_at")]
    is_used = item.get("used", True)
    if not (
        isinstance(stored_author, str)
        and all(isinstance(text, str) for text in texts)
        and texts[0]
        and len(texts[1]) <= MAX_NOTE
        and all(isinstance(time, int | float) and abs(time) < 1e12 for time in times)
        and isinstance(is_used, bool)
    ):
        return None
    cells = texts[4]
    extra = {name: value for name, value in item.items() if name not in _NAMES}
    if stored_author != author:
        extra["author"] = stored_author
    return Note(
        text=texts[1],
        author=author,
        written_at=float(times[0] or 0),
        used_at=float(times[1] or 0),
        is_used=is_used,
        model=texts[2],
        subject=texts[3],
        cells=tuple(cells[at : at + _FINGERPRINT] for at in range(0, len(cells), _FINGERPRINT)),
        extra=extra,
    )
