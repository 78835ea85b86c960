"""Finds what is wrong with a session's rows, and puts it right.

What must hold: no byte is lost: what can't be read is set aside in its row, with its content as it
was; the record says so, in an event. A session of a newer version is left alone. What is whole is
left as it is.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from pydantic import ValidationError
from sqlalchemy.ext.asyncio import AsyncConnection

from ...models import Event, Interaction, Session, SessionKey, SessionSummary, new_session, utc_now
from ..record import codec
from ..record.codec import DamagedData
from ..record.damage.recovery import NOTE
from ..record.mutations import find_problems
from ..record.summaries import summarise
from . import queries as records
from .codes import EVENT, LIST, QUARANTINE_SUFFIX, TURN
from .database import Write
from .queries import Found, HeadRow
from .rows import Counters, Item, follow, is_plain, item, text

_MODELS: dict[int, type[Interaction] | type[Event]] = {TURN: Interaction, EVENT: Event}


@dataclass
class Examined:
    """What is whole in a session's rows, and what isn't."""

    session: Session
    counters: Counters
    damaged: list[int] = field(default_factory=list)  # indexes
    lost: list[str] = field(default_factory=list)  # of the row, what can't be read
    has_gap: bool = False
    lags: bool = False
    others: list[str] = field(default_factory=list)  # what nobody can mend

    @property
    def said(self) -> list[str]:
        """The flaws, in sentences."""
        said = []
        if self.damaged:
            said.append(f"{len(self.damaged)} unreadable records")
        if self.lost:
            said.append("metadata is damaged")
        if self.has_gap:
            said.append("records are missing")
        if self.lags:
            said.append("summary or counters are out of date")
        return said + self.others


def examine(found: Found, row: HeadRow | None, key: SessionKey) -> Examined | None:
    """What is wrong with a session's rows; None if that isn't ours to say. Pure."""
    stack, sound = found.stack, list[tuple[int, Interaction | Event]]()
    damaged, lost = [], []
    for index, one in zip(found.indexes, stack.items, strict=True):
        if one.kind != QUARANTINE_SUFFIX:
            try:
                sound.append((index, codec.parse_record(_MODELS[one.kind], one.content)))
            except (KeyError, ValueError, RecursionError):
                damaged.append(index)
    try:
        session = stack.head(key)
        if not is_plain(session, key):
            return None
    except DamagedData:
        session = _begun(key, [record for _, record in sound])
        lost += [stack.meta] if stack.meta else []
    session.interactions = [record for _, record in sound if isinstance(record, Interaction)]
    if events := [record for _, record in sound if isinstance(record, Event)]:
        session.events = events
    if stack.extra and not _is_object(stack.extra):
        lost.append(stack.extra)
    counters = _counted(sound, found.indexes, session)
    return Examined(
        session,
        counters,
        damaged,
        lost,
        has_gap=found.indexes != list(range(len(found.indexes))),
        lags=row is None or not _follows(row, session, counters),
        others=find_problems(session, key),
    )


async def check(connection: AsyncConnection, key: SessionKey) -> list[str]:
    """The flaws of a session, in sentences."""
    found, row = await records.find(connection, key), await records.head(connection, key)
    examined = examine(found, row, key) if found else None
    return examined.said if examined else []


async def mended(
    connection: AsyncConnection, write: Write, key: SessionKey
) -> tuple[list[str], bool]:
    """Mend a session; its flaws, and whether there are none now."""
    row = await records.lock(connection, key)
    found = await records.find(connection, key)
    examined = examine(found, row, key) if found else None
    if found is None or examined is None:
        return [], True
    said = examined.said
    if len(said) == len(examined.others):
        return said, not said
    for index in examined.damaged:
        await records.change_item(connection, key, index, kind=QUARANTINE_SUFFIX, event_id=None)
    end = await _close_gaps(connection, key, found.indexes)
    added = [Item(QUARANTINE_SUFFIX, content) for content in examined.lost]
    session = examined.session
    if examined.damaged or examined.lost or examined.has_gap:
        note = _note(session, examined)
        session.events = [*(session.events or []), note]
        added.append(item(note))
    await records.put_items(connection, key, write.id, end, added)
    await _put_head(connection, key, found, examined, row)
    return said, not examined.others


async def _put_head(
    connection: AsyncConnection,
    key: SessionKey,
    found: Found,
    examined: Examined,
    row: HeadRow | None,
) -> None:
    """Write what the row must say of the items as they are now."""
    session, stack = examined.session, found.stack
    now = await records.find(connection, key)
    assert now is not None
    sound = [
        (index, codec.parse_record(_MODELS[one.kind], one.content))
        for index, one in zip(now.indexes, now.stack.items, strict=True)
        if one.kind != QUARANTINE_SUFFIX
    ]
    values: dict[str, Any] = {
        "meta": text(session.meta),
        "extra": "" if stack.extra in examined.lost else stack.extra,
        "events": LIST if session.events else stack.events,
        "counters": _counted(sound, now.indexes, session).dump(),
        "summary": summarise(session).model_dump_json(),
    }
    if row is None:
        await records.put_session(connection, key, values)
    else:
        await records.change(connection, key, **values)


async def _close_gaps(connection: AsyncConnection, key: SessionKey, indexes: list[int]) -> int:
    """Have the indexes count from 0; the next one."""
    for new, old in enumerate(indexes):
        if new != old:
            await records.change_item(connection, key, old, item_index=new)
    return len(indexes)


def _counted(
    sound: list[tuple[int, Interaction | Event]], indexes: list[int], session: Session
) -> Counters:
    """The counters that a session's rows call for."""
    resets = [i for i, one in sound if isinstance(one, Event) and one.type == "context_reset"]
    return Counters(
        next_turn_id=session.next_turn_id,
        next_seq=session.next_seq,
        next_index=max(indexes, default=-1) + 1,
        after_reset=max(resets, default=-1) + 1,
        in_order=follow([record for _, record in sound], session.next_seq),
    )


def _follows(row: HeadRow, session: Session, counters: Counters) -> bool:
    """Whether the row says of the items what they are."""
    try:
        summary = SessionSummary.model_validate_json(row.summary)
        return Counters.load(row.counters) == counters and summary == summarise(session)
    except (DamagedData, ValidationError, ValueError):
        return False


def _begun(key: SessionKey, sound: list[Interaction | Event]) -> Session:
    """A session for what is whole, where nothing else is known."""
    session = new_session(key)
    if sound:
        session.meta.created_at = sound[0].timestamp
        session.meta.last_updated = sound[-1].timestamp
        session.meta.revision = len(sound)
    return session


def _note(session: Session, examined: Examined) -> Event:
    """The event that tells the person what was recovered."""
    return Event(
        seq=session.next_seq,
        type=NOTE,
        timestamp=utc_now(),
        data={
            "turns": len(session.interactions),
            "events": len(session.events or []),
            "set_aside": len(examined.damaged) + len(examined.lost),
        },
    )


def _is_object(content: str) -> bool:
    try:
        return isinstance(json.loads(content), dict)
    except (ValueError, RecursionError):
        return False
