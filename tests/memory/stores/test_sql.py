"""Memories in databases: the table, lost connections, and databases of older AI Servers."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import inspect

from aiserver.errors import StorageError, StorageUnreachable
from aiserver.memory.manager import MemoryManager
from aiserver.memory.stores.sql import SQLMemoryStore
from aiserver.sessions.sql import schema
from aiserver.sessions.sql.__main__ import create_tables
from aiserver.sessions.sql.tables import documents, metadata
from aiserver.testing.records import KEY, in_loop, turn

from ...servers import new_database, on_servers, run
from ...sessions.conftest import DATABASES
from ...sessions.databases import Database
from ...sessions.wire import AFTER, BEFORE, Wire


@pytest.fixture(params=DATABASES)
def bare(request: pytest.FixtureRequest, tmp_path: Path) -> Database:
    """Return a database of each kind without tables."""
    if request.param == "sqlite":
        return Database(f"sqlite:///{tmp_path}/new.db")
    other: Database = request.getfixturevalue(f"{request.param}_database")
    return Database(new_database(other.url))


@pytest.fixture
def old(bare: Database) -> Database:
    """Return a database as an AI Server without memories has created it."""

    async def save() -> None:
        store = bare.open()
        await store.save_interaction(KEY, turn("before"))
        await store.close()

    run(save())
    assert tables_of(bare) == {table.name for table in metadata.sorted_tables} | {"aiserver_schema"}
    return bare


def tables_of(database: Database) -> set[str]:
    names: list[str] = database.ask(lambda connection: inspect(connection).get_table_names())
    return set(names)


def version_of(database: Database) -> Any:
    return database.ask(schema.current_version)


@in_loop
async def test_the_table_is_created_by_the_first_write(old: Database) -> None:
    """P25: the version stays, so that older AI Servers can use the database at the same time."""
    before = tables_of(old)
    store = SQLMemoryStore(old.open())
    assert await store.read("memory", owner="ada") is None
    assert tables_of(old) == before, "reading has created the table"
    assert await store.replace("memory", None, b"- a\n", owner="ada")
    assert tables_of(old) == before | {"aiserver_documents"}
    assert version_of(old) == "0001"
    assert await SQLMemoryStore(old.open()).read("memory", owner="ada") == b"- a\n"


@in_loop
async def test_an_older_server_isnt_disturbed(old: Database, monkeypatch) -> None:
    """P25: sessions are saved, listed and verified as if the table didn't exist."""
    monkeypatch.setattr("aiserver.sessions.sql.database.Database.create_table", None)
    older = old.open()
    warnings = await older.start()
    monkeypatch.undo()
    await SQLMemoryStore(old.open()).replace("memory", None, b"- a\n", owner="ada")
    monkeypatch.setattr("aiserver.sessions.sql.database.Database.create_table", None)
    for server in (older, old.open()):
        assert await server.start() == warnings
        await server.save_interaction(KEY, turn("after"))
        assert await server.list_owners() == [""]
        assert [r.problem async for r in server.verify()] == [None]
        assert [r.problem async for r in server.verify(owner="ada")] == []


@in_loop
async def test_a_database_of_a_newer_server_is_not_touched(old: Database) -> None:
    """P25"""
    old.execute("UPDATE aiserver_schema SET version_num = '9999'")
    store = SQLMemoryStore(old.open())
    for work in (store.read("memory"), store.replace("memory", None, b"- a\n")):
        with pytest.raises(StorageError, match="newer version of AI Server"):
            await work


def test_servers_that_start_at_once_create_the_table_once(bare: Database) -> None:
    """P23"""

    def write(number: int) -> bool:
        async def write() -> bool:
            sessions = bare.open()
            try:
                store = SQLMemoryStore(sessions)
                return await store.replace("memory", None, b"- %d\n" % number)
            finally:
                await sessions.close()

        return asyncio.run(write())

    with ThreadPoolExecutor(6) as threads:
        assert sorted(threads.map(write, range(6))) == [False] * 5 + [True]


def test_an_administrator_creates_the_table_with_the_others(bare: Database) -> None:
    run(create_tables(bare.url))
    assert "aiserver_documents" in tables_of(bare)
    run(create_tables(bare.url))


@in_loop
async def test_names_of_owners_that_cant_be_keys_are_stored(old: Database) -> None:
    store = SQLMemoryStore(old.open())
    for owner in ("ada", "名" * 500):
        assert await store.replace("memory", None, b"- a\n", owner=owner)
    keys = sorted(row.owner for row in old.rows(documents))
    assert keys[0] == "ada" and keys[1].startswith("~")
    assert old.ask(lambda db: db.exec_driver_sql("SELECT name FROM aiserver_owners").scalar())


@pytest.fixture(params=on_servers("postgresql", "mysql"))
def wire(request: pytest.FixtureRequest) -> Iterator[Wire]:
    """Return a proxy to an empty database of each server."""
    database: Database = request.getfixturevalue(f"{request.param}_database")
    database.empty()
    with Wire(database.url) as wire:
        yield wire


@pytest.mark.parametrize("when", [BEFORE, AFTER])
@in_loop
async def test_a_lost_response_changes_no_result(wire: Wire, when: str) -> None:
    """P19: the connection breaks before the commit arrives, or before its response does."""
    sessions = Database(wire.url).open()
    store = SQLMemoryStore(sessions)
    assert await store.replace("reviews", None, b"{}")  # creates the table
    window = MemoryManager(store, None)

    async def cut(work: Any) -> Any:
        wire.cut = (b"COMMIT", when)
        before = wire.cuts
        result = await work
        assert wire.cuts == before + 1
        return result

    first = await cut(window.propose("Use polars", "person", "request"))
    second = await cut(window.propose("Titles in Chinese", "person", "request"))
    assert await window.pending() == [first, second]
    entry = await cut(window.confirm(first.id))
    await cut(window.reject(second.id))
    assert await window.pending() == []
    assert [listed.entry for listed in await window.list_entries()] == [entry]
    assert (await cut(window.forget("person", entry.id))).id == entry.id
    assert await window.list_entries() == []
    await sessions.close()


@in_loop
async def test_an_unreachable_database_raises_and_recovers(wire: Wire) -> None:
    """P20"""
    sessions = Database(wire.url).open()
    window = MemoryManager(SQLMemoryStore(sessions), None)
    proposal = await window.propose("Use polars", "person", "request")
    wire.sever()
    for work in (window.pending(), window.confirm(proposal.id), window.reject(proposal.id)):
        with pytest.raises(StorageUnreachable):
            await work
    wire.mend()
    assert await window.pending() == [proposal]
    assert (await window.confirm(proposal.id)).text == "Use polars"
    await sessions.close()
