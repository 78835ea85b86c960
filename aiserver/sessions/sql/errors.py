"""Map the exceptions of SQLAlchemy and the drivers to our errors.

Invariants: messages are ours and contain no text of the database, URL or password; those stay in
``__cause__``. A retry is offered only if nothing was changed, or if the next attempt can tell
whether the last one was committed.
"""

from __future__ import annotations

import asyncio
import re
import sqlite3
from typing import Any, NamedTuple

from sqlalchemy import exc as sa

from ...errors import (
    SettingError,
    StorageBusy,
    StorageError,
    StorageFull,
    StorageReadOnly,
    StorageUnreachable,
)


class Failure(NamedTuple):
    """A failed transaction."""

    error: StorageError
    """Raised if no attempt succeeds."""
    can_retry: bool = False
    """Nothing was committed, and the next attempt may succeed."""
    outcome_unknown: bool = False
    """The connection broke: it may have been committed, and the next attempt may succeed."""


_FULL = "The history database is full, so nothing was saved."
_READ_ONLY = "The history database is read-only, so nothing was saved."
_NOT_ALLOWED = (
    "The database account lacks the required permissions, so nothing was saved. Ask the database "
    "administrator."
)
_REFUSED = "The history database rejected the user name or password in this server's settings."
_NO_DATABASE = "The database named in this server's settings does not exist."
_NO_TABLES = "The history tables are missing from the database or have an unexpected structure."
_TOO_LARGE = "The text is larger than the database accepts at once (max_allowed_packet)."
_DAMAGED = "The history database file is damaged or is not a database."
_NO_FILE = "The history database file can't be opened or created."
_BAD_OPTION = "The database URL contains an option that its driver does not support."


def classify(error: BaseException) -> Failure | None:
    """Classify an exception of a transaction; None if the database did not cause it."""
    if isinstance(error, (sa.IntegrityError, sqlite3.IntegrityError)):
        # Another writer inserted the same key meanwhile; the next attempt reads it.
        return Failure(StorageBusy(), can_retry=True)
    if isinstance(error, (sa.TimeoutError, asyncio.TimeoutError, TimeoutError)):
        return Failure(StorageUnreachable())
    cause = error.orig if isinstance(error, sa.DBAPIError) else error
    if isinstance(error, sa.DBAPIError) and error.connection_invalidated:
        return Failure(StorageUnreachable(), outcome_unknown=True)
    if (number := _mysql_code(cause)) is not None:
        return _mysql(number)
    state = getattr(cause, "sqlstate", None)
    if isinstance(state, str):
        return _postgresql(state)
    if type(cause).__module__ == "sqlite3":
        return _sqlite(str(cause).lower())
    if type(cause).__module__.startswith("psycopg"):
        return _connection_to_postgresql(str(cause))
    if isinstance(cause, (OSError, EOFError)) or type(cause).__module__.startswith("pymysql"):
        return Failure(StorageUnreachable(), outcome_unknown=True)
    if isinstance(error, sa.SQLAlchemyError):
        return Failure(StorageError())
    return None


def bad_option() -> SettingError:
    """The error for a URL option that the driver doesn't know."""
    return SettingError(_BAD_OPTION)


def _postgresql(state: str) -> Failure:
    if state in ("40001", "40P01"):
        return Failure(StorageBusy(), can_retry=True)
    if state in ("55P03", "57014"):
        return Failure(StorageBusy())
    if state[:2] == "08" or state in ("25P03", "57P01", "57P02", "57P03", "57P05", "53300"):
        return Failure(StorageUnreachable(), outcome_unknown=True)
    if state == "53100":
        return Failure(StorageFull(_FULL))
    if state == "25006":
        return Failure(StorageReadOnly(_READ_ONLY))
    if state == "42501":
        return Failure(StorageReadOnly(_NOT_ALLOWED))
    if state[:2] == "28":
        return Failure(StorageUnreachable(_REFUSED))
    if state == "3D000":
        return Failure(StorageUnreachable(_NO_DATABASE))
    if state in ("42P01", "42703", "3F000"):
        return Failure(StorageError(_NO_TABLES))
    return Failure(StorageError())


def _connection_to_postgresql(text: str) -> Failure:
    """Classify an error without a code: PostgreSQL's client passes none on while connecting."""
    if "authentication failed" in text or re.search('role ".*" does not exist', text):
        return Failure(StorageUnreachable(_REFUSED))
    if re.search('database ".*" does not exist', text):
        return Failure(StorageUnreachable(_NO_DATABASE))
    return Failure(StorageUnreachable(), outcome_unknown=True)


def _mysql(number: int) -> Failure:
    if number in (1213, 1020):
        return Failure(StorageBusy(), can_retry=True)
    if number in (1205, 3024, 1317, 1969):
        return Failure(StorageBusy())
    if number in (1040, 1053, 1158, 1159, 1160, 1161, 1203, 1226, 4031) or 2000 <= number < 2100:
        return Failure(StorageUnreachable(), outcome_unknown=True)
    if number in (3, 1021, 1026, 1114):
        return Failure(StorageFull(_FULL))
    if number in (1036, 1290, 1792, 1836):
        return Failure(StorageReadOnly(_READ_ONLY))
    if number in (1142, 1143, 1044, 1227, 1370):
        return Failure(StorageReadOnly(_NOT_ALLOWED))
    if number in (1045, 1698, 1130, 1251):
        return Failure(StorageUnreachable(_REFUSED))
    if number == 1049:
        return Failure(StorageUnreachable(_NO_DATABASE))
    if number in (1146, 1054):
        return Failure(StorageError(_NO_TABLES))
    if number == 1153:
        return Failure(StorageError(_TOO_LARGE))
    return Failure(StorageError())


def _sqlite(text: str) -> Failure:
    if "locked" in text or "busy" in text:
        return Failure(StorageBusy())
    if "is full" in text:
        return Failure(StorageFull())
    if "readonly" in text:
        return Failure(StorageReadOnly("The history database file is not writable."))
    if "malformed" in text or "not a database" in text:
        return Failure(StorageError(_DAMAGED))
    if "unable to open" in text:
        return Failure(StorageReadOnly(_NO_FILE))
    if "no such table" in text or "no such column" in text:
        return Failure(StorageError(_NO_TABLES))
    return Failure(StorageError())


def _mysql_code(cause: Any) -> int | None:
    """MySQL's error code, or None for other databases."""
    if type(cause).__module__.startswith("pymysql") and cause.args:
        return cause.args[0] if isinstance(cause.args[0], int) else None
    return None
