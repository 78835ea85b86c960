"""What is done with sessions: each function is one piece of work, within one transaction.

What must hold: a writer holds the session's row before it looks at anything else, so the writers
of one session come one after the other, and each puts its records behind all that was there. A
writer whose connection broke looks first whether it was done.
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
from ..record import codec
from ..record import mutations as steps
from ..record.codec import DamagedData
from ..record.damage.recovery import is_empty, recover
from ..record.merge.sessions import count_records, merge_into
from ..record.summaries import extend_summary, summarise
from . import queries as records
from .codes import LIST
from .database import Write
from .owners import owner_key
from .rows import Counters, Stack, is_plain, item, split, text
from .tables import sessions
from .verify import mended

_MANY = 2**62  # MySQL and SQLite know no offset without a limit
_ODD = 3  # tries after which it is no longer chance that another's row is in the way


class _Head(NamedTuple):
    """What a writer knows of a session: all but its items."""

    session: Session
    events: int
    counters: Counters
    summary: Summary


async def load(connection: AsyncConnection, key: SessionKey) -> Session | None:
    """A session, or None; of a damaged one what is whole. Raises SessionCorrupt if nothing is."""
    stack = await records.read(connection, key)
    return None if stack is None else _loaded(stack, key)


async def load_raw(connection: AsyncConnection, key: SessionKey) -> tuple[bytes, int] | None:
    """A session's bytes and its revision, or None. Records are made of none of it."""
    stack = await records.read(connection, key)
    if stack is None:
        return None
    try:
        revision = stack.head(key).revision
        stack.check()
    except DamagedData:
        session = _loaded(stack, key)
        return codec.encode(session), session.revision
    return stack.compose(), revision


async def exists(connection: AsyncConnection, key: SessionKey) -> bool:
    """Whether there is a session."""
    return await records.head(connection, key) is not None


async def counters(connection: AsyncConnection, key: SessionKey) -> Counters | None:
    """Where the history of a session begins and ends; None if only the whole can tell."""
    row = await records.head(connection, key)
    if row is None:
        return Counters()
    try:
        found = Counters.load(row.counters)
    except DamagedData:
        return None
    return found if found.in_order else None


async def listed(
    connection: AsyncConnection,
    notebook_id: str | None,
    owner: str,
    offset: int,
    limit: int | None,
) -> tuple[list[Summary], int]:
    """A page of summaries, and how many there are in all."""
    which = sessions.c.owner == owner_key(owner)
    if notebook_id is not None:
        which &= sessions.c.notebook_id == notebook_id
    rows = await connection.execute(
        select(sessions.c.notebook_id, sessions.c.cell_id, sessions.c.summary)
        .where(which)
        .order_by(sessions.c.notebook_id, sessions.c.cell_id)
        .offset(offset or None)
        .limit(limit if limit is not None else (_MANY if offset else None))
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
    return page, await records.count(connection, which)


async def save_turn(
    connection: AsyncConnection,
    write: Write,
    key: SessionKey,
    turn: NewTurn,
    if_revision: int | None,
) -> tuple[Interaction, int]:
    """Append one turn."""
    head = await _take(connection, write, key)
    if not await _is_done(connection, write, key):
        steps.check_writable(head.session.meta, if_revision)
        saved = steps.number_turn(turn, head.counters.next_turn_id, head.counters.next_seq)
        await _append(connection, write, key, head, [saved])
        write.result = saved, head.session.revision
    done: tuple[Interaction, int] = write.result
    return done


async def save_events(
    connection: AsyncConnection,
    write: Write,
    key: SessionKey,
    events: Sequence[NewEvent],
    if_revision: int | None,
) -> tuple[list[Event], int]:
    """Append events, but for those that are there already."""
    head = await _take(connection, write, key)
    if not await _is_done(connection, write, key):
        steps.check_writable(head.session.meta, if_revision)
        known = await records.known_events(connection, key, events)
        saved, new = steps.number_events(events, head.counters.next_seq, known)
        if new:
            await _append(connection, write, key, head, new)
        write.result = saved, head.session.revision
    done: tuple[list[Event], int] = write.result
    return done


async def remove(
    connection: AsyncConnection, write: Write, key: SessionKey, if_revision: int | None
) -> bool:
    """Remove a session for good, and what was set aside of it."""
    row = await records.lock(connection, key)
    if row is None:
        return await records.delete_session(connection, key) or bool(write.result)
    try:
        session = Stack(row.meta).head(key)
    except DamagedData:
        session = new_session(key)
    if write.lost and write.result not in (None, session.meta.created_at):
        return True  # it was removed, and somebody has begun anew
    steps.check_writable(session.meta, if_revision)
    write.result = session.meta.created_at
    return await records.delete_session(connection, key)


async def fork(
    connection: AsyncConnection, write: Write, source: SessionKey, target: SessionKey
) -> Session:
    """Copy a session to another cell, unless that has one."""
    if await records.lock(connection, target):
        return await load(connection, target) or new_session(target)
    copy = steps.fork_session(await load(connection, source), target)
    await _put(connection, write, target, copy)
    return copy


async def take_over(
    connection: AsyncConnection,
    write: Write,
    key: SessionKey,
    other: Session,
    taken: Collection[str],
) -> bool:
    """Put what another place knows of the cell behind what is here."""
    head = await _take(connection, write, key)
    steps.check_writable(head.session.meta, None)
    session = await load(connection, key) or new_session(key)
    turns, events, before = (
        len(session.interactions),
        len(session.events or []),
        count_records(session),
    )
    if not merge_into(session, other, taken):
        return bool(write.lost and write.result)
    if before:
        new: list[Interaction | Event] = [
            *session.interactions[turns:],
            *(session.events or [])[events:],
        ]
        new.sort(key=lambda record: record.seq or 0)
        await _add(connection, write, key, head._replace(session=session), new, summarise(session))
    else:
        await records.delete_session(connection, key)
        await _put(connection, write, key, session)
    write.result = True
    return True


def _loaded(stack: Stack, key: SessionKey) -> Session:
    try:
        return stack.load(key)
    except DamagedData as exc:
        session = recover(stack.compose(), key)
        if is_empty(session):
            raise SessionCorrupt from exc
        return session


async def _take(connection: AsyncConnection, write: Write, key: SessionKey) -> _Head:
    """What must be known of a session to write it; nobody else writes it until the end."""
    row = await records.lock(connection, key)
    if write.tries > _ODD or (row and not _is_whole(row, key)):
        await mended(connection, write, key)
        row = await records.lock(connection, key)
    if row is None:
        session = new_session(key)
        return _Head(session, -1, Counters(), summarise(session))
    session = Stack(row.meta).head(key)
    if not is_plain(session, key):
        return _Head(session, row.events, Counters(), summarise(session))
    summary = Summary.model_validate_json(row.summary)
    return _Head(session, row.events, Counters.load(row.counters), summary)


def _is_whole(row: records.HeadRow, key: SessionKey) -> bool:
    try:
        if is_plain(Stack(row.meta).head(key), key):
            Counters.load(row.counters)
            Summary.model_validate_json(row.summary)
        return True
    except (DamagedData, ValidationError):
        return False


async def _is_done(connection: AsyncConnection, write: Write, key: SessionKey) -> bool:
    """Whether an earlier try, whose connection broke, was done after all."""
    return (
        write.lost
        and write.result is not None
        and await records.is_written(connection, key, write.id)
    )


async def _append(
    connection: AsyncConnection,
    write: Write,
    key: SessionKey,
    head: _Head,
    new: Sequence[Interaction | Event],
) -> None:
    """Put records behind a session, and count one more write."""
    steps.bump_revision(head.session)
    meta = head.session.meta
    summary = extend_summary(head.summary, new, head.session.revision, meta.last_updated)
    if not head.counters.in_order:  # then what comes last need not be the newest
        whole = await load(connection, key) or head.session
        whole.meta = meta
        whole.interactions += [record for record in new if isinstance(record, Interaction)]
        whole.events = (whole.events or []) + [one for one in new if isinstance(one, Event)]
        summary = summarise(whole)
    await _add(connection, write, key, head, new, summary)


async def _add(
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
        "meta": text(head.session.meta),
        "events": LIST if has_events else max(head.events, 0),
        "counters": head.counters.dump(),
        "summary": summary.model_dump_json(),
    }
    # First the session's row: of two that begin one, the second waits here for the first.
    if head.events < 0:
        await records.put_session(connection, key, row | {"extra": ""})
    else:
        await records.change(connection, key, **row)
    added = [item(record) for record in new]
    await records.put_items(connection, key, write.id, start, added)


async def _put(
    connection: AsyncConnection, write: Write, key: SessionKey, session: Session
) -> None:
    """Write a whole session where there is none."""
    stack, count = split(session)
    row = {
        "meta": stack.meta,
        "extra": stack.extra,
        "events": stack.events,
        "counters": count.dump(),
        "summary": summarise(session).model_dump_json(),
    }
    await records.put_session(connection, key, row)
    await records.put_items(connection, key, write.id, 0, stack.items)
