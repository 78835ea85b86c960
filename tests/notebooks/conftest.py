"""The stores of the contract suite, for what is built on them."""

from ..sessions.conftest import (
    backend,
    database,
    empty_sqlite,
    mysql_database,
    postgresql_database,
    redis_backend,
    store,
)

__all__ = [
    "backend",
    "database",
    "empty_sqlite",
    "mysql_database",
    "postgresql_database",
    "redis_backend",
    "store",
]
