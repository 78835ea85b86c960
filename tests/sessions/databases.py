"""Create, empty and inspect databases for the tests of the stores."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, delete, select, text

from aiserver.sessions.sql import SQLSessionManager
from aiserver.sessions.sql.schema import values
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
                return await store.run_operation(
                    lambda db: db._with_retries(lambda _: db._transaction(True, work))
                )
            finally:
                await store.close()

        return run(ask())

    def execute(self, statement: str, **values: Any) -> None:
        """Execute one statement."""
        self.ask(lambda connection: connection.execute(text(statement), values))

    def execute_scalar(self, statement: str) -> Any:
        """Execute one statement, and return the first value of its result."""
        return self.ask(lambda connection: connection.execute(text(statement)).scalar())

    def rows(self, table: Any) -> list[Any]:
        """Return all rows of a table."""

        result: list[Any] = self.ask(lambda connection: connection.execute(select(table)).all())
        return result

    def empty(self) -> None:
        """Delete all rows."""

        self.ask(lambda connection: connection.execute(delete(values)))


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
