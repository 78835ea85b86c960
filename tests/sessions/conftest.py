"""The stores that run the contract suite. Add a class here for a new store."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import redis

from aiserver.models import SessionKey
from aiserver.sessions.file.manager import FileSessionManager
from aiserver.sessions.memory import InMemorySessionManager
from aiserver.sessions.record import codec
from aiserver.sessions.record.filenames import session_name
from aiserver.sessions.redis import RedisSessionManager
from aiserver.sessions.redis.keys import Keyspace, cell_name, encode_owner
from aiserver.sessions.redis.layout import split
from aiserver.sessions.sql import SQLSessionManager
from aiserver.testing import Backend

from ..servers import Redis, need, new_database, on_servers
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
        self._manager._memory.save(key, codec.parse(data, key))


class SQLBackend(DurableBackend):
    def __init__(self, database: Database) -> None:
        self.database = database
        self.url = database.url

    def open(self) -> SQLSessionManager:
        return self.database.open()

    def plant(self, key: SessionKey, data: bytes) -> None:
        self.database.plant(key, data)


DATABASES = ["sqlite", *on_servers("postgresql", "mysql")]
DURABLE = ["file", *DATABASES, *on_servers("redis")]


@pytest.fixture(scope="session")
def worker() -> Iterator[Worker]:
    """Return a process that forks others, which save."""
    modules = ("file", "redis", "sql", "sql.operations", "sql.queries", "sql.servers", "sql.sqlite")
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
        self.names = Keyspace(self.prefix)
        self.url = f"{url}?prefix={self.prefix}"
        self.server: redis.Redis = redis.Redis.from_url(url)
        self._opened: list[RedisSessionManager] = []

    def open(self) -> RedisSessionManager:
        # Referenced, so that the event loop closes its connections, not the garbage collector.
        self._opened.append(RedisSessionManager(url=self.url))
        return self._opened[-1]

    def plant(self, key: SessionKey, data: bytes) -> None:
        """Write the session as a newer version, or one without a revision, would."""
        content = json.loads(data)
        session = codec.parse(data, key)
        parts = split(session, "planted")
        rest = {name: content[name] for name in content.keys() - {"meta", "interactions"}}
        events = rest.pop("events", None) if isinstance(rest.get("events"), list) else None
        head: Any = parts.head | {
            "meta": json.dumps(content["meta"]),
            "version": str(content["meta"]["version"]),
            "rest": "".join(f", {json.dumps(name)}: {json.dumps(rest[name])}" for name in rest),
        }
        names = self.names.session_keys(key)
        self.server.hset(names[3], mapping=head)
        for name, items in zip(names[4:6], (content["interactions"], events or []), strict=True):
            self.server.rpush(name, *map(json.dumps, items)) if items else None
        self.server.hset(names[2], cell_name(key), parts.row)
        self.server.zadd(names[1], {cell_name(key): 0})
        self.server.sadd(names[0], encode_owner(key.owner))

    def content(self) -> dict[bytes, bytes]:
        """Return all stored data except the responses to writes."""
        names = self.server.scan_iter(f"{self.prefix}*", count=1000)
        remaining_names = [
            name for name in names if not name.startswith(f"{self.prefix}once:".encode())
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
