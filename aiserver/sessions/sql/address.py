"""From the setting to what is connected to.

What must hold: what is wrong with a setting is said in a sentence that tells neither the address
nor the password; a package that is missing is named with its install line. Nothing large is
imported before ``resolve``.
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

_DRIVERS = {
    "sqlite": ("aiosqlite", "sql"),
    "postgresql": ("asyncpg", "postgresql"),
    "mysql": ("aiomysql", "mysql"),
    "mariadb": ("aiomysql", "mysql"),
}
_TRUE = ("1", "true", "yes", "require", "required")


@dataclass
class Address:
    """A database as the engine wants it."""

    kind: str
    """``sqlite``, ``postgresql`` or ``mysql``."""
    url: URL
    file: Path | None = None
    """Where SQLite keeps it; None in memory, and for the others."""
    connect_args: dict[str, Any] = field(default_factory=dict)

    @property
    def in_memory(self) -> bool:
        """Whether all is gone with its last connection."""
        return self.kind == "sqlite" and self.file is None


def kind_of(url: str) -> str:
    """Which database it is. Raises SettingError if it is none of ours, or a package is missing."""
    name, _, driver = url.partition(":")[0].lower().partition("+")
    if name not in _DRIVERS:
        raise SettingError("A database URL must start with postgresql, mysql or sqlite.")
    wanted, extra = _DRIVERS[name]
    if driver not in ("", wanted):
        raise SettingError(f"The URL of this database must start with {name}+{wanted}://.")
    if missing := [one for one in ("sqlalchemy", "alembic", "greenlet", wanted) if not _has(one)]:
        raise SettingError(
            f"This database needs more Python packages ({', '.join(missing)}): "
            f'pip install "aiserver[{extra}]"'
        )
    return "mysql" if name == "mariadb" else name


def resolve(url: str, password_file: str, start_dir: str) -> Address:
    """The address with its password. Raises SettingError."""
    from sqlalchemy import make_url
    from sqlalchemy.exc import ArgumentError

    kind = kind_of(url)
    try:
        made = make_url(url).set(drivername=f"{kind}+{_DRIVERS[kind][0]}")
    except (ArgumentError, ValueError):
        raise SettingError(
            "The database URL is not valid. In user names and passwords, write @ as %40, "
            ": as %3A, / as %2F and % as %25."
        ) from None  # the reason would tell the address
    if kind == "sqlite":
        return _of_file(made, start_dir)
    if password_file:
        made = made.set(password=_first_line(password_file))
    if not made.database:
        raise SettingError("The database URL has no database name: …://user@host/NAME.")
    secured, options = _security(kind, made)
    return Address(kind, secured, None, options)


def _of_file(url: URL, start_dir: str) -> Address:
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


def _security(kind: str, url: URL) -> tuple[URL, dict[str, Any]]:
    """How the connection is secured: by the words that each database's own tools use."""
    query = dict(url.query)
    options: dict[str, Any] = {}
    if kind == "postgresql":
        mode, authority = query.pop("sslmode", None), query.pop("sslrootcert", None)
        if mode is not None:
            query.setdefault("ssl", mode)
        if authority is not None:
            options["ssl"] = _trusting(str(authority))
            query.pop("ssl", None)
    else:
        wanted, authority = query.pop("ssl", ""), query.pop("ssl_ca", None)
        if authority is not None or str(wanted).lower() in _TRUE:
            options["ssl"] = _trusting(None if authority is None else str(authority))
    return url.set(query=query), options


def _trusting(authority: str | None) -> ssl.SSLContext:
    try:
        return ssl.create_default_context(cafile=authority)
    except (OSError, ssl.SSLError) as exc:
        raise SettingError("The database certificate file can't be read.") from exc


def _has(package: str) -> bool:
    try:
        return find_spec(package) is not None
    except (ImportError, ValueError):
        return False
