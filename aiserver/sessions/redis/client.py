"""The Redis client: connections, scripts, retries, and the mapping of errors.

Invariants:

- If Redis doesn't respond to a command, the command is sent again and again, for at most
  ``patience`` seconds. So any command may run several times. Each write that would do harm if it
  ran twice has a *write id*, a random text. By this id, the script recognises a write that it has
  already done (``lua/idempotent.lua``).
- An error's message never quotes a text from Redis. The original exception is only available as
  the error's ``__cause__``.
- The connections belong to one event loop. They are closed when this event loop ends, even if
  nobody calls ``close``.
"""

from __future__ import annotations

import asyncio
import hashlib
import random
import re
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from redis.asyncio import BlockingConnectionPool, Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import (
    AuthenticationError,
    ClusterError,
    ConnectionError,
    NoPermissionError,
    NoScriptError,
    RedisError,
    TimeoutError,
)

from ...errors import StorageError, StorageFull, StorageReadOnly, StorageUnreachable

_CONNECTIONS = 16
# The scripts that begin with ``idempotent.lua``.
_WRITES = {"append", "replace", "delete", "log", "delete_log_or_blob", "replace_document"}
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
    """Return a script's text and SHA-1.

    If Redis has run the script before, its SHA-1 is enough to run it again (command EVALSHA).
    """
    folder = files(__package__) / "lua"
    text = (folder / f"{name}.lua").read_text("utf-8")
    if name in _WRITES:
        text = (folder / "idempotent.lua").read_text("utf-8") + text
    return text, hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest()


class Client:
    """Connections to one Redis server.

    ``options`` is a function that returns the options for connections. It is called again whenever
    a new pool of connections is opened. ``patience`` is in seconds.
    """

    def __init__(self, options: Callable[[], Mapping[str, Any]], patience: float) -> None:
        self._options, self._patience = options, patience
        self._loop: asyncio.AbstractEventLoop | None = None
        self._redis: Redis | None = None
        self._client_generator: AsyncGenerator[Redis, None] | None = None
        self._connect_lock: asyncio.Lock | None = None

    async def run(self, name: str, keys: Sequence[str], *args: Any) -> Any:
        """Run a script and return its result. Raises StorageError."""
        text, digest = load_script(name)
        try:
            return await self.command("EVALSHA", digest, len(keys), *keys, *args)
        except NoScriptError:
            return await self.command("EVAL", text, len(keys), *keys, *args)

    async def info(self) -> dict[str, str]:
        """Return the server's state and statistics, as the command INFO reports them."""
        result = await self.command("INFO")
        return dict(line.split(":", 1) for line in result.decode().split("\r\n") if ":" in line)

    async def config(self) -> dict[str, str] | None:
        """Return Redis's settings for durability, or None if Redis refuses to report them."""
        settings: dict[str, str] = {}
        try:
            for name in ("appendfsync", "no-appendfsync-on-rewrite", "save"):
                result = await self.command("CONFIG", "GET", name)
                settings[name] = result[1].decode()
        except (StorageError, IndexError) as exc:
            if isinstance(exc, StorageUnreachable):
                raise
            return None
        return settings

    async def close(self) -> None:
        """Close the connections. The next use opens new ones."""
        generator, self._client_generator, self._redis = self._client_generator, None, None
        if generator and self._loop is asyncio.get_running_loop():
            await generator.aclose()

    async def command(self, *words: Any) -> Any:
        """Run a command and return its result. The command must do no harm if it runs twice.

        Raises StorageError, or NoScriptError if EVALSHA names a script that Redis doesn't have.
        """
        client = await self._connect()
        loop = asyncio.get_running_loop()
        deadline, delay = loop.time() + self._patience, _FIRST_DELAY
        while True:
            try:
                return await client.execute_command(*words)  # type: ignore[no-untyped-call]
            except NoScriptError:
                raise
            except (AuthenticationError, NoPermissionError) as exc:
                raise _translate(exc) from exc
            except (ConnectionError, TimeoutError) as exc:
                if loop.time() + delay > deadline:
                    raise StorageUnreachable from exc
            except RedisError as exc:
                raise _translate(exc) from exc
            await asyncio.sleep(delay * random.uniform(0.5, 1))  # noqa: S311
            delay = min(2 * delay, _LONGEST_DELAY)

    async def _connect(self) -> Redis:
        loop = asyncio.get_running_loop()
        if self._loop is not loop:
            self._loop, self._redis, self._client_generator = loop, None, None
            self._connect_lock = asyncio.Lock()
        if self._redis is None:
            assert self._connect_lock
            async with self._connect_lock:
                if self._redis is None:
                    options = await asyncio.to_thread(self._options)
                    self._client_generator = _open_client(options)
                    self._redis = await anext(self._client_generator)
        return self._redis


async def _open_client(options: Mapping[str, Any]) -> AsyncGenerator[Redis, None]:
    """Yield a new client. Close the client's connections when this generator is closed.

    An event loop closes its asynchronous generators when it ends.
    """
    # The pool must not retry by itself, because it doesn't know the deadline of ``command``.
    no_retry = Retry(NoBackoff(), 0)
    pool = BlockingConnectionPool(
        max_connections=_CONNECTIONS, timeout=None, retry=no_retry, **options
    )
    client = Redis(connection_pool=pool)
    # Different versions of the client library convert results differently. Without callbacks, the
    # client returns results as Redis sent them.
    client.response_callbacks.clear()
    try:
        yield client
    finally:
        await pool.disconnect(inuse_connections=True)


def _translate(error: RedisError) -> StorageError:
    """Return AI Server's error for an error of the client library."""
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

    If a command inside a script failed, the type of ``error`` doesn't show the code, but its
    message contains the code.
    """
    names = {"OutOfMemoryError": "OOM", "ReadOnlyError": "READONLY", "MovedError": "MOVED"}
    if type(error).__name__ in names:
        return names[type(error).__name__]
    match = _ERROR_CODE.search(str(error))
    return match and match[1]
