"""Digests of records, by which change log entries find them after a merge. Pure.

An entry gives each cell's state by the number of its last record. Merges of branches change
numbers, and git may take the log from one branch and merge the session, or vice versa. So the entry
also has the digest of that record, which no merge changes.
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

SeqsByDigest = Mapping[str, list[int]]  # record numbers by digest


def record_content(item: Interaction | Event) -> str:
    """Return a record's content as JSON, without the parts that a merge renumbers."""
    fields = {key: value for key, value in codec.to_dict(item).items() if key not in _NUMBERS}
    if isinstance(data := fields.get("data"), dict):
        fields["data"] = {key: data[key] for key in data.keys() - {"from_seq", "merged"}}
    return json.dumps(fields, sort_keys=True)


def digest(item: Interaction | Event) -> str:
    """Return the first 12 hexadecimal digits of the SHA-256 of the record's content."""
    return hashlib.sha256(record_content(item).encode()).hexdigest()[:_LENGTH]


def last_digest(session: Session) -> str | None:
    """Return the digest of the last record, if it has a number."""
    last = session.ordered()[-1:]
    return digest(last[0]) if last and last[0].seq == session.next_seq - 1 else None


def seqs_by_digest(session: Session) -> SeqsByDigest:
    """Return the numbers of a session's records by digest; equal records share one."""
    seqs: dict[str, list[int]] = {}
    for item in session.ordered():
        if item.seq is not None:
            seqs.setdefault(digest(item), []).append(item.seq)
    return seqs


def renumber_entries(
    log: Sequence[NotebookLogEntry],
    merges: Mapping[str, object],
    last_seqs: Mapping[str, int],
    get_seqs: Callable[[str], SeqsByDigest | None],
) -> list[NotebookLogEntry]:
    """Return the entries of a log with the current numbers of their records.

    ``merges``: ``meta.merged`` by cell; ``last_seqs``: the number of the last record by cell.
    Numbers change with merges of branches, and when an older session file is restored. An entry
    omits a cell whose record is missing, since its number would be that of another record. From
    there to the cell's next entry, nothing is marked ``saved``, since the saved state is unknown.
    """
    replaced = _replaced(log, last_seqs)
    missing: set[str] = set()
    entries = []
    for entry in log:
        line = _renumber_entry(entry, merges, replaced, get_seqs)
        missing = (missing | cells_of(entry).keys()) - cells_of(line).keys()
        entries.append(without_saved(line) if missing else line)
    return entries


def cells_of(entry: NotebookLogEntry) -> Mapping[str, Any]:
    """Return the seqs of an entry by cell."""
    cells = entry.data.get("cells")
    return cells if isinstance(cells, dict) else {}


def without_saved(entry: NotebookLogEntry) -> NotebookLogEntry:
    """Return an entry without the mark ``saved``."""
    if "saved" not in entry.data:
        return entry
    data = {name: value for name, value in entry.data.items() if name != "saved"}
    return entry.model_copy(update={"data": data})


def _replaced(log: Sequence[NotebookLogEntry], last_seqs: Mapping[str, int]) -> set[str]:
    """Return the cells whose numbers don't increase along the log or exceed the last record."""
    replaced: set[str] = set()
    highest: dict[str, int] = {}
    for entry in log:
        for cell, seq in cells_of(entry).items():
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
    get_seqs: Callable[[str], SeqsByDigest | None],
) -> NotebookLogEntry:
    cells, digests = cells_of(entry), entry.data.get("digests")
    if not (entry.merged or merges.keys() & cells.keys() or replaced & cells.keys()):
        return entry
    current: dict[str, Any] = {}
    for cell, seq in cells.items():
        merged = merges.get(cell)
        if type(seq) is not int or not (merged or entry.merged or cell in replaced):
            current[cell] = seq
            continue
        by_path = current_end(merged, entry.merged, seq)
        name = digests.get(cell, "") if isinstance(digests, dict) else ""
        cell_seqs = get_seqs(cell) if name and isinstance(name, str) else None
        if cell_seqs is None:
            current[cell] = by_path
        elif matches := cell_seqs.get(name):
            current[cell] = by_path if by_path in matches else matches[-1]
    return entry.model_copy(update={"data": entry.data | {"cells": current}})
