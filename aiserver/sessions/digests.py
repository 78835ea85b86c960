"""Digests of records, by which a line of a notebook's log finds them after a merge. Pure.

A line says how far each cell had come, by the number of its last record. Merges of branches change
numbers, and git may take the log from one branch and merge the session, or the other way round. So
the line also has that record's digest, which no merge changes.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from typing import Any

from ..models import Event, Interaction, NotebookLogEntry, Session
from ..renumbering import mark_now
from . import codec

_NUMBERS = {"turn_id", "seq", "parent_turn_id", "merged"}
_LENGTH = 12

Places = Mapping[str, list[int]]  # by digest, the numbers of the records


def content(item: Interaction | Event) -> str:
    """All that a record says, except for what a merge renumbers."""
    fields = {key: value for key, value in codec.fields(item).items() if key not in _NUMBERS}
    if isinstance(data := fields.get("data"), dict):
        fields["data"] = {key: data[key] for key in data.keys() - {"from_seq", "merged"}}
    return json.dumps(fields, sort_keys=True)


def line_content(entry: NotebookLogEntry) -> str:
    """All that a line of a log says, except for what a merge renumbers."""
    fields = {key: value for key, value in codec.fields(entry).items() if key not in _NUMBERS}
    return json.dumps(fields, sort_keys=True)


def digest(item: Interaction | Event) -> str:
    """The first 12 hexadecimal digits of the SHA-256 of the record's content."""
    return hashlib.sha256(content(item).encode()).hexdigest()[:_LENGTH]


def last_digest(session: Session) -> str | None:
    """The digest of the last record, if it has a number."""
    last = session.ordered()[-1:]
    return digest(last[0]) if last and last[0].seq == session.next_seq - 1 else None


def places(session: Session) -> Places:
    """The numbers of a session's records by digest; several if records are equal."""
    found: dict[str, list[int]] = {}
    for item in session.ordered():
        if item.seq is not None:
            found.setdefault(digest(item), []).append(item.seq)
    return found


def with_marks_now(
    entry: NotebookLogEntry,
    merges: Mapping[str, object],
    places_of: Callable[[str], Places | None],
) -> NotebookLogEntry:
    """A line with the numbers that records have since branches were merged.

    ``merges``: by cell, ``meta.merged``. A cell without the record, such as one whose log alone was
    cherry-picked, is left out: its number would name another record.
    """
    cells, digests = entry.data.get("cells"), entry.data.get("digests")
    if not isinstance(cells, dict) or not (entry.merged or merges.keys() & cells.keys()):
        return entry
    now: dict[str, Any] = {}
    for cell, seq in cells.items():
        merged = merges.get(cell)
        if type(seq) is not int or not (merged or entry.merged):
            now[cell] = seq
            continue
        by_way = mark_now(merged, entry.merged, seq)
        name = digests.get(cell, "") if isinstance(digests, dict) else ""
        known = places_of(cell) if name and isinstance(name, str) else None
        if known is None:
            now[cell] = by_way
        elif found := known.get(name):
            now[cell] = by_way if by_way in found else found[-1]
    return entry.model_copy(update={"data": entry.data | {"cells": now}})
