"""Append records to sessions, copy and check sessions, for every store. Pure.

A store calls these functions while it holds the session's lock. A store that has a row for each
turn and event doesn't load the whole session to append a record: it knows the next numbers and
calls ``number_turn`` and ``number_events``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from ...errors import NotFound, SessionTooNew, StaleRevision
from ...models import (
    Event,
    Interaction,
    NewEvent,
    NewLogEntry,
    NewTurn,
    NotebookLogEntry,
    Session,
    SessionKey,
    utc_now,
)
from ...redact import redact, redact_json
from . import codec


class Versioned(Protocol):
    """Any object with the format version and the revision of a session, such as its meta."""

    @property
    def version(self) -> str: ...
    @property
    def revision(self) -> int | None: ...


def check_writable(meta: Versioned, if_revision: int | None) -> None:
    """Raise SessionTooNew for a newer format, or StaleRevision if ``if_revision`` is outdated."""
    if codec.is_newer(meta.version):
        raise SessionTooNew
    revision = meta.revision or 0
    if if_revision is not None and if_revision != revision:
        raise StaleRevision(if_revision, revision)


def number_turn(turn: NewTurn, turn_id: int, seq: int) -> Interaction:
    """Return a turn as it is stored: with its numbers, and with secrets redacted.

    Raises InvalidRequest if JSON can't represent the turn.
    """
    numbers = {"turn_id": turn_id, "seq": seq}
    fields = redact_json(codec.to_dict(turn))
    fields["user_request"]["intent"] = redact(fields["user_request"]["intent"], is_prose=True)
    return Interaction.model_validate(fields | numbers)


def number_events(
    events: Sequence[NewEvent], seq: int, existing: Mapping[str, Event]
) -> tuple[list[Event], list[Event]]:
    """Return all events as they are stored, and in a second list only the new events.

    New events are numbered from ``seq``. ``existing``: the stored events by ``id``. A client that
    got no response sends an event again. Such an event isn't new, and is returned as it was stored.
    """
    saved: list[Event] = []
    new: list[Event] = []
    seen = dict(existing)
    for event in events:
        if event.id is not None and event.id in seen:
            saved.append(seen[event.id])
            continue
        fields = redact_json(codec.to_dict(event)) | {"seq": seq + len(new)}
        record = Event.model_validate(fields)
        if record.id is not None:
            seen[record.id] = record
        saved.append(record)
        new.append(record)
    return saved, new


def events_by_id(events: Iterable[Event]) -> dict[str, Event]:
    """Return events by ``id``; of several events with the same id, the first event."""
    existing: dict[str, Event] = {}
    for event in events:
        if event.id is not None:
            existing.setdefault(event.id, event)
    return existing


def append_turn(session: Session, turn: NewTurn, now: str | None = None) -> Interaction:
    """Add a turn to a session in memory, with its ``turn_id``, ``seq`` and the new revision."""
    saved = number_turn(turn, session.next_turn_id, session.next_seq)
    session.interactions.append(saved)
    bump_revision(session, now)
    return saved


def append_events(
    session: Session, events: Sequence[NewEvent], now: str | None = None
) -> list[Event]:
    """Add events to a session in memory, each with its ``seq``, and the new revision.

    Without new events, nothing changes.
    """
    saved, new = number_events(events, session.next_seq, events_by_id(session.events or []))
    if new:
        session.events = [*(session.events or []), *new]
        bump_revision(session, now)
    return saved


def fork_session(source: Session | None, target: SessionKey, now: str | None = None) -> Session:
    """Return a copy of a session for another cell.

    Raises NotFound if there is no source, SessionTooNew if a copy would lose unknown data.
    """
    if source is None:
        raise NotFound("There is no history to copy.")
    check_writable(source.meta, None)
    copy = source.model_copy(deep=True)
    origin = {
        "notebook_id": source.meta.notebook_id,
        "cell_id": source.meta.cell_id,
        "revision": source.revision,
    }
    copy.meta.notebook_id, copy.meta.cell_id = target.notebook_id, target.cell_id
    copy.meta.forked_from = origin
    set_owner(copy, target.owner)
    copy.meta.revision = 0
    bump_revision(copy, now)
    return copy


def number_entries(
    log: Sequence[NotebookLogEntry], entries: Sequence[NewLogEntry]
) -> list[NotebookLogEntry]:
    """Return entries as they are appended to a change log, each with its ``seq``."""
    return number_entries_from(max((entry.seq for entry in log), default=0) + 1, entries)


def number_entries_from(start: int, entries: Sequence[NewLogEntry]) -> list[NotebookLogEntry]:
    """Return entries as they are stored, numbered from ``start``."""
    return [
        NotebookLogEntry.model_validate(codec.to_dict(entry) | {"seq": seq})
        for seq, entry in enumerate(entries, start)
    ]


def set_owner(session: Session, owner: str) -> None:
    """Set ``meta.owner``, or remove it if there is no owner."""
    session.meta.owner = owner or None
    if not owner:
        session.meta.model_fields_set.discard("owner")  # so that the key isn't written


def find_problems(session: Session, key: SessionKey) -> list[str]:
    """Return the inconsistencies of a session as phrases; an empty list for an intact session."""
    problems = []
    meta = session.meta
    if (meta.notebook_id, meta.cell_id) != (key.notebook_id, key.cell_id):
        problems.append("belongs to another cell")
    turn_ids = [turn.turn_id for turn in session.interactions]
    if turn_ids != sorted(set(turn_ids)):
        problems.append("request numbers are not in order")
    seqs = Counter(turn.seq for turn in session.interactions if turn.seq is not None)
    seqs.update(event.seq for event in session.events or [])
    if seqs and max(seqs.values()) > 1:
        problems.append("two records have the same sequence number")
    parents = {turn.parent_turn_id for turn in session.interactions} - {None}
    if not parents <= set(turn_ids):
        problems.append("a request refers to an earlier one that is missing")
    return problems


def bump_revision(session: Session, now: str | None = None) -> None:
    """Increment the revision and update the time of the last write."""
    session.meta.last_updated = now or utc_now()
    session.meta.revision = session.revision + 1
