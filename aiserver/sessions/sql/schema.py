"""Create the tables.

Invariants: of several processes that start at once, one creates the tables and the others wait; a
process that is killed leaves a state from which the next one can continue; the tables of a newer
AI Server are not changed.

All databases have version 0001. The next change of the tables raises ``VERSION`` and adds the
statements that bring them from this version to the new one.
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
    """The version of the tables or None. Raises StorageError if it is newer than ours."""
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

    MySQL creates tables outside of any transaction, so some may exist from a killed process.
    """
    if current_version(connection) == VERSION:
        return  # another process has created them meanwhile
    metadata.create_all(connection)
    for table in metadata.sorted_tables:
        for index in table.indexes:
            index.create(connection, checkfirst=True)
    version_table.create(connection, checkfirst=True)
    connection.execute(insert(version_table), {"version_num": VERSION})
