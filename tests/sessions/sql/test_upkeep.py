"""Create and convert tables; check settings and the database's guarantees."""

from __future__ import annotations

import asyncio
import base64
import json
import re
import shutil
import sqlite3
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import create_engine, inspect, make_url, text

from aiserver import durable
from aiserver.errors import SettingError, StorageError
from aiserver.models import SessionKey
from aiserver.sessions.factory import create_session_manager
from aiserver.sessions.sql import SQLSessionManager, address
from aiserver.sessions.sql.address import resolve_address
from aiserver.sessions.sql.schema import version_table
from aiserver.testing.records import KEY, in_loop, turn

from ...servers import PASSWORD, new_database, run
from ..conftest import DATABASES
from ..databases import Database
from ..projects import contents

TABLES = Path(__file__).with_name("tables-0001.sql")
EARLIER: dict[str, Any] = json.loads(Path(__file__).with_name("rows-0001.json").read_text("utf-8"))
DAMAGED = SessionKey("damaged", "cell")
DOCUMENTS = {
    kind: f"CREATE TABLE aiserver_documents (owner {name}(200), name {name}(64), "
    f"write_id BIGINT, content {content})"
    for kind, name, content in (
        ("sqlite", "VARCHAR", "BLOB"),
        ("postgresql", "VARCHAR", "BYTEA"),
        ("mysql", "VARBINARY", "LONGBLOB"),
    )
}


@pytest.fixture(params=DATABASES)
def bare(request: pytest.FixtureRequest, tmp_path: Path) -> Database:
    """Return a database of each kind without tables."""
    if request.param == "sqlite":
        return Database(f"sqlite:///{tmp_path}/new.db")
    other: Database = request.getfixturevalue(f"{request.param}_database")
    return Database(new_database(other.url))


@pytest.fixture
def earlier(bare: Database) -> Database:
    """Return a database with the tables of version 0001, which that version had filled."""
    kind = make_url(bare.url).get_backend_name()
    statements = re.split(r"\n(?=CREATE )", TABLES.read_text("utf-8"))
    count = len(statements) // 3
    first = {"sqlite": 0, "postgresql": count, "mysql": 2 * count}[kind]
    engine = create_engine(resolve_address(bare.url, "", "").url)
    with engine.begin() as connection:
        for statement in [*statements[first : first + count], DOCUMENTS[kind]]:
            connection.exec_driver_sql(statement)
        for name, rows in EARLIER["stored"].items():
            for row in rows:
                columns = ", ".join(row)
                values = ", ".join(f":{column}" for column in row)
                query = text(f"INSERT INTO {name} ({columns}) VALUES ({values})")
                connection.execute(query, {column: decoded(row[column]) for column in row})
    engine.dispose()
    return bare


def decoded(value: Any) -> Any:
    return base64.b64decode(value["base64"]) if isinstance(value, dict) else value


@in_loop
async def test_data_of_version_0001_is_converted(earlier: Database) -> None:
    """P25: completely, once, also if two servers start; a damaged session loses no byte."""
    stores = [earlier.open(), earlier.open()]
    await asyncio.gather(*(store.start() for store in stores))
    assert await contents(stores[0]) == EARLIER["expected"]
    intents = [each.user_request.intent for each in await stores[1].get_history(DAMAGED)]
    assert intents == ["intact"]
    assert (await stores[0].save_interaction(DAMAGED, turn("later")))[0].turn_id == 2
    preserved = earlier.execute_scalar("SELECT value FROM aiserver_values WHERE kind = 'damaged'")
    assert b'"turn_id": 2, "te' in bytes(preserved)
    tables = earlier.ask(lambda connection: inspect(connection).get_table_names())
    assert set(tables) == {"aiserver_values", "aiserver_schema"}
    for store in stores:
        await store.close()


def test_concurrent_servers_create_the_tables_once(bare: Database) -> None:
    """P23"""

    def start(number: int) -> int:
        async def start() -> int:
            store = bare.open()
            await store.start()
            _, revision = await store.save_interaction(KEY, turn(str(number)))
            await store.close()
            return revision

        return asyncio.run(start())

    with ThreadPoolExecutor(6) as threads:
        assert sorted(threads.map(start, range(6))) == [1, 2, 3, 4, 5, 6]


def test_a_new_sqlite_file_waits_for_other_connections(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """P23: while another connection writes, SQLite refuses at once to enable its log."""
    file = tmp_path / "new.db"
    writer = sqlite3.connect(file, isolation_level=None, check_same_thread=False)
    writer.execute("BEGIN IMMEDIATE")
    pauses = []

    def sleep(seconds: float) -> None:
        pauses.append(seconds)
        if len(pauses) == 50:
            writer.execute("ROLLBACK")

    monkeypatch.setattr(time, "sleep", sleep)
    run(saved(Database(f"sqlite:///{file}")))
    assert len(pauses) == 50
    writer.close()


def test_a_killed_setup_is_completed_by_the_next(bare: Database) -> None:
    """P19: MySQL has no transactions for tables, so some of them may exist."""
    asyncio.run(saved(bare))
    bare.execute("DROP TABLE aiserver_schema")
    store = bare.open()
    run(store.put_blob(b"x"))
    assert len(run(store.load_session(KEY)).interactions) == 1
    run(store.close())


async def saved(database: Database) -> None:
    store = database.open()
    await store.save_interaction(KEY, turn())
    await store.close()


def test_tables_of_a_newer_server_are_not_touched(bare: Database) -> None:
    """P25"""
    asyncio.run(saved(bare))
    bare.execute(f"UPDATE {version_table} SET version_num = '9999'")
    store = SQLSessionManager(url=bare.url)
    with pytest.raises(StorageError, match="newer version of AI Server"):
        run(store.save_interaction(KEY, turn()))
    with pytest.raises(StorageError, match="newer version of AI Server"):
        run(store.start())
    run(store.close())


# --- the setting ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("postgresql+psycopg2://a:canary@b/c", "postgresql://"),
        ("postgresql://a:canary@b", "no database name"),
        ("mysql://a:canary@b:port/c", "not valid"),
        ("sqlite:///x?mode=canary", "have options"),
        ("mysql://a:canary@b/c?ssl_ca=/nowhere/canary", "certificate"),
        ("postgresql://a:canary@127.0.0.1:1/c?wrong=canary", "option"),
    ],
)
@in_loop
async def test_an_invalid_url_raises_a_clear_error(url: str, message: str) -> None:
    """P8"""
    with pytest.raises(SettingError, match=message) as caught:
        await create_session_manager(url).start()
    assert "canary" not in caught.value.message


def test_a_missing_package_is_named_with_its_install_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(address, "_is_installed", lambda package: package != "psycopg")
    with pytest.raises(SettingError) as caught:
        create_session_manager("postgresql://a:canary@b/c")
    assert 'pip install "aiserver[postgresql]"' in caught.value.message
    assert "psycopg" in caught.value.message
    create_session_manager("mysql://a@b/c")


@in_loop
async def test_the_password_may_be_in_a_file(database: Database, tmp_path: Path) -> None:
    """P8: so it is not in any setting that is logged."""
    secret = tmp_path / "password"
    secret.write_text(f"{PASSWORD}\nanother line\n")
    url = database.url.replace(f":{PASSWORD}@", "@")
    store = SQLSessionManager(url=url, password_file=str(secret))
    await store.save_interaction(KEY, turn())
    await store.close()
    if "sqlite" not in url:
        with pytest.raises(SettingError, match="password file can't be read"):
            await SQLSessionManager(url=url, password_file=str(tmp_path / "none")).start()


def test_shared_depends_on_the_database(tmp_path: Path) -> None:
    """P9: by default a file belongs to one person, and a server to several."""
    assert SQLSessionManager(url="postgresql://a@b/c").shared
    assert not SQLSessionManager(url=f"sqlite:///{tmp_path}/x.db").shared
    assert SQLSessionManager(url=f"sqlite:///{tmp_path}/x.db", shared=True).shared


@in_loop
async def test_a_file_is_private_and_at_the_configured_path(tmp_path: Path) -> None:
    """P7"""
    store = SQLSessionManager(url="sqlite:///mine/histories.db", start_dir=str(tmp_path))
    await store.save_interaction(KEY, turn())
    files = list((tmp_path / "mine").iterdir())
    assert {file.name for file in files} >= {"histories.db", "histories.db-wal"}
    assert {file.stat().st_mode & 0o777 for file in files} == {0o600}
    assert (tmp_path / "mine").stat().st_mode & 0o777 == 0o700
    await store.close()


@in_loop
async def test_a_file_that_was_deleted_is_created_again(tmp_path: Path) -> None:
    """The new file has what is saved after that."""
    url = f"sqlite:///{tmp_path}/h.db"
    store = SQLSessionManager(url=url)
    await store.save_interaction(KEY, turn())
    (tmp_path / "h.db").unlink()
    await store.save_interaction(KEY, turn("again"))
    other = SQLSessionManager(url=url)
    session = await other.load_session(KEY)
    assert [each.user_request.intent for each in session.interactions] == ["again"]
    await store.close()
    await other.close()


# --- missing guarantees -----------------------------------------------------------


@in_loop
async def test_a_database_in_memory_has_a_warning() -> None:
    store = create_session_manager("sqlite://")
    assert ["memory only" in notice for notice in await store.start()] == [True]
    await store.save_interaction(KEY, turn())
    assert len((await store.load_session(KEY)).interactions) == 1
    await store.close()


@in_loop
async def test_a_file_on_a_network_disk_has_a_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mounts = tmp_path / "mounts"
    mounts.write_text(f"server:/home {tmp_path} nfs4 rw 0 0\n")
    store = create_session_manager(f"sqlite:///{tmp_path}/x.db")
    assert await store.start() == []
    monkeypatch.setattr(durable, "_MOUNT_TABLE", mounts)
    [notice] = await store.start()
    assert "network disk" in notice
    await store.close()


def test_missing_guarantees_of_postgresql_are_reported(postgresql_database: Database) -> None:
    database = Database(new_database(postgresql_database.url))
    assert run(database.open().start()) == []
    name = database.url.rpartition("/")[2]
    postgresql_database.execute(f"ALTER DATABASE {name} SET synchronous_commit = off")
    [notice] = run(database.open().start())
    assert "synchronous_commit is off" in notice


def test_missing_guarantees_of_mysql_are_reported(mysql_database: Database) -> None:
    database = Database(new_database(mysql_database.url))
    assert run(database.open().start()) == []
    database.execute("ALTER TABLE aiserver_values ENGINE = Aria")
    database.execute("SET GLOBAL innodb_flush_log_at_trx_commit = 2")
    try:
        flush, tables = run(database.open().start())
    finally:
        database.execute("SET GLOBAL innodb_flush_log_at_trx_commit = 1")
    assert "innodb_flush_log_at_trx_commit is not 1" in flush
    assert "InnoDB" in tables


@in_loop
async def test_the_notebook_lock_is_exclusive(database: Database) -> None:
    """P9, P23: other owners don't wait, and a dead holder's lock is released."""
    first, second = database.open(), database.open()
    order = []

    async def wait() -> None:
        async with second.notebook_id_lock(owner="ada"):
            order.append("second")

    async with first.notebook_id_lock(owner="ada"):
        waiting = asyncio.ensure_future(wait())
        if "sqlite" not in database.url:
            async with first.notebook_id_lock(owner="bob"):
                order.append("bob")
        else:
            order.append("bob")
        await first.save_interaction(KEY, turn())
        order.append("first")
    await waiting
    assert order == ["bob", "first", "second"]

    cancelled = asyncio.ensure_future(wait())
    async with first.notebook_id_lock(owner="ada"):
        cancelled.cancel()
    await asyncio.gather(cancelled, return_exceptions=True)
    async with first.notebook_id_lock(owner="ada"):
        await first.close()  # like a crash: the connection ends, which releases the lock
    async with second.notebook_id_lock(owner="ada"):
        pass
    await second.close()
    await first.close()


def test_the_file_contains_everything_after_close(tmp_path: Path) -> None:
    """No journal files remain next to it."""
    database = Database(f"sqlite:///{tmp_path}/one.db")
    asyncio.run(saved(database))
    shutil.copy(tmp_path / "one.db", tmp_path / "two.db")
    other = Database(f"sqlite:///{tmp_path}/two.db").open()
    assert len(run(other.load_session(KEY)).interactions) == 1


@pytest.mark.parametrize("size", [20, 200_000])
def test_sqlite_erases_the_bytes_of_a_deleted_blob(tmp_path: Path, size: int) -> None:
    """SQLite would leave them in free pages and in its log, while the server runs."""
    canary = b"canary-6d1e"
    store = Database(f"sqlite:///{tmp_path}/new.db").open()
    run(store.put_blob(b"another blob"))
    digest = run(store.put_blob(canary * size))

    def files_with_canary() -> list[str]:
        return [path.name for path in tmp_path.iterdir() if canary in path.read_bytes()]

    assert files_with_canary()
    assert run(store.delete_blob(digest))
    assert files_with_canary() == []
    run(store.put_blob(b"a blob after it"))
    run(store.close())
    assert files_with_canary() == []
