"""Find and repair damage in the rows of a session.

Invariants: no byte is lost. An unreadable item stays in its row with its content unchanged, but
becomes a quarantined item, and a new event in the session reports this. The contents of intact
items never change. A session that a newer version of AI Server wrote doesn't change at all.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection

from ...models import Event, Interaction, Session, SessionKey, SessionSummary, new_session, utc_now
from ..record import codec
from ..record.codec import DamagedData
from ..record.damage.recovery import append_note, derive_meta
from ..record.mutations import find_problems
from ..record.summaries import summarise
from . import queries
from .codes import EVENT, LIST, QUARANTINED, TURN
from .database import WriteState
from .queries import SessionRows
from .rows import Counters, HeadRow, Item, is_in_order, is_supported, to_column, to_item

_MODELS: dict[int, type[Interaction] | type[Event]] = {TURN: Interaction, EVENT: Event}


@dataclass
class Examination:
    """The intact content of a session's rows, and the problems."""

    session: Session
    """The session with its intact records."""
    counters: Counters
    """The counters that the session should have."""
    damaged_indexes: list[int] = field(default_factory=list)
    """The indexes of unreadable items."""
    unreadable_columns: list[str] = field(default_factory=list)
    """The contents of unreadable columns of the session's row in ``sessions``."""
    has_gap: bool = False
    """Whether items are missing, so that the items' indexes aren't 0, 1, 2, …"""
    is_outdated: bool = False
    """Whether the stored counters or summary are wrong. This isn't checked if there is a gap."""
    unrepairable: list[str] = field(default_factory=list)
    """Sentences about problems that ``repair`` can't solve."""

    @property
    def problems(self) -> list[str]:
        """All problems, as sentences for people."""
        problems = []
        if self.damaged_indexes:
            problems.append(f"{len(self.damaged_indexes)} unreadable records")
        if self.unreadable_columns:
            problems.append("metadata is damaged")
        if self.has_gap:
            problems.append("records are missing")
        if self.is_outdated:
            problems.append("summary or counters are out of date")
        return problems + self.unrepairable


def examine(
    session_rows: SessionRows, head_row: HeadRow | None, key: SessionKey
) -> Examination | None:
    """Parse a session's rows, and find damage and other problems.

    Returns None if a newer version of AI Server wrote the session.
    """
    stored, damaged_indexes = session_rows.stored, []
    # Maps the position of an item in ``stored.items`` to the item's intact record. A repair sets
    # the index of each item to this position.
    intact: dict[int, Interaction | Event] = {}
    for position, item in enumerate(stored.items):
        if item.kind != QUARANTINED:
            try:
                intact[position] = codec.parse_record(_MODELS[item.kind], item.content)
            except (KeyError, ValueError, RecursionError):
                damaged_indexes.append(session_rows.indexes[position])
    records, unreadable_columns = list(intact.values()), []
    session = new_session(key)
    try:
        session.meta = stored.read_meta(key)
        if not is_supported(session.meta, key):
            return None
    except DamagedData:
        derive_meta(session.meta, records)
        unreadable_columns += [stored.meta] if stored.meta else []
    session.interactions = [record for record in records if isinstance(record, Interaction)]
    if events := [record for record in records if isinstance(record, Event)]:
        session.events = events
    if stored.extra and not _is_object(stored.extra):
        unreadable_columns.append(stored.extra)
    reset_positions = [
        position
        for position, record in intact.items()
        if isinstance(record, Event) and record.type == "context_reset"
    ]
    counters = Counters(
        next_turn_id=session.next_turn_id,
        next_seq=session.next_seq,
        next_index=len(stored.items),
        after_reset=max(reset_positions, default=-1) + 1,
        in_order=is_in_order(records, session.next_seq),
    )
    has_gap = session_rows.indexes != list(range(len(stored.items)))
    return Examination(
        session,
        counters,
        damaged_indexes,
        unreadable_columns,
        has_gap=has_gap,
        is_outdated=not has_gap and not _is_up_to_date(head_row, session, counters),
        unrepairable=find_problems(session, key),
    )


def verify(connection: Connection, key: SessionKey) -> list[str]:
    """Return the problems of a session, as sentences for people."""
    session_rows = queries.read_rows(connection, key)
    head_row = queries.read_head(connection, key)
    examination = examine(session_rows, head_row, key) if session_rows else None
    return examination.problems if examination else []


def repair(connection: Connection, state: WriteState, key: SessionKey) -> tuple[list[str], bool]:
    """Repair a session; return its problems, and whether all of them were repaired."""
    head_row = queries.read_head(connection, key, for_update=True)
    session_rows = queries.read_rows(connection, key)
    examination = examine(session_rows, head_row, key) if session_rows else None
    if session_rows is None or examination is None:
        return [], True
    problems = examination.problems
    if len(problems) == len(examination.unrepairable):
        return problems, not problems  # there is nothing that can be repaired
    for index in examination.damaged_indexes:
        queries.update_item(connection, key, index, kind=QUARANTINED, event_id=None)
    for new_index, old_index in enumerate(session_rows.indexes):
        if new_index != old_index:
            queries.update_item(connection, key, old_index, item_index=new_index)
    new_items = [Item(QUARANTINED, content) for content in examination.unreadable_columns]
    session, counters = examination.session, examination.counters
    start = counters.next_index
    counters.next_index += len(new_items)
    if examination.damaged_indexes or examination.unreadable_columns or examination.has_gap:
        quarantined_count = len(examination.damaged_indexes) + len(examination.unreadable_columns)
        note = append_note(session, utc_now(), set_aside=quarantined_count)
        counters.add([note])
        new_items.append(to_item(note))
    stored = session_rows.stored
    values: dict[str, Any] = {
        "meta": to_column(session.meta),
        "extra": "" if stored.extra in examination.unreadable_columns else stored.extra,
        "events": LIST if session.events else stored.events_code,
        "counters": counters.dump(),
        "summary": summarise(session).model_dump_json(),
    }
    queries.insert_items(connection, key, state.id, start, new_items)
    if head_row is None:
        queries.insert_session(connection, key, values)
    else:
        queries.update_session(connection, key, **values)
    return problems, not examination.unrepairable


def _is_up_to_date(head_row: HeadRow | None, session: Session, counters: Counters) -> bool:
    """Return whether the stored counters are ``counters`` and the summary matches ``session``."""
    if head_row is None:
        return False
    try:
        stored_counters = Counters.model_validate_json(head_row.counters)
        stored_summary = SessionSummary.model_validate_json(head_row.summary)
        return stored_counters == counters and stored_summary == summarise(session)
    except ValueError:
        return False


def _is_object(content: str) -> bool:
    try:
        return isinstance(json.loads(content), dict)
    except (ValueError, RecursionError):
        return False
