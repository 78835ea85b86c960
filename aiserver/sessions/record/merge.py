"""Merge two copies, ours and theirs, of one session or change log. Pure.

Invariants:

- Our copy only grows. What it lacks is appended in the order of their copy, with new seqs. Merging
  the same copy again appends nothing.
- Records and log entries are compared by their contents without the seqs. An entry of the type
  ``changed`` is identified by its id.
- An entry identifies a cell's state by the ``seq`` of its last record then, and by that record's
  digest, because a merge changes seqs, but no digest.
- ``saved`` in an entry says that the notebook was saved right after it. With the changes of both
  logs, it may never have been saved. So an appended entry keeps ``saved`` only if both logs, read
  up to it, contain the same last entry for each cell.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import count
from typing import Any

from ...models import Event, Interaction, NotebookLogEntry, Session
from . import codec
from .mutations import set_owner

_FIELDS_CHANGED_BY_MERGE = {"turn_id", "seq", "parent_turn_id", "repeats_turn_id", "merged"}
_DIGEST_LENGTH = 12
_ORDER = ""  # instead of a cell id, for the order of the cells

SeqsByDigest = Mapping[str, list[int]]
"""Maps each digest to the numbers of a session's records that have this digest.

A digest usually belongs to one record, but records with equal content have the same digest.
"""


def record_content(record: Interaction | Event) -> str:
    """Return a record as JSON, without what a merge changes."""
    all_fields = codec.to_dict(record)
    fields = {name: all_fields[name] for name in all_fields.keys() - _FIELDS_CHANGED_BY_MERGE}
    if isinstance(data := fields.get("data"), dict):
        fields["data"] = {key: data[key] for key in data.keys() - {"from_seq", "merged"}}
    return json.dumps(fields, sort_keys=True)


def digest(record: Interaction | Event) -> str:
    """Return the first 12 hex digits of the SHA-256 of a record's content."""
    return hashlib.sha256(record_content(record).encode()).hexdigest()[:_DIGEST_LENGTH]


def last_digest(session: Session) -> str | None:
    """Return the digest of the last record; None if its ``seq`` isn't ``next_seq - 1``."""
    last = session.ordered()[-1:]
    return digest(last[0]) if last and last[0].seq == session.next_seq - 1 else None


def seqs_by_digest(session: Session) -> SeqsByDigest:
    """Group the seqs of a session's records by digest, each group in chronological order."""
    seqs: dict[str, list[int]] = {}
    for record in session.ordered():
        if record.seq is not None:
            seqs.setdefault(digest(record), []).append(record.seq)
    return seqs


def count_records(session: Session) -> int:
    """Return the number of turns and events."""
    return len(session.interactions) + len(session.events or [])


def merge_into(
    ours: Session,
    theirs: Session,
    merged_digests: Collection[str] = (),
    *,
    merge_id: str = "",
    seqs: dict[int, int] | None = None,
) -> bool:
    """Append the records of ``theirs`` that ``ours`` lacks; return whether ``ours`` changed.

    If ``ours`` is unsaved and empty, without ``merged_digests``, it becomes a copy of ``theirs``.
    ``merged_digests`` are the digests of records that were merged before: one that ``ours`` lacks
    was deleted since, and isn't merged again. ``merge_id`` is that of a merge of git branches.
    ``seqs`` gets the seq in ``ours`` of each record of ``theirs``.
    """
    if ours.revision == 0 and not count_records(ours) and not merged_digests:
        _copy_session(ours, theirs)
        return True
    existing: dict[str, list[Interaction | Event]] = defaultdict(list)
    for record in ours.ordered():
        existing[record_content(record)].append(record)
    turn_ids: dict[int, int] = {}  # from ``theirs`` to ``ours``
    seqs = {} if seqs is None else seqs
    # Counted here, because ``Session.next_seq`` and ``next_turn_id`` look at all records.
    next_seq, next_turn = count(ours.next_seq), count(ours.next_turn_id)
    has_changed = False
    for their_record in theirs.ordered():
        equal_records = existing[record_content(their_record)]
        if equal_records:
            our_record: Interaction | Event = equal_records.pop(0)
        elif merged_digests and digest(their_record) in merged_digests:
            continue
        else:
            fields = codec.to_dict(their_record) | {"seq": next(next_seq)}
            if isinstance(their_record, Interaction):
                fields["turn_id"] = next(next_turn)
                our_record = _append_turn(ours, fields, turn_ids)
            else:
                our_record = _append_event(ours, fields, turn_ids, seqs, merge_id)
            has_changed = True
        if isinstance(their_record, Interaction) and isinstance(our_record, Interaction):
            turn_ids[their_record.turn_id] = our_record.turn_id
        if their_record.seq is not None and our_record.seq is not None:
            seqs[their_record.seq] = our_record.seq
    if has_changed:
        ours.meta.last_updated = max(ours.meta.last_updated, theirs.meta.last_updated)
        ours.meta.revision = ours.revision + 1
    return has_changed


def _copy_session(ours: Session, theirs: Session) -> None:
    """Copy all but the ids and the owner."""
    copy = theirs.model_copy(deep=True)
    meta = copy.meta
    meta.notebook_id, meta.cell_id = ours.meta.notebook_id, ours.meta.cell_id
    set_owner(copy, ours.meta.owner or "")
    if not theirs.revision and not count_records(theirs):
        meta.revision = 1  # 0 would mean unsaved
    unknown = copy.model_extra or {}
    # First the model's fields, then the unknown keys in their order.
    for name in [*(copy.model_fields_set - unknown.keys()), *unknown]:
        setattr(ours, name, getattr(copy, name))


def _append_turn(ours: Session, fields: dict[str, Any], turn_ids: dict[int, int]) -> Interaction:
    _renumber(fields, "parent_turn_id", turn_ids)
    _renumber(fields, "repeats_turn_id", turn_ids)
    ours.interactions.append(turn := Interaction.model_validate(fields))
    return turn


def _append_event(
    ours: Session,
    fields: dict[str, Any],
    turn_ids: dict[int, int],
    seqs: dict[int, int],
    merge_id: str,
) -> Event:
    _renumber(fields, "turn_id", turn_ids)
    data = fields.get("data") or {}
    if data.get("from_cell") not in (None, ours.meta.cell_id):
        # ``from_seq`` belongs to another cell, whose session contains the new seq
        # (``merged_numbers.py``).
        if merge_id:
            fields["data"] = data | {
                "merged": [[*path, merge_id] for path in data.get("merged") or [[]]]
            }
    elif type(seq := data.get("from_seq")) is int:
        fields["data"] = data | {"from_seq": seqs.get(seq, seq)}
    if ours.events is None:
        ours.events = []
    ours.events.append(event := Event.model_validate(fields))
    return event


def _renumber(fields: dict[str, Any], name: str, new_numbers: dict[int, int]) -> None:
    if fields.get(name) is not None:
        fields[name] = new_numbers.get(fields[name])
        if fields[name] is None:
            del fields[name]


def cells_of(entry: NotebookLogEntry) -> Mapping[str, Any]:
    """Return the last seq of each cell in an entry, by cell id."""
    cells = entry.data.get("cells")
    return cells if isinstance(cells, dict) else {}


def without_saved(entry: NotebookLogEntry) -> NotebookLogEntry:
    """Return an entry without the field ``saved``."""
    if "saved" not in entry.data:
        return entry
    data = {name: value for name, value in entry.data.items() if name != "saved"}
    return entry.model_copy(update={"data": data})


def missing_entries(
    ours: Sequence[NotebookLogEntry], theirs: Sequence[NotebookLogEntry]
) -> list[NotebookLogEntry]:
    """Return the entries that ``ours`` lacks. ``theirs`` is a copy of the same log."""
    our_keys = [_entry_key(entry) for entry in ours]
    their_keys = [_entry_key(entry) for entry in theirs]
    counts = Counter(our_keys)  # by key: our entries minus theirs
    counts.subtract(their_keys)
    new_indices = set()
    for index in reversed(range(len(theirs))):
        # If theirs has n more entries with this key, its last n are new.
        if counts[their_keys[index]] < 0:
            counts[their_keys[index]] += 1
            new_indices.add(index)
    # The key (``_entry_key``) of each cell's last entry so far. ``our_last`` includes the appended
    # ones.
    our_last: dict[str, str] = {}
    their_last: dict[str, str] = {}
    for entry, key in zip(ours, our_keys, strict=True):
        our_last.update(dict.fromkeys(_changed_cells(entry), key))
    missing = []
    for index, (entry, key) in enumerate(zip(theirs, their_keys, strict=True)):
        last_of_cells = dict.fromkeys(_changed_cells(entry), key)
        their_last.update(last_of_cells)
        if index in new_indices:
            our_last.update(last_of_cells)
            missing.append(entry if our_last == their_last else without_saved(entry))
    return missing


def _entry_key(entry: NotebookLogEntry) -> str:
    """Return a text that identifies an entry in copies of the log."""
    change_id = entry.data.get("id")
    has_id = entry.type == "changed" and isinstance(change_id, str)
    return f"changed {change_id}" if has_id else codec.entry_content(entry)


def _changed_cells(entry: NotebookLogEntry) -> set[str]:
    """Return the ids of the changed cells; ``{_ORDER}`` if their order changes."""
    if entry.type == "cell_order":
        return {_ORDER}
    return set(cells_of(entry)) if entry.type == "changed" else set()


def renumber_entry(
    entry: NotebookLogEntry, get_seqs: Callable[[str], SeqsByDigest | None]
) -> NotebookLogEntry:
    """Return the entry with the current seqs of the records whose digests it has.

    ``get_seqs(cell_id)`` returns None if the cell's session can't be read.
    """
    cells, digests = cells_of(entry), entry.data.get("digests")
    if not (cells and isinstance(digests, dict)):
        return entry
    current_seqs = {}
    for cell_id, seq in cells.items():
        record_digest, cell_seqs = digests.get(cell_id), get_seqs(cell_id)
        matching_seqs: list[int] = []
        if cell_seqs and isinstance(record_digest, str):
            matching_seqs = cell_seqs.get(record_digest, [])
        is_current = not matching_seqs or seq in matching_seqs
        current_seqs[cell_id] = seq if is_current else matching_seqs[-1]
    if current_seqs == cells:
        return entry
    fields = codec.to_dict(entry) | {"data": entry.data | {"cells": current_seqs}}
    fields.pop("merged", None)
    return NotebookLogEntry.model_validate(fields)
