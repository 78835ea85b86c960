"""Parse the URL of a Redis server, and read the password file.

Invariants: an invalid URL is rejected before the first connection is opened, and the error's
message doesn't quote the URL.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from redis import BlockingConnectionPool
from redis.connection import parse_url
from redis.exceptions import RedisError

from ...errors import SettingError

DEFAULT = "redis://localhost:6379/0"
# redis-py has no types for these.
_Pool: Any = BlockingConnectionPool
_parse_url: Any = parse_url

_INVALID_URL = "The Redis URL is not valid."
# The default options, which the URL can override. All versions of Redis support protocol 2.
_OPTIONS: dict[str, Any] = {"protocol": 2, "socket_connect_timeout": 5, "socket_timeout": 10}


def url_prefix(url: str) -> str | None:
    """Return the value of the option ``prefix`` in a URL, or None if it is missing."""
    return dict(_query(url)).get("prefix")


def connection_options(url: str, password_file: str = "") -> dict[str, Any]:
    """Return the options for a connection pool.

    If ``password_file`` isn't empty, the password is read from this file. Raises SettingError.
    """
    query = urlencode([pair for pair in _query(url) if pair[0] != "prefix"])
    try:
        parts = urlsplit(re.sub(r"\Aredis\+unix:", "unix:", url))
        if parts.scheme != "unix" and not re.fullmatch(r"/?[0-9]*", parts.path):
            raise ValueError("not a database number")
        options = {**_OPTIONS, **_parse_url(urlunsplit(parts._replace(query=query)))}
        options["protocol"] = int(options["protocol"])
        _Pool(**options).make_connection()  # raises for unknown options
    except (ValueError, TypeError, RedisError) as exc:
        raise SettingError(_INVALID_URL) from exc
    return options | ({"password": _first_line(password_file)} if password_file else {})


def _query(url: str) -> list[tuple[str, str]]:
    """Return the names and values in a URL's query."""
    try:
        return parse_qsl(urlsplit(url).query, keep_blank_values=True)
    except ValueError as exc:
        raise SettingError(_INVALID_URL) from exc


def _first_line(file: str) -> str:
    try:
        text = Path(file).expanduser().read_text("utf-8")
    except (OSError, ValueError) as exc:
        raise SettingError("The Redis password file can't be read.") from exc
    return text.partition("\n")[0].rstrip("\r")
