"""Create the tables.

Invariants: if several processes start at once, one of them creates the tables while the other
processes wait. If a process is killed while it creates the tables, the next process creates the
missing ones. The tables of a newer version of AI Server are not changed.

So far, all databases have tables of version 0001. To change the tables, increase ``VERSION`` and
add the statements that convert existing tables to the new version.
"""

from __future__ import annotations

from sqlalchemy import (
    Column,
    Connection,
    MetaData,
    PrimaryKeyConstraint,
    String,
    Table,
    insert,
    inspect,
    select,
)

from ...errors import StorageError
from .tables import metadata

VERSION = "0001"

version_table = Table(
    "aiserver_schema",
    MetaData(),
    Column("version_num", String(32)),
    PrimaryKeyConstraint("version_num", name="aiserver_schema_pkc"),
)


def current_version(connection: Connection) -> str | None:
    """Return the version of the tables, or None if the database has no table with the version.

    Raises StorageError if a newer version of AI Server created the tables.
    """
    if not inspect(connection).has_table(version_table.name):
        return None
    version = connection.execute(select(version_table.c.version_num)).scalar()
    if version is not None and int(version) > int(VERSION):
        raise StorageError(
            "The history database was set up by a newer version of AI Server. Update AI Server to "
            "use it."
        )
    return version


def create_tables(connection: Connection) -> None:
    """Create missing tables and indexes in the current transaction.

    In MySQL, the creation of a table can't be rolled back. So if a process was killed while it
    created the tables, some of them may exist already.
    """
    if current_version(connection) == VERSION:
        return  # another process created the tables while this one waited for the lock
    metadata.create_all(connection)
    for table in metadata.sorted_tables:
        for index in table.indexes:
            index.create(connection, checkfirst=True)
    version_table.create(connection, checkfirst=True)
    connection.execute(insert(version_table), {"version_num": VERSION})
