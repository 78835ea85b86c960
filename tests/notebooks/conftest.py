"""Fixtures: the stores of the contract suite."""

from ..sessions.conftest import (
    backend,
    database,
    empty_sqlite,
    files,
    mysql_database,
    postgresql_database,
    redis_backend,
)

__all__ = [
    "backend",
    "database",
    "empty_sqlite",
    "files",
    "mysql_database",
    "postgresql_database",
    "redis_backend",
]
