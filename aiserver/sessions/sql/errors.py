"""What a database says when something fails, as our errors.

What must hold: a person gets one of our sentences, never the database's own text, an address or a
password; those stay in ``__cause__``. What is said to be safe to try again has changed nothing, or
is found out first.
"""

from __future__ import annotations

import asyncio
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


class Fault(NamedTuple):
    """What became of the work."""

    error: StorageError
    """What to tell if it stays so."""
    again: bool = False
    """Nothing was done, and the next try may succeed."""
    lost: bool = False
    """The connection broke: it may have been done or not, and the next try may succeed."""


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


def fault(error: BaseException) -> Fault | None:
    """What an exception out of a transaction means; None if it is none of the database's."""
    if isinstance(error, sa.IntegrityError):
        # Somebody else has put the same key there in between: it is found by the next try.
        return Fault(StorageBusy(), again=True)
    if isinstance(error, (sa.TimeoutError, asyncio.TimeoutError, TimeoutError)):
        return Fault(StorageUnreachable())
    cause = error.orig if isinstance(error, sa.DBAPIError) else error
    if isinstance(error, sa.DBAPIError) and error.connection_invalidated:
        return Fault(StorageUnreachable(), lost=True)
    if (number := _number(cause)) is not None:
        return _mysql(number)
    state = getattr(cause, "sqlstate", None)
    if isinstance(state, str):
        return _postgresql(state)
    if type(cause).__module__ == "sqlite3":
        return _sqlite(str(cause).lower())
    if isinstance(cause, (OSError, EOFError)) or _is_drivers(cause):
        return Fault(StorageUnreachable(), lost=True)
    if isinstance(error, sa.SQLAlchemyError):
        return Fault(StorageError())
    return None


def bad_option() -> SettingError:
    """Where the driver was given a keyword that it doesn't know."""
    return SettingError(_BAD_OPTION)


def _postgresql(state: str) -> Fault:
    if state in ("40001", "40P01"):
        return Fault(StorageBusy(), again=True)
    if state in ("55P03", "57014"):
        return Fault(StorageBusy())
    if state[:2] == "08" or state in ("25P03", "57P01", "57P02", "57P03", "57P05", "53300"):
        return Fault(StorageUnreachable(), lost=True)
    if state == "53100":
        return Fault(StorageFull(_FULL))
    if state == "25006":
        return Fault(StorageReadOnly(_READ_ONLY))
    if state == "42501":
        return Fault(StorageReadOnly(_NOT_ALLOWED))
    if state[:2] == "28":
        return Fault(StorageUnreachable(_REFUSED))
    if state == "3D000":
        return Fault(StorageUnreachable(_NO_DATABASE))
    if state in ("42P01", "42703", "3F000"):
        return Fault(StorageError(_NO_TABLES))
    return Fault(StorageError())


def _mysql(number: int) -> Fault:
    if number in (1213, 1020):
        return Fault(StorageBusy(), again=True)
    if number in (1205, 3024, 1317, 1969):
        return Fault(StorageBusy())
    if number in (1040, 1053, 1158, 1159, 1160, 1161, 1203, 1226, 4031) or 2000 <= number < 2100:
        return Fault(StorageUnreachable(), lost=True)
    if number in (3, 1021, 1026, 1114):
        return Fault(StorageFull(_FULL))
    if number in (1036, 1290, 1792, 1836):
        return Fault(StorageReadOnly(_READ_ONLY))
    if number in (1142, 1143, 1044, 1227, 1370):
        return Fault(StorageReadOnly(_NOT_ALLOWED))
    if number in (1045, 1698, 1130, 1251):
        return Fault(StorageUnreachable(_REFUSED))
    if number == 1049:
        return Fault(StorageUnreachable(_NO_DATABASE))
    if number in (1146, 1054):
        return Fault(StorageError(_NO_TABLES))
    if number == 1153:
        return Fault(StorageError(_TOO_LARGE))
    return Fault(StorageError())


def _sqlite(text: str) -> Fault:
    if "locked" in text or "busy" in text:
        return Fault(StorageBusy())
    if "is full" in text:
        return Fault(StorageFull())
    if "readonly" in text:
        return Fault(StorageReadOnly("The history database file is not writable."))
    if "malformed" in text or "not a database" in text:
        return Fault(StorageError(_DAMAGED))
    if "unable to open" in text:
        return Fault(StorageReadOnly(_NO_FILE))
    if "no such table" in text or "no such column" in text:
        return Fault(StorageError(_NO_TABLES))
    return Fault(StorageError())


def _number(cause: Any) -> int | None:
    """MySQL's number of an error."""
    if type(cause).__module__.startswith("pymysql") and cause.args:
        return cause.args[0] if isinstance(cause.args[0], int) else None
    return None


def _is_drivers(cause: Any) -> bool:
    """Whether a driver itself says that it has no connection, or lost it."""
    return type(cause).__module__.split(".")[0] in ("asyncpg", "pymysql", "aiomysql", "aiosqlite")
