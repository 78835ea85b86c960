"""An example of a session manager for AI Server, which stores histories in one SQLite table."""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
from collections.abc import Callable
from typing import TypeVar
from urllib.parse import urlsplit
from urllib.request import url2pathname

from aiserver.errors import StorageError
from aiserver.sessions.key_value import KeyValueSessionManager, Transaction

T = TypeVar("T")

CREATE_TABLE = """
CREATE TABLE IF NOT EXISTS data (
    kind TEXT, owner BLOB, name TEXT, value BLOB, PRIMARY KEY (kind, owner, name)
)
"""


class OneTableSessionManager(KeyValueSessionManager):
    """Stores histories durably in one table. Its URL: ``onetable:////data/me/histories.db``."""

    async def run(self, work: Callable[[Transaction], T]) -> T:
        """Run a transaction in a thread, so that the event loop never waits for the disk."""
        return await asyncio.to_thread(self.transact, work)

    def transact(self, work: Callable[[Transaction], T]) -> T:
        """Run a transaction in the calling thread."""
        path = url2pathname(urlsplit(self.url).path)
        try:
            with contextlib.closing(sqlite3.connect(path, timeout=30)) as connection, connection:
                connection.isolation_level = None
                connection.execute("BEGIN IMMEDIATE")
                connection.execute(CREATE_TABLE)
                return work(Table(connection))
        except sqlite3.Error as exc:
            raise StorageError from exc


class Table(Transaction):
    """The table, as one transaction reads and changes it."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._execute = connection.execute

    def get(self, kind: str, owner: str, name: str) -> bytes | None:
        query = "SELECT value FROM data WHERE kind = ? AND owner = ? AND name = ?"
        row: tuple[bytes] | None = self._execute(query, (kind, _encode(owner), name)).fetchone()
        return row[0] if row else None

    def put(self, kind: str, owner: str, name: str, value: bytes) -> None:
        row = (kind, _encode(owner), name, value)
        self._execute("INSERT OR REPLACE INTO data VALUES (?, ?, ?, ?)", row)

    def delete(self, kind: str, owner: str, name: str) -> bool:
        query = "DELETE FROM data WHERE kind = ? AND owner = ? AND name = ?"
        return self._execute(query, (kind, _encode(owner), name)).rowcount > 0

    def names(self, kind: str, owner: str) -> list[str]:
        query = "SELECT name FROM data WHERE kind = ? AND owner = ?"
        return [name for (name,) in self._execute(query, (kind, _encode(owner)))]

    def owners(self) -> list[str]:
        rows = self._execute("SELECT DISTINCT owner FROM data")
        return [owner.decode("utf-8", "surrogatepass") for (owner,) in rows]


def _encode(owner: str) -> bytes:
    return owner.encode("utf-8", "surrogatepass")  # an owner's name is any text
