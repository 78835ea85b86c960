"""What differs between PostgreSQL, MySQL and SQLite: connecting, locking, what they guarantee.

What must hold: a commit is on the disk when it returns, as far as we can say so to the database;
whoever dies holding a lock, in the middle of a transaction or not, holds up the others for a
minute at most.
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

CONNECT = 10  # seconds to wait for a connection
WAIT = 10  # seconds to wait for whoever writes the same session

# A transaction of ours never rests for long; one that does belongs to a machine that is gone.
_POSTGRESQL = """
SET lock_timeout = '10s';
SET idle_in_transaction_session_timeout = '60s';
SET tcp_keepalives_idle = 30;
SET tcp_keepalives_interval = 10;
SET tcp_keepalives_count = 3;
SET default_transaction_isolation = 'read committed'
"""
# Neither may an administrator's sql_mode cut a text, nor change what a backslash means.
_MYSQL = (
    "SET SESSION sql_mode = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION', "
    f"SESSION innodb_lock_wait_timeout = {WAIT}, SESSION wait_timeout = 600"
)
_LATEST = "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED"


def make_engine(address: Address) -> AsyncEngine:
    """The engine of a database. Connects to nothing yet."""
    if address.kind == "sqlite":
        return _sqlite(address)
    options: dict[str, Any] = dict(address.connect_args)
    if address.kind == "postgresql":
        options["timeout"] = CONNECT
    else:
        options |= {"connect_timeout": CONNECT, "charset": "utf8mb4", "init_command": _MYSQL}
    engine = create_async_engine(
        address.url,
        connect_args=options,
        hide_parameters=True,
        pool_pre_ping=True,
        pool_recycle=300,
        pool_size=4,
        max_overflow=4,
        pool_timeout=CONNECT,
    )

    @event.listens_for(engine.sync_engine, "connect")
    def _settle(connection: Any, _: Any) -> None:
        if address.kind == "postgresql":
            connection.run_async(lambda driver: driver.execute(_POSTGRESQL))
        else:
            cursor = connection.cursor()
            cursor.execute(_LATEST)
            cursor.close()

    return engine


def _sqlite(address: Address) -> AsyncEngine:
    if address.file:
        _make_private(address.file)
    engine = create_async_engine(
        address.url,
        connect_args={"timeout": WAIT},
        hide_parameters=True,
        poolclass=AsyncAdaptedQueuePool,
        # In memory there is one connection, or there would be several databases.
        pool_size=4 if address.file else 1,
        max_overflow=0,
        pool_timeout=60,
    )

    @event.listens_for(engine.sync_engine, "connect")
    def _settle(connection: Any, _: Any) -> None:
        connection.isolation_level = None  # we say ourselves when a transaction begins
        cursor = connection.cursor()
        cursor.execute("PRAGMA synchronous = FULL")
        cursor.close()

    @event.listens_for(engine.sync_engine, "begin")
    def _begin(connection: Any) -> None:
        # Whoever will write says so at once: a reader that becomes one may have to be refused.
        writes = connection.get_execution_options().get("writes")
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    return engine


def _make_private(file: Path) -> None:
    """Make the file, for nobody else to read; SQLite gives its own beside it the same rights."""
    with contextlib.suppress(OSError):  # if it matters, SQLite says so
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.close(os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))


async def settle(engine: AsyncEngine, address: Address) -> None:
    """What is to be said to the database once."""
    if address.kind == "sqlite" and address.file:
        async with engine.connect() as connection:
            raw = await connection.get_raw_connection()
            cursor = await raw.driver_connection.execute("PRAGMA journal_mode = WAL")  # type: ignore[union-attr]
            await cursor.close()


@contextlib.asynccontextmanager
async def alone(engine: AsyncEngine, address: Address, owner: str) -> AsyncIterator[None]:
    """Hold the one lock of an owner; the database, or the system, frees that of who died."""
    name = hashlib.sha256(f"notebooks of {owner_key(owner)}".encode()).digest()
    if address.kind == "postgresql":
        number = int.from_bytes(name[:8], "big", signed=True)
        lock, free = "SELECT 1, pg_advisory_lock(:lock)", "SELECT pg_advisory_unlock(:lock)"
        async with _held(engine, lock, free, {"lock": number}):
            yield
    elif address.kind == "mysql":
        full = f"CONCAT('{name[:8].hex()}-', MD5(DATABASE()))"  # the locks are the whole server's
        lock, free = f"SELECT GET_LOCK({full}, {WAIT})", f"SELECT RELEASE_LOCK({full})"
        async with _held(engine, lock, free, {}):
            yield
    elif address.file:
        async with _held_beside(address.file):
            yield
    else:
        yield


@contextlib.asynccontextmanager
async def _held(engine: AsyncEngine, lock: str, free: str, values: Any) -> AsyncIterator[None]:
    async with engine.connect() as connection:
        await connection.execution_options(isolation_level="AUTOCOMMIT")
        if (await connection.execute(text(lock), values)).scalar() != 1:
            raise StorageBusy
        try:
            yield
        finally:
            try:
                await connection.execute(text(free), values)
            except Exception:
                await connection.invalidate()  # the lock ends with the connection


@contextlib.asynccontextmanager
async def _held_beside(file: Path) -> AsyncIterator[None]:
    lock = FileLock(f"{file}.lock", mode=0o600, thread_local=False)
    try:
        await asyncio.to_thread(lock.acquire, timeout=WAIT, poll_interval=0.01)
    except Timeout as exc:
        raise StorageBusy from exc
    except OSError:  # where no file can be made, nobody can write either
        yield
        return
    try:
        yield
    finally:
        await asyncio.to_thread(lock.release)


async def is_writable(connection: AsyncConnection, address: Address) -> bool:
    """Whether the database takes writes, as far as it says."""
    if address.kind == "postgresql":
        closed = (await connection.exec_driver_sql("SHOW transaction_read_only")).scalar()
        return closed == "off"
    if address.kind == "mysql":
        return not (await connection.exec_driver_sql("SELECT @@read_only")).scalar()
    return address.file is None or os.access(address.file, os.W_OK)


async def unsure(connection: AsyncConnection, address: Address) -> list[str]:
    """What the database, as it is set up, does not guarantee."""
    if address.kind == "postgresql":
        return await _unsure_postgresql(connection)
    if address.kind == "mysql":
        return await _unsure_mysql(connection)
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


async def _unsure_postgresql(connection: AsyncConnection) -> list[str]:
    query = text("SELECT name, setting FROM pg_settings WHERE name = ANY(:names)")
    names = ["fsync", "full_page_writes", "synchronous_commit"]
    found = {row[0]: row[1] for row in await connection.execute(query, {"names": names})}
    said = [
        f"PostgreSQL's setting {name} is off: if its machine crashes, recent changes may be lost "
        "or the database damaged."
        for name in names[:2]
        if found.get(name) == "off"
    ]
    if found.get("synchronous_commit") == "off":
        said.append(
            "PostgreSQL's setting synchronous_commit is off: the most recent changes are lost if "
            "its machine crashes."
        )
    return said


async def _unsure_mysql(connection: AsyncConnection) -> list[str]:
    said = []
    flush = await connection.exec_driver_sql("SELECT @@innodb_flush_log_at_trx_commit")
    if flush.scalar() != 1:
        said.append(
            "MySQL's setting innodb_flush_log_at_trx_commit is not 1: up to one second of changes "
            "is lost if its machine crashes."
        )
    double = str((await connection.exec_driver_sql("SELECT @@innodb_doublewrite")).scalar()).upper()
    if double in ("0", "OFF"):
        said.append(
            "MySQL's setting innodb_doublewrite is off: pages that are being written when its "
            "machine crashes are damaged."
        )
    others = await connection.execute(
        text(
            "SELECT table_name FROM information_schema.tables WHERE table_schema = DATABASE() "
            "AND table_name LIKE 'aiserver%' AND engine <> 'InnoDB'"
        )
    )
    if others.first():
        said.append(
            "The history tables do not use InnoDB: a save may be incomplete if the database is "
            "stopped."
        )
    return said
