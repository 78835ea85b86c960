"""Queries that read and write the rows of sessions. Other modules combine them into operations.

A session has one row in the table ``sessions``, its *head*, and one row in ``items`` for each turn
and event.

Invariants: a whole session is read by one statement, because another writer could change the
session between two statements.

Most statements on the rows of one session are compiled only once, and ``_execute`` passes the
resulting SQL directly to the database driver. ``Connection.execute`` is too slow for these
statements: SQLAlchemy's own work takes longer than SQLite's, so that saving a turn and reading the
newest turns would exceed their targets in ``benchmarks/stores.py``.
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
from .owners import can_be_key, owner_key
from .rows import HeadRow, Item, StoredSession, hash_event_id
from .tables import items, owners, sessions

_META_INDEX, _EXTRA_INDEX = -2, -1
"""The indexes of the two rows in which ``_SELECT_ALL`` returns a head's ``meta`` and ``extra``.

The indexes are negative, so that these rows come before the rows of the items.
"""


def _key_condition(table: Any) -> Any:
    """Return the SQL condition that selects the rows of one session in the table.

    ``_key_params`` returns the condition's parameters. The parameters aren't named like the
    columns, because in an UPDATE, SQLAlchemy uses the names of the columns for the new values.
    """
    return (
        (table.c.owner == bindparam("key_owner"))
        & (table.c.notebook_id == bindparam("key_notebook"))
        & (table.c.cell_id == bindparam("key_cell"))
    )


def _key_params(key: SessionKey, **other_params: Any) -> dict[str, Any]:
    """Return the parameters of ``_key_condition`` for a session, and ``other_params``."""
    return {
        "key_owner": owner_key(key.owner),
        "key_notebook": key.notebook_id,
        "key_cell": key.cell_id,
        **other_params,
    }


_SELECT_ALL = union_all(
    select(
        literal(_META_INDEX).label("item_index"), sessions.c.events.label("kind"), sessions.c.meta
    ).where(_key_condition(sessions)),
    select(literal(_EXTRA_INDEX), literal(0), sessions.c.extra).where(_key_condition(sessions)),
    select(items.c.item_index, items.c.kind, items.c.content).where(_key_condition(items)),
).order_by("item_index")
_SELECT_HEAD = select(
    sessions.c.meta, sessions.c.events, sessions.c.counters, sessions.c.summary
).where(_key_condition(sessions))
_SELECT_HEAD_FOR_UPDATE = _SELECT_HEAD.with_for_update()
_SELECT_TURNS = (
    select(
        items.c.item_index,
        items.c.content,
        select(sessions.c.counters)
        .where(_key_condition(sessions))
        .scalar_subquery()
        .label("counters"),
    )
    .where(_key_condition(items), items.c.kind == TURN)
    .order_by(items.c.item_index.desc())
    .limit(bindparam("limit"))
)
_SELECT_ITEM_OF_WRITE = (
    select(literal(1))
    .where(_key_condition(items), items.c.write_id == bindparam("key_write"))
    .limit(1)
)
# With an ORDER BY, SQLite would read all items of the session instead of using the events' index.
_SELECT_EVENTS = (
    select(items.c.item_index, items.c.content)
    .where(_key_condition(items), items.c.event_id.in_(bindparam("ids", expanding=True)))
    .where(items.c.kind == EVENT)
)
_UPDATE_SESSION = update(sessions).where(_key_condition(sessions))
_UPDATE_ITEM = update(items).where(
    _key_condition(items), items.c.item_index == bindparam("key_index")
)
_INSERT_SESSION = insert(sessions)
_INSERT_ITEMS = insert(items)
_DELETE_SESSION = delete(sessions).where(_key_condition(sessions))
_DELETE_ITEMS = delete(items).where(_key_condition(items))


def _execute(connection: Connection, statement: Any, *param_sets: dict[str, Any]) -> Any:
    """Execute a statement once for each set of parameters, and return the cursor."""
    sql, names, constants = _compile(statement, connection.dialect, tuple(param_sets[0]))
    all_params = [constants | params for params in param_sets]
    values = [tuple(params[name] for name in names) for params in all_params]
    if connection.dialect.name != "sqlite":
        return connection.exec_driver_sql(sql, values if len(values) > 1 else values[0])
    driver: Any = connection.connection.dbapi_connection
    return driver.executemany(sql, values) if len(values) > 1 else driver.execute(sql, values[0])


@lru_cache(maxsize=64)
def _compile(
    statement: Any, dialect: Dialect, param_names: tuple[str, ...]
) -> tuple[str, list[str], dict[str, Any]]:
    """Return a statement's SQL, the names of its parameters, and its constants by name.

    The names are in the order in which the SQL contains the parameters. The constants are the
    parameters whose values the statement itself contains, such as literals.
    """
    compiled: Any = statement.compile(dialect=dialect, column_keys=param_names)
    return str(compiled), compiled.positiontup, dict(compiled.params)


class SessionRows(NamedTuple):
    """A stored session and the indexes of its items."""

    stored: StoredSession
    indexes: list[int]
    has_head: bool
    """Whether the session has a row in ``sessions``. If it has none, the data is damaged."""


def read_rows(connection: Connection, key: SessionKey) -> SessionRows | None:
    """Return all rows of a session, or None if the session has no rows."""
    rows = _execute(connection, _SELECT_ALL, _key_params(key)).fetchall()
    if not rows:
        return None
    stored, indexes = StoredSession(""), []
    for index, kind, content in rows:
        if index == _META_INDEX:
            stored.meta, stored.events_code = content, kind
        elif index == _EXTRA_INDEX:
            stored.extra = content
        else:
            indexes.append(index)
            stored.items.append(Item(kind, content))
    return SessionRows(stored, indexes, rows[0][0] == _META_INDEX)


def read_session(connection: Connection, key: SessionKey) -> StoredSession | None:
    """Return a stored session, or None if it has no row in ``sessions``."""
    session_rows = read_rows(connection, key)
    return session_rows.stored if session_rows and session_rows.has_head else None


def read_head(
    connection: Connection, key: SessionKey, *, for_update: bool = False
) -> HeadRow | None:
    """Return a session's row in ``sessions``, or None if the session has no such row.

    With ``for_update``, the row is locked until the transaction ends.
    """
    statement = _SELECT_HEAD_FOR_UPDATE if for_update else _SELECT_HEAD
    row = _execute(connection, statement, _key_params(key)).fetchone()
    return None if row is None else HeadRow(*row)


def newest_turns(connection: Connection, key: SessionKey, limit: int) -> list[tuple[int, str, str]]:
    """Return the newest turns of a session, newest first.

    Each turn is a tuple: its item's index, its item's content, and the session's counters.
    """
    params = _key_params(key, limit=limit)
    return [tuple(row) for row in _execute(connection, _SELECT_TURNS, params)]


def existing_events(
    connection: Connection, key: SessionKey, events: Sequence[NewEvent]
) -> dict[str, Event]:
    """Look up which of the given events are stored already, and return the stored events by id."""
    ids = [hash_event_id(event.id) for event in events if event.id is not None]
    if not ids:
        return {}
    rows = sorted(connection.execute(_SELECT_EVENTS, _key_params(key, ids=ids)).all())
    return events_by_id(codec.parse_record(Event, content) for _, content in rows)


def has_items_of_write(connection: Connection, key: SessionKey, write_id: int) -> bool:
    """Return whether the session has an item that the write with this id inserted."""
    rows = _execute(connection, _SELECT_ITEM_OF_WRITE, _key_params(key, key_write=write_id))
    return rows.fetchone() is not None


def insert_session(connection: Connection, key: SessionKey, row: dict[str, Any]) -> None:
    """Insert the row of a new session into ``sessions``."""
    store_owner_name(connection, key.owner)
    _execute(connection, _INSERT_SESSION, _key_columns(key) | row)


def insert_items(
    connection: Connection, key: SessionKey, write_id: int, start: int, new_items: Iterable[Item]
) -> None:
    """Insert items. The first item gets the index ``start``, the next item ``start + 1``, …"""
    rows = [
        _key_columns(key) | {"item_index": index, "write_id": write_id} | item._asdict()
        for index, item in enumerate(new_items, start)
    ]
    if rows:
        _execute(connection, _INSERT_ITEMS, *rows)


def update_session(connection: Connection, key: SessionKey, **columns: Any) -> None:
    """Update some columns of a session's row in ``sessions``."""
    _execute(connection, _UPDATE_SESSION, _key_params(key, **columns))


def update_item(connection: Connection, key: SessionKey, index: int, **columns: Any) -> None:
    """Update some columns of the item with this index."""
    _execute(connection, _UPDATE_ITEM, _key_params(key, key_index=index, **columns))


def delete_session(connection: Connection, key: SessionKey) -> bool:
    """Delete all rows of a session; return False if there were none."""
    params = _key_params(key)
    deleted_items = _execute(connection, _DELETE_ITEMS, params)
    deleted_sessions = _execute(connection, _DELETE_SESSION, params)
    return bool(deleted_sessions.rowcount or deleted_items.rowcount)


def list_keys(connection: Connection, owner: str) -> list[SessionKey]:
    """Return the keys of an owner's sessions, even of those that have rows only in ``items``."""
    statements = [
        select(table.c.notebook_id, table.c.cell_id)
        .where(table.c.owner == owner_key(owner))
        .distinct()
        for table in (sessions, items)
    ]
    rows = [row for statement in statements for row in connection.execute(statement)]
    return sorted({SessionKey(notebook, cell, owner) for notebook, cell in rows})


def store_owner_name(connection: Connection, owner: str) -> None:
    """Store an owner's name in the table ``owners`` if the owner's key differs from the name."""
    if can_be_key(owner):
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
