"""The differences between PostgreSQL, MySQL and SQLite: connections, locks, guarantees.

Invariants: a commit is on disk when it returns, as far as the connection's settings decide this;
a process that dies while it holds a lock, in a transaction or not, blocks the others for a minute
at most.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout
from sqlalchemy import event, text
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine
from sqlalchemy.pool import AsyncAdaptedQueuePool

from ...durable.disks import network_disk
from ...errors import StorageBusy
from .address import Address
from .owners import owner_key

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
    if address.kind == "sqlite":
        return _sqlite(address)
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


def _sqlite(address: Address) -> AsyncEngine:
    if address.file:
        _create_private(address.file)
    engine = create_async_engine(
        address.url,
        connect_args={"timeout": LOCK_TIMEOUT},
        hide_parameters=True,
        poolclass=AsyncAdaptedQueuePool,
        # Each connection to ":memory:" would be a database of its own.
        pool_size=4 if address.file else 1,
        max_overflow=0,
        pool_timeout=60,
    )

    @event.listens_for(engine.sync_engine, "connect")
    def configure_connection(connection: Any, _: Any) -> None:
        connection.isolation_level = None  # transactions begin explicitly, see below
        cursor = connection.cursor()
        cursor.execute("PRAGMA synchronous = FULL")
        cursor.close()

    @event.listens_for(engine.sync_engine, "begin")
    def begin(connection: Any) -> None:
        # SQLite may refuse to turn a reading transaction into a writing one.
        writes = connection.get_execution_options().get("writes")
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    return engine


def _create_private(file: Path) -> None:
    """Create the file with mode 0600; SQLite gives its adjacent files the same mode."""
    with contextlib.suppress(OSError):  # SQLite reports it if it matters
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.close(os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))


async def configure(engine: AsyncEngine, address: Address) -> None:
    """Apply the settings that persist in the database: write-ahead logging for SQLite files."""
    if address.kind == "sqlite" and address.file:
        async with engine.connect() as connection:
            raw = await connection.get_raw_connection()
            cursor = await raw.driver_connection.execute("PRAGMA journal_mode = WAL")  # type: ignore[union-attr]
            await cursor.close()


@contextlib.asynccontextmanager
async def notebook_lock(engine: AsyncEngine, address: Address, owner: str) -> AsyncIterator[None]:
    """Hold an owner's notebook lock; the database or the system releases it if the process dies."""
    name = hashlib.sha256(f"notebooks of {owner_key(owner)}".encode()).digest()
    if address.kind == "postgresql":
        number = int.from_bytes(name[:8], "big", signed=True)
        lock, unlock = "SELECT 1, pg_advisory_lock(:lock)", "SELECT pg_advisory_unlock(:lock)"
        async with _advisory_lock(engine, lock, unlock, {"lock": number}):
            yield
    elif address.kind == "mysql":
        # Lock names are global to the MySQL server, so they include the database.
        full_name = f"CONCAT('{name[:8].hex()}-', MD5(DATABASE()))"
        lock = f"SELECT GET_LOCK({full_name}, {LOCK_TIMEOUT})"
        unlock = f"SELECT RELEASE_LOCK({full_name})"
        async with _advisory_lock(engine, lock, unlock, {}):
            yield
    elif address.file:
        async with _file_lock(address.file):
            yield
    else:
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


@contextlib.asynccontextmanager
async def _file_lock(file: Path) -> AsyncIterator[None]:
    lock = FileLock(f"{file}.lock", mode=0o600, thread_local=False)
    try:
        await asyncio.to_thread(lock.acquire, timeout=LOCK_TIMEOUT, poll_interval=0.01)
    except Timeout as exc:
        raise StorageBusy from exc
    except OSError:  # if no file can be created, nobody can write either
        yield
        return
    try:
        yield
    finally:
        await asyncio.to_thread(lock.release)


async def is_writable(connection: AsyncConnection, address: Address) -> bool:
    """Whether the database accepts writes, as far as it reports."""
    if address.kind == "postgresql":
        read_only = (await connection.exec_driver_sql("SHOW transaction_read_only")).scalar()
        return read_only == "off"
    if address.kind == "mysql":
        return not (await connection.exec_driver_sql("SELECT @@read_only")).scalar()
    return address.file is None or os.access(address.file, os.W_OK)


async def missing_guarantees(connection: AsyncConnection, address: Address) -> list[str]:
    """Sentences about what the database does not guarantee as it is configured."""
    if address.kind == "postgresql":
        return await _postgresql_warnings(connection)
    if address.kind == "mysql":
        return await _mysql_warnings(connection)
    if not address.file:
        return ["Histories are kept in memory only, so they are lost when the server stops."]
    if network_disk(address.file.parent):
        return [
            "The history database file is on a network disk, where SQLite's locks are not "
            "reliable. Use it from one machine only, or use PostgreSQL."
        ]
    mode = (await connection.exec_driver_sql("PRAGMA journal_mode")).scalar()
    if mode != "wal":
        return [
            "The file system of the history database does not support SQLite's write-ahead log, "
            "so servers that use it at the same time wait longer for each other."
        ]
    return []


async def _postgresql_warnings(connection: AsyncConnection) -> list[str]:
    query = text("SELECT name, setting FROM pg_settings WHERE name = ANY(:names)")
    names = ["fsync", "full_page_writes", "synchronous_commit"]
    settings = {row[0]: row[1] for row in await connection.execute(query, {"names": names})}
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


async def _mysql_warnings(connection: AsyncConnection) -> list[str]:
    warnings = []
    flush = await connection.exec_driver_sql("SELECT @@innodb_flush_log_at_trx_commit")
    if flush.scalar() != 1:
        warnings.append(
            "MySQL's setting innodb_flush_log_at_trx_commit is not 1: up to one second of changes "
            "is lost if its machine crashes."
        )
    doublewrite = (await connection.exec_driver_sql("SELECT @@innodb_doublewrite")).scalar()
    if str(doublewrite).upper() in ("0", "OFF"):
        warnings.append(
            "MySQL's setting innodb_doublewrite is off: pages that are being written when its "
            "machine crashes are damaged."
        )
    other_engines = await connection.execute(
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
