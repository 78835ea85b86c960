"""The way to Redis: connections, scripts, what to do when it doesn't answer, and its errors.

What must hold:

- What was sent and got no answer is sent again, for as long as ``patience`` says. So all that is
  sent may be sent twice: a script that writes finds out by its stamp that it was done.
- No error carries what Redis said: that stays in ``__cause__``.
- Connections belong to one event loop, and are closed when that ends, whoever forgets to.
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
_FIRST_WAIT, _LONGEST_WAIT = 0.02, 0.5
_CODE = re.compile(r"(?:\A|[\s-])(OOM|MISCONF|READONLY|NOREPLICAS|WRONGTYPE|MASTERDOWN|MOVED)\b")
_FULL = "Redis is out of memory, so nothing was saved. Delete some data, or raise “maxmemory”."
_NO_DISK = (
    "Redis can't write to its disk, which may be full, so nothing was saved. Check the Redis log."
)
_READ_ONLY = "This Redis is a read-only replica, so nothing was saved."
_NO_COPIES = (
    "Redis does not have enough replicas right now, so nothing was saved. Try again in a moment."
)
_FOREIGN = "Redis has other data under AI Server's keys. Choose another prefix or database."
_CLUSTER = "Redis Cluster is not supported. Use a single Redis server, with replicas if you like."
_REFUSED = "Redis rejected the user name or password."
_FORBIDDEN = (
    "The Redis user lacks permissions: it needs to read, write and run scripts on all keys with "
    "the prefix."
)


@cache
def script(name: str) -> tuple[str, str]:
    """A script's text, and the hash that Redis knows it by."""
    folder = files(__package__) / "lua"
    text = (folder / f"{name}.lua").read_text("utf-8")
    if name in ("append", "put", "delete", "log", "forget"):
        text = (folder / "once.lua").read_text("utf-8") + text
    return text, hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest()


class Wire:
    """Connections to one Redis. ``options`` is asked once for each event loop."""

    def __init__(self, options: Callable[[], Mapping[str, Any]], patience: float) -> None:
        self._options, self._patience = options, patience
        self._loop: asyncio.AbstractEventLoop | None = None
        self._client: Redis | None = None
        self._life: AsyncGenerator[Redis, None] | None = None
        self._opening: asyncio.Lock | None = None

    async def run(self, name: str, keys: Sequence[str], *args: Any) -> Any:
        """The answer of a script. Raises StorageError."""
        text, digest = script(name)

        try:
            return await self._answer("EVALSHA", digest, len(keys), *keys, *args)
        except NoScriptError:
            return await self._answer("EVAL", text, len(keys), *keys, *args)

    async def command(self, *parts: Any) -> Any:
        """The answer to one command that may be sent twice. Raises StorageError."""
        return await self._answer(*parts)

    async def info(self) -> dict[str, str]:
        """What the server says of itself."""
        answer = await self.command("INFO")
        return dict(line.split(":", 1) for line in answer.decode().split("\r\n") if ":" in line)

    async def config(self) -> dict[str, str] | None:
        """The settings that say what is durable; None where they are not told."""
        settings: dict[str, str] = {}
        try:
            for name in ("appendfsync", "no-appendfsync-on-rewrite", "save"):
                answer = await self.command("CONFIG", "GET", name)
                settings[name] = answer[1].decode()
        except (StorageError, IndexError) as exc:
            if isinstance(exc, StorageUnreachable):
                raise
            return None
        return settings

    async def close(self) -> None:
        """Close the connections. The next use opens new ones."""
        life, self._life, self._client = self._life, None, None
        if life and self._loop is asyncio.get_running_loop():
            await life.aclose()

    async def _answer(self, *parts: Any) -> Any:
        client = await self._connected()
        loop = asyncio.get_running_loop()
        until, wait = loop.time() + self._patience, _FIRST_WAIT
        while True:
            try:
                return await client.execute_command(*parts)  # type: ignore[no-untyped-call]
            except NoScriptError:
                raise
            except (AuthenticationError, NoPermissionError) as exc:
                raise _told(exc) from exc
            except (ConnectionError, TimeoutError) as exc:
                if loop.time() + wait > until:
                    raise StorageUnreachable from exc
            except RedisError as exc:
                raise _told(exc) from exc
            await asyncio.sleep(wait * random.uniform(0.5, 1))  # noqa: S311
            wait = min(2 * wait, _LONGEST_WAIT)

    async def _connected(self) -> Redis:
        loop = asyncio.get_running_loop()
        if self._loop is not loop:
            self._loop, self._client, self._life = loop, None, None
            self._opening = asyncio.Lock()
        if self._client is None:
            assert self._opening
            async with self._opening:
                if self._client is None:
                    options = await asyncio.to_thread(self._options)
                    self._life = _opened(options)
                    self._client = await anext(self._life)
        return self._client


async def _opened(options: Mapping[str, Any]) -> AsyncGenerator[Redis, None]:
    """Connections for as long as they are used. A loop ends the generators that it has begun."""
    # A pool of its own retries would send again without knowing when to stop.
    once = Retry(NoBackoff(), 0)
    pool = BlockingConnectionPool(max_connections=_CONNECTIONS, timeout=None, retry=once, **options)
    client = Redis(connection_pool=pool)
    client.response_callbacks.clear()  # what it makes of answers differs from version to version
    try:
        yield client
    finally:
        await pool.disconnect(inuse_connections=True)


def _told(error: RedisError) -> StorageError:
    """What a person is told instead."""
    if isinstance(error, AuthenticationError):
        return StorageUnreachable(_REFUSED)
    if isinstance(error, NoPermissionError):
        return StorageReadOnly(_FORBIDDEN)
    if isinstance(error, ClusterError):
        return StorageError(_CLUSTER)
    kinds: dict[str, Callable[[], StorageError]] = {
        "OOM": lambda: StorageFull(_FULL),
        "MISCONF": lambda: StorageFull(_NO_DISK),
        "READONLY": lambda: StorageReadOnly(_READ_ONLY),
        "NOREPLICAS": lambda: StorageError(_NO_COPIES),
        "WRONGTYPE": lambda: StorageError(_FOREIGN),
        "MASTERDOWN": StorageUnreachable,
        "MOVED": lambda: StorageError(_CLUSTER),
    }
    return kinds[code]() if (code := _code(error)) else StorageError()


def _code(error: RedisError) -> str | None:
    """The word that an error of Redis begins with, or the one of a script's error within."""
    names = {"OutOfMemoryError": "OOM", "ReadOnlyError": "READONLY", "MovedError": "MOVED"}
    if type(error).__name__ in names:
        return names[type(error).__name__]
    found = _CODE.search(str(error))
    return found and found[1]
