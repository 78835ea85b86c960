"""The stores of memories that run the contract suite and the tests of the manager."""

from __future__ import annotations

from pathlib import Path

import pytest

from aiserver.testing import MemoryBackend

from ..sessions.conftest import (  # noqa: F401
    DATABASES,
    database_of,
    empty_sqlite,
    mysql_database,
    postgresql_database,
    redis_backend,
)
from .backends import FileMemoryBackend, InMemoryBackend, RedisMemoryBackend, SQLMemoryBackend

DURABLE = ["file", *DATABASES, "redis"]


@pytest.fixture(params=["memory", *DURABLE])
def memory_backend(request: pytest.FixtureRequest, tmp_path: Path) -> MemoryBackend:
    """Return each store in turn."""
    if request.param in DATABASES:
        return SQLMemoryBackend(database_of(request, request.param))
    if request.param == "redis":
        return RedisMemoryBackend(request.getfixturevalue("redis_backend"))
    return FileMemoryBackend(tmp_path / "person") if request.param == "file" else InMemoryBackend()
