"""Digests of records, by which a line of a notebook's log finds them after a merge. Pure.

A line says how far each cell had come, by the number of its last record. Merges of branches change
numbers, and git may take the log from one branch and merge the session, or the other way round. So
the line also has that record's digest, which no merge changes.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence, Set
from typing import Any

from ....models import Event, Interaction, NotebookLogEntry, Session
from ....renumbering import current_end
from .. import codec

_NUMBERS = {"turn_id", "seq", "parent_turn_id", "merged"}
_LENGTH = 12

SeqsByDigest = Mapping[str, list[int]]  # by digest, the numbers of the records


def record_content(item: Interaction | Event) -> str:
    """All that a record says, except for what a merge renumbers."""
    fields = {key: value for key, value in codec.to_dict(item).items() if key not in _NUMBERS}
    if isinstance(data := fields.get("data"), dict):
        fields["data"] = {key: data[key] for key in data.keys() - {"from_seq", "merged"}}
    return json.dumps(fields, sort_keys=True)


def entry_content(entry: NotebookLogEntry) -> str:
    """All that a line of a log says, except for what a merge renumbers."""
    fields = {key: value for key, value in codec.to_dict(entry).items() if key not in _NUMBERS}
    return json.dumps(fields, sort_keys=True)


def digest(item: Interaction | Event) -> str:
    """The first 12 hexadecimal digits of the SHA-256 of the record's content."""
    return hashlib.sha256(record_content(item).encode()).hexdigest()[:_LENGTH]


def last_digest(session: Session) -> str | None:
    """The digest of the last record, if it has a number."""
    last = session.ordered()[-1:]
    return digest(last[0]) if last and last[0].seq == session.next_seq - 1 else None


def seqs_by_digest(session: Session) -> SeqsByDigest:
    """The numbers of a session's records by digest; several if records are equal."""
    found: dict[str, list[int]] = {}
    for item in session.ordered():
        if item.seq is not None:
            found.setdefault(digest(item), []).append(item.seq)
    return found


def renumber_entries(
    log: Sequence[NotebookLogEntry],
    merges: Mapping[str, object],
    last_seqs: Mapping[str, int],
    places_of: Callable[[str], SeqsByDigest | None],
) -> list[NotebookLogEntry]:
    """The lines of a log with the numbers that records have now.

    ``merges``: by cell, ``meta.merged``; ``last_seqs``: by cell, the number of its last record.
    Branches that were merged change numbers, and so does an older session file that was put back.
    A line doesn't name a cell without the record: its number would be another record's. From there
    on to the cell's next line nothing is marked ``saved``, for what was saved can't be shown.
    """
    replaced = _replaced(log, last_seqs)
    missing: set[str] = set()
    lines = []
    for entry in log:
        line = _renumber_entry(entry, merges, replaced, places_of)
        before, now = _cells(entry), _cells(line)
        missing = (missing | before.keys()) - now.keys()
        if missing and line.data.get("saved"):
            data = {name: value for name, value in line.data.items() if name != "saved"}
            line = line.model_copy(update={"data": data})
        lines.append(line)
    return lines


def _cells(entry: NotebookLogEntry) -> Mapping[str, Any]:
    cells = entry.data.get("cells")
    return cells if isinstance(cells, dict) else {}


def _replaced(log: Sequence[NotebookLogEntry], last_seqs: Mapping[str, int]) -> set[str]:
    """The cells whose numbers don't grow along the log, or go beyond the last record."""
    replaced: set[str] = set()
    highest: dict[str, int] = {}
    for entry in log:
        for cell, seq in _cells(entry).items():
            if type(seq) is not int:
                continue
            if seq <= highest.get(cell, 0) or seq > last_seqs.get(cell, seq):
                replaced.add(cell)
            highest[cell] = max(seq, highest.get(cell, 0))
    return replaced


def _renumber_entry(
    entry: NotebookLogEntry,
    merges: Mapping[str, object],
    replaced: Set[str],
    places_of: Callable[[str], SeqsByDigest | None],
) -> NotebookLogEntry:
    cells, digests = _cells(entry), entry.data.get("digests")
    if not (entry.merged or merges.keys() & cells.keys() or replaced & cells.keys()):
        return entry
    now: dict[str, Any] = {}
    for cell, seq in cells.items():
        merged = merges.get(cell)
        if type(seq) is not int or not (merged or entry.merged or cell in replaced):
            now[cell] = seq
            continue
        by_way = current_end(merged, entry.merged, seq)
        name = digests.get(cell, "") if isinstance(digests, dict) else ""
        known = places_of(cell) if name and isinstance(name, str) else None
        if known is None:
            now[cell] = by_way
        elif found := known.get(name):
            now[cell] = by_way if by_way in found else found[-1]
    return entry.model_copy(update={"data": entry.data | {"cells": now}})
