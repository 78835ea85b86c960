"""Create and repair tables; check settings and the database's guarantees."""

from __future__ import annotations

import asyncio
import json
import logging
import shutil
import sqlite3
import time
from concurrent.futures import ThreadPoolExecutor
from operator import methodcaller
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, inspect
from sqlalchemy.dialects import mysql, postgresql, sqlite
from sqlalchemy.event import listen
from sqlalchemy.schema import CreateIndex, CreateTable

from aiserver.durable import disks
from aiserver.errors import SessionCorrupt, SettingError, StorageError
from aiserver.models import SessionKey
from aiserver.sessions.factory import create_session_manager
from aiserver.sessions.sql import SQLSessionManager, address, queries
from aiserver.sessions.sql.codes import QUARANTINED
from aiserver.sessions.sql.schema import VERSION, version_table
from aiserver.sessions.sql.tables import items, metadata
from aiserver.testing.records import KEY, event, in_loop, log_entry, turn

from ...servers import PASSWORD, new_database, run
from ..conftest import DATABASES
from ..databases import Database

TABLES = Path(__file__).with_name("tables-0001.sql")


@pytest.fixture(params=DATABASES)
def bare(request: pytest.FixtureRequest, tmp_path: Path) -> Database:
    """Return a database of each kind without tables."""
    if request.param == "sqlite":
        return Database(f"sqlite:///{tmp_path}/new.db")
    other: Database = request.getfixturevalue(f"{request.param}_database")
    return Database(new_database(other.url))


def test_the_tables_of_a_version_never_change() -> None:
    """P25: databases exist with these tables, so a change needs a new version."""
    statements = []
    for dialect in (sqlite.dialect(), postgresql.dialect(), mysql.dialect()):
        for table in (*metadata.sorted_tables, version_table):
            parts: list[Any] = [CreateTable(table), *map(CreateIndex, table.indexes)]
            statements += [str(part.compile(dialect=dialect)).strip() for part in parts]
    lines = [line.rstrip() for line in "\n".join(statements).splitlines()]
    assert VERSION == "0001"
    assert lines == TABLES.read_text("utf-8").splitlines()


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


def test_sqlite_finds_events_by_their_index(tmp_path: Path) -> None:
    """Without the index, it would read a whole session each time an event is saved."""
    database = Database(f"sqlite:///{tmp_path}/new.db")
    statements: list[Any] = []

    def plan(connection: Connection) -> list[str]:
        def note(*arguments: Any) -> None:
            statements.append(arguments[2:4])

        listen(connection, "before_cursor_execute", note)
        queries.existing_events(connection, KEY, [event(id="a"), event(id="b")])
        statement, params = statements[0]
        rows = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", params)
        return [row.detail for row in rows]

    (search,) = database.ask(plan)
    assert "USING INDEX aiserver_items_event_id" in search
    assert "event_id=?" in search


def test_a_killed_setup_is_completed_by_the_next(bare: Database) -> None:
    """P19: MySQL has no transactions for tables, so some of them may exist."""
    asyncio.run(saved(bare))
    bare.execute(f"DELETE FROM {version_table}")
    bare.execute("DROP TABLE aiserver_blobs")
    mysql = "ON aiserver_items" if bare.url.startswith("mysql") else ""
    bare_index = f"DROP INDEX aiserver_items_event_id {mysql}"
    bare.execute(f"DELETE FROM {version_table}")
    bare.execute(bare_index)
    bare.execute(f"DELETE FROM {version_table}")
    store = bare.open()
    run(store.put_blob(b"x"))
    assert len(run(store.load_session(KEY)).interactions) == 1
    names = bare.ask(
        lambda connection: {
            index["name"] for index in inspect(connection).get_indexes("aiserver_items")
        }
    )
    assert "aiserver_items_event_id" in names
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


# --- repair -----------------------------------------------------------------------


async def several(store: SQLSessionManager) -> None:
    for number in range(3):
        await store.save_interaction(KEY, turn(f"turn {number}", code=f"x = {number}\n"))
    await store.record_events(KEY, [event("run", id="a"), event("edit", source="by hand\n")])


async def verified(store: SQLSessionManager, repair: bool = False) -> list[tuple[Any, bool]]:
    return [(result.problem, result.repaired) async for result in store.verify(repair=repair)]


DAMAGE = {
    "a record": 'UPDATE aiserver_items SET content = \'{"turn_id": 2, "te\' WHERE item_index = 1',
    "a record is gone": "DELETE FROM aiserver_items WHERE item_index = 1",
    "meta": "UPDATE aiserver_sessions SET meta = 'no JSON'",
    "extra": "UPDATE aiserver_sessions SET extra = '{no'",
    "counters": "UPDATE aiserver_sessions SET counters = '[]'",
    "counters lag": (
        """UPDATE aiserver_sessions SET counters = '{"next_turn_id": 1, "next_seq": 1, """
        """"next_index": 0, "after_reset": 0, "in_order": true}'"""
    ),
    "summary": "UPDATE aiserver_sessions SET summary = 'no JSON'",
    "the session's row is gone": "DELETE FROM aiserver_sessions",
}


@in_loop
async def test_damaged_logs_and_blobs_are_reported(
    database: Database, caplog: pytest.LogCaptureFixture
) -> None:
    """P22: intact lines are still returned."""
    store = database.open()
    await store.append_notebook_log("notebook", [log_entry(path="a"), log_entry(path="b")])
    digest = await store.put_blob(b"picture")
    assert await verified(store) == [(None, False)] * 2
    for statement in (
        "UPDATE aiserver_notebook_log SET content = 'no JSON' WHERE seq = 1",
        "UPDATE aiserver_blobs SET data = 'other'",
    ):
        database.ask(methodcaller("exec_driver_sql", statement))
    for repair in (True, False):
        (log, _), (blob, _) = await verified(store, repair)
        assert log == "1 damaged entries, which are skipped"
        assert blob == "content does not match its hash"
    with caplog.at_level(logging.WARNING):
        assert [line.data["path"] for line in await store.read_notebook_log("notebook")] == ["b"]
        assert await store.read_notebook_log("another") == []
    assert [record.getMessage() for record in caplog.records] == [
        "1 entries of a notebook's change log are damaged."
    ]
    assert await store.get_blob(digest) is None
    assert await store.put_blob(b"picture") == digest
    assert await store.get_blob(digest) == b"picture"
    await store.close()


@pytest.mark.parametrize("what", DAMAGE)
@in_loop
async def test_damaged_rows_are_repaired(database: Database, what: str) -> None:
    """P22: intact records are returned, damaged ones are quarantined, and an event reports it."""
    store = database.open()
    await several(store)
    database.ask(lambda connection: connection.exec_driver_sql(DAMAGE[what]))
    before = {row.content for row in database.rows(items)}
    lost = what in ("a record", "a record is gone")
    if "row is gone" not in what:
        session = await store.load_session(KEY)
        assert len(session.interactions) == (2 if lost else 3)
        raw, _ = await store.load_raw(KEY) or (b"", 0)
        assert len(json.loads(raw)["interactions"]) == (2 if lost else 3)
        [row], total = await store.list_sessions()
        assert total == 1 and row.turns == 3

    [(flaw, mended)] = await verified(store)
    assert flaw and not mended
    [(again, mended)] = await verified(store, repair=True)
    assert (again, mended) == (flaw, True)
    assert await verified(store) == [(None, False)]

    session = await store.load_session(KEY)
    assert [t.user_request.intent for t in session.interactions] == (
        ["turn 0", "turn 2"] if lost else ["turn 0", "turn 1", "turn 2"]
    )
    notes = [item for item in session.events or [] if item.type == "recovered"]
    assert len(notes) == (what in ("a record", "a record is gone", "meta", "extra"))
    rows = database.rows(items)
    assert before <= {row.content for row in rows}, "no byte is lost"
    assert sorted(row.item_index for row in rows) == list(range(len(rows)))
    assert sum(row.kind == QUARANTINED for row in rows) == (what in ("a record", "meta", "extra"))
    saved, _ = await store.save_interaction(KEY, turn("later"))
    assert saved.turn_id == 4
    [row], _ = await store.list_sessions()
    assert (row.turns, row.last_intent) == (len(session.interactions) + 1, "later")
    assert await verified(store) == [(None, False)]
    await store.close()


@pytest.mark.parametrize("what", ["meta", "counters", "counters lag", "the session's row is gone"])
@in_loop
async def test_a_save_repairs_damaged_rows(database: Database, what: str) -> None:
    """P22: a new turn is saved even if other rows are damaged."""
    store = database.open()
    await several(store)
    database.ask(lambda connection: connection.exec_driver_sql(DAMAGE[what]))
    saved, _ = await store.save_interaction(KEY, turn("later"))
    assert saved.turn_id == 4
    assert len((await store.load_session(KEY)).interactions) == 4
    assert await verified(store) == [(None, False)]
    await store.close()


@in_loop
async def test_a_session_without_readable_records_is_corrupt(database: Database) -> None:
    store = database.open()
    await store.save_interaction(KEY, turn())
    database.execute("UPDATE aiserver_items SET content = ''")
    database.execute("UPDATE aiserver_sessions SET meta = ''")
    with pytest.raises(SessionCorrupt):
        await store.load_session(KEY)
    assert await store.delete(KEY)
    assert database.rows(items) == []
    await store.close()


@in_loop
async def test_a_corrupt_session_does_not_hide_the_following_pages(
    database: Database, caplog: pytest.LogCaptureFixture
) -> None:
    """P22: the total isn't taken from a page on which a corrupt session was skipped."""
    store = database.open()
    for number in range(6):
        await store.save_interaction(SessionKey("book", f"cell-{number}"), turn())
    # The session of cell-0 has no readable summary, and can't be loaded either.
    database.execute(
        "UPDATE aiserver_sessions SET meta = '', summary = '' WHERE cell_id = 'cell-0'"
    )
    database.execute("UPDATE aiserver_items SET content = '' WHERE cell_id = 'cell-0'")
    summaries, total = await store.list_sessions("book", limit=3)
    assert [summary.cell_id for summary in summaries] == ["cell-1", "cell-2"]
    assert total > len(summaries)
    assert "1 sessions can't be read." in caplog.text
    summaries, total = await store.list_sessions("book", limit=10)
    assert len(summaries) == total == 5
    await store.close()


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
    monkeypatch.setattr(disks, "_MOUNT_TABLE", mounts)
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
    database.execute("ALTER TABLE aiserver_items ENGINE = Aria")
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
