"""Rows read and written: what the pieces of work are made of.

What must hold: a session is read by one statement, so that it is one moment in every database.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import bindparam, delete, func, insert, literal, select, union_all, update
from sqlalchemy.ext.asyncio import AsyncConnection

from ...models import Event, Interaction, NewEvent, SessionKey
from ..record import codec
from ..record.mutations import events_by_id
from .codes import EVENT, TURN
from .owners import is_plain, owner_key
from .rows import Item, Stack, hashed
from .tables import items, owners, sessions

_META, _EXTRA = -2, -1  # stand for an index where a session is read in one go


def _of(table: Any) -> Any:
    """That a row is the key's; the values are of names that no column has."""
    return (
        (table.c.owner == bindparam("of_owner"))
        & (table.c.notebook_id == bindparam("of_notebook"))
        & (table.c.cell_id == bindparam("of_cell"))
    )


def _at(key: SessionKey, **more: Any) -> dict[str, Any]:
    return {
        "of_owner": owner_key(key.owner),
        "of_notebook": key.notebook_id,
        "of_cell": key.cell_id,
        **more,
    }


_ALL = union_all(
    select(
        literal(_META).label("item_index"), sessions.c.events.label("kind"), sessions.c.meta
    ).where(_of(sessions)),
    select(literal(_EXTRA), literal(0), sessions.c.extra).where(_of(sessions)),
    select(items.c.item_index, items.c.kind, items.c.content).where(_of(items)),
).order_by("item_index")
_HEAD = select(sessions.c.meta, sessions.c.events, sessions.c.counters, sessions.c.summary).where(
    _of(sessions)
)
_LOCKED = _HEAD.with_for_update()
_TURNS = (
    select(items.c.item_index, items.c.content)
    .where(_of(items), items.c.kind == TURN)
    .where(items.c.item_index >= bindparam("first"), items.c.item_index < bindparam("before"))
    .order_by(items.c.item_index.desc())
    .limit(bindparam("many"))
)
_WRITTEN = select(literal(1)).where(_of(items), items.c.write_id == bindparam("of_write")).limit(1)
_KNOWN = (
    select(items.c.content)
    .where(_of(items), items.c.event_id.in_(bindparam("ids", expanding=True)))
    .where(items.c.kind == EVENT)
    .order_by(items.c.item_index)
)
_CHANGE = update(sessions).where(_of(sessions))
_CHANGE_ITEM = update(items).where(_of(items), items.c.item_index == bindparam("of_index"))
_DELETE, _DELETE_ITEMS = delete(sessions).where(_of(sessions)), delete(items).where(_of(items))


class HeadRow(NamedTuple):
    """The row of a session, but for what nobody needs in order to append."""

    meta: str
    events: int
    counters: str
    summary: str


class Found(NamedTuple):
    """A session in pieces, and the indexes of its items."""

    stack: Stack
    indexes: list[int]
    has_head: bool


async def find(connection: AsyncConnection, key: SessionKey) -> Found | None:
    """All there is of a session, as it is at one moment; None if there is nothing."""
    rows = (await connection.execute(_ALL, _at(key))).all()
    if not rows:
        return None
    stack, indexes = Stack(""), []
    for index, kind, content in rows:
        if index == _META:
            stack.meta, stack.events = content, kind
        elif index == _EXTRA:
            stack.extra = content
        else:
            indexes.append(index)
            stack.items.append(Item(kind, content))
    return Found(stack, indexes, rows[0][0] == _META)


async def read(connection: AsyncConnection, key: SessionKey) -> Stack | None:
    """A session in pieces, as it is at one moment, or None."""
    found = await find(connection, key)
    return found.stack if found and found.has_head else None


async def head(connection: AsyncConnection, key: SessionKey) -> HeadRow | None:
    """The row of a session, or None."""
    row = (await connection.execute(_HEAD, _at(key))).first()
    return None if row is None else HeadRow(*row)


async def lock(connection: AsyncConnection, key: SessionKey) -> HeadRow | None:
    """The row of a session, which nobody else can lock until the transaction ends; or None."""
    row = (await connection.execute(_LOCKED, _at(key))).first()
    return None if row is None else HeadRow(*row)


async def turns_before(
    connection: AsyncConnection, key: SessionKey, first: int, before: int, many: int
) -> list[tuple[int, Interaction]]:
    """The newest turns below an index, newest first, with their indexes. Raises ValueError."""
    rows = await connection.execute(_TURNS, _at(key, first=first, before=before, many=many))
    return [(index, codec.parse_record(Interaction, content)) for index, content in rows]


async def known_events(
    connection: AsyncConnection, key: SessionKey, events: Sequence[NewEvent]
) -> dict[str, Event]:
    """Those of these events that are kept already, by their ids."""
    ids = [hashed(event.id) for event in events if event.id is not None]
    if not ids:
        return {}
    rows = await connection.execute(_KNOWN, _at(key, ids=ids))
    return events_by_id(codec.parse_record(Event, content) for (content,) in rows)


async def is_written(connection: AsyncConnection, key: SessionKey, write_id: int) -> bool:
    """Whether items of a write are there."""
    return (await connection.execute(_WRITTEN, _at(key, of_write=write_id))).first() is not None


async def put_session(connection: AsyncConnection, key: SessionKey, row: Mapping[str, Any]) -> None:
    """Write the row of a session that has none."""
    await know_owner(connection, key.owner)
    await connection.execute(insert(sessions), _named(key) | dict(row))


async def put_items(
    connection: AsyncConnection, key: SessionKey, write_id: int, start: int, new: Iterable[Item]
) -> None:
    """Write items, from an index on."""
    rows = [
        _named(key)
        | {
            "item_index": index,
            "kind": one.kind,
            "event_id": one.event_id,
            "write_id": write_id,
            "content": one.content,
        }
        for index, one in enumerate(new, start)
    ]
    if rows:
        await connection.execute(insert(items), rows)


async def change(connection: AsyncConnection, key: SessionKey, **row: Any) -> None:
    """Write columns of a session's row."""
    await connection.execute(_CHANGE, _at(key, **row))


async def change_item(connection: AsyncConnection, key: SessionKey, index: int, **row: Any) -> None:
    """Write columns of an item's row."""
    await connection.execute(_CHANGE_ITEM, _at(key, of_index=index, **row))


async def delete_session(connection: AsyncConnection, key: SessionKey) -> bool:
    """Remove all rows of a session; whether there was one."""
    gone = await connection.execute(_DELETE_ITEMS, _at(key))
    return bool((await connection.execute(_DELETE, _at(key))).rowcount or gone.rowcount)


async def keys(connection: AsyncConnection, owner: str) -> list[SessionKey]:
    """All of an owner's sessions, also what is left of one that has no row."""
    named = [
        select(table.c.notebook_id, table.c.cell_id)
        .where(table.c.owner == owner_key(owner))
        .distinct()
        for table in (sessions, items)
    ]
    rows = [row for each in named for row in await connection.execute(each)]
    return sorted({SessionKey(notebook, cell, owner) for notebook, cell in rows})


async def count(connection: AsyncConnection, which: Any) -> int:
    """How many sessions there are, of those that are meant."""
    query = select(func.count()).select_from(sessions).where(which)
    return int((await connection.execute(query)).scalar() or 0)


async def know_owner(connection: AsyncConnection, owner: str) -> None:
    """Keep the name of an owner whose key isn't the name."""
    if is_plain(owner):
        return
    key = owner_key(owner)
    there = select(literal(1)).where(owners.c.owner == key)
    if (await connection.execute(there)).first() is None:
        await connection.execute(insert(owners), {"owner": key, "name": json.dumps(owner)})


def _named(key: SessionKey) -> dict[str, Any]:
    return {
        "owner": owner_key(key.owner),
        "notebook_id": key.notebook_id,
        "cell_id": key.cell_id,
    }
