"""The stores that run the contract suite. Add a class here for a new store."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
import redis

from aiserver.models import SessionKey
from aiserver.sessions.file.manager import FileSessionManager
from aiserver.sessions.key_value import KeyValueSessionManager, value_key
from aiserver.sessions.memory import InMemorySessionManager
from aiserver.sessions.record.filenames import session_name
from aiserver.sessions.redis import RedisSessionManager
from aiserver.sessions.sql import SQLSessionManager
from aiserver.testing import Backend

from ..servers import Redis, need, new_database, on_servers, run
from .databases import Database, sqlite_copy, sqlite_template
from .worker import Worker


class DurableBackend(Backend):
    """A backend that other processes can open, too."""

    url: str


class FileBackend(DurableBackend):
    def __init__(self, root: Path) -> None:
        self.root = root
        self.folder = root / ".aiserver_sessions"
        self.url = root.as_uri()

    def open(self) -> FileSessionManager:
        return FileSessionManager(root=str(self.root))

    def plant(self, key: SessionKey, data: bytes) -> None:
        self.folder.mkdir(exist_ok=True)
        (self.folder / session_name(key)).write_bytes(data)


class MemoryBackend(Backend):
    def __init__(self) -> None:
        self._manager = InMemorySessionManager()

    def open(self) -> InMemorySessionManager:
        return self._manager

    def plant(self, key: SessionKey, data: bytes) -> None:
        plant(self._manager, key, data)


class SQLBackend(DurableBackend):
    def __init__(self, database: Database) -> None:
        self.database = database
        self.url = database.url

    def open(self) -> SQLSessionManager:
        return self.database.open()

    def plant(self, key: SessionKey, data: bytes) -> None:
        plant(self.database.open(), key, data)


def plant(store: KeyValueSessionManager, key: SessionKey, data: bytes) -> None:
    """Store a session as a whole, as earlier versions did."""

    async def work() -> None:
        await store.run(lambda transaction: transaction.put(*value_key(key), data))
        await store.close()

    run(work())


DATABASES = ["sqlite", *on_servers("postgresql", "mysql")]
DURABLE = ["file", *DATABASES, *on_servers("redis")]


@pytest.fixture(scope="session")
def worker() -> Iterator[Worker]:
    """Return a process that forks others, which save."""
    modules = ("file", "redis", "sql", "sql.servers", "sql.sqlite")
    process = Worker(*(f"aiserver.sessions.{name}" for name in modules))
    yield process
    process.close()


@pytest.fixture(scope="session")
def empty_sqlite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Create an SQLite file with our tables."""
    return sqlite_template(tmp_path_factory.mktemp("sqlite"))


@pytest.fixture(scope="session")
def postgresql_database(postgres_url: str) -> Database:
    """Create a database that tests share one after another."""
    return Database(new_database(postgres_url))


@pytest.fixture(scope="session")
def mysql_database(mysql_url: str) -> Database:
    """Create a database that tests share one after another."""
    return Database(new_database(mysql_url))


def database_of(request: pytest.FixtureRequest, kind: str) -> Database:
    """Return an empty database of a kind."""
    if kind == "sqlite":
        template = request.getfixturevalue("empty_sqlite")
        return sqlite_copy(template, request.getfixturevalue("tmp_path"))
    database: Database = request.getfixturevalue(f"{kind}_database")
    database.empty()
    return database


@pytest.fixture(params=DATABASES)
def database(request: pytest.FixtureRequest) -> Database:
    """Return an empty database of each kind in turn."""
    return database_of(request, request.param)


class RedisBackend(DurableBackend):
    def __init__(self, url: str) -> None:
        self.prefix = f"test-{uuid.uuid4().hex}:"
        self.url = f"{url}?prefix={self.prefix}"
        self.server: redis.Redis = redis.Redis.from_url(url)
        self._opened: list[RedisSessionManager] = []

    def open(self) -> RedisSessionManager:
        self._opened.append(RedisSessionManager(url=self.url))
        return self._opened[-1]

    def plant(self, key: SessionKey, data: bytes) -> None:
        plant(RedisSessionManager(url=self.url), key, data)

    def content(self) -> dict[bytes, bytes]:
        """Return all stored data except the responses to writes."""
        names = self.server.scan_iter(f"{self.prefix}*", count=1000)
        remaining_names = [
            name
            for name in names
            if not name.startswith(f"{self.prefix}2:once:".encode()) and b"converted" not in name
        ]
        return {name: self.server.dump(name) for name in remaining_names}

    def empty(self) -> None:
        names = list(self.server.scan_iter(f"{self.prefix}*", count=1000))
        if names:
            self.server.delete(*names)


@pytest.fixture
def redis_server() -> Iterator[Redis]:
    """A Redis server for tests that break it. It persists each write before it responds."""
    need(Redis)
    server = Redis()
    with server:
        yield server


@pytest.fixture
def redis_backend(redis_url: str) -> Iterator[RedisBackend]:
    """Use a separate prefix in a real Redis."""
    place = RedisBackend(redis_url)
    yield place
    place.empty()
    place.server.close()


def backend_of(request: pytest.FixtureRequest, kind: str) -> Backend:
    """Return an empty store of a kind."""
    if kind == "memory":
        return MemoryBackend()
    if kind == "file":
        return FileBackend(request.getfixturevalue("tmp_path"))
    if kind == "redis":
        place: Backend = request.getfixturevalue("redis_backend")
        return place
    return SQLBackend(database_of(request, kind))


@pytest.fixture(params=["memory", *DURABLE])
def backend(request: pytest.FixtureRequest) -> Backend:
    """Return each store in turn, for the tests of stores."""
    return backend_of(request, request.param)


@pytest.fixture(params=["memory", "file", "sqlite"])
def local_backend(request: pytest.FixtureRequest) -> Backend:
    """Return each store without a server in turn, for the tests of code above the stores."""
    return backend_of(request, request.param)


@pytest.fixture
def files(tmp_path: Path) -> FileBackend:
    """Return the file store."""
    return FileBackend(tmp_path)
