"""The maximum cost of a look-up at servers that trickle, never end or are silent.

The servers are real sockets on loopback.
"""

from __future__ import annotations

import asyncio
import functools
import gzip
import socket
import threading
import tracemalloc
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from aiserver import errors
from aiserver.llm.catalog import lookup
from aiserver.llm.catalog.lookup import Lookups, fetch
from aiserver.llm.registry import ModelRegistry

from ..scripted_wires import BadServer

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
KEY = "canary-key-7c01"


def trickle(connection: socket.socket, closed: threading.Event) -> None:
    """A byte of the headers now and then, for longer than any test takes."""
    connection.sendall(HEAD)
    while not closed.wait(0.02):
        connection.sendall(b"X")


def endless(connection: socket.socket, closed: threading.Event) -> None:
    """A body of 200 MB, as fast as it is taken."""
    connection.sendall(HEAD + b'\r\n{"models": ["')
    for _ in range(200):
        connection.sendall(b"x" * 1_000_000)
        if closed.is_set():
            return


@functools.cache
def bomb_body() -> bytes:
    """200 MB, packed into 200 kB."""
    return gzip.compress(bytes(200_000_000), 1)


def bomb(connection: socket.socket, closed: threading.Event) -> None:
    """A packed body that is far over the limit."""
    body = bomb_body()
    fields = b"Content-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(body)
    connection.sendall(HEAD + fields + body)


pytestmark = pytest.mark.usefixtures("bare_machine")


@pytest.fixture
def trickling(monkeypatch: pytest.MonkeyPatch) -> Iterator[BadServer]:
    """The Ollama that the environment names sends a byte now and then."""
    with BadServer(trickle) as server:
        monkeypatch.setenv("OLLAMA_HOST", f"127.0.0.1:{server.port}")
        yield server


async def test_a_trickling_server_blocks_nothing_else(trickling: BadServer):
    """P17, P31: many who look share one look-up per server; the threads of all others stay free."""
    registry = ModelRegistry()
    await registry.connect("openai_compatible", None, f"http://127.0.0.1:{trickling.port}/v1")
    # The threads in which histories are read and written; here a single one.
    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(1))
    looks = asyncio.gather(*(registry.overview() for _ in range(40)))
    await asyncio.sleep(0)
    await asyncio.wait_for(asyncio.to_thread(int), 20)
    seen = await asyncio.wait_for(looks, 20)
    assert all(overview.default is None for overview in seen)
    assert trickling.connections == 2
    await registry.overview()  # a server that was so slow is not asked again at once
    assert trickling.connections == 2


async def test_a_model_that_needs_no_look_up_waits_for_none(
    trickling: BadServer, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    registry = ModelRegistry(model="openai:own")
    assert (await registry.get()).info.id == "openai:own"
    assert (await registry.get("openai:other")).info.id == "openai:other"
    assert not trickling.connections


@pytest.mark.parametrize("behave", [endless, bomb])
async def test_an_endless_body_is_left_at_the_limit(behave: Callable[..., None]):
    """P17"""
    bomb_body()
    with BadServer(behave) as server:
        tracemalloc.start()
        try:
            with pytest.raises(errors.ModelError):
                await fetch(f"http://127.0.0.1:{server.port}/", {}, 10, lambda reply: reply.json())
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
    assert peak < 8 * lookup.MAX_BYTES


async def test_the_deadline_is_for_the_whole_answer():
    """P31"""
    with BadServer(trickle) as server, pytest.raises(errors.ModelTimeout):
        await fetch(f"http://127.0.0.1:{server.port}/", {}, 0.1, lambda reply: reply.json())


class Clock:
    """A clock that only changes when it is set."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


async def test_a_slow_server_rests_and_its_last_list_is_shown_meanwhile():
    clock = Clock()
    lookups: Lookups[int] = Lookups(clock)
    may_answer = asyncio.Event()
    asked = 0

    async def ask() -> int:
        nonlocal asked
        asked += 1
        await may_answer.wait()
        clock.now += 1.0
        return asked

    may_answer.set()
    assert await lookups.get("a", ask) == 1
    clock.now += lookup.CACHE_FACTOR - 0.1
    assert await lookups.get("a", ask) == 1  # still resting
    clock.now += 0.2
    may_answer.clear()
    assert await lookups.get("a", ask, patience=0) == 1  # the last result, while it is asked
    assert asked == 2
    both = asyncio.gather(lookups.get("a", ask), lookups.get("a", ask))
    may_answer.set()
    assert list(await both) == [2, 2]
    lookups.clear()
    assert await lookups.get("a", ask) == 3


async def test_a_failed_look_up_is_not_cached():
    lookups: Lookups[int] = Lookups()

    async def fail() -> int:
        raise LookupError

    async def ask() -> int:
        return 1

    for _ in range(2):
        with pytest.raises(LookupError):
            await lookups.get("a", fail)
    assert await lookups.get("a", ask) == 1
