"""Create and migrate the tables with Alembic.

Invariants: of several processes that start at once, one migrates and the others wait; a process
that is killed leaves a state from which the next one can continue; the tables of a newer
AI Server are not changed.
"""

from __future__ import annotations

import threading
from pathlib import Path

from sqlalchemy import Column, Connection, MetaData, String, Table, inspect, select, text

from ...errors import StorageError
from .tables import VERSION, VERSION_TABLE

_LOCK = 0x6169736572766572  # "aiserver", as a number for PostgreSQL
_LOCK_WAIT = 60  # seconds
_version_table = Table(VERSION_TABLE, MetaData(), Column("version_num", String(32)))
# Alembic's environment is global to the process.
_migration_lock = threading.Lock()


def current_version(connection: Connection) -> str | None:
    """The version of the tables or None. Raises StorageError if it is newer than ours."""
    if not inspect(connection).has_table(VERSION_TABLE):
        return None
    version = connection.execute(select(_version_table.c.version_num)).scalar()
    if version is not None and int(version) > int(VERSION):
        raise StorageError(
            "The history database was set up by a newer version of AI Server. Update AI Server to "
            "use it."
        )
    return version


def migrate(connection: Connection) -> None:
    """Create or migrate the tables in the connection's current transaction."""
    from alembic import command
    from alembic.config import Config

    with _migration_lock:
        _lock(connection)
        try:
            if current_version(connection) == VERSION:
                return  # another process has migrated them meanwhile
            config = Config()
            config.set_main_option("path_separator", "os")
            config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
            config.attributes["connection"] = connection
            command.upgrade(config, "head")
        finally:
            _unlock(connection)


def _lock(connection: Connection) -> None:
    """Keep out other processes. (SQLite's transaction has already locked the file.)"""
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _LOCK})
    elif connection.dialect.name == "mysql":
        acquired = connection.execute(
            text("SELECT GET_LOCK(CONCAT('aiserver-tables-', MD5(DATABASE())), :wait)"),
            {"wait": _LOCK_WAIT},
        )
        if acquired.scalar() != 1:
            raise StorageError("Another server is setting up the database. Try again in a moment.")


def _unlock(connection: Connection) -> None:
    if connection.dialect.name == "mysql":
        connection.execute(text("SELECT RELEASE_LOCK(CONCAT('aiserver-tables-', MD5(DATABASE())))"))
