"""Joins two records of one cell that were kept in two places. Pure.

What must hold:

- Ours only grows: what it holds stays as it is, and in its order; what it lacks is put behind,
  in the other's order, with new numbers.
- Joining twice is joining once: a turn or an event is known again by all it says but its numbers.
- ``skip`` items of the other were joined before. Those that ours lacks were deleted since, and
  don't come back.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any

from ..models import Event, Interaction, NotebookLogEntry, Session
from . import codec
from .steps import set_owner

_NUMBERS = {"turn_id", "seq", "parent_turn_id"}


def size(session: Session) -> int:
    """How many turns and events it holds."""
    return len(session.interactions) + len(session.events or [])


def unite(ours: Session, theirs: Session, skip: int = 0) -> bool:
    """Put into ``ours`` what it lacks of ``theirs``; say whether that was anything.

    A session that was never saved becomes a copy of theirs, whatever that holds.
    """
    if ours.revision == 0 and not size(ours) and not skip:
        _become(ours, theirs)
        return True
    known: dict[str, list[int | None]] = defaultdict(list)
    for item in ours.ordered():
        known[_said(item)].append(_turn(item))
    numbers: dict[int, int] = {}  # their turns' numbers, as they are called here
    grown = False
    for index, item in enumerate(theirs.ordered()):
        alike = known[_said(item)]
        if alike:
            number = alike.pop(0)
        elif index < skip:
            continue
        else:
            number = _append(ours, item, numbers)
            grown = True
        if isinstance(item, Interaction) and number is not None:
            numbers[item.turn_id] = number
    if grown:
        ours.meta.last_updated = max(ours.meta.last_updated, theirs.meta.last_updated)
        ours.meta.revision = ours.revision + 1
    return grown


def lacking(
    ours: Sequence[NotebookLogEntry], theirs: Sequence[NotebookLogEntry]
) -> list[NotebookLogEntry]:
    """The lines of another copy of a notebook's log that ours lacks, in their order."""
    known = Counter(map(_line, ours))
    known.subtract(lines := [_line(entry) for entry in theirs])
    found = []
    for entry, line in zip(reversed(theirs), reversed(lines), strict=True):
        if known[line] < 0:  # of equal lines the last ones are new
            known[line] += 1
            found.append(entry)
    return found[::-1]


def _line(entry: NotebookLogEntry) -> str:
    return json.dumps(codec.fields(entry) | {"seq": 0}, sort_keys=True)


def _become(ours: Session, theirs: Session) -> None:
    copy = theirs.model_copy(deep=True)
    meta = copy.meta
    meta.notebook_id, meta.cell_id = ours.meta.notebook_id, ours.meta.cell_id
    set_owner(copy, ours.meta.owner or "")
    if not theirs.revision and not size(theirs):
        meta.revision = 1  # else it would seem, next time, that nothing was ever saved here
    unknown = copy.model_extra or {}
    for name in [*(copy.model_fields_set - unknown.keys()), *unknown]:  # these in their order
        setattr(ours, name, getattr(copy, name))


def _append(ours: Session, item: Interaction | Event, numbers: dict[int, int]) -> int | None:
    fields = codec.fields(item) | {"seq": ours.next_seq}
    if isinstance(item, Interaction):
        fields["turn_id"] = ours.next_turn_id
        _renumber(fields, "parent_turn_id", numbers)
        ours.interactions.append(Interaction.model_validate(fields))
        return int(fields["turn_id"])
    _renumber(fields, "turn_id", numbers)
    if ours.events is None:
        ours.events = []
    ours.events.append(Event.model_validate(fields))
    return None


def _renumber(fields: dict[str, Any], name: str, numbers: dict[int, int]) -> None:
    if fields.get(name) is not None:
        fields[name] = numbers.get(fields[name])
        if fields[name] is None:
            del fields[name]


def _turn(item: Interaction | Event) -> int | None:
    return item.turn_id if isinstance(item, Interaction) else None


def _said(item: Interaction | Event) -> str:
    fields = {key: value for key, value in codec.fields(item).items() if key not in _NUMBERS}
    return json.dumps(fields, sort_keys=True)
