"""Connections, scripts, retries, and the mapping of errors. Synchronous.

Invariants:

- A command without a response is sent again for at most ``patience`` seconds, so it may run several
  times; ``lua/commit.lua`` recognises its own write.
- An error's message quotes neither a text from Redis nor the URL.
"""

from __future__ import annotations

import hashlib
import random
import re
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from redis import BlockingConnectionPool, Redis
from redis.backoff import NoBackoff
from redis.connection import parse_url
from redis.exceptions import (
    AuthenticationError,
    ClusterError,
    ConnectionError,
    NoPermissionError,
    NoScriptError,
    RedisError,
    TimeoutError,
)
from redis.retry import Retry

from ...errors import SettingError, StorageError, StorageFull, StorageReadOnly, StorageUnreachable

# redis-py has no types for these.
_Pool: Any = BlockingConnectionPool
DEFAULT_URL = "redis://localhost:6379/0"
_parse_url: Any = parse_url

_INVALID_URL = "The Redis URL is not valid."
# The URL can override these. All versions of Redis support protocol 2.
_OPTIONS: dict[str, Any] = {"protocol": 2, "socket_connect_timeout": 5, "socket_timeout": 10}
_RANDOM = random.SystemRandom()

_CONNECTIONS = 16
_FIRST_DELAY, _LONGEST_DELAY = 0.02, 0.5  # seconds between two attempts
_ERROR_CODE = re.compile(
    r"(?:\A|[\s-])(OOM|MISCONF|READONLY|NOREPLICAS|WRONGTYPE|MASTERDOWN|MOVED)\b"
)
_FULL = "Redis is out of memory, so nothing was saved. Delete some data, or raise “maxmemory”."
_NO_DISK = (
    "Redis can't write to its disk, which may be full, so nothing was saved. Check the Redis log."
)
_READ_ONLY = "This Redis is a read-only replica, so nothing was saved."
_NO_REPLICAS = (
    "Redis does not have enough replicas right now, so nothing was saved. Try again in a moment."
)
_OTHER_DATA = "Redis has other data under AI Server's keys. Choose another prefix or database."
_CLUSTER = "Redis Cluster is not supported. Use a single Redis server, with replicas if you like."
_REJECTED = "Redis rejected the user name or password."
_FORBIDDEN = (
    "The Redis user lacks permissions: it needs to read, write and run scripts on all keys with "
    "the prefix."
)


@cache
def load_script(name: str) -> tuple[str, str]:
    """Return a script's text, and its SHA-1 for EVALSHA."""
    text = (files(__package__) / "lua" / f"{name}.lua").read_text("utf-8")
    return text, hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest()


class Client:
    """Connections to one Redis server. Thread-safe.

    ``options`` is called for each new pool. ``patience`` is in seconds.
    """

    def __init__(self, options: Callable[[], Mapping[str, Any]], patience: float) -> None:
        self._options, self._patience = options, patience
        self._redis: Redis | None = None
        self._lock = threading.Lock()

    def run(self, name: str, keys: Sequence[str], *args: Any) -> Any:
        """Run a script and return its result. Raises StorageError."""
        text, digest = load_script(name)
        try:
            return self.command("EVALSHA", digest, len(keys), *keys, *args)
        except NoScriptError:
            return self.command("EVAL", text, len(keys), *keys, *args)

    def info(self) -> dict[str, str]:
        result = self.command("INFO")
        return dict(line.split(":", 1) for line in result.decode().split("\r\n") if ":" in line)

    def config(self) -> dict[str, str] | None:
        """Return the settings for durability, or None if Redis refuses to report them."""
        settings: dict[str, str] = {}
        try:
            for name in ("appendfsync", "no-appendfsync-on-rewrite", "save"):
                result = self.command("CONFIG", "GET", name)
                settings[name] = result[1].decode()
        except (StorageError, IndexError) as exc:
            if isinstance(exc, StorageUnreachable):
                raise
            return None
        return settings

    def dispose(self) -> None:
        """Close the connections; the next use opens new ones."""
        self._disconnect(inuse_connections=True)

    def close_idle(self) -> None:
        """Do the same without disturbing commands that are running."""
        self._disconnect(inuse_connections=False)

    def _disconnect(self, **options: bool) -> None:
        with self._lock:
            client, self._redis = self._redis, None
        if client:
            client.connection_pool.disconnect(**options)

    def command(self, *words: Any) -> Any:
        """Run a command, which must do no harm if it runs twice.

        Raises StorageError, or NoScriptError if Redis lacks the script of EVALSHA.
        """
        deadline, delay = time.monotonic() + self._patience, _FIRST_DELAY
        while True:
            try:
                return self._connect().execute_command(*words)
            except NoScriptError:
                raise
            except (AuthenticationError, NoPermissionError) as exc:
                raise _translate(exc) from exc
            except (ConnectionError, TimeoutError) as exc:
                if time.monotonic() + delay > deadline:
                    raise StorageUnreachable from exc
            except RedisError as exc:
                raise _translate(exc) from exc
            time.sleep(delay * _RANDOM.uniform(0.5, 1))
            delay = min(2 * delay, _LONGEST_DELAY)

    def _connect(self) -> Any:
        with self._lock:
            if self._redis is None:
                # The pool must not retry, because it doesn't know the deadline.
                pool = _Pool(
                    max_connections=_CONNECTIONS,
                    timeout=None,
                    retry=Retry(NoBackoff(), 0),
                    **self._options(),
                )
                self._redis = Redis(connection_pool=pool)
                # Results as Redis sent them, in any version of the library.
                self._redis.response_callbacks.clear()
            return self._redis


def _translate(error: RedisError) -> StorageError:
    if isinstance(error, AuthenticationError):
        return StorageUnreachable(_REJECTED)
    if isinstance(error, NoPermissionError):
        return StorageReadOnly(_FORBIDDEN)
    if isinstance(error, ClusterError):
        return StorageError(_CLUSTER)
    errors: dict[str, Callable[[], StorageError]] = {
        "OOM": lambda: StorageFull(_FULL),
        "MISCONF": lambda: StorageFull(_NO_DISK),
        "READONLY": lambda: StorageReadOnly(_READ_ONLY),
        "NOREPLICAS": lambda: StorageError(_NO_REPLICAS),
        "WRONGTYPE": lambda: StorageError(_OTHER_DATA),
        "MASTERDOWN": StorageUnreachable,
        "MOVED": lambda: StorageError(_CLUSTER),
    }
    return errors[code]() if (code := _error_code(error)) else StorageError()


def _error_code(error: RedisError) -> str | None:
    """Return the code of an error, such as OOM, or None.

    If a command in a script failed, the code is only in the message.
    """
    names = {"OutOfMemoryError": "OOM", "ReadOnlyError": "READONLY", "MovedError": "MOVED"}
    if type(error).__name__ in names:
        return names[type(error).__name__]
    match = _ERROR_CODE.search(str(error))
    return match and match[1]


def url_prefix(url: str) -> str | None:
    """Return the option ``prefix`` of a URL, or None."""
    return dict(_query(url)).get("prefix")


def connection_options(url: str, password_file: str = "") -> dict[str, Any]:
    """Return the options for a connection pool.

    The password is read from ``password_file``, if there is one. Raises SettingError.
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
