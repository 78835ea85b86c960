"""The differences between PostgreSQL and MySQL: connections, locks, guarantees.

Invariants: a commit is on disk when it returns, as far as the connection's settings decide this;
a process that dies while it holds a lock, in a transaction or not, blocks the others for a minute
at most.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import AsyncIterator
from typing import Any, TypeVar

from sqlalchemy import Connection, event, text
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from ...errors import StorageBusy
from .address import Address
from .owners import owner_key

T = TypeVar("T")

CONNECT_TIMEOUT = 10  # seconds
LOCK_TIMEOUT = 10  # seconds to wait for another writer of the same session

# Our transactions are never idle for long; one that is belongs to a machine that has died.
_POSTGRESQL_SETTINGS = """
SET lock_timeout = '10s';
SET idle_in_transaction_session_timeout = '60s';
SET tcp_keepalives_idle = 30;
SET tcp_keepalives_interval = 10;
SET tcp_keepalives_count = 3;
SET default_transaction_isolation = 'read committed'
"""
# An administrator's sql_mode must neither truncate text nor change the meaning of a backslash.
_MYSQL_SETTINGS = (
    "SET SESSION sql_mode = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION', "
    f"SESSION innodb_lock_wait_timeout = {LOCK_TIMEOUT}, SESSION wait_timeout = 600"
)
_MYSQL_ISOLATION = "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED"


def make_engine(address: Address) -> AsyncEngine:
    """Create the engine of a database, without connecting."""
    options: dict[str, Any] = dict(address.connect_args)
    if address.kind == "postgresql":
        options["timeout"] = CONNECT_TIMEOUT
    else:
        options |= {
            "connect_timeout": CONNECT_TIMEOUT,
            "charset": "utf8mb4",
            "init_command": _MYSQL_SETTINGS,
        }
    engine = create_async_engine(
        address.url,
        connect_args=options,
        hide_parameters=True,
        pool_pre_ping=True,
        pool_recycle=300,
        pool_size=4,
        max_overflow=4,
        pool_timeout=CONNECT_TIMEOUT,
    )

    @event.listens_for(engine.sync_engine, "connect")
    def configure_connection(connection: Any, _: Any) -> None:
        if address.kind == "postgresql":
            connection.run_async(lambda driver: driver.execute(_POSTGRESQL_SETTINGS))
        else:
            cursor = connection.cursor()
            cursor.execute(_MYSQL_ISOLATION)
            cursor.close()

    return engine


@contextlib.asynccontextmanager
async def notebook_lock(engine: AsyncEngine, address: Address, owner: str) -> AsyncIterator[None]:
    """Hold an owner's notebook lock; the database or the system releases it if the process dies."""
    name = hashlib.sha256(f"notebooks of {owner_key(owner)}".encode()).digest()
    if address.kind == "postgresql":
        number = int.from_bytes(name[:8], "big", signed=True)
        lock, unlock = "SELECT 1, pg_advisory_lock(:lock)", "SELECT pg_advisory_unlock(:lock)"
        async with _advisory_lock(engine, lock, unlock, {"lock": number}):
            yield
    else:
        # Lock names are global to the MySQL server, so they include the database.
        full_name = f"CONCAT('{name[:8].hex()}-', MD5(DATABASE()))"
        lock = f"SELECT GET_LOCK({full_name}, {LOCK_TIMEOUT})"
        unlock = f"SELECT RELEASE_LOCK({full_name})"
        async with _advisory_lock(engine, lock, unlock, {}):
            yield


@contextlib.asynccontextmanager
async def _advisory_lock(
    engine: AsyncEngine, lock: str, unlock: str, values: Any
) -> AsyncIterator[None]:
    async with engine.connect() as connection:
        await connection.execution_options(isolation_level="AUTOCOMMIT")
        if (await connection.execute(text(lock), values)).scalar() != 1:
            raise StorageBusy
        try:
            yield
        finally:
            try:
                await connection.execute(text(unlock), values)
            except Exception:
                await connection.invalidate()  # the lock ends with the connection


def is_writable(connection: Connection) -> bool:
    """Whether the database accepts writes, as far as it reports."""
    if connection.dialect.name == "postgresql":
        return connection.exec_driver_sql("SHOW transaction_read_only").scalar() == "off"
    return not connection.exec_driver_sql("SELECT @@read_only").scalar()


def missing_guarantees(connection: Connection) -> list[str]:
    """Sentences about what the database does not guarantee as it is configured."""
    if connection.dialect.name == "postgresql":
        return _postgresql_warnings(connection)
    return _mysql_warnings(connection)


def _postgresql_warnings(connection: Connection) -> list[str]:
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


def _mysql_warnings(connection: Connection) -> list[str]:
    warnings = []
    flush = connection.exec_driver_sql("SELECT @@innodb_flush_log_at_trx_commit")
    if flush.scalar() != 1:
        warnings.append(
            "MySQL's setting innodb_flush_log_at_trx_commit is not 1: up to one second of changes "
            "is lost if its machine crashes."
        )
    doublewrite = (connection.exec_driver_sql("SELECT @@innodb_doublewrite")).scalar()
    if str(doublewrite).upper() in ("0", "OFF"):
        warnings.append(
            "MySQL's setting innodb_doublewrite is off: pages that are being written when its "
            "machine crashes are damaged."
        )
    other_engines = connection.execute(
        text(
            "SELECT table_name FROM information_schema.tables WHERE table_schema = DATABASE() "
            "AND table_name LIKE 'aiserver%' AND engine <> 'InnoDB'"
        )
    )
    if other_engines.first():
        warnings.append(
            "The history tables do not use InnoDB: a save may be incomplete if the database is "
            "stopped."
        )
    return warnings
