"""Databases that run as servers: PostgreSQL, MySQL and MariaDB.

Invariants: a Jupyter server has no open connections after an idle minute without locks, because a
database limits their number. A lock belongs to a connection, so it is released when that ends.
"""

from __future__ import annotations

import contextlib
import hashlib
from abc import abstractmethod
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from sqlalchemy import Connection, create_engine, event, text
from sqlalchemy.exc import ProgrammingError

from ...errors import SettingError, StorageBusy
from .address import Address
from .database import LOCK_TIMEOUT, Database
from .schema import owner_key

T = TypeVar("T")

CONNECT_TIMEOUT = 10  # seconds
# A machine whose transaction is idle for a minute has probably died.
_POSTGRESQL_SETTINGS = """
SET lock_timeout = '10s';
SET idle_in_transaction_session_timeout = '60s';
SET tcp_keepalives_idle = 30;
SET tcp_keepalives_interval = 10;
SET tcp_keepalives_count = 3
"""
# With these, AI Server notices that the database's machine has died.
_KEEPALIVES = {
    "keepalives_idle": 30,
    "keepalives_interval": 10,
    "keepalives_count": 3,
    "tcp_user_timeout": 60_000,
}
# With another sql_mode, MySQL may truncate texts or interpret backslashes differently.
_MYSQL_SETTINGS = (
    "SET SESSION sql_mode = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION', "
    f"SESSION innodb_lock_wait_timeout = {LOCK_TIMEOUT}, SESSION wait_timeout = 600"
)
_NETWORK_TIMEOUT = 60  # seconds to receive or send


class ServerDatabase(Database):
    """A database that runs as a server, such as PostgreSQL."""

    def __init__(self, address: Address, **options: Any) -> None:
        super().__init__()
        self._engine = create_engine(
            address.url,
            connect_args={"connect_timeout": CONNECT_TIMEOUT, **options, **address.connect_args},
            isolation_level="READ COMMITTED",
            hide_parameters=True,
            pool_pre_ping=True,
            pool_recycle=300,
            pool_size=4,
            max_overflow=4,
            pool_timeout=CONNECT_TIMEOUT,
        )

    @abstractmethod
    def _lock_statements(self, name_digest: bytes) -> tuple[str, str]:
        """Return statements that acquire a lock, selecting 1, and release it."""

    def _transaction(self, is_write: bool, work: Callable[[Connection], T]) -> T:
        with self._connect() as connection:
            if not is_write:  # all reads of the transaction see the same state
                connection.execution_options(isolation_level="REPEATABLE READ")
            with connection.begin():
                return work(connection)

    @contextlib.contextmanager
    def _connect(self) -> Iterator[Connection]:
        pool = self._engine.pool
        try:
            with self._engine.connect() as connection:
                yield connection
        finally:
            if pool is not self._engine.pool:
                # ``_close_connections`` replaced the pool, but couldn't close this one.
                pool.dispose()

    def _notebook_lock(self, owner: str) -> contextlib.AbstractContextManager[None]:
        return self._lock(f"notebooks of {owner_key(owner)}")

    def _tables_lock(self) -> contextlib.AbstractContextManager[None]:
        return self._lock("tables")

    @contextlib.contextmanager
    def _lock(self, name: str) -> Iterator[None]:
        """The database releases the lock if this process dies."""
        digest = hashlib.sha256(name.encode()).digest()
        lock, unlock = map(text, self._lock_statements(digest))
        with self._connect() as connection:
            # Otherwise, a transaction would be open and idle meanwhile.
            connection.execution_options(isolation_level="AUTOCOMMIT")
            if connection.execute(lock).scalar() != 1:
                raise StorageBusy
            try:
                yield
            finally:
                try:
                    connection.execute(unlock)
                except Exception:
                    connection.invalidate()  # this releases the lock

    def _create_tables(self) -> None:
        try:
            self._engine.connect().close()
        except (TypeError, ProgrammingError) as exc:  # the driver rejects an option of the URL
            message = "The database URL contains an option that its driver does not support."
            raise SettingError(message) from exc
        super()._create_tables()

    def close_idle(self) -> None:
        if not self._notebook_locks:
            self._close_connections()

    def _close_connections(self) -> None:
        self._engine.dispose()


class PostgreSQLDatabase(ServerDatabase):
    """A PostgreSQL database."""

    def __init__(self, address: Address) -> None:
        super().__init__(address, **_KEEPALIVES)
        event.listen(self._engine, "connect", _configure_postgresql)

    def is_writable(self) -> bool:
        query = "SHOW transaction_read_only"
        return bool(self.query(lambda db: db.exec_driver_sql(query).scalar() == "off"))

    def missing_guarantees(self) -> list[str]:
        return self.query(_missing_in_postgresql)

    def _lock_statements(self, name_digest: bytes) -> tuple[str, str]:
        lock_id = int.from_bytes(name_digest[:8], "big", signed=True)
        # This fails after ``lock_timeout``.
        return f"SELECT 1, pg_advisory_lock({lock_id})", f"SELECT pg_advisory_unlock({lock_id})"


def _configure_postgresql(connection: Any, _: Any) -> None:
    connection.execute(_POSTGRESQL_SETTINGS)
    connection.commit()


def _missing_in_postgresql(connection: Connection) -> list[str]:
    query = text("SELECT name, setting FROM pg_settings WHERE name = ANY(:names)")
    names = ["fsync", "full_page_writes", "synchronous_commit"]
    settings = {row[0]: row[1] for row in connection.execute(query, {"names": names})}
    warnings = [
        f"PostgreSQL's setting {name} is off: if its machine crashes, recent changes may be lost "
        "or the database damaged."
        for name in names[:2]
        if settings.get(name) == "off"
    ]
    if settings.get("synchronous_commit") == "off":
        warnings.append(
            "PostgreSQL's setting synchronous_commit is off: the most recent changes are lost if "
            "its machine crashes."
        )
    return warnings


class MySQLDatabase(ServerDatabase):
    """A MySQL or MariaDB database."""

    def __init__(self, address: Address) -> None:
        super().__init__(
            address,
            charset="utf8mb4",
            init_command=_MYSQL_SETTINGS,
            read_timeout=_NETWORK_TIMEOUT,
            write_timeout=_NETWORK_TIMEOUT,
        )

    def is_writable(self) -> bool:
        return not self.query(lambda db: db.exec_driver_sql("SELECT @@read_only").scalar())

    def missing_guarantees(self) -> list[str]:
        return self.query(_missing_in_mysql)

    def _lock_statements(self, name_digest: bytes) -> tuple[str, str]:
        # MySQL's lock names are valid in the whole server.
        full_name = f"CONCAT('{name_digest[:8].hex()}-', MD5(DATABASE()))"
        return f"SELECT GET_LOCK({full_name}, {LOCK_TIMEOUT})", f"SELECT RELEASE_LOCK({full_name})"


def _missing_in_mysql(connection: Connection) -> list[str]:
    warnings = []
    if connection.exec_driver_sql("SELECT @@innodb_flush_log_at_trx_commit").scalar() != 1:
        warnings.append(
            "MySQL's setting innodb_flush_log_at_trx_commit is not 1: up to one second of changes "
            "is lost if its machine crashes."
        )
    doublewrite = connection.exec_driver_sql("SELECT @@innodb_doublewrite").scalar()
    if str(doublewrite).upper() in ("0", "OFF"):
        warnings.append(
            "MySQL's setting innodb_doublewrite is off: data that is being written when its "
            "machine crashes may be damaged."
        )
    tables_of_other_engines = connection.exec_driver_sql(
        "SELECT table_name FROM information_schema.tables WHERE table_schema = DATABASE() "
        "AND LEFT(table_name, 8) = 'aiserver' AND engine <> 'InnoDB'"
    )
    if tables_of_other_engines.first():
        warnings.append(
            "The history tables do not use InnoDB: a save may be incomplete if the database is "
            "stopped."
        )
    return warnings
