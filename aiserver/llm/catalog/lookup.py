"""Ask a server for its list of models, in bounded time and memory.

Invariants:

- A look-up has one deadline and one size limit, however slowly or endlessly the server answers.
- It runs in threads of its own: a bad server never occupies those that read and write histories.
- One look-up at a time per server (``Lookups``); a server that answers slowly is asked seldom.
- Redirects are not followed, and a server on this machine is reached past any proxy (P4).
"""

from __future__ import annotations

import asyncio
import json
import time
import zlib
from collections.abc import Awaitable, Callable, Hashable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from ...errors import NoModelAnswer
from ..errors import translate
from ..providers import is_loopback

if TYPE_CHECKING:
    import httpx

LOCAL_DEADLINE = 0.7  # seconds: a local server that runs answers in a few milliseconds
REMOTE_DEADLINE = 3.0
EXPLICIT_DEADLINE = 15.0  # where a person pressed a button and waits
MAX_NAMES = 1000  # some servers list thousands of models
MAX_BYTES = 4 * 1024 * 1024  # of a list: the longest public ones are under 1 MB
START = 5.0  # seconds more, for a free thread and the first import of the HTTP library

# A result is used without asking again for so many times as long as the look-up took: a server
# that answers at once is asked each time, since a name may come to mean another model (P4).
REST = 10.0

Value = TypeVar("Value")

_pool = ThreadPoolExecutor(4, "aiserver-lookup")


@dataclass(frozen=True)
class Reply:
    """A server's answer, whatever its status; ``headers`` have lower-case names."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    def raise_for_status(self) -> None:
        """Raise Refused unless the answer is a success."""
        if not 200 <= self.status < 300:
            raise Refused(self)

    def json(self) -> Any:
        """The body as JSON data. Raises ValueError, RecursionError."""
        return json.loads(self.body)


class Refused(Exception):
    """An answer that is no success, in the form in which HTTP libraries raise it."""

    def __init__(self, reply: Reply) -> None:
        self.status_code, self.response = reply.status, reply
        self.body = reply.body[:10_000].decode(errors="replace")
        super().__init__(f"HTTP {reply.status}")


def deadline_for(address: str) -> float:
    """Seconds for a look-up that nobody asked for explicitly."""
    return LOCAL_DEADLINE if is_loopback(address) else REMOTE_DEADLINE


async def fetch(
    url: str, headers: Mapping[str, str], deadline: float, read: Callable[[Reply], Value]
) -> Value:
    """GET ``url`` within ``deadline`` seconds; ``read`` gets the answer, in a thread.

    Raises ModelError: also for a body that is over the limit or that ``read`` can't make sense of.
    """
    loop = asyncio.get_running_loop()
    running = loop.run_in_executor(_pool, _fetch, url, headers, deadline, read)
    try:
        return await asyncio.wait_for(running, deadline + START)
    except (KeyError, TypeError, AttributeError, ValueError, RecursionError) as error:
        raise NoModelAnswer from error
    except Exception as error:
        raise translate(error) from error


def _fetch(
    url: str, headers: Mapping[str, str], deadline: float, read: Callable[[Reply], Value]
) -> Value:
    import httpx

    # An event loop can be left at the deadline. A blocking read could not: its time-out begins
    # anew with each byte. Nor does a silent name server hold this thread up.
    client = httpx.AsyncClient(trust_env=not is_loopback(url), timeout=deadline)
    loop = asyncio.new_event_loop()
    try:
        reply = loop.run_until_complete(asyncio.wait_for(_get(client, url, headers), deadline))
    finally:
        loop.close()
    return read(reply)


async def _get(client: httpx.AsyncClient, url: str, headers: Mapping[str, str]) -> Reply:
    body = bytearray()
    plain = {"Accept-Encoding": "identity"}
    async with client, client.stream("GET", url, headers=plain | dict(headers)) as response:
        async for block in response.aiter_raw():
            body += block
            if len(body) > MAX_BYTES:
                raise NoModelAnswer
    fields = {name.lower(): value for name, value in response.headers.items()}
    return Reply(response.status_code, fields, _unpacked(bytes(body), fields))


def _unpacked(body: bytes, headers: Mapping[str, str]) -> bytes:
    """The body without the compression that some proxies apply unasked, within the limit."""
    if "gzip" not in headers.get("content-encoding", ""):
        return body
    unpacker = zlib.decompressobj(wbits=31)
    try:
        plain = unpacker.decompress(body, MAX_BYTES)
    except zlib.error as error:
        raise NoModelAnswer from error
    if unpacker.unconsumed_tail:
        raise NoModelAnswer
    return plain


@dataclass
class _Entry(Generic[Value]):
    task: asyncio.Task[Value]
    former: Value | None
    until: float = 0.0


class Lookups(Generic[Value]):
    """The last result for each server, and the look-up that is under way."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._entries: dict[Hashable, _Entry[Value]] = {}

    async def get(
        self,
        server: Hashable,
        ask: Callable[[], Awaitable[Value]],
        patience: float | None = None,
    ) -> Value:
        """The result of ``ask``, which must not raise.

        With ``patience``, the former result where there is one and the new one isn't there after
        that many seconds.
        """
        entry = self._entries.get(server)
        if entry is None or (entry.task.done() and self._clock() >= entry.until):
            entry = self._begin(server, ask, entry)
        if entry.former is not None:
            await asyncio.wait({entry.task}, timeout=patience)
            if not entry.task.done():
                return entry.former
        return await asyncio.shield(entry.task)

    def clear(self) -> None:
        """Forget all results: an address or a key has changed."""
        self._entries.clear()

    def _begin(
        self,
        server: Hashable,
        ask: Callable[[], Awaitable[Value]],
        last: _Entry[Value] | None,
    ) -> _Entry[Value]:
        began = self._clock()

        async def run() -> Value:
            value = await ask()
            entry.until = self._clock() + REST * (self._clock() - began)
            return value

        former = None
        if last and not last.task.cancelled() and last.task.exception() is None:
            former = last.task.result()
        entry = _Entry(asyncio.ensure_future(run()), former)
        self._entries[server] = entry
        return entry
