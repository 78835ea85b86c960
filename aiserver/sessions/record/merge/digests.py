"""Compute digests of records, and use them to find the records that log entries refer to. Pure.

An entry of a change log identifies the state of a cell by the number (``seq``) of the cell's last
record at that time. A merge of git branches changes numbers. Git may even merge the sessions but
take the log from one branch unchanged, or merge the log but not the sessions. So the entry also
contains the digest of the cell's last record, because no merge changes a digest.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence, Set
from typing import Any

from ....merged_numbers import Renumberings
from ....models import Event, Interaction, NotebookLogEntry, Session
from .. import codec

_FIELDS_CHANGED_BY_MERGE = {"turn_id", "seq", "parent_turn_id", "repeats_turn_id", "merged"}
_LENGTH = 12

SeqsByDigest = Mapping[str, list[int]]
"""Maps each digest to the numbers of a session's records that have this digest.

A digest usually belongs to one record, but records with equal content have the same digest.
"""


def record_content(record: Interaction | Event) -> str:
    """Return a record as JSON, without the fields that a merge changes."""
    all_fields = codec.to_dict(record)
    fields = {name: all_fields[name] for name in all_fields.keys() - _FIELDS_CHANGED_BY_MERGE}
    if isinstance(data := fields.get("data"), dict):
        fields["data"] = {key: data[key] for key in data.keys() - {"from_seq", "merged"}}
    return json.dumps(fields, sort_keys=True)


def digest(record: Interaction | Event) -> str:
    """Return the digest of a record: the first 12 hex digits of the SHA-256 of its content."""
    return hashlib.sha256(record_content(record).encode()).hexdigest()[:_LENGTH]


def last_digest(session: Session) -> str | None:
    """Return the digest of the session's last record.

    Return None if there is no record, or if the last record's ``seq`` isn't ``next_seq - 1``.
    """
    last = session.ordered()[-1:]
    return digest(last[0]) if last and last[0].seq == session.next_seq - 1 else None


def seqs_by_digest(session: Session) -> SeqsByDigest:
    """Group the numbers of a session's records by digest. Each group is in chronological order."""
    seqs: dict[str, list[int]] = {}
    for record in session.ordered():
        if record.seq is not None:
            seqs.setdefault(digest(record), []).append(record.seq)
    return seqs


def renumber_entries(
    log: Sequence[NotebookLogEntry],
    merges: Mapping[str, object],
    last_seqs: Mapping[str, int],
    get_seqs: Callable[[str], SeqsByDigest | None],
) -> list[NotebookLogEntry]:
    """Return the entries of a log; replace each record's number in them with the current number.

    Numbers change when branches are merged, and when an older session file is restored.

    An entry may refer to a record that the cell's session doesn't contain. Another record may have
    its number now, so the cell is removed from the entry. The cell's state is then unknown until a
    later entry contains the cell. So ``saved`` is removed from this entry and from all entries
    before that later entry.

    ``merges`` maps cell ids to the ``meta.merged`` of the cells' sessions, which says how merges
    have changed the numbers of the records. ``last_seqs`` maps cell ids to the number of the
    session's last record. ``get_seqs(cell_id)`` returns the current numbers of the cell's records,
    or None if the cell's session can't be read.
    """
    replaced_cells = _find_replaced_cells(log, last_seqs)
    renumberings = {cell: Renumberings(merged) for cell, merged in merges.items()}
    missing_cells: set[str] = set()
    entries = []
    for entry in log:
        renumbered = _renumber_entry(entry, renumberings, replaced_cells, get_seqs)
        missing_cells |= cells_of(entry).keys()
        missing_cells -= cells_of(renumbered).keys()
        entries.append(without_saved(renumbered) if missing_cells else renumbered)
    return entries


def cells_of(entry: NotebookLogEntry) -> Mapping[str, Any]:
    """Return an entry's field ``cells``: it maps a cell's id to the number of its last record."""
    cells = entry.data.get("cells")
    return cells if isinstance(cells, dict) else {}


def without_saved(entry: NotebookLogEntry) -> NotebookLogEntry:
    """Return an entry without its field ``saved``.

    This field says that the notebook was saved right after the entry.
    """
    if "saved" not in entry.data:
        return entry
    data = {name: value for name, value in entry.data.items() if name != "saved"}
    return entry.model_copy(update={"data": data})


def _find_replaced_cells(log: Sequence[NotebookLogEntry], last_seqs: Mapping[str, int]) -> set[str]:
    """Return the ids of the cells whose session was replaced by an older copy.

    Such a cell is recognised by its numbers in the log. Either they don't always increase, or one
    of them is higher than the number of the session's last record.
    """
    replaced_cells: set[str] = set()
    highest_seqs: dict[str, int] = {}
    for entry in log:
        for cell, seq in cells_of(entry).items():
            if type(seq) is not int:
                continue
            if seq <= highest_seqs.get(cell, 0) or seq > last_seqs.get(cell, seq):
                replaced_cells.add(cell)
            highest_seqs[cell] = max(seq, highest_seqs.get(cell, 0))
    return replaced_cells


def _renumber_entry(
    entry: NotebookLogEntry,
    renumberings: Mapping[str, Renumberings],
    replaced_cells: Set[str],
    get_seqs: Callable[[str], SeqsByDigest | None],
) -> NotebookLogEntry:
    """Return one entry with current numbers. (``renumber_entries`` then removes ``saved``.)"""
    cells, digests = cells_of(entry), entry.data.get("digests")
    if not (entry.merged or renumberings.keys() & cells.keys() or replaced_cells & cells.keys()):
        return entry
    current: dict[str, Any] = {}
    for cell, seq in cells.items():
        renumbering = renumberings.get(cell)
        if type(seq) is not int or not (renumbering or entry.merged or cell in replaced_cells):
            current[cell] = seq
            continue
        mapped_seq = renumbering.current_end(entry.merged, seq) if renumbering else seq
        record_digest = digests.get(cell, "") if isinstance(digests, dict) else ""
        is_usable = record_digest and isinstance(record_digest, str)
        cell_seqs = get_seqs(cell) if is_usable else None
        if cell_seqs is None:
            current[cell] = mapped_seq
        elif matching_seqs := cell_seqs.get(record_digest):
            current[cell] = mapped_seq if mapped_seq in matching_seqs else matching_seqs[-1]
    return entry.model_copy(update={"data": entry.data | {"cells": current}})
