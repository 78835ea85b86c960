"""Create, empty and inspect databases for the tests of the stores."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, delete, insert, inspect, select, text

from aiserver.models import SessionKey
from aiserver.sessions.record import codec
from aiserver.sessions.record.summaries import summarise
from aiserver.sessions.sql import SQLSessionManager
from aiserver.sessions.sql.codes import ABSENT, EVENT, LIST, NULL, TURN
from aiserver.sessions.sql.owners import owner_key
from aiserver.sessions.sql.rows import split
from aiserver.sessions.sql.tables import added_metadata, items, metadata, sessions
from aiserver.testing.records import KEY, turn

from ..servers import run


class Database:
    """A database, with access to it outside of the store."""

    def __init__(self, url: str) -> None:
        self.url = url

    def open(self, **traits: Any) -> SQLSessionManager:
        """Return a new manager of the database."""
        return SQLSessionManager(url=self.url, **traits)

    def ask(self, work: Callable[[Connection], Any]) -> Any:
        """Run a function in one transaction."""

        async def ask() -> Any:
            store = self.open()
            try:
                return await store._write(lambda connection, _: work(connection))
            finally:
                await store.close()

        return run(ask())

    def execute(self, statement: str, **values: Any) -> None:
        """Execute one statement."""
        self.ask(lambda connection: connection.execute(text(statement), values))

    def rows(self, table: Any) -> list[Any]:
        """Return all rows of a table."""

        result: list[Any] = self.ask(lambda connection: connection.execute(select(table)).all())
        return result

    def empty(self) -> None:
        """Delete all rows."""

        def work(connection: Connection) -> None:
            for table in (*metadata.sorted_tables, *added_metadata.sorted_tables):
                if inspect(connection).has_table(table.name):
                    connection.execute(delete(table))

        self.ask(work)

    def plant(self, key: SessionKey, data: bytes) -> None:
        """Write a session exactly as another program would, valid or not."""
        content = json.loads(data)
        meta = content.pop("meta")
        planted = [(TURN, item) for item in content.pop("interactions")]
        events = ABSENT
        if "events" in content and not isinstance(content["events"], dict):
            result = content.pop("events")
            events = NULL if result is None else LIST
            planted += [(EVENT, item) for item in result or []]
        session = codec.parse(data, key)
        of = {
            "owner": owner_key(key.owner),
            "notebook_id": key.notebook_id,
            "cell_id": key.cell_id,
        }
        head = {
            "meta": json.dumps(meta),
            "extra": json.dumps(content, indent=2) if content else "",
            "events": events,
            "counters": split(session)[1].dump(),
            "summary": summarise(session).model_dump_json(),
        }
        rows = [
            of
            | {"item_index": index, "kind": kind, "event_id": None, "write_id": 0}
            | {"content": json.dumps(item)}
            for index, (kind, item) in enumerate(planted)
        ]

        def work(connection: Connection) -> None:
            connection.execute(insert(sessions), of | head)
            connection.execute(insert(items), rows)

        self.ask(work)


def sqlite_template(folder: Path) -> Path:
    """Return an SQLite file with our tables, created once and copied by tests."""
    path = folder / "template.db"
    database = Database(f"sqlite+aiosqlite:///{path}")  # a former driver

    async def make() -> None:
        store = database.open()
        await store.save_interaction(KEY, turn())
        await store.delete(KEY)
        await store.close()

    run(make())
    return path


def sqlite_copy(template: Path, folder: Path) -> Database:
    """Return a new copy of the template."""
    path = folder / "histories.db"
    shutil.copy(template, path)
    return Database(f"sqlite:///{path}")
