"""Merge two copies of one session: our copy and the other copy. Pure.

Invariants:

- Our copy only grows. Its records keep their contents and order. Records that our copy lacks are
  appended in the order of the other copy, with new numbers.
- Merging the same copy again appends nothing, because records are compared by their contents
  without the numbers.
- ``merged_digests`` are the digests of records that were merged before. If our copy lacks one of
  these records, the record was deleted from our copy after that merge. So it isn't merged again.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from itertools import count
from typing import Any

from ....merged_numbers import build_renumbering
from ....models import Event, Interaction, Session
from .. import codec
from ..mutations import set_owner
from .digests import digest, record_content


def count_records(session: Session) -> int:
    """Return the number of turns and events."""
    return len(session.interactions) + len(session.events or [])


def merge_into(
    ours: Session, theirs: Session, merged_digests: Collection[str] = (), merge_id: str = ""
) -> bool:
    """Append the records of ``theirs`` that ``ours`` lacks; return whether ``ours`` changed.

    If ``ours`` is unsaved and empty, and ``merged_digests`` is empty, ``ours`` becomes a copy of
    ``theirs``. If ``merge_id`` isn't empty, the changes of record numbers are added to
    ``meta.merged`` under this id, because other files may refer to records by their old numbers.
    """
    if ours.revision == 0 and not count_records(ours) and not merged_digests:
        _copy_session(ours, theirs)
        return True
    existing: dict[str, list[Interaction | Event]] = defaultdict(list)
    for record in ours.ordered():
        existing[record_content(record)].append(record)
    turn_ids: dict[int, int] = {}  # maps the turn ids in ``theirs`` to those in ``ours``
    seqs: dict[int, int] = {}  # maps the record numbers in ``theirs`` to those in ``ours``
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
    if merge_id and _add_renumberings(ours, theirs, build_renumbering(merge_id, seqs)):
        has_changed = True
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


def _add_renumberings(ours: Session, theirs: Session, renumbering: dict[str, Any] | None) -> bool:
    """Add the renumberings of the other copy and of this merge to ``meta.merged``.

    Return whether ``meta.merged`` changed. For renumberings, see ``merged_numbers.py``.
    """
    merges = list(getattr(ours.meta, "merged", None) or [])
    old_count = len(merges)
    ids = {str(merge.get("id")) for merge in merges if isinstance(merge, dict)}
    for merge in [*(getattr(theirs.meta, "merged", None) or []), renumbering]:
        if isinstance(merge, dict) and str(merge.get("id")) not in ids:
            merges.append(merge)
            ids.add(str(merge.get("id")))
    if len(merges) > old_count:
        ours.meta.merged = merges
    return len(merges) > old_count


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
