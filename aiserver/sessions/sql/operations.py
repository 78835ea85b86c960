"""Operations on sessions. Each function runs in one transaction.

Invariants: a writer locks the session's row before it reads anything else, so the writers of a
session are serialised and each appends after all existing records. After a broken connection, a
writer first looks whether its last attempt was committed.
"""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Sequence
from typing import NamedTuple

from pydantic import ValidationError
from sqlalchemy import Connection, select

from ...errors import SessionCorrupt
from ...models import Event, Interaction, NewEvent, NewTurn, Session, SessionKey, new_session
from ...models import SessionSummary as Summary
from ..record import codec, mutations
from ..record.codec import DamagedData
from ..record.damage.recovery import is_empty, recover
from ..record.merge.sessions import count_records, merge_into
from ..record.summaries import extend_summary, summarise
from . import queries
from .codes import LIST
from .database import Write
from .owners import owner_key
from .rows import Counters, StoredSession, is_supported, split, to_column, to_item
from .tables import sessions
from .verify import repair

_NO_LIMIT = 2**62  # MySQL and SQLite have no OFFSET without LIMIT
_MAX_CONFLICTS = 3  # attempts after which a conflicting row is a sign of damage, not of chance


class _Head(NamedTuple):
    """The parts of a session that a writer needs: all but its items."""

    session: Session
    events: int
    counters: Counters
    summary: Summary


def load(connection: Connection, key: SessionKey) -> Session | None:
    """The session or None. Recovers a damaged one; raises SessionCorrupt if nothing is readable."""
    stored = queries.read(connection, key)
    return None if stored is None else _parse(stored, key)


def load_raw(connection: Connection, key: SessionKey) -> tuple[bytes, int] | None:
    """A session's bytes and its revision, or None. Doesn't parse its records."""
    stored = queries.read(connection, key)
    if stored is None:
        return None
    try:
        revision = stored.head(key).revision
        stored.check()
    except DamagedData:
        session = _parse(stored, key)
        return codec.encode(session), session.revision
    return stored.to_bytes(), revision


def exists(connection: Connection, key: SessionKey) -> bool:
    """Whether there is a session."""
    return queries.head(connection, key) is not None


def newest_turns(
    connection: Connection, key: SessionKey, limit: int | None
) -> tuple[list[Interaction], bool]:
    """The newest turns since the last context reset, and whether there are older ones."""
    rows = queries.newest_turns(connection, key, _NO_LIMIT if limit is None else limit)
    if not rows:
        return [], False
    try:
        counters = Counters.load(rows[0][2])
        if counters.in_order:
            since_reset = [content for index, content, _ in rows if index >= counters.after_reset]
            turns = [codec.parse_record(Interaction, content) for content in since_reset]
            return turns[::-1], len(turns) == limit
    except ValueError:  # the counters or a turn are damaged
        pass
    session = load(connection, key)
    return (session.history() if session else []), False


def list_sessions(
    connection: Connection,
    notebook_id: str | None,
    owner: str,
    offset: int,
    limit: int | None,
) -> tuple[list[Summary], int]:
    """One page of summaries and the total number of sessions."""
    condition = sessions.c.owner == owner_key(owner)
    if notebook_id is not None:
        condition &= sessions.c.notebook_id == notebook_id
    rows = connection.execute(
        select(sessions.c.notebook_id, sessions.c.cell_id, sessions.c.summary)
        .where(condition)
        .order_by(sessions.c.notebook_id, sessions.c.cell_id)
        .offset(offset or None)
        .limit(limit if limit is not None else (_NO_LIMIT if offset else None))
    )
    page = []
    for notebook, cell, summary in rows.all():
        try:
            page.append(Summary.model_validate_json(summary))
        except ValidationError:
            try:
                session = load(connection, SessionKey(notebook, cell, owner))
            except SessionCorrupt:
                continue
            page += [summarise(session)] if session else []
    if not offset and (limit is None or len(page) < limit):
        return page, len(page)
    return page, queries.count_sessions(connection, condition)


def save_turn(
    connection: Connection,
    write: Write,
    key: SessionKey,
    turn: NewTurn,
    if_revision: int | None,
) -> tuple[Interaction, int]:
    """Append one turn."""
    head = _lock_head(connection, write, key)
    if not _was_committed(connection, write, key):
        mutations.check_writable(head.session.meta, if_revision)
        saved = mutations.number_turn(turn, head.counters.next_turn_id, head.counters.next_seq)
        _append_records(connection, write, key, head, [saved])
        write.result = saved, head.session.revision
    committed: tuple[Interaction, int] = write.result
    return committed


def save_events(
    connection: Connection,
    write: Write,
    key: SessionKey,
    events: Sequence[NewEvent],
    if_revision: int | None,
) -> tuple[list[Event], int]:
    """Append events, except those that are stored already."""
    head = _lock_head(connection, write, key)
    if not _was_committed(connection, write, key):
        mutations.check_writable(head.session.meta, if_revision)
        existing = queries.existing_events(connection, key, events)
        saved, new = mutations.number_events(events, head.counters.next_seq, existing)
        if new:
            _append_records(connection, write, key, head, new)
        write.result = saved, head.session.revision
    committed: tuple[list[Event], int] = write.result
    return committed


def delete(connection: Connection, write: Write, key: SessionKey, if_revision: int | None) -> bool:
    """Permanently delete a session, including its quarantined items."""
    row = queries.lock(connection, key)
    if row is None:
        return queries.delete_session(connection, key) or bool(write.result)
    try:
        session = StoredSession(row.meta).head(key)
    except DamagedData:
        session = new_session(key)
    if write.outcome_unknown and write.result not in (None, session.meta.created_at):
        return True  # it was deleted, and a new session was created meanwhile
    mutations.check_writable(session.meta, if_revision)
    write.result = session.meta.created_at
    return queries.delete_session(connection, key)


def fork(connection: Connection, write: Write, source: SessionKey, target: SessionKey) -> Session:
    """Copy a session to another cell, unless that cell has one."""
    if queries.lock(connection, target):
        return load(connection, target) or new_session(target)
    copy = mutations.fork_session(load(connection, source), target)
    _insert_session(connection, write, target, copy)
    return copy


def merge_copy(
    connection: Connection,
    write: Write,
    key: SessionKey,
    other: Session,
    merged_digests: Collection[str],
) -> bool:
    """Append the records that another copy of the session has in addition."""
    head = _lock_head(connection, write, key)
    mutations.check_writable(head.session.meta, None)
    session = load(connection, key) or new_session(key)
    turns, events, before = (
        len(session.interactions),
        len(session.events or []),
        count_records(session),
    )
    if not merge_into(session, other, merged_digests):
        return bool(write.outcome_unknown and write.result)
    if before:
        new: list[Interaction | Event] = [
            *session.interactions[turns:],
            *(session.events or [])[events:],
        ]
        new.sort(key=lambda record: record.seq or 0)
        head = head._replace(session=session)
        _write_records(connection, write, key, head, new, summarise(session))
    else:
        queries.delete_session(connection, key)
        _insert_session(connection, write, key, session)
    write.result = True
    return True


def _parse(stored: StoredSession, key: SessionKey) -> Session:
    try:
        return stored.load(key)
    except DamagedData as exc:
        session = recover(stored.to_bytes(), key)
        if is_empty(session):
            raise SessionCorrupt from exc
        return session


def _lock_head(connection: Connection, write: Write, key: SessionKey) -> _Head:
    """Lock a session until the transaction ends, repair it if necessary, and return its head."""
    row = queries.lock(connection, key)
    if write.attempts <= _MAX_CONFLICTS:
        with contextlib.suppress(DamagedData, ValidationError):
            return _parse_head(row, key)
    repair(connection, write, key)
    return _parse_head(queries.lock(connection, key), key)


def _parse_head(row: queries.HeadRow | None, key: SessionKey) -> _Head:
    """Raises DamagedData, ValidationError."""
    if row is None:
        session = new_session(key)
        return _Head(session, -1, Counters(), summarise(session))
    session = StoredSession(row.meta).head(key)
    if not is_supported(session, key):
        return _Head(session, row.events, Counters(), summarise(session))
    summary = Summary.model_validate_json(row.summary)
    return _Head(session, row.events, Counters.load(row.counters), summary)


def _was_committed(connection: Connection, write: Write, key: SessionKey) -> bool:
    """Whether an earlier attempt, whose connection broke, was committed."""
    return (
        write.outcome_unknown
        and write.result is not None
        and queries.is_written(connection, key, write.id)
    )


def _append_records(
    connection: Connection,
    write: Write,
    key: SessionKey,
    head: _Head,
    new: Sequence[Interaction | Event],
) -> None:
    """Append records to a session and increment its revision."""
    mutations.bump_revision(head.session)
    meta = head.session.meta
    summary = extend_summary(head.summary, new, head.session.revision, meta.last_updated)
    if not head.counters.in_order:  # then the last record need not be the newest
        complete = load(connection, key) or head.session
        complete.meta = meta
        complete.interactions += [record for record in new if isinstance(record, Interaction)]
        events = [record for record in new if isinstance(record, Event)]
        complete.events = (complete.events or []) + events
        summary = summarise(complete)
    _write_records(connection, write, key, head, new, summary)


def _write_records(
    connection: Connection,
    write: Write,
    key: SessionKey,
    head: _Head,
    new: Sequence[Interaction | Event],
    summary: Summary,
) -> None:
    start = head.counters.next_index
    head.counters.add(new)
    has_events = any(isinstance(record, Event) for record in new)
    row = {
        "meta": to_column(head.session.meta),
        "events": LIST if has_events else max(head.events, 0),
        "counters": head.counters.dump(),
        "summary": summary.model_dump_json(),
    }
    # The session's row goes first: of two writers that create it, the second waits here.
    if head.events < 0:
        queries.insert_session(connection, key, row | {"extra": ""})
    else:
        queries.update_session(connection, key, **row)
    added = [to_item(record) for record in new]
    queries.insert_items(connection, key, write.id, start, added)


def _insert_session(
    connection: Connection, write: Write, key: SessionKey, session: Session
) -> None:
    """Insert a complete session."""
    stored, counters = split(session)
    row = {
        "meta": stored.meta,
        "extra": stored.extra,
        "events": stored.events,
        "counters": counters.dump(),
        "summary": summarise(session).model_dump_json(),
    }
    queries.insert_session(connection, key, row)
    queries.insert_items(connection, key, write.id, 0, stored.items)
