"""The stores of memories that the tests open, and everything that is in them."""

from __future__ import annotations

from abc import abstractmethod
from pathlib import Path
from typing import Any

from sqlalchemy import select

from aiserver.plugins.memory.stores.base import KeyValueMemoryStore, MemoryStore
from aiserver.plugins.memory.stores.file import FileMemoryStore
from aiserver.sessions.key_value import MEMORY
from aiserver.sessions.memory import InMemorySessionManager
from aiserver.sessions.sql import SQLSessionManager
from aiserver.sessions.sql.address import resolve_address
from aiserver.sessions.sql.schema import values
from aiserver.testing import MemoryBackend

from ..sessions.conftest import RedisBackend
from ..sessions.databases import Database


class DurableMemoryBackend(MemoryBackend):
    """A backend that other processes can open, too, by the URL of its sessions."""

    url: str

    @abstractmethod
    async def close(self) -> None:
        """Close the connections of all stores."""


class FileMemoryBackend(DurableMemoryBackend):
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.url = folder.as_uri()

    def open(self) -> FileMemoryStore:
        return FileMemoryStore(self.folder)

    def content(self) -> bytes:
        return bytes_of(self.folder)

    async def close(self) -> None:
        """Do nothing."""


class InMemoryBackend(MemoryBackend):
    def __init__(self) -> None:
        self._sessions = InMemorySessionManager()

    def open(self) -> MemoryStore:
        return KeyValueMemoryStore(self._sessions)

    def content(self) -> bytes:
        stored = self._sessions._memory._values
        return b"\n".join(each for values in stored.values() for each in values.values())


class SQLMemoryBackend(DurableMemoryBackend):
    def __init__(self, database: Database) -> None:
        self.database = database
        self.url = database.url
        self._opened: list[SQLSessionManager] = []

    def open(self) -> KeyValueMemoryStore:
        self._opened.append(self.database.open())
        return KeyValueMemoryStore(self._opened[-1])

    def content(self) -> bytes:
        query = select(values.c.value).where(values.c.kind == MEMORY)
        rows = self.database.ask(lambda connection: connection.execute(query).scalars().all())
        content = b"\n".join(map(bytes, rows))
        file = resolve_address(self.url, "", "").file
        if file is None:
            return content
        logs = [path for path in file.parent.glob(f"{file.name}*") if path.suffix != ".db-shm"]
        return content + b"".join(path.read_bytes() for path in sorted(logs))

    async def close(self) -> None:
        while self._opened:
            await self._opened.pop().close()


class RedisMemoryBackend(DurableMemoryBackend):
    def __init__(self, backend: RedisBackend) -> None:
        self._backend = backend
        self.url = backend.url

    def open(self) -> KeyValueMemoryStore:
        return KeyValueMemoryStore(self._backend.open())

    def content(self) -> bytes:
        server = self._backend.server
        stored = b""
        for key in sorted(server.scan_iter(f"{self._backend.prefix}*", count=1000)):
            if key.endswith(b"2:converted"):
                continue
            kind = server.type(key)
            values: Any = server.hvals(key) if kind == b"hash" else [server.dump(key) or b""]
            stored += b"\n".join([key, *values])
        return stored

    async def close(self) -> None:
        while self._backend._opened:
            await self._backend._opened.pop().close()


def bytes_of(folder: Path) -> bytes:
    """Return the names and contents of all files in a folder."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return b"\n".join(str(path).encode() + b"\n" + path.read_bytes() for path in files)
