"""Queries for the rows of sessions, from which the operations are composed.

Invariants: a session is read by one statement, so it is consistent in every database.

With ``Connection.execute``, a save and a recent history in SQLite exceed their targets in
``benchmarks/stores.py``: SQLAlchemy's own work takes longer than SQLite's. So each statement on the
rows of a session is compiled once, and ``_execute`` passes its text to the driver.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from sqlalchemy import (
    Connection,
    Dialect,
    bindparam,
    delete,
    func,
    insert,
    literal,
    select,
    union_all,
    update,
)

from ...models import Event, NewEvent, SessionKey
from ..record import codec
from ..record.mutations import events_by_id
from .codes import EVENT, TURN
from .owners import is_plain, owner_key
from .rows import Item, StoredSession, hash_event_id
from .tables import items, owners, sessions

_META_INDEX, _EXTRA_INDEX = -2, -1  # used as item_index in _SELECT_ALL


def _matches_key(table: Any) -> Any:
    """The condition that a row has the key. No column has the name of one of its parameters."""
    return (
        (table.c.owner == bindparam("key_owner"))
        & (table.c.notebook_id == bindparam("key_notebook"))
        & (table.c.cell_id == bindparam("key_cell"))
    )


def _key_params(key: SessionKey, **more: Any) -> dict[str, Any]:
    return {
        "key_owner": owner_key(key.owner),
        "key_notebook": key.notebook_id,
        "key_cell": key.cell_id,
        **more,
    }


_SELECT_ALL = union_all(
    select(
        literal(_META_INDEX).label("item_index"), sessions.c.events.label("kind"), sessions.c.meta
    ).where(_matches_key(sessions)),
    select(literal(_EXTRA_INDEX), literal(0), sessions.c.extra).where(_matches_key(sessions)),
    select(items.c.item_index, items.c.kind, items.c.content).where(_matches_key(items)),
).order_by("item_index")
_SELECT_HEAD = select(
    sessions.c.meta, sessions.c.events, sessions.c.counters, sessions.c.summary
).where(_matches_key(sessions))
_SELECT_HEAD_FOR_UPDATE = _SELECT_HEAD.with_for_update()
_SELECT_TURNS = (
    select(
        items.c.item_index,
        items.c.content,
        select(sessions.c.counters)
        .where(_matches_key(sessions))
        .scalar_subquery()
        .label("counters"),
    )
    .where(_matches_key(items), items.c.kind == TURN)
    .order_by(items.c.item_index.desc())
    .limit(bindparam("limit"))
)
_SELECT_WRITTEN = (
    select(literal(1))
    .where(_matches_key(items), items.c.write_id == bindparam("key_write"))
    .limit(1)
)
_SELECT_EVENTS = (
    select(items.c.content)
    .where(_matches_key(items), items.c.event_id.in_(bindparam("ids", expanding=True)))
    .where(items.c.kind == EVENT)
    .order_by(items.c.item_index)
)
_UPDATE_SESSION = update(sessions).where(_matches_key(sessions))
_UPDATE_ITEM = update(items).where(
    _matches_key(items), items.c.item_index == bindparam("key_index")
)
_INSERT_SESSION = insert(sessions)
_INSERT_ITEMS = insert(items)
_DELETE_SESSION = delete(sessions).where(_matches_key(sessions))
_DELETE_ITEMS = delete(items).where(_matches_key(items))


def _execute(connection: Connection, statement: Any, *rows: dict[str, Any]) -> Any:
    """Execute a statement for one or more rows of parameters; return the cursor."""
    sql, names, constants = _compile(statement, connection.dialect, tuple(rows[0]))
    values = [tuple((constants | row)[name] for name in names) for row in rows]
    if connection.dialect.name != "sqlite":
        return connection.exec_driver_sql(sql, values if len(values) > 1 else values[0])
    driver: Any = connection.connection.dbapi_connection
    return driver.executemany(sql, values) if len(values) > 1 else driver.execute(sql, values[0])


@lru_cache(maxsize=64)
def _compile(
    statement: Any, dialect: Dialect, columns: tuple[str, ...]
) -> tuple[str, list[str], dict[str, Any]]:
    """A statement's text, the names of its parameters in their order, and its constants."""
    compiled: Any = statement.compile(dialect=dialect, column_keys=columns)
    return str(compiled), compiled.positiontup, dict(compiled.params)


class HeadRow(NamedTuple):
    """The columns of a session's row that an append needs."""

    meta: str
    events: int
    counters: str
    summary: str


class SessionRows(NamedTuple):
    """A stored session and the indexes of its items."""

    stored: StoredSession
    indexes: list[int]
    has_head: bool


def read_rows(connection: Connection, key: SessionKey) -> SessionRows | None:
    """All rows of a session, read at once; None if there are none."""
    rows = _execute(connection, _SELECT_ALL, _key_params(key)).fetchall()
    if not rows:
        return None
    stored, indexes = StoredSession(""), []
    for index, kind, content in rows:
        if index == _META_INDEX:
            stored.meta, stored.events = content, kind
        elif index == _EXTRA_INDEX:
            stored.extra = content
        else:
            indexes.append(index)
            stored.items.append(Item(kind, content))
    return SessionRows(stored, indexes, rows[0][0] == _META_INDEX)


def read(connection: Connection, key: SessionKey) -> StoredSession | None:
    """A stored session, read at once, or None."""
    session_rows = read_rows(connection, key)
    return session_rows.stored if session_rows and session_rows.has_head else None


def head(connection: Connection, key: SessionKey) -> HeadRow | None:
    """The row of a session, or None."""
    row = _execute(connection, _SELECT_HEAD, _key_params(key)).fetchone()
    return None if row is None else HeadRow(*row)


def lock(connection: Connection, key: SessionKey) -> HeadRow | None:
    """The row of a session, locked until the transaction ends, or None."""
    row = _execute(connection, _SELECT_HEAD_FOR_UPDATE, _key_params(key)).fetchone()
    return None if row is None else HeadRow(*row)


def newest_turns(connection: Connection, key: SessionKey, limit: int) -> list[tuple[int, str, str]]:
    """The newest turns, newest first: their index, their content, the session's counters."""
    params = _key_params(key, limit=limit)
    return [tuple(row) for row in _execute(connection, _SELECT_TURNS, params)]


def existing_events(
    connection: Connection, key: SessionKey, events: Sequence[NewEvent]
) -> dict[str, Event]:
    """Those of the events that are stored already, by id."""
    ids = [hash_event_id(event.id) for event in events if event.id is not None]
    if not ids:
        return {}
    rows = connection.execute(_SELECT_EVENTS, _key_params(key, ids=ids))
    return events_by_id(codec.parse_record(Event, content) for (content,) in rows)


def is_written(connection: Connection, key: SessionKey, write_id: int) -> bool:
    """Whether items of a write are stored."""
    rows = _execute(connection, _SELECT_WRITTEN, _key_params(key, key_write=write_id))
    return rows.fetchone() is not None


def insert_session(connection: Connection, key: SessionKey, row: dict[str, Any]) -> None:
    """Insert the row of a new session."""
    record_owner(connection, key.owner)
    _execute(connection, _INSERT_SESSION, _key_columns(key) | row)


def insert_items(
    connection: Connection, key: SessionKey, write_id: int, start: int, new: Iterable[Item]
) -> None:
    """Insert items, beginning at an index."""
    rows = [
        _key_columns(key)
        | {
            "item_index": index,
            "kind": item.kind,
            "event_id": item.event_id,
            "write_id": write_id,
            "content": item.content,
        }
        for index, item in enumerate(new, start)
    ]
    if rows:
        _execute(connection, _INSERT_ITEMS, *rows)


def update_session(connection: Connection, key: SessionKey, **row: Any) -> None:
    """Update columns of a session's row."""
    _execute(connection, _UPDATE_SESSION, _key_params(key, **row))


def update_item(connection: Connection, key: SessionKey, index: int, **row: Any) -> None:
    """Update columns of an item's row."""
    _execute(connection, _UPDATE_ITEM, _key_params(key, key_index=index, **row))


def delete_session(connection: Connection, key: SessionKey) -> bool:
    """Delete all rows of a session; whether there were any."""
    params = _key_params(key)
    deleted_items = _execute(connection, _DELETE_ITEMS, params)
    deleted_sessions = _execute(connection, _DELETE_SESSION, params)
    return bool(deleted_sessions.rowcount or deleted_items.rowcount)


def list_keys(connection: Connection, owner: str) -> list[SessionKey]:
    """The keys of an owner's sessions, also of those that have items but no row."""
    statements = [
        select(table.c.notebook_id, table.c.cell_id)
        .where(table.c.owner == owner_key(owner))
        .distinct()
        for table in (sessions, items)
    ]
    rows = [row for statement in statements for row in connection.execute(statement)]
    return sorted({SessionKey(notebook, cell, owner) for notebook, cell in rows})


def count_sessions(connection: Connection, condition: Any) -> int:
    """The number of sessions that match a condition."""
    query = select(func.count()).select_from(sessions).where(condition)
    return int((connection.execute(query)).scalar() or 0)


def record_owner(connection: Connection, owner: str) -> None:
    """Store the name of an owner whose key isn't the name."""
    if is_plain(owner):
        return
    key = owner_key(owner)
    query = select(literal(1)).where(owners.c.owner == key)
    if (connection.execute(query)).first() is None:
        connection.execute(insert(owners), {"owner": key, "name": json.dumps(owner)})


def _key_columns(key: SessionKey) -> dict[str, Any]:
    return {
        "owner": owner_key(key.owner),
        "notebook_id": key.notebook_id,
        "cell_id": key.cell_id,
    }
