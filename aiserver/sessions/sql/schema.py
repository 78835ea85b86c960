"""Create and migrate the tables with Alembic.

Invariants: of several processes that start at once, one migrates and the others wait; a process
that is killed leaves a state from which the next one can continue; the tables of a newer
AI Server are not changed.
"""

from __future__ import annotations

import threading
from pathlib import Path

from sqlalchemy import Column, Connection, MetaData, String, Table, inspect, select

from ...errors import StorageError
from .tables import VERSION, VERSION_TABLE

_version_table = Table(VERSION_TABLE, MetaData(), Column("version_num", String(32)))
# Alembic's environment is global to the process.
_alembic_lock = threading.Lock()


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
    """Create or migrate the tables in the connection's current transaction.

    The caller keeps out other processes.
    """
    from alembic import command
    from alembic.config import Config

    with _alembic_lock:
        if current_version(connection) == VERSION:
            return  # another process has migrated them meanwhile
        config = Config()
        config.set_main_option("path_separator", "os")
        config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
        config.attributes["connection"] = connection
        command.upgrade(config, "head")
