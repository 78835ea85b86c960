"""Connections and locks of MySQL and MariaDB databases, and warnings about their settings."""

from __future__ import annotations

from sqlalchemy import Connection

from .address import Address
from .database import LOCK_TIMEOUT
from .servers import ServerDatabase

# Settings of each connection. They include sql_mode, because an administrator may have chosen a
# sql_mode with which MySQL truncates texts or interprets backslashes differently. MySQL closes a
# connection that has been unused for ``wait_timeout`` seconds.
_SETTINGS = (
    "SET SESSION sql_mode = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION', "
    f"SESSION innodb_lock_wait_timeout = {LOCK_TIMEOUT}, SESSION wait_timeout = 600"
)
_NETWORK_TIMEOUT = 60  # seconds to wait for the server while receiving or sending


class MySQLDatabase(ServerDatabase):
    """A MySQL or MariaDB database."""

    def __init__(self, address: Address) -> None:
        super().__init__(
            address,
            charset="utf8mb4",
            init_command=_SETTINGS,
            read_timeout=_NETWORK_TIMEOUT,
            write_timeout=_NETWORK_TIMEOUT,
        )

    def is_writable(self) -> bool:
        return not self.query(lambda db: db.exec_driver_sql("SELECT @@read_only").scalar())

    def missing_guarantees(self) -> list[str]:
        return self.query(_missing_guarantees)

    def _lock_statements(self, name_digest: bytes) -> tuple[str, str]:
        # In MySQL, a lock's name is valid in the whole server, not in one database. So the full
        # name contains a hash of the database's name, which keeps the databases' locks separate.
        full_name = f"CONCAT('{name_digest[:8].hex()}-', MD5(DATABASE()))"
        return f"SELECT GET_LOCK({full_name}, {LOCK_TIMEOUT})", f"SELECT RELEASE_LOCK({full_name})"


def _missing_guarantees(connection: Connection) -> list[str]:
    warnings = []
    if connection.exec_driver_sql("SELECT @@innodb_flush_log_at_trx_commit").scalar() != 1:
        warnings.append(
            "MySQL's setting innodb_flush_log_at_trx_commit is not 1: up to one second of changes "
            "is lost if its machine crashes."
        )
    doublewrite = connection.exec_driver_sql("SELECT @@innodb_doublewrite").scalar()
    if str(doublewrite).upper() in ("0", "OFF"):
        warnings.append(
            "MySQL's setting innodb_doublewrite is off: data that is being written when its "
            "machine crashes may be damaged."
        )
    tables_of_other_engines = connection.exec_driver_sql(
        "SELECT table_name FROM information_schema.tables WHERE table_schema = DATABASE() "
        "AND LEFT(table_name, 8) = 'aiserver' AND engine <> 'InnoDB'"
    )
    if tables_of_other_engines.first():
        warnings.append(
            "The history tables do not use InnoDB: a save may be incomplete if the database is "
            "stopped."
        )
    return warnings
