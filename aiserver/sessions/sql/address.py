"""Parse the database URL of the settings.

Invariants: an error contains neither the URL nor the password. Only ``resolve_address`` imports
SQLAlchemy, which is slow.
"""

from __future__ import annotations

import ssl
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...errors import SettingError

if TYPE_CHECKING:
    from sqlalchemy import URL

_DRIVERS = {"sqlite": "pysqlite", "postgresql": "psycopg", "mysql": "pymysql"}
_FORMER_DRIVERS = {"aiosqlite", "asyncpg", "aiomysql"}  # a URL may still name one of them
_TLS_ON_VALUES = ("1", "true", "yes", "require", "required")  # of MySQL's option ``ssl``


@dataclass
class Address:
    """The parsed URL of a database, with the arguments for SQLAlchemy's ``create_engine``."""

    kind: str
    """``sqlite``, ``postgresql`` or ``mysql``."""
    url: URL
    file: Path | None = None
    """The SQLite file; None for an SQLite database in memory, PostgreSQL and MySQL."""
    connect_args: dict[str, Any] = field(default_factory=dict)
    """Options for the database driver, such as TLS certificates."""


def database_kind(url: str) -> str:
    """Return the kind of a URL's database: ``sqlite``, ``postgresql`` or ``mysql``.

    Raises SettingError for another kind, or if a Python package for it is missing.
    """
    name, _, driver = url.partition(":")[0].lower().partition("+")
    kind = "mysql" if name == "mariadb" else name
    if kind not in _DRIVERS:
        raise SettingError("A database URL must start with postgresql, mysql or sqlite.")
    if driver not in ("", _DRIVERS[kind], *_FORMER_DRIVERS):
        raise SettingError(f"The URL of this database must start with {name}://.")
    packages = ["sqlalchemy"] if kind == "sqlite" else ["sqlalchemy", _DRIVERS[kind]]
    if missing := [package for package in packages if not _is_installed(package)]:
        extra = "sql" if kind == "sqlite" else kind
        raise SettingError(
            f"This database needs more Python packages ({', '.join(missing)}): "
            f'pip install "aiserver[{extra}]"'
        )
    return kind


def resolve_address(url: str, password_file: str, start_dir: str) -> Address:
    """Return the address for a URL. Raises SettingError.

    The first line of ``password_file``, if any, is the password for PostgreSQL or MySQL. An SQLite
    file's relative path starts in ``start_dir``, or in the current folder.
    """
    from sqlalchemy import make_url
    from sqlalchemy.exc import ArgumentError

    kind = database_kind(url)
    try:
        parsed = make_url(url).set(drivername=f"{kind}+{_DRIVERS[kind]}")
    except (ArgumentError, ValueError):
        raise SettingError(
            "The database URL is not valid. In user names and passwords, write @ as %40, "
            ": as %3A, / as %2F and % as %25."
        ) from None  # the original exception contains the URL
    if kind == "sqlite":
        return _sqlite_address(parsed, start_dir)
    if password_file:
        parsed = parsed.set(password=_first_line(password_file))
    if not parsed.database:
        raise SettingError(
            "The database URL has no database name. It must look like …://user@host/NAME."
        )
    driver_url, options = _tls_options(kind, parsed)
    return Address(kind, driver_url, None, options)


def _sqlite_address(url: URL, start_dir: str) -> Address:
    if url.query:
        raise SettingError("The URL of an SQLite file can't have options.")
    if url.database in (None, "", ":memory:"):
        return Address("sqlite", url.set(database=":memory:"))
    path = Path(str(url.database)).expanduser()
    path = path if path.is_absolute() else Path(start_dir or Path.cwd()) / path
    return Address("sqlite", url.set(database=str(path)), path)


def _first_line(path: str) -> str:
    try:
        with Path(path).expanduser().open(encoding="utf-8") as file:
            return file.readline().rstrip("\r\n")
    except (OSError, UnicodeDecodeError) as exc:
        raise SettingError("The database password file can't be read.") from exc


def _tls_options(kind: str, url: URL) -> tuple[URL, dict[str, Any]]:
    query = dict(url.query)
    options: dict[str, Any] = {}
    if kind == "postgresql":
        if mode := query.pop("ssl", None):  # asyncpg's name of "sslmode"
            query.setdefault("sslmode", mode)
        if ca_file := query.get("sslrootcert"):
            _ssl_context(str(ca_file))  # raises if the file can't be read
            query["sslmode"] = "verify-full"
    else:
        use_tls, ca_file = query.pop("ssl", ""), query.pop("ssl_ca", None)
        if ca_file is not None or str(use_tls).lower() in _TLS_ON_VALUES:
            options["ssl"] = _ssl_context(None if ca_file is None else str(ca_file))
    return url.set(query=query), options


def _ssl_context(ca_file: str | None) -> ssl.SSLContext:
    try:
        return ssl.create_default_context(cafile=ca_file)
    except (OSError, ssl.SSLError) as exc:
        raise SettingError("The database certificate file can't be read.") from exc


def _is_installed(package: str) -> bool:
    try:
        return find_spec(package) is not None
    except (ImportError, ValueError):
        return False
