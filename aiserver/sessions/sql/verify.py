"""Find and repair damage in the rows of a session.

Invariants: no byte is lost: an unreadable item is quarantined in its row with its content
unchanged, and an event in the session records this. Intact items and sessions of a newer version
are not changed.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from pydantic import ValidationError
from sqlalchemy import Connection

from ...models import Event, Interaction, Session, SessionKey, SessionSummary, new_session, utc_now
from ..record import codec
from ..record.codec import DamagedData
from ..record.damage.recovery import NOTE
from ..record.mutations import find_problems
from ..record.summaries import summarise
from . import queries
from .codes import EVENT, LIST, QUARANTINED, TURN
from .database import Write
from .queries import HeadRow, SessionRows
from .rows import Counters, Item, is_in_order, is_supported, to_column, to_item

_MODELS: dict[int, type[Interaction] | type[Event]] = {TURN: Interaction, EVENT: Event}


@dataclass
class Examination:
    """The intact content of a session's rows, and the problems."""

    session: Session
    counters: Counters
    damaged: list[int] = field(default_factory=list)  # indexes
    unreadable: list[str] = field(default_factory=list)  # columns of the session's row
    has_gap: bool = False
    is_outdated: bool = False
    unrepairable: list[str] = field(default_factory=list)  # sentences

    @property
    def problems(self) -> list[str]:
        """All problems, in sentences."""
        problems = []
        if self.damaged:
            problems.append(f"{len(self.damaged)} unreadable records")
        if self.unreadable:
            problems.append("metadata is damaged")
        if self.has_gap:
            problems.append("records are missing")
        if self.is_outdated:
            problems.append("summary or counters are out of date")
        return problems + self.unrepairable


def examine(session_rows: SessionRows, row: HeadRow | None, key: SessionKey) -> Examination | None:
    """Examine a session's rows; None if a newer version wrote them. Pure."""
    stored, intact, damaged = session_rows.stored, dict[int, Interaction | Event](), []
    for position, item in enumerate(stored.items):
        if item.kind != QUARANTINED:
            try:
                intact[position] = codec.parse_record(_MODELS[item.kind], item.content)
            except (KeyError, ValueError, RecursionError):
                damaged.append(session_rows.indexes[position])
    records, unreadable = list(intact.values()), []
    try:
        session = stored.head(key)
        if not is_supported(session, key):
            return None
    except DamagedData:
        session = _rebuild_session(key, records)
        unreadable += [stored.meta] if stored.meta else []
    session.interactions = [record for record in records if isinstance(record, Interaction)]
    if events := [record for record in records if isinstance(record, Event)]:
        session.events = events
    if stored.extra and not _is_object(stored.extra):
        unreadable.append(stored.extra)
    resets = [
        position
        for position, record in intact.items()
        if isinstance(record, Event) and record.type == "context_reset"
    ]
    counters = Counters(
        next_turn_id=session.next_turn_id,
        next_seq=session.next_seq,
        next_index=len(stored.items),
        after_reset=max(resets, default=-1) + 1,
        in_order=is_in_order(records, session.next_seq),
    )
    has_gap = session_rows.indexes != list(range(len(stored.items)))
    return Examination(
        session,
        counters,
        damaged,
        unreadable,
        has_gap=has_gap,
        is_outdated=not has_gap and not _is_up_to_date(row, session, counters),
        unrepairable=find_problems(session, key),
    )


def verify(connection: Connection, key: SessionKey) -> list[str]:
    """The problems of a session, in sentences."""
    session_rows, row = (
        queries.read_rows(connection, key),
        queries.head(connection, key),
    )
    examination = examine(session_rows, row, key) if session_rows else None
    return examination.problems if examination else []


def repair(connection: Connection, write: Write, key: SessionKey) -> tuple[list[str], bool]:
    """Repair a session; return its problems and whether all were repaired."""
    row = queries.lock(connection, key)
    session_rows = queries.read_rows(connection, key)
    examination = examine(session_rows, row, key) if session_rows else None
    if session_rows is None or examination is None:
        return [], True
    problems = examination.problems
    if len(problems) == len(examination.unrepairable):
        return problems, not problems
    for index in examination.damaged:
        queries.update_item(connection, key, index, kind=QUARANTINED, event_id=None)
    for new, old in enumerate(session_rows.indexes):
        if new != old:
            queries.update_item(connection, key, old, item_index=new)
    added = [Item(QUARANTINED, content) for content in examination.unreadable]
    session, counters = examination.session, examination.counters
    end, counters.next_index = counters.next_index, counters.next_index + len(added)
    if examination.damaged or examination.unreadable or examination.has_gap:
        note = _note(session, examination)
        session.events = [*(session.events or []), note]
        counters.add([note])
        added.append(to_item(note))
    stored = session_rows.stored
    values: dict[str, Any] = {
        "meta": to_column(session.meta),
        "extra": "" if stored.extra in examination.unreadable else stored.extra,
        "events": LIST if session.events else stored.events,
        "counters": counters.dump(),
        "summary": summarise(session).model_dump_json(),
    }
    queries.insert_items(connection, key, write.id, end, added)
    if row is None:
        queries.insert_session(connection, key, values)
    else:
        queries.update_session(connection, key, **values)
    return problems, not examination.unrepairable


def _is_up_to_date(row: HeadRow | None, session: Session, counters: Counters) -> bool:
    """Whether the row's counters and summary match the items."""
    if row is None:
        return False
    try:
        summary = SessionSummary.model_validate_json(row.summary)
        return Counters.load(row.counters) == counters and summary == summarise(session)
    except (DamagedData, ValidationError, ValueError):
        return False


def _rebuild_session(key: SessionKey, intact: list[Interaction | Event]) -> Session:
    """Create a session for the intact records when the metadata is unreadable."""
    session = new_session(key)
    if intact:
        session.meta.created_at = intact[0].timestamp
        session.meta.last_updated = intact[-1].timestamp
        session.meta.revision = len(intact)
    return session


def _note(session: Session, examination: Examination) -> Event:
    """The event that tells the person what was recovered."""
    return Event(
        seq=session.next_seq,
        type=NOTE,
        timestamp=utc_now(),
        data={
            "turns": len(session.interactions),
            "events": len(session.events or []),
            "set_aside": len(examination.damaged) + len(examination.unreadable),
        },
    )


def _is_object(content: str) -> bool:
    try:
        return isinstance(json.loads(content), dict)
    except (ValueError, RecursionError):
        return False
