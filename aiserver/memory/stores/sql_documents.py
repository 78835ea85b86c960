"""Read and replace documents in a database. Each function runs one operation.

A deleted document leaves a row without content, by which a repeated attempt to delete it is
recognised.

Invariants: reading creates no table. In an SQLite file, the bytes of old documents are erased.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, insert, select, update

from ...sessions.sql.database import Database, WriteState
from ...sessions.sql.owners import owner_key
from ...sessions.sql.queries import store_owner_name
from ...sessions.sql.tables import documents
from .base import DocumentName


def read(database: Database, owner: str, name: DocumentName) -> bytes | None:
    """Return a document, or None if it doesn't exist."""

    def work(connection: Connection) -> bytes | None:
        if not database.has_table(connection, documents):
            return None
        query = select(documents.c.content).where(_condition(owner, name))
        return _to_bytes(connection.execute(query).scalar())

    return database.read(work)


def replace(
    database: Database, owner: str, name: DocumentName, expected: bytes | None, new: bytes | None
) -> bool:
    """Write a document if it is still ``expected``; return whether it was written.

    None stands for a document that doesn't exist.
    """
    database.create_table(documents)

    def work(connection: Connection, state: WriteState) -> bool:
        condition = _condition(owner, name)
        query = select(documents.c.content, documents.c.write_id).where(condition)
        row = connection.execute(query.with_for_update()).first()
        if state.outcome_unknown and row and row.write_id == state.id:
            return True  # an earlier attempt was committed
        if (_to_bytes(row.content) if row else None) != expected:
            return False
        values = {"write_id": state.id, "content": new}
        if row:
            connection.execute(update(documents).where(condition).values(**values))
        else:
            store_owner_name(connection, owner)
            connection.execute(
                insert(documents), {"owner": owner_key(owner), "name": name, **values}
            )
        return True

    is_written = database.write(work)
    if is_written and expected is not None:
        database.erase_deleted()
    return is_written


def _condition(owner: str, name: DocumentName) -> Any:
    return (documents.c.owner == owner_key(owner)) & (documents.c.name == name)


def _to_bytes(content: Any) -> bytes | None:
    return None if content is None else bytes(content)
