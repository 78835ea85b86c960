"""Joins two records of one cell that were kept in two places. Pure.

What must hold:

- Ours only grows: what it holds stays as it is, and in its order; what it lacks is put behind,
  in the other's order, with new numbers.
- Joining twice is joining once: a turn or an event is known again by all it says but its numbers.
- Records that were joined before (their digests say which) and that ours lacks were deleted since,
  and don't come back.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from itertools import count
from typing import Any

from ....models import Event, Interaction, Session
from ....renumbering import build_renumbering
from .. import codec
from ..mutations import set_owner
from .digests import digest, record_content


def count_records(session: Session) -> int:
    """How many turns and events it holds."""
    return len(session.interactions) + len(session.events or [])


def merge_into(
    ours: Session, theirs: Session, merged_digests: Collection[str] = (), merge_id: str = ""
) -> bool:
    """Put into ``ours`` what it lacks of ``theirs``; say whether that was anything.

    A session that was never saved becomes a copy of theirs, whatever that holds. ``merge_id``:
    the name under which ``meta.merged`` notes the new numbers, for what names the old ones.
    """
    if ours.revision == 0 and not count_records(ours) and not merged_digests:
        _copy_session(ours, theirs)
        return True
    known: dict[str, list[Interaction | Event]] = defaultdict(list)
    for item in ours.ordered():
        known[record_content(item)].append(item)
    turns: dict[int, int] = {}  # the ids of their turns, and those that they have here
    seqs: dict[int, int] = {}
    # Counted on from one look: to look each time would take time in proportion to the square.
    next_seq, next_turn = count(ours.next_seq), count(ours.next_turn_id)
    grown = False
    for item in theirs.ordered():
        alike = known[record_content(item)]
        if alike:
            found: Interaction | Event = alike.pop(0)
        elif merged_digests and digest(item) in merged_digests:
            continue
        else:
            fields = codec.to_dict(item) | {"seq": next(next_seq)}
            if isinstance(item, Interaction):
                fields["turn_id"] = next(next_turn)
                found = _append_turn(ours, fields, turns)
            else:
                found = _append_event(ours, fields, turns, seqs, merge_id)
            grown = True
        if isinstance(item, Interaction) and isinstance(found, Interaction):
            turns[item.turn_id] = found.turn_id
        if item.seq is not None and found.seq is not None:
            seqs[item.seq] = found.seq
    if merge_id and _add_renumberings(ours, theirs, build_renumbering(merge_id, seqs)):
        grown = True
    if grown:
        ours.meta.last_updated = max(ours.meta.last_updated, theirs.meta.last_updated)
        ours.meta.revision = ours.revision + 1
    return grown


def _copy_session(ours: Session, theirs: Session) -> None:
    copy = theirs.model_copy(deep=True)
    meta = copy.meta
    meta.notebook_id, meta.cell_id = ours.meta.notebook_id, ours.meta.cell_id
    set_owner(copy, ours.meta.owner or "")
    if not theirs.revision and not count_records(theirs):
        meta.revision = 1  # else it would seem, next time, that nothing was ever saved here
    unknown = copy.model_extra or {}
    for name in [*(copy.model_fields_set - unknown.keys()), *unknown]:  # these in their order
        setattr(ours, name, getattr(copy, name))


def _add_renumberings(ours: Session, theirs: Session, news: dict[str, Any] | None) -> bool:
    """Take over what other merges renumbered, and note what this one did."""
    noted = list(getattr(ours.meta, "merged", None) or [])
    before = len(noted)
    known = {one.get("id") for one in noted if isinstance(one, dict)}
    for one in [*(getattr(theirs.meta, "merged", None) or []), news]:
        if isinstance(one, dict) and one.get("id") not in known:
            noted.append(one)
            known.add(one.get("id"))
    if len(noted) > before:
        ours.meta.merged = noted
    return len(noted) > before


def _append_turn(ours: Session, fields: dict[str, Any], turns: dict[int, int]) -> Interaction:
    _renumber(fields, "parent_turn_id", turns)
    ours.interactions.append(turn := Interaction.model_validate(fields))
    return turn


def _append_event(
    ours: Session,
    fields: dict[str, Any],
    turns: dict[int, int],
    seqs: dict[int, int],
    merge_id: str,
) -> Event:
    _renumber(fields, "turn_id", turns)
    data = fields.get("data") or {}
    if data.get("from_cell") not in (None, ours.meta.cell_id):
        if merge_id:  # the other cell's session knows the new number
            fields["data"] = data | {
                "merged": [[*way, merge_id] for way in data.get("merged") or [[]]]
            }
    elif type(seq := data.get("from_seq")) is int:
        fields["data"] = data | {"from_seq": seqs.get(seq, seq)}
    if ours.events is None:
        ours.events = []
    ours.events.append(event := Event.model_validate(fields))
    return event


def _renumber(fields: dict[str, Any], name: str, numbers: dict[int, int]) -> None:
    if fields.get(name) is not None:
        fields[name] = numbers.get(fields[name])
        if fields[name] is None:
            del fields[name]
