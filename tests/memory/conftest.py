"""The stores of memories that run the contract suite and the tests of the manager."""

from __future__ import annotations

import pytest

from aiserver.testing import MemoryBackend

from ..sessions.conftest import (  # noqa: F401
    DURABLE,
    database_of,
    empty_sqlite,
    mysql_database,
    postgresql_database,
    redis_backend,
)
from .backends import FileMemoryBackend, InMemoryBackend, RedisMemoryBackend, SQLMemoryBackend


def memory_backend_of(request: pytest.FixtureRequest, kind: str) -> MemoryBackend:
    """Return an empty store of a kind."""
    if kind == "memory":
        return InMemoryBackend()
    if kind == "file":
        return FileMemoryBackend(request.getfixturevalue("tmp_path") / "person")
    if kind == "redis":
        return RedisMemoryBackend(request.getfixturevalue("redis_backend"))
    return SQLMemoryBackend(database_of(request, kind))


@pytest.fixture(params=["memory", *DURABLE])
def memory_backend(request: pytest.FixtureRequest) -> MemoryBackend:
    """Return each store in turn, for the tests of stores."""
    return memory_backend_of(request, request.param)


@pytest.fixture(params=["memory", "file", "sqlite"])
def local_memory_backend(request: pytest.FixtureRequest) -> MemoryBackend:
    """Return each store without a server in turn, for the tests of the manager."""
    return memory_backend_of(request, request.param)
