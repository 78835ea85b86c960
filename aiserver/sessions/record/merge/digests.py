"""Digests of records, with which change log entries find their records after a merge. Pure.

An entry of a change log names the state of a cell by the number (``seq``) of its last record.
Merges of branches change numbers, and git may merge the sessions but take the log from one branch
unchanged, or vice versa. So the entry also has the digest of that record, which no merge changes.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence, Set
from typing import Any

from ....models import Event, Interaction, NotebookLogEntry, Session
from ....renumbering import current_end
from .. import codec

_NUMBER_FIELDS = {"turn_id", "seq", "parent_turn_id", "merged"}
_LENGTH = 12

SeqsByDigest = Mapping[str, list[int]]  # record numbers by digest


def record_content(item: Interaction | Event) -> str:
    """Return a record's content as JSON, without the parts that a merge renumbers."""
    fields = {key: value for key, value in codec.to_dict(item).items() if key not in _NUMBER_FIELDS}
    if isinstance(data := fields.get("data"), dict):
        fields["data"] = {key: data[key] for key in data.keys() - {"from_seq", "merged"}}
    return json.dumps(fields, sort_keys=True)


def digest(item: Interaction | Event) -> str:
    """Return the first 12 hexadecimal digits of the SHA-256 of the record's content."""
    return hashlib.sha256(record_content(item).encode()).hexdigest()[:_LENGTH]


def last_digest(session: Session) -> str | None:
    """Return the digest of the last record, or None if that record has no number."""
    last = session.ordered()[-1:]
    return digest(last[0]) if last and last[0].seq == session.next_seq - 1 else None


def seqs_by_digest(session: Session) -> SeqsByDigest:
    """Return the numbers of a session's records by digest; equal records have the same digest."""
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
    """Return the entries of a log with the current numbers of the records to which they refer.

    ``merges``: ``meta.merged`` by cell; ``last_seqs``: the number of the last record by cell.
    Numbers change when branches are merged, and when an older session file is restored. If a cell's
    record is missing, the entry omits the cell, because another record may have its number now.
    From this entry to the next entry that has the cell, all entries lose the mark ``saved``,
    because the saved state isn't known.
    """
    replaced_cells = _find_replaced_cells(log, last_seqs)
    missing: set[str] = set()
    entries = []
    for entry in log:
        renumbered = _renumber_entry(entry, merges, replaced_cells, get_seqs)
        missing = (missing | cells_of(entry).keys()) - cells_of(renumbered).keys()
        entries.append(without_saved(renumbered) if missing else renumbered)
    return entries


def cells_of(entry: NotebookLogEntry) -> Mapping[str, Any]:
    """Return the numbers of the cells' last records that an entry has, by cell id."""
    cells = entry.data.get("cells")
    return cells if isinstance(cells, dict) else {}


def without_saved(entry: NotebookLogEntry) -> NotebookLogEntry:
    """Return an entry without the mark ``saved``."""
    if "saved" not in entry.data:
        return entry
    data = {name: value for name, value in entry.data.items() if name != "saved"}
    return entry.model_copy(update={"data": data})


def _find_replaced_cells(log: Sequence[NotebookLogEntry], last_seqs: Mapping[str, int]) -> set[str]:
    """Return the cells whose session was replaced by an older one.

    Their numbers don't always increase along the log, or exceed that of the last record.
    """
    replaced_cells: set[str] = set()
    highest: dict[str, int] = {}
    for entry in log:
        for cell, seq in cells_of(entry).items():
            if type(seq) is not int:
                continue
            if seq <= highest.get(cell, 0) or seq > last_seqs.get(cell, seq):
                replaced_cells.add(cell)
            highest[cell] = max(seq, highest.get(cell, 0))
    return replaced_cells


def _renumber_entry(
    entry: NotebookLogEntry,
    merges: Mapping[str, object],
    replaced_cells: Set[str],
    get_seqs: Callable[[str], SeqsByDigest | None],
) -> NotebookLogEntry:
    cells, digests = cells_of(entry), entry.data.get("digests")
    if not (entry.merged or merges.keys() & cells.keys() or replaced_cells & cells.keys()):
        return entry
    current: dict[str, Any] = {}
    for cell, seq in cells.items():
        merged = merges.get(cell)
        if type(seq) is not int or not (merged or entry.merged or cell in replaced_cells):
            current[cell] = seq
            continue
        mapped_seq = current_end(merged, entry.merged, seq)
        record_digest = digests.get(cell, "") if isinstance(digests, dict) else ""
        is_usable = record_digest and isinstance(record_digest, str)
        cell_seqs = get_seqs(cell) if is_usable else None
        if cell_seqs is None:
            current[cell] = mapped_seq
        elif matching_seqs := cell_seqs.get(record_digest):
            current[cell] = mapped_seq if mapped_seq in matching_seqs else matching_seqs[-1]
    return entry.model_copy(update={"data": entry.data | {"cells": current}})
