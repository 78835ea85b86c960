"""Makes the tables, and brings older ones up to date, with Alembic.

What must hold: of several processes that start at once on one database, one does it and the others
wait; a process that is killed in the middle leaves what the next can go on from; tables of a newer
AI Server are not touched.
"""

from __future__ import annotations

import threading
from pathlib import Path

from sqlalchemy import Column, Connection, MetaData, String, Table, inspect, select, text

from ...errors import StorageError
from .tables import VERSION, VERSION_TABLE

_LOCK = 0x6169736572766572  # "aiserver", as a number for PostgreSQL
_LOCK_WAIT = 60  # seconds
_ours = Table(VERSION_TABLE, MetaData(), Column("version_num", String(32)))
# Alembic's environment is one for the whole process.
_one_at_a_time = threading.Lock()


def version(connection: Connection) -> str | None:
    """The version of the tables; None if there are none. Raises StorageError for a newer one."""
    if not inspect(connection).has_table(VERSION_TABLE):
        return None
    found = connection.execute(select(_ours.c.version_num)).scalar()
    if found is not None and int(found) > int(VERSION):
        raise StorageError(
            "The history database was set up by a newer version of AI Server. Update AI Server to "
            "use it."
        )
    return found


def migrate(connection: Connection) -> None:
    """Bring the tables up to date, in the transaction that the connection has begun."""
    from alembic import command
    from alembic.config import Config

    with _one_at_a_time:
        _lock(connection)
        try:
            if version(connection) == VERSION:
                return  # another process was quicker
            config = Config()
            config.set_main_option("path_separator", "os")
            config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
            config.attributes["connection"] = connection
            command.upgrade(config, "head")
        finally:
            _unlock(connection)


def _lock(connection: Connection) -> None:
    """For one at a time, among all processes. (SQLite's transaction has locked the file.)"""
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _LOCK})
    elif connection.dialect.name == "mysql":
        got = connection.execute(
            text("SELECT GET_LOCK(CONCAT('aiserver-tables-', MD5(DATABASE())), :wait)"),
            {"wait": _LOCK_WAIT},
        )
        if got.scalar() != 1:
            raise StorageError("Another server is setting up the database. Try again in a moment.")


def _unlock(connection: Connection) -> None:
    if connection.dialect.name == "mysql":
        connection.execute(text("SELECT RELEASE_LOCK(CONCAT('aiserver-tables-', MD5(DATABASE())))"))
