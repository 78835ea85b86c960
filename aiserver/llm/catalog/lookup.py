"""Query a server for its list of models, in bounded time and memory.

Invariants:

- A look-up has one deadline and one size limit, however slowly or endlessly the server responds.
- It runs in its own thread pool: a bad server never blocks the threads that access histories.
- One look-up at a time per server (``Lookups``); slow servers are queried less often.
- Redirects are not followed, and proxies are bypassed for a server on this machine (P4).
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable, Hashable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

from ...errors import NoModelAnswer
from ..errors import translate
from ..providers import is_loopback
from ..remote.response_limits import limit_responses

if TYPE_CHECKING:
    import httpx

LOCAL_DEADLINE = 0.7  # seconds: a running local server responds in a few milliseconds
REMOTE_DEADLINE = 3.0
EXPLICIT_DEADLINE = 15.0  # for a user who pressed a button and waits
MAX_NAMES = 1000  # some servers list thousands of models
MAX_BYTES = 4 * 1024 * 1024  # per list: the longest public ones are under 1 MB
START_ALLOWANCE = 5.0  # additional seconds for a free thread and the first import of httpx

# A result is cached for this many times the duration of the look-up: a fast server is queried each
# time, since a name may start to refer to another model (P4).
CACHE_FACTOR = 10.0

Value = TypeVar("Value")

_pool = ThreadPoolExecutor(4, "aiserver-lookup")


class HttpStatusError(Exception):
    """A response with an error status; has the attributes that HTTP libraries use."""

    def __init__(self, response: httpx.Response) -> None:
        self.status_code, self.response = response.status_code, response
        self.body = response.content[:10_000].decode(errors="replace")
        super().__init__(f"HTTP {response.status_code}")


def deadline_for(address: str) -> float:
    """Return the deadline in seconds for a look-up that no user explicitly requested."""
    return LOCAL_DEADLINE if is_loopback(address) else REMOTE_DEADLINE


async def fetch(
    url: str, headers: Mapping[str, str], deadline: float, read: Callable[[httpx.Response], Value]
) -> Value:
    """GET ``url`` within ``deadline`` seconds and pass the response to ``read``, in a thread.

    Raises ModelError, also if the body is over the limit or ``read`` can't parse it.
    """
    loop = asyncio.get_running_loop()
    running = loop.run_in_executor(_pool, _fetch, url, headers, deadline, read)
    try:
        return await asyncio.wait_for(running, deadline + START_ALLOWANCE)
    except (KeyError, TypeError, AttributeError, ValueError, RecursionError) as error:
        raise NoModelAnswer from error
    except Exception as error:
        raise translate(error) from error


def _fetch(
    url: str, headers: Mapping[str, str], deadline: float, read: Callable[[httpx.Response], Value]
) -> Value:
    import httpx

    # An event loop can be stopped at the deadline. A blocking read can't: its timeout restarts with
    # each byte. A name server that doesn't respond doesn't block this thread, either.
    client = httpx.AsyncClient(trust_env=not is_loopback(url), timeout=deadline)
    limit_responses(client, MAX_BYTES, MAX_BYTES)

    async def get() -> httpx.Response:
        async with client:
            return await client.get(url, headers=headers)

    with contextlib.closing(asyncio.new_event_loop()) as loop:
        return read(loop.run_until_complete(asyncio.wait_for(get(), deadline)))


@dataclass
class _Entry(Generic[Value]):
    task: asyncio.Task[Value]
    previous: Value | None
    expires_at: float = 0.0


class Lookups(Generic[Value]):
    """Caches the last result for each server, and shares a running look-up."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._entries: dict[Hashable, _Entry[Value]] = {}

    async def get(
        self,
        server: Hashable,
        query: Callable[[], Awaitable[Value]],
        patience: float | None = None,
    ) -> Value:
        """Return the result of ``query``, which must not raise.

        If it takes longer than ``patience`` seconds, return the previous result, if there is one.
        """
        entry = self._entries.get(server)
        if entry is None or (entry.task.done() and self._clock() >= entry.expires_at):
            entry = self._start(server, query, entry)
        if entry.previous is not None:
            await asyncio.wait({entry.task}, timeout=patience)
            if not entry.task.done():
                return entry.previous
        return await asyncio.shield(entry.task)

    def clear(self) -> None:
        """Drop all results, after a change of an address or a key."""
        self._entries.clear()

    def _start(
        self,
        server: Hashable,
        query: Callable[[], Awaitable[Value]],
        last: _Entry[Value] | None,
    ) -> _Entry[Value]:
        started_at = self._clock()

        async def run() -> Value:
            value = await query()
            entry.expires_at = self._clock() + CACHE_FACTOR * (self._clock() - started_at)
            return value

        previous = None
        if last and not last.task.cancelled() and last.task.exception() is None:
            previous = last.task.result()
        entry = _Entry(asyncio.ensure_future(run()), previous)
        self._entries[server] = entry
        return entry
