"""P8, P19, P20, P23 on databases: concurrency, kills, lost connections and full disks."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection

from aiserver.errors import StorageError, StorageFull, StorageReadOnly, StorageUnreachable
from aiserver.models import Session, SessionKey
from aiserver.sessions.sql.address import resolve_address
from aiserver.sessions.sql.servers import MySQLDatabase, PostgreSQLDatabase
from aiserver.testing.records import event, in_loop, log_entry, turn

from ...servers import PASSWORD, MariaDB, PostgreSQL, Server, need, new_database, on_servers, run
from ..databases import Database
from ..wire import AFTER, BEFORE, Wire
from ..worker import Worker

KEY = SessionKey("notebook", "cell")
SERVERS: dict[str, Any] = {"postgresql": PostgreSQL, "mysql": MariaDB}


def load(database: Database) -> Session:
    """Return the session as a new process reads it."""

    async def closing() -> Session:
        # Otherwise its connection may still be closing when the disk is unmounted.
        store = database.open()
        try:
            return await store.load_session(KEY)
        finally:
            await store.close()

    return asyncio.run(closing())


def check_intact(session: Session, at_least: int) -> None:
    """Check that the session is consistent and has the acknowledged turns."""
    count = len(session.interactions)
    assert count >= at_least
    assert [turn.turn_id for turn in session.interactions] == list(range(1, count + 1))
    assert [item.seq for item in session.ordered()] == list(range(1, session.revision + 1))


@pytest.fixture(params=on_servers(*SERVERS))
def wire(request: pytest.FixtureRequest) -> Iterator[Wire]:
    """Return a proxy to an empty database of each server."""
    database: Database = request.getfixturevalue(f"{request.param}_database")
    database.empty()
    with Wire(database.url) as wire:
        yield wire


@pytest.mark.parametrize("when", [BEFORE, AFTER])
@in_loop
async def test_a_lost_response_duplicates_nothing(wire: Wire, when: str) -> None:
    """P19: the connection breaks before the commit arrives, or before its response does."""
    store = Database(wire.url).open()
    first, _ = await store.save_interaction(KEY, turn("first"))

    async def cut(work: Any) -> Any:
        wire.cut = (b"COMMIT", when)
        before = wire.cuts
        result = await work
        assert wire.cuts == before + 1
        return result

    second, revision = await cut(store.save_interaction(KEY, turn("second"), if_revision=1))
    assert (second.turn_id, second.seq, revision) == (2, 2, 2)
    events, revision = await cut(store.record_events(KEY, [event("run"), event("edit")]))
    assert ([e.seq for e in events], revision) == ([3, 4], 3)
    session = await store.load_session(KEY)
    assert session.interactions == [first, second]
    assert session.events == events

    other = type(KEY)("notebook", "other")
    copy = await cut(store.fork(KEY, other))
    assert await store.load_session(other) == copy
    third = type(KEY)("notebook", "third")
    assert await cut(store.merge_copy(third, session))
    assert len((await store.load_session(third)).interactions) == 2
    assert await cut(store.delete(other))
    assert not await store.exists(other)
    lines = await cut(store.append_notebook_log("notebook", [log_entry(a=1), log_entry(a=2)]))
    assert await store.read_notebook_log("notebook") == lines
    assert [line.seq for line in lines] == [1, 2]
    digest = await cut(store.put_blob(b"blob"))
    assert await store.get_blob(digest) == b"blob"
    assert await cut(store.delete_blob(digest))
    assert await cut(store.delete_notebook_log("notebook"))
    await store.close()


@in_loop
async def test_an_unreachable_database_raises_and_recovers(
    wire: Wire, caplog: pytest.LogCaptureFixture
) -> None:
    """P8, P20: the error is clear, nothing is lost, and it works again afterwards."""
    caplog.set_level(logging.DEBUG)
    store = Database(wire.url).open()
    saved, _ = await store.save_interaction(KEY, turn())
    wire.sever()
    for work in (store.save_interaction(KEY, turn()), store.load_session(KEY)):
        with pytest.raises(StorageUnreachable) as caught:
            await work
        assert_discloses_nothing(caught.value)
    assert not await store.writable()
    later = Database(wire.url).open()
    with pytest.raises(StorageUnreachable):
        await later.start()
    wire.mend()
    assert await later.start() == []
    assert (await store.load_session(KEY)).interactions == [saved]
    assert (await store.save_interaction(KEY, turn()))[1] == 2
    assert PASSWORD not in caplog.text
    await store.close()
    await later.close()


@pytest.mark.thorough  # the drivers wait for two seconds at least
@pytest.mark.parametrize("kind", list(SERVERS))
@in_loop
async def test_a_silent_database_times_out(kind: str) -> None:
    """P20"""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        url = f"{kind}://a:b@127.0.0.1:{listener.getsockname()[1]}/c"
        store = Database(url).open(timeout=0.2)
        with pytest.raises(StorageUnreachable):
            await store.load_session(KEY)
    await store.close()


@pytest.mark.parametrize("kind", on_servers(*SERVERS))
def test_a_connection_in_use_is_closed_after_the_store(
    kind: str, request: pytest.FixtureRequest
) -> None:
    """An operation may outlast the store that is closed meanwhile."""
    url = request.getfixturevalue(f"{kind}_database").url
    classes = {"postgresql": PostgreSQLDatabase, "mysql": MySQLDatabase}
    database = classes[kind](resolve_address(url, "", ""))
    in_use: list[Any] = []

    def close_meanwhile(connection: Connection) -> None:
        in_use.append(connection.connection.dbapi_connection)
        database.dispose()

    database.query(close_meanwhile)
    [driver] = in_use
    assert driver.closed if kind == "postgresql" else not driver.open


def assert_discloses_nothing(error: StorageError) -> None:
    """Check that the message is ours and contains nothing of the database's."""
    assert error.message.endswith(".")
    for secret in (PASSWORD, "127.0.0.1", "sqlalchemy", "refused", "tester", "SELECT"):
        assert secret not in error.message


@pytest.mark.parametrize("kind", on_servers(*SERVERS))
def test_a_killed_server_keeps_acknowledged_turns(kind: str) -> None:
    """P19"""
    need(SERVERS[kind])
    server: Server
    with SERVERS[kind]() as server:
        database = Database(new_database(server.url))
        worker = Worker("aiserver.sessions.sql.servers")
        try:
            pids = worker.start(database.url, KEY.cell_id, 2000, count=2)
            lines = worker.output_lines()
            output = [next(lines) for _ in range(30)]
            assert all(line.startswith("ack") for line in output), output
            server.kill()
            time.sleep(0.2)
            server.start()
            output += [next(lines) for _ in range(50)]
            for pid in pids:
                os.kill(pid, signal.SIGKILL)
            output += lines
        finally:
            worker.close()
        acknowledged = sum(line.startswith("ack") for line in output)
        assert acknowledged > 60, "too few saves after the restart"
        # A save that failed may still have been committed; acknowledged ones must have been.
        check_intact(load(database), acknowledged)


@pytest.mark.skipif(sys.platform != "linux", reason="tmpfs is Linux's")
def test_a_full_disk(tmp_path: Path) -> None:
    """P20: SQLite's disk is full, then read-only."""
    disk = tmp_path / "disk"
    disk.mkdir()
    with contextlib.ExitStack() as after:
        command = ["mount", "-t", "tmpfs", "-o", "size=600k", "tmpfs", str(disk)]
        if subprocess.run(command, capture_output=True).returncode:
            pytest.skip("not allowed to mount a small disk")
        after.callback(subprocess.run, ["umount", "-l", str(disk)], check=True)
        database = Database(f"sqlite:///{disk}/histories.db")

        async def fill() -> int:
            store, count = database.open(), 0
            try:
                while True:
                    await store.save_interaction(KEY, turn(code="x = 1\n" * 2000))
                    count += 1
            except StorageFull as error:
                assert_discloses_nothing(error)
                return count
            finally:
                await store.close()

        count = run(fill())
        assert count > 3
        check_intact(load(database), count)
        read_only = ["mount", "-o", "remount,ro", str(disk)]
        subprocess.run(read_only, check=True, capture_output=True)

        async def refused() -> None:
            store = database.open()
            with pytest.raises(StorageReadOnly) as caught:
                await store.save_interaction(KEY, turn())
            assert_discloses_nothing(caught.value)
            assert not await store.writable()
            await store.close()

        run(refused())


def test_a_read_only_server_raises(postgresql_database: Database) -> None:
    """P20: such as a standby, or a database that was made read-only."""
    database = Database(new_database(postgresql_database.url))
    run(database.open().save_interaction(KEY, turn()))
    name = database.url.rpartition("/")[2]
    postgresql_database.execute(f"ALTER DATABASE {name} SET default_transaction_read_only = on")

    async def refused() -> None:
        store = database.open()
        assert len((await store.load_session(KEY)).interactions) == 1
        assert not await store.writable()
        with pytest.raises(StorageReadOnly) as caught:
            await store.save_interaction(KEY, turn())
        assert_discloses_nothing(caught.value)
        await store.close()

    run(refused())


@pytest.mark.parametrize("kind", on_servers(*SERVERS))
@pytest.mark.parametrize("what", ["password", "database", "port"])
@in_loop
async def test_an_invalid_setting_raises_a_clear_error(
    request: pytest.FixtureRequest, kind: str, what: str
) -> None:
    """P8"""
    url: str = request.getfixturevalue(f"{kind}_database").url
    if what == "password":
        url = url.replace(PASSWORD, "canary-wrong")
    elif what == "database":
        url = url.rpartition("/")[0] + "/nothing_of_the_kind"
    else:
        url = url.rpartition(":")[0] + ":1/x"
    store = Database(url).open()
    with pytest.raises(StorageUnreachable) as caught:
        await store.start()
    assert_discloses_nothing(caught.value)
    words = {"password": "rejected", "database": "does not exist", "port": "connect to"}
    assert words[what] in caught.value.message
    assert "canary" not in caught.value.message
    await store.close()
