"""Operations on sessions. Each function runs in one transaction.

Invariants: a writer locks the session's row before it reads anything else, so the writers of a
session are serialised and each appends after all existing records. After a broken connection, a
writer first looks whether its last attempt was committed.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

from pydantic import ValidationError
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection

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
from .rows import Counters, StoredSession, is_supported, split, to_item, to_text
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


async def load(connection: AsyncConnection, key: SessionKey) -> Session | None:
    """The session or None. Recovers a damaged one; raises SessionCorrupt if nothing is readable."""
    stored = await queries.read(connection, key)
    return None if stored is None else _parse(stored, key)


async def load_raw(connection: AsyncConnection, key: SessionKey) -> tuple[bytes, int] | None:
    """A session's bytes and its revision, or None. Doesn't parse its records."""
    stored = await queries.read(connection, key)
    if stored is None:
        return None
    try:
        revision = stored.head(key).revision
        stored.check()
    except DamagedData:
        session = _parse(stored, key)
        return codec.encode(session), session.revision
    return stored.to_bytes(), revision


async def exists(connection: AsyncConnection, key: SessionKey) -> bool:
    """Whether there is a session."""
    return await queries.head(connection, key) is not None


async def counters(connection: AsyncConnection, key: SessionKey) -> Counters | None:
    """A session's counters; None if only the complete session can tell where its history begins."""
    row = await queries.head(connection, key)
    if row is None:
        return Counters()
    try:
        stored = Counters.load(row.counters)
    except DamagedData:
        return None
    return stored if stored.in_order else None


async def list_sessions(
    connection: AsyncConnection,
    notebook_id: str | None,
    owner: str,
    offset: int,
    limit: int | None,
) -> tuple[list[Summary], int]:
    """One page of summaries and the total number of sessions."""
    condition = sessions.c.owner == owner_key(owner)
    if notebook_id is not None:
        condition &= sessions.c.notebook_id == notebook_id
    rows = await connection.execute(
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
                session = await load(connection, SessionKey(notebook, cell, owner))
            except SessionCorrupt:
                continue
            page += [summarise(session)] if session else []
    if not offset and (limit is None or len(page) < limit):
        return page, len(page)
    return page, await queries.count_sessions(connection, condition)


async def save_turn(
    connection: AsyncConnection,
    write: Write,
    key: SessionKey,
    turn: NewTurn,
    if_revision: int | None,
) -> tuple[Interaction, int]:
    """Append one turn."""
    head = await _lock_head(connection, write, key)
    if not await _was_committed(connection, write, key):
        mutations.check_writable(head.session.meta, if_revision)
        saved = mutations.number_turn(turn, head.counters.next_turn_id, head.counters.next_seq)
        await _append_records(connection, write, key, head, [saved])
        write.result = saved, head.session.revision
    committed: tuple[Interaction, int] = write.result
    return committed


async def save_events(
    connection: AsyncConnection,
    write: Write,
    key: SessionKey,
    events: Sequence[NewEvent],
    if_revision: int | None,
) -> tuple[list[Event], int]:
    """Append events, except those that are stored already."""
    head = await _lock_head(connection, write, key)
    if not await _was_committed(connection, write, key):
        mutations.check_writable(head.session.meta, if_revision)
        existing = await queries.existing_events(connection, key, events)
        saved, new = mutations.number_events(events, head.counters.next_seq, existing)
        if new:
            await _append_records(connection, write, key, head, new)
        write.result = saved, head.session.revision
    committed: tuple[list[Event], int] = write.result
    return committed


async def delete(
    connection: AsyncConnection, write: Write, key: SessionKey, if_revision: int | None
) -> bool:
    """Permanently delete a session, including its quarantined items."""
    row = await queries.lock(connection, key)
    if row is None:
        return await queries.delete_session(connection, key) or bool(write.result)
    try:
        session = StoredSession(row.meta).head(key)
    except DamagedData:
        session = new_session(key)
    if write.outcome_unknown and write.result not in (None, session.meta.created_at):
        return True  # it was deleted, and a new session was created meanwhile
    mutations.check_writable(session.meta, if_revision)
    write.result = session.meta.created_at
    return await queries.delete_session(connection, key)


async def fork(
    connection: AsyncConnection, write: Write, source: SessionKey, target: SessionKey
) -> Session:
    """Copy a session to another cell, unless that cell has one."""
    if await queries.lock(connection, target):
        return await load(connection, target) or new_session(target)
    copy = mutations.fork_session(await load(connection, source), target)
    await _insert_session(connection, write, target, copy)
    return copy


async def take_over(
    connection: AsyncConnection,
    write: Write,
    key: SessionKey,
    other: Session,
    merged_digests: Collection[str],
) -> bool:
    """Append the records that another copy of the session has in addition."""
    head = await _lock_head(connection, write, key)
    mutations.check_writable(head.session.meta, None)
    session = await load(connection, key) or new_session(key)
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
        await _write_records(connection, write, key, head, new, summarise(session))
    else:
        await queries.delete_session(connection, key)
        await _insert_session(connection, write, key, session)
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


async def _lock_head(connection: AsyncConnection, write: Write, key: SessionKey) -> _Head:
    """Lock a session until the transaction ends, repair it if necessary, and return its head."""
    row = await queries.lock(connection, key)
    if write.attempts > _MAX_CONFLICTS or (row and not _is_intact(row, key)):
        await repair(connection, write, key)
        row = await queries.lock(connection, key)
    if row is None:
        session = new_session(key)
        return _Head(session, -1, Counters(), summarise(session))
    session = StoredSession(row.meta).head(key)
    if not is_supported(session, key):
        return _Head(session, row.events, Counters(), summarise(session))
    summary = Summary.model_validate_json(row.summary)
    return _Head(session, row.events, Counters.load(row.counters), summary)


def _is_intact(row: queries.HeadRow, key: SessionKey) -> bool:
    try:
        if is_supported(StoredSession(row.meta).head(key), key):
            Counters.load(row.counters)
            Summary.model_validate_json(row.summary)
        return True
    except (DamagedData, ValidationError):
        return False


async def _was_committed(connection: AsyncConnection, write: Write, key: SessionKey) -> bool:
    """Whether an earlier attempt, whose connection broke, was committed."""
    return (
        write.outcome_unknown
        and write.result is not None
        and await queries.is_written(connection, key, write.id)
    )


async def _append_records(
    connection: AsyncConnection,
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
        complete = await load(connection, key) or head.session
        complete.meta = meta
        complete.interactions += [record for record in new if isinstance(record, Interaction)]
        events = [record for record in new if isinstance(record, Event)]
        complete.events = (complete.events or []) + events
        summary = summarise(complete)
    await _write_records(connection, write, key, head, new, summary)


async def _write_records(
    connection: AsyncConnection,
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
        "meta": to_text(head.session.meta),
        "events": LIST if has_events else max(head.events, 0),
        "counters": head.counters.dump(),
        "summary": summary.model_dump_json(),
    }
    # The session's row goes first: of two writers that create it, the second waits here.
    if head.events < 0:
        await queries.insert_session(connection, key, row | {"extra": ""})
    else:
        await queries.update_session(connection, key, **row)
    added = [to_item(record) for record in new]
    await queries.insert_items(connection, key, write.id, start, added)


async def _insert_session(
    connection: AsyncConnection, write: Write, key: SessionKey, session: Session
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
    await queries.insert_session(connection, key, row)
    await queries.insert_items(connection, key, write.id, 0, stored.items)
