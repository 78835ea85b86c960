"""Merge two copies, ours and theirs, of one session or change log. Pure.

Invariants:

- Our copy only grows. Its records keep their contents and order. What it lacks is appended in the
  order of their copy, with new numbers. Merging the same copy again appends nothing.
- Records are compared by their contents without the numbers, and so are log entries. An entry of
  the type ``changed`` is identified by its id.
- An entry identifies the state of a cell by the number (``seq``) of the cell's last record then,
  and by the record's digest, because a merge changes numbers, but no digest.
- The field ``saved`` of an entry says that the notebook was saved right after this entry. Our log
  may also have entries that their log lacks. Then the notebook, with the changes of both logs, may
  never have been saved. So an appended entry keeps ``saved`` only if both logs, read up to this
  entry, contain the same last entry for each cell.
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
_ORDER = ""  # used in place of a cell id for the order of the cells

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
    return hashlib.sha256(record_content(record).encode()).hexdigest()[:_DIGEST_LENGTH]


def last_digest(session: Session) -> str | None:
    """Return the digest of the last record; None if its ``seq`` isn't ``next_seq - 1``."""
    last = session.ordered()[-1:]
    return digest(last[0]) if last and last[0].seq == session.next_seq - 1 else None


def seqs_by_digest(session: Session) -> SeqsByDigest:
    """Group the numbers of a session's records by digest. Each group is in chronological order."""
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

    If ``ours`` is unsaved and empty, and ``merged_digests`` is empty, ``ours`` becomes a copy of
    ``theirs``. ``merged_digests`` are the digests of records that were merged before: one that
    ``ours`` lacks was deleted after that merge, so it isn't merged again. ``merge_id`` is that of a
    merge of git branches. The number in ``ours`` of each record of ``theirs`` is added to ``seqs``.
    """
    if ours.revision == 0 and not count_records(ours) and not merged_digests:
        _copy_session(ours, theirs)
        return True
    existing: dict[str, list[Interaction | Event]] = defaultdict(list)
    for record in ours.ordered():
        existing[record_content(record)].append(record)
    turn_ids: dict[int, int] = {}  # maps the turn ids in ``theirs`` to those in ``ours``
    seqs = {} if seqs is None else seqs
    # The next numbers are counted here, because ``Session.next_seq`` and ``next_turn_id`` look at
    # all records whenever they are called.
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
    """Give ``ours`` the content of ``theirs``, but keep the ids and the owner of ``ours``."""
    copy = theirs.model_copy(deep=True)
    meta = copy.meta
    meta.notebook_id, meta.cell_id = ours.meta.notebook_id, ours.meta.cell_id
    set_owner(copy, ours.meta.owner or "")
    if not theirs.revision and not count_records(theirs):
        meta.revision = 1  # with the revision 0, the copy would count as unsaved
    unknown = copy.model_extra or {}
    # Set the model's own fields first, then the unknown keys in their order.
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
        # ``from_seq`` is the number of a record of another cell. It stays unchanged, because only
        # the other cell's session contains that record's new number (see ``merged_numbers.py``).
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
    """Replace the number in a field. Remove the field if ``new_numbers`` lacks the number."""
    if fields.get(name) is not None:
        fields[name] = new_numbers.get(fields[name])
        if fields[name] is None:
            del fields[name]


def cells_of(entry: NotebookLogEntry) -> Mapping[str, Any]:
    """Return an entry's field ``cells``: it maps a cell's id to the number of its last record."""
    cells = entry.data.get("cells")
    return cells if isinstance(cells, dict) else {}


def without_saved(entry: NotebookLogEntry) -> NotebookLogEntry:
    """Return an entry without its field ``saved``."""
    if "saved" not in entry.data:
        return entry
    data = {name: value for name, value in entry.data.items() if name != "saved"}
    return entry.model_copy(update={"data": data})


def missing_entries(
    ours: Sequence[NotebookLogEntry], theirs: Sequence[NotebookLogEntry]
) -> list[NotebookLogEntry]:
    """Return the entries that ``ours`` lacks. ``theirs`` is another copy of the same change log."""
    our_keys = [_entry_key(entry) for entry in ours]
    their_keys = [_entry_key(entry) for entry in theirs]
    counts = Counter(our_keys)  # for each key: the number of our entries minus that of theirs
    counts.subtract(their_keys)
    new_indices = set()
    for index in reversed(range(len(theirs))):
        # If theirs has n more entries with this key than ours, the last n of them are new.
        if counts[their_keys[index]] < 0:
            counts[their_keys[index]] += 1
            new_indices.add(index)
    # Both dictionaries map a cell's id to the key (``_entry_key``) of the cell's last entry so far.
    # ``our_last`` covers our entries and the appended ones.
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
    """Return a text by which an entry is recognised in another copy of the log."""
    change_id = entry.data.get("id")
    has_id = entry.type == "changed" and isinstance(change_id, str)
    return f"changed {change_id}" if has_id else codec.entry_content(entry)


def _changed_cells(entry: NotebookLogEntry) -> set[str]:
    """Return the ids of the cells that an entry changes; ``{_ORDER}`` if it changes their order."""
    if entry.type == "cell_order":
        return {_ORDER}
    return set(cells_of(entry)) if entry.type == "changed" else set()


def renumber_entry(
    entry: NotebookLogEntry, get_seqs: Callable[[str], SeqsByDigest | None]
) -> NotebookLogEntry:
    """Return the entry with the current numbers of the records whose digests are in it.

    ``get_seqs(cell_id)`` returns the current numbers of the cell's records, or None if the cell's
    session can't be read.
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
