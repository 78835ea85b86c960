"""Operations on sessions. Each public function runs in one transaction.

Invariants: a function that writes locks the session's row before it reads anything else. So the
writes to a session wait for each other, and each write appends its records after all existing
ones. If the connection breaks during a write, the write is attempted again. Before the new attempt
writes anything, it checks whether the previous attempt was committed.
"""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Sequence

from pydantic import ValidationError
from sqlalchemy import Connection, func, select

from ...errors import SessionCorrupt
from ...models import (
    Event,
    Interaction,
    NewEvent,
    NewTurn,
    Session,
    SessionKey,
    new_session,
)
from ...models import SessionSummary as Summary
from ..record import codec, mutations
from ..record.codec import DamagedData
from ..record.damage.recovery import is_empty, recover
from ..record.merge.sessions import merge_into
from ..record.summaries import extend_summary, summarise
from . import queries
from .codes import ABSENT, LIST
from .database import WriteState
from .owners import owner_key
from .rows import Counters, Head, HeadRow, StoredSession, split, to_column, to_item
from .tables import sessions
from .verify import repair

_NO_LIMIT = 2**62  # MySQL and SQLite have no OFFSET without LIMIT
_ATTEMPTS_BEFORE_REPAIR = 3
"""After this number of failed attempts, a write repairs the session, even if its head is readable.

The first failures are usually caused by another writer. If more follow, the likeliest cause is that
the session's counters are wrong.
"""
_NO_ROW = -1
"""The ``events_code`` of a session that has no row in the table ``sessions`` yet."""


def load(connection: Connection, key: SessionKey) -> Session | None:
    """Return the stored session, or None if there is no session.

    If the session is damaged, returns its readable records; raises SessionCorrupt if it has none.
    """
    stored = queries.read_session(connection, key)
    return None if stored is None else _parse(stored, key)


def load_raw(connection: Connection, key: SessionKey) -> tuple[bytes, int] | None:
    """Return the stored session as bytes, and its revision, or None if there is no session.

    Checks that the records of the session are JSON, but doesn't validate them. If the session is
    damaged, returns its readable records; raises SessionCorrupt if it has none.
    """
    stored = queries.read_session(connection, key)
    if stored is None:
        return None
    try:
        revision = stored.read_meta(key).revision or 0
        stored.check_json()
    except DamagedData:
        session = _parse(stored, key)
        return codec.encode(session), session.revision
    return stored.to_bytes(), revision


def newest_turns(
    connection: Connection, key: SessionKey, limit: int | None
) -> tuple[list[Interaction], bool]:
    """Return the newest turns since the last context reset, oldest first.

    Returns at most ``limit`` turns. But if the complete session has to be read, returns all turns
    since the reset. The second result is true if older turns since the reset may be missing.
    """
    rows = queries.newest_turns(connection, key, _NO_LIMIT if limit is None else limit)
    if not rows:
        return [], False
    try:
        _, _, encoded_counters = rows[0]  # each row contains the session's counters
        counters = Counters.model_validate_json(encoded_counters)
        if counters.in_order:
            since_reset = [content for index, content, _ in rows if index >= counters.after_reset]
            turns = [codec.parse_record(Interaction, content) for content in since_reset]
            return turns[::-1], len(turns) == limit
    except ValueError:  # the counters or a turn are damaged, so read the complete session
        pass
    session = load(connection, key)
    return (session.history() if session else []), False


def list_sessions(
    connection: Connection,
    notebook_id: str | None,
    owner: str,
    offset: int,
    limit: int | None,
) -> tuple[list[Summary], int, int]:
    """Return at most ``limit`` summaries from ``offset`` on, and the total number of sessions.

    A damaged summary is replaced by a summary that is computed from the session. An unreadable
    session is skipped; the third result is the number of sessions that were skipped. The total
    includes them only if ``offset`` or ``limit`` may have left out sessions.
    """
    condition = sessions.c.owner == owner_key(owner)
    if notebook_id is not None:
        condition &= sessions.c.notebook_id == notebook_id
    rows = connection.execute(
        select(sessions.c.notebook_id, sessions.c.cell_id, sessions.c.summary)
        .where(condition)
        .order_by(sessions.c.notebook_id, sessions.c.cell_id)
        .offset(offset or None)
        .limit(limit if limit is not None else (_NO_LIMIT if offset else None))
    ).all()
    summaries = []
    unreadable_count = 0
    for notebook, cell, summary in rows:
        try:
            summaries.append(Summary.model_validate_json(summary))
        except ValidationError:
            try:
                session = load(connection, SessionKey(notebook, cell, owner))
            except SessionCorrupt:
                unreadable_count += 1
                continue
            summaries += [summarise(session)] if session else []
    if not offset and (limit is None or len(rows) < limit):
        return summaries, len(summaries), unreadable_count  # ``summaries`` is complete
    count = select(func.count()).select_from(sessions).where(condition)
    return summaries, int(connection.execute(count).scalar() or 0), unreadable_count


def save_turn(
    connection: Connection,
    state: WriteState,
    key: SessionKey,
    turn: NewTurn,
    if_revision: int | None,
) -> tuple[Interaction, int]:
    """Append one turn; return it as saved, and the new revision."""
    head = _lock_head(connection, state, key)
    if not _was_committed(connection, state, key):
        mutations.check_writable(head.meta, if_revision)
        saved = mutations.number_turn(turn, head.counters.next_turn_id, head.counters.next_seq)
        state.result = saved, _append_records(connection, state, key, head, [saved])
    committed: tuple[Interaction, int] = state.result
    return committed


def save_events(
    connection: Connection,
    state: WriteState,
    key: SessionKey,
    events: Sequence[NewEvent],
    if_revision: int | None,
) -> tuple[list[Event], int]:
    """Append the events that aren't stored yet.

    Returns all of the given events as they are stored, and the new revision.
    """
    head = _lock_head(connection, state, key)
    if not _was_committed(connection, state, key):
        mutations.check_writable(head.meta, if_revision)
        existing_events = queries.existing_events(connection, key, events)
        saved, new_events = mutations.number_events(events, head.counters.next_seq, existing_events)
        revision = head.meta.revision or 0
        if new_events:
            revision = _append_records(connection, state, key, head, new_events)
        state.result = saved, revision
    committed: tuple[list[Event], int] = state.result
    return committed


def delete(
    connection: Connection, state: WriteState, key: SessionKey, if_revision: int | None
) -> bool:
    """Permanently delete a session with its quarantined items; return False if it had no rows."""
    row = queries.read_head(connection, key, for_update=True)
    if row is None:
        # A damaged session may have items but no row in ``sessions``. If there are no items, but
        # ``state.result`` is set, an earlier attempt of this deletion has deleted the session.
        return queries.delete_session(connection, key) or bool(state.result)
    try:
        meta = StoredSession(row.meta).read_meta(key)
    except DamagedData:
        meta = new_session(key).meta
    # Each attempt sets ``state.result`` to the creation time of the session that it deletes.
    if state.outcome_unknown and state.result not in (None, meta.created_at):
        return True  # an earlier attempt deleted the session; this one was created later
    mutations.check_writable(meta, if_revision)
    state.result = meta.created_at
    return queries.delete_session(connection, key)


def fork(
    connection: Connection, state: WriteState, source: SessionKey, target: SessionKey
) -> Session:
    """Copy a session to another cell, and return the copy.

    If the other cell already has a session, changes nothing and returns that session. Raises
    NotFound if there is no session to copy.
    """
    if queries.read_head(connection, target, for_update=True):
        return load(connection, target) or new_session(target)
    copy = mutations.fork_session(load(connection, source), target)
    _insert_session(connection, state, target, copy)
    return copy


def merge_copy(
    connection: Connection,
    state: WriteState,
    key: SessionKey,
    other: Session,
    merged_digests: Collection[str],
) -> bool:
    """Merge ``other``, a copy of the session, into the stored session.

    Appends the records that only ``other`` contains, and returns whether there are any. Records
    whose digests are in ``merged_digests`` were merged earlier and aren't appended again. If no
    session is stored and ``merged_digests`` is empty, stores an exact copy of ``other``.
    """
    head = _lock_head(connection, state, key)
    mutations.check_writable(head.meta, None)
    session = load(connection, key) or new_session(key)
    turn_count, event_count = len(session.interactions), len(session.events or [])
    if not merge_into(session, other, merged_digests):
        # The stored session already contains all records of ``other``. Perhaps an earlier attempt
        # of this write appended them, and was committed although its connection broke.
        return bool(state.outcome_unknown and state.result)
    if turn_count or event_count:
        new_records: list[Interaction | Event] = [
            *session.interactions[turn_count:],
            *(session.events or [])[event_count:],
        ]
        new_records.sort(key=lambda record: record.seq or 0)
        head = head._replace(meta=session.meta)
        _write_records(connection, state, key, head, new_records, summarise(session))
    else:
        queries.delete_session(connection, key)
        _insert_session(connection, state, key, session)
    state.result = True
    return True


def _parse(stored: StoredSession, key: SessionKey) -> Session:
    """Parse a session. If it is damaged, return its readable records or raise SessionCorrupt."""
    try:
        return stored.load(key)
    except DamagedData as exc:
        session = recover(stored.to_bytes(), key)
        if is_empty(session):
            raise SessionCorrupt from exc
        return session


def _lock_head(connection: Connection, state: WriteState, key: SessionKey) -> Head:
    """Lock a session until the transaction ends, repair it if necessary, and return its head."""
    row = queries.read_head(connection, key, for_update=True)
    if state.attempts <= _ATTEMPTS_BEFORE_REPAIR:
        with contextlib.suppress(DamagedData, ValidationError):
            return _parse_head(row, key)
    repair(connection, state, key)
    return _parse_head(queries.read_head(connection, key, for_update=True), key)


def _parse_head(row: HeadRow | None, key: SessionKey) -> Head:
    """Parse a session's row in ``sessions``; ``row`` is None for a new session.

    Raises DamagedData or ValidationError.
    """
    if row is None:
        session = new_session(key)
        return Head(session.meta, _NO_ROW, Counters(), summarise(session))
    return row.parse(key)


def _was_committed(connection: Connection, state: WriteState, key: SessionKey) -> bool:
    """Return whether an earlier attempt was committed although its connection broke."""
    return (
        state.outcome_unknown
        and state.result is not None
        and queries.has_items_of_write(connection, key, state.id)
    )


def _append_records(
    connection: Connection,
    state: WriteState,
    key: SessionKey,
    head: Head,
    new_records: Sequence[Interaction | Event],
) -> int:
    """Append records to a session, and return its new revision."""
    meta = mutations.next_revision(head.meta)
    revision = meta.revision or 0
    summary = extend_summary(head.summary, new_records, revision, meta.last_updated)
    if not head.counters.in_order:
        # The summary describes the newest records. Because the items aren't in chronological
        # order, the newest records can only be determined from the complete session.
        session = load(connection, key) or new_session(key)
        session.meta = meta
        turns = [record for record in new_records if isinstance(record, Interaction)]
        session.interactions += turns
        events = [record for record in new_records if isinstance(record, Event)]
        session.events = (session.events or []) + events
        summary = summarise(session)
    _write_records(connection, state, key, head._replace(meta=meta), new_records, summary)
    return revision


def _write_records(
    connection: Connection,
    state: WriteState,
    key: SessionKey,
    head: Head,
    new_records: Sequence[Interaction | Event],
    summary: Summary,
) -> None:
    """Write a session's row in ``sessions``, and insert items for new records."""
    start = head.counters.next_index
    head.counters.add(new_records)
    has_events = any(isinstance(record, Event) for record in new_records)
    row = {
        "meta": to_column(head.meta),
        "events": LIST if has_events else max(head.events_code, ABSENT),  # _NO_ROW becomes ABSENT
        "counters": head.counters.dump(),
        "summary": summary.model_dump_json(),
    }
    # The session's row is written before the items. So if two writers create the same session, the
    # second one waits here for the first one's commit.
    if head.events_code == _NO_ROW:
        queries.insert_session(connection, key, row | {"extra": ""})
    else:
        queries.update_session(connection, key, **row)
    new_items = [to_item(record) for record in new_records]
    queries.insert_items(connection, key, state.id, start, new_items)


def _insert_session(
    connection: Connection, state: WriteState, key: SessionKey, session: Session
) -> None:
    """Insert all rows of a session that isn't stored yet."""
    stored, counters = split(session)
    row = {
        "meta": stored.meta,
        "extra": stored.extra,
        "events": stored.events_code,
        "counters": counters.dump(),
        "summary": summarise(session).model_dump_json(),
    }
    queries.insert_session(connection, key, row)
    queries.insert_items(connection, key, state.id, 0, stored.items)
