"""Query a server for its list of models, in bounded time and memory. A query is called a look-up.

Invariants:

- A look-up ends at its deadline even if the server responds slowly, and at its size limit even if
  the response never ends.
- Look-ups have their own threads, so that they never delay reading histories.
- One look-up per server at a time; the slower a server responds, the less often it is queried.
- Redirects are not followed, and proxies are bypassed for a server on this machine.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable, Hashable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from ...errors import NoModelAnswer
from ..errors import translate
from ..providers import is_loopback
from ..remote.langchain import certificates
from ..remote.response_limits import limit_responses

if TYPE_CHECKING:
    import httpx

# Deadlines, in seconds.
LOCAL_DEADLINE = 0.7  # a running local server responds in a few milliseconds
REMOTE_DEADLINE = 3.0
EXPLICIT_DEADLINE = 15.0  # for a look-up that a user requested with a button
MAX_NAMES = 1000  # some servers list thousands of models
MAX_BYTES = 4 * 1024 * 1024  # the longest public lists are under 1 MB
START_ALLOWANCE = 5.0  # to wait for a free thread and the first import of httpx

# A result is cached for this many times the duration of its look-up, so that changes of a fast
# server are noticed soon.
CACHE_FACTOR = 10.0

Value = TypeVar("Value")

_pool = ThreadPoolExecutor(4, "aiserver-lookup")


class HttpStatusError(Exception):
    """A response with an error status, with the attributes that ``translate`` reads."""

    def __init__(self, response: httpx.Response) -> None:
        self.status_code, self.response = response.status_code, response
        self.body = response.content[:10_000].decode(errors="replace")
        super().__init__(f"HTTP {response.status_code}")


def deadline_for(address: str) -> float:
    """Return the deadline, in seconds, if no button was pressed."""
    return LOCAL_DEADLINE if is_loopback(address) else REMOTE_DEADLINE


async def fetch(
    url: str, headers: Mapping[str, str], deadline: float, read: Callable[[httpx.Response], Value]
) -> Value:
    """GET ``url``, and return the result of ``read``, called in a thread. Raises ModelError.

    The ``deadline`` in seconds begins when the thread starts.
    """
    loop = asyncio.get_running_loop()
    lookup = loop.run_in_executor(_pool, _fetch, url, headers, deadline, read)
    try:
        return await asyncio.wait_for(lookup, deadline + START_ALLOWANCE)
    except (KeyError, TypeError, AttributeError, ValueError, RecursionError) as error:
        raise NoModelAnswer from error
    except Exception as error:
        raise translate(error) from error


def _fetch(
    url: str, headers: Mapping[str, str], deadline: float, read: Callable[[httpx.Response], Value]
) -> Value:
    import httpx

    # In an event loop, it can be stopped at the deadline. A blocking request can't: its timeout
    # restarts with each byte, and it would wait for a name server that doesn't respond.
    client = httpx.AsyncClient(
        trust_env=not is_loopback(url), verify=certificates(), timeout=deadline
    )
    limit_responses(client, MAX_BYTES, MAX_BYTES)

    async def get() -> httpx.Response:
        async with client:
            return await client.get(url, headers=headers)

    with contextlib.closing(asyncio.new_event_loop()) as loop:
        return read(loop.run_until_complete(asyncio.wait_for(get(), deadline)))


@dataclass
class _Lookup(Generic[Value]):
    """A server's newest look-up, which may be running, and its last result."""

    task: asyncio.Task[Value]
    previous: Value | None
    expires_at: float = 0.0

    @property
    def latest(self) -> Value | None:
        is_usable = self.task.done() and not self.task.cancelled() and not self.task.exception()
        return self.task.result() if is_usable else self.previous


class Lookups(Generic[Value]):
    """Caches each server's last result. Concurrent calls share one look-up."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lookup_by_server: dict[Hashable, _Lookup[Value]] = {}

    async def get(
        self,
        server: Hashable,
        query: Callable[[], Awaitable[Value]],
        patience: float | None = None,
    ) -> Value:
        """Return the cached result, or else that of ``query``, which must not raise.

        After ``patience`` seconds, return the previous result, if there is one.
        """
        lookup = self._lookup_by_server.get(server)
        if lookup is None or (lookup.task.done() and self._clock() >= lookup.expires_at):
            lookup = self._start(server, query, lookup)
        if lookup.previous is not None:
            await asyncio.wait({lookup.task}, timeout=patience)
            if not lookup.task.done():
                return lookup.previous
        return await asyncio.shield(lookup.task)

    def latest(self) -> list[tuple[Any, Value]]:
        pairs = ((server, lookup.latest) for server, lookup in self._lookup_by_server.items())
        return [(server, result) for server, result in pairs if result is not None]

    def clear(self) -> None:
        self._lookup_by_server.clear()

    def _start(
        self,
        server: Hashable,
        query: Callable[[], Awaitable[Value]],
        last_lookup: _Lookup[Value] | None,
    ) -> _Lookup[Value]:
        started_at = self._clock()

        async def run_query() -> Value:
            value = await query()
            lookup.expires_at = self._clock() + CACHE_FACTOR * (self._clock() - started_at)
            return value

        previous = last_lookup.latest if last_lookup else None
        lookup = _Lookup(asyncio.ensure_future(run_query()), previous)
        self._lookup_by_server[server] = lookup
        return lookup
