"""Connections and locks of PostgreSQL databases, and warnings about their settings."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, event, text

from .address import Address
from .servers import ServerDatabase

# The settings that PostgreSQL applies to each connection. AI Server's transactions are never idle
# for long. So if a transaction is idle for a minute, the machine on which AI Server runs has
# probably died, and PostgreSQL ends the transaction and releases its locks.
_SETTINGS = """
SET lock_timeout = '10s';
SET idle_in_transaction_session_timeout = '60s';
SET tcp_keepalives_idle = 30;
SET tcp_keepalives_interval = 10;
SET tcp_keepalives_count = 3
"""
# The settings that the driver applies to each connection. With them, AI Server notices that the
# database's machine has died.
_KEEPALIVES = {
    "keepalives_idle": 30,
    "keepalives_interval": 10,
    "keepalives_count": 3,
    "tcp_user_timeout": 60_000,
}


class PostgreSQLDatabase(ServerDatabase):
    """A PostgreSQL database."""

    def __init__(self, address: Address) -> None:
        super().__init__(address, **_KEEPALIVES)
        event.listen(self._engine, "connect", _configure)

    def is_writable(self) -> bool:
        query = "SHOW transaction_read_only"
        return bool(self.query(lambda db: db.exec_driver_sql(query).scalar() == "off"))

    def missing_guarantees(self) -> list[str]:
        return self.query(_missing_guarantees)

    def _lock_statements(self, name_digest: bytes) -> tuple[str, str]:
        lock_id = int.from_bytes(name_digest[:8], "big", signed=True)
        # The caller expects the statement to select 1. pg_advisory_lock returns no value, so the
        # statement also selects the number 1. If the lock isn't free within ``lock_timeout``, the
        # statement fails.
        return f"SELECT 1, pg_advisory_lock({lock_id})", f"SELECT pg_advisory_unlock({lock_id})"


def _configure(connection: Any, _: Any) -> None:
    connection.execute(_SETTINGS)
    connection.commit()


def _missing_guarantees(connection: Connection) -> list[str]:
    query = text("SELECT name, setting FROM pg_settings WHERE name = ANY(:names)")
    names = ["fsync", "full_page_writes", "synchronous_commit"]
    settings = {row[0]: row[1] for row in connection.execute(query, {"names": names})}
    warnings = [
        f"PostgreSQL's setting {name} is off: if its machine crashes, recent changes may be lost "
        "or the database damaged."
        for name in names[:2]
        if settings.get(name) == "off"
    ]
    if settings.get("synchronous_commit") == "off":
        warnings.append(
            "PostgreSQL's setting synchronous_commit is off: the most recent changes are lost if "
            "its machine crashes."
        )
    return warnings
