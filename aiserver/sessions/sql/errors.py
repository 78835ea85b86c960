"""Map the exceptions of SQLAlchemy and the database drivers to AI Server's errors.

Invariants: an error's message is a fixed text, without words of the database, the URL or the
password. The original exception is only its ``__cause__``. A transaction is attempted again only if
nothing was changed, or if the next attempt can find out whether it was committed.
"""

from __future__ import annotations

import asyncio
import re
import sqlite3
from collections.abc import Callable
from typing import Any, NamedTuple

from sqlalchemy import exc as sa

from ...errors import (
    StorageBusy,
    StorageError,
    StorageFull,
    StorageReadOnly,
    StorageUnreachable,
)


class Failure(NamedTuple):
    """A failed transaction's error, and whether to try again."""

    error: StorageError
    """The error to raise if no other attempt succeeds."""
    can_retry: bool = False
    """Whether nothing was committed, and another attempt may succeed."""
    outcome_unknown: bool = False
    """Whether the connection broke, so that the transaction may be committed. Allows a retry."""


_FULL = "The history database is full, so nothing was saved."
_READ_ONLY = "The history database is read-only, so nothing was saved."
_NOT_ALLOWED = (
    "The database account lacks the required permissions, so nothing was saved. Ask the database "
    "administrator."
)
_REJECTED = "The history database rejected the user name or password in this server's settings."
_NO_DATABASE = "The database named in this server's settings does not exist."
_NO_TABLES = "The history tables are missing from the database or have an unexpected structure."
_TOO_LARGE = "The text is larger than the database accepts at once (max_allowed_packet)."
_DAMAGED = "The history database file is damaged or is not a database."
_FILE_NOT_WRITABLE = "The history database file is not writable."
_NO_FILE = "The history database file can't be opened or created."


_FAILURES: list[tuple[Callable[[], Failure], tuple[str | int, ...]]] = [
    # A deadlock, or two transactions that can't be serialised.
    (lambda: Failure(StorageBusy(), can_retry=True), ("40001", "40P01", 1020, 1213)),
    # A lock or a statement took too long.
    (lambda: Failure(StorageBusy()), ("55P03", "57014", 1205, 1317, 1969, 3024)),
    # The connection broke, or the database is starting, stopping, or has too many connections.
    (
        lambda: Failure(StorageUnreachable(), outcome_unknown=True),
        (
            *("08", "25P03", "57P01", "57P02", "57P03", "57P05", "53300"),
            *(1040, 1053, 1158, 1159, 1160, 1161, 1203, 1226, 4031, *range(2000, 2100)),
        ),
    ),
    (lambda: Failure(StorageFull(_FULL)), ("53100", 3, 1021, 1026, 1114)),
    (lambda: Failure(StorageReadOnly(_READ_ONLY)), ("25006", 1036, 1290, 1792, 1836)),
    (lambda: Failure(StorageReadOnly(_NOT_ALLOWED)), ("42501", 1044, 1142, 1143, 1227, 1370)),
    (lambda: Failure(StorageUnreachable(_REJECTED)), ("28", 1045, 1130, 1251, 1698)),
    (lambda: Failure(StorageUnreachable(_NO_DATABASE)), ("3D000", 1049)),
    (lambda: Failure(StorageError(_NO_TABLES)), ("42P01", "42703", "3F000", 1054, 1146)),
    (lambda: Failure(StorageError(_TOO_LARGE)), (1153,)),
]
"""Each failure with its error codes: numbers of MySQL, and texts of PostgreSQL, of which two
characters stand for all codes that begin with them. Each raised exception is a new object.
"""

_SQLITE_FAILURES: list[tuple[Callable[[], Failure], tuple[str, ...]]] = [
    (lambda: Failure(StorageBusy()), ("locked", "busy")),
    (lambda: Failure(StorageFull()), ("is full",)),
    (lambda: Failure(StorageReadOnly(_FILE_NOT_WRITABLE)), ("readonly",)),
    (lambda: Failure(StorageError(_DAMAGED)), ("malformed", "not a database")),
    (lambda: Failure(StorageReadOnly(_NO_FILE)), ("unable to open",)),
    (lambda: Failure(StorageError(_NO_TABLES)), ("no such table", "no such column")),
]
"""Each failure with phrases by which it is recognised in the messages of SQLite's errors."""


def classify(error: BaseException) -> Failure | None:
    """Return the failure; None if the database didn't cause it."""
    if isinstance(error, (sa.IntegrityError, sqlite3.IntegrityError)):
        # Another writer inserted this row; the next attempt reads it.
        return Failure(StorageBusy(), can_retry=True)
    if isinstance(error, (sa.TimeoutError, asyncio.TimeoutError, TimeoutError)):
        return Failure(StorageUnreachable())
    cause = error.orig if isinstance(error, sa.DBAPIError) else error
    if isinstance(error, sa.DBAPIError) and error.connection_invalidated:
        return Failure(StorageUnreachable(), outcome_unknown=True)
    code = _mysql_code(cause) or getattr(cause, "sqlstate", None)
    if code is not None:
        code_and_class = (code, code[:2]) if isinstance(code, str) else (code,)
        matches = (
            create() for create, codes in _FAILURES if not set(codes).isdisjoint(code_and_class)
        )
        return next(matches, Failure(StorageError()))
    if type(cause).__module__ == "sqlite3":
        message = str(cause).lower()
        matches = (
            create()
            for create, phrases in _SQLITE_FAILURES
            if any(phrase in message for phrase in phrases)
        )
        return next(matches, Failure(StorageError()))
    if type(cause).__module__.startswith("psycopg"):
        return _classify_postgresql_message(str(cause))
    if isinstance(cause, (OSError, EOFError)) or type(cause).__module__.startswith("pymysql"):
        return Failure(StorageUnreachable(), outcome_unknown=True)
    if isinstance(error, sa.SQLAlchemyError):
        return Failure(StorageError())
    return None


def _classify_postgresql_message(message: str) -> Failure:
    """Used for errors without a code."""
    if "authentication failed" in message or re.search('role ".*" does not exist', message):
        return Failure(StorageUnreachable(_REJECTED))
    if re.search('database ".*" does not exist', message):
        return Failure(StorageUnreachable(_NO_DATABASE))
    return Failure(StorageUnreachable(), outcome_unknown=True)


def _mysql_code(cause: Any) -> int | None:
    if type(cause).__module__.startswith("pymysql") and cause.args:
        return cause.args[0] if isinstance(cause.args[0], int) else None
    return None
