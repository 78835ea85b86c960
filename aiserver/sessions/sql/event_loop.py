"""An event loop in a thread of its own, on which all work with one database is done.

What must hold: the server's loop does none of it (reading, decoding and checking thousands of rows
takes long); work may be asked for from any loop; work that was begun is ended, also if whoever
asked for it went away, so that no save is cut in the middle; the interpreter's end waits for
nothing.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from typing import Any, Generic, Protocol, TypeVar

_END = 5.0  # seconds that open connections get for their farewell


class Disposable(Protocol):
    """What is worked with."""

    async def dispose(self) -> None:
        """Let go of what it holds."""


D = TypeVar("D", bound=Disposable)
T = TypeVar("T")


class OwnLoop(Generic[D]):
    """The loop, and what is worked with there: made by the first work, disposed of at the end.

    After ``close`` it begins anew.
    """

    def __init__(self, make: Callable[[], D]) -> None:
        self._make = make
        self._guard = threading.Lock()
        self._running: _Running[D] | None = None

    async def run(self, work: Callable[[D], Coroutine[Any, Any, T]]) -> T:
        """Do it there."""
        with self._guard:
            if self._running is None:
                self._running = _Running(self._make)
            done = asyncio.run_coroutine_threadsafe(self._running.do(work), self._running.loop)
        return await asyncio.shield(asyncio.wrap_future(done))

    async def close(self) -> None:
        """End it, after what was begun."""
        running = self.abandon()
        if running:
            await asyncio.to_thread(running.thread.join, _END)

    def abandon(self) -> _Running[D] | None:
        """End it, after what was begun, and don't wait."""
        with self._guard:
            running, self._running = self._running, None
        if running:
            running.loop.call_soon_threadsafe(running.loop.stop)
        return running


class _Running(Generic[D]):
    """The thread, from the loop's begin to its end."""

    def __init__(self, make: Callable[[], D]) -> None:
        self._make = make
        self._made: D | None = None
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self._serve, name="aiserver-database", daemon=True)
        self.thread.start()

    async def do(self, work: Callable[[D], Coroutine[Any, Any, T]]) -> T:
        if self._made is None:
            self._made = self._make()
        return await work(self._made)

    def _serve(self) -> None:
        asyncio.set_event_loop(self.loop)
        try:
            self.loop.run_forever()
            self.loop.run_until_complete(self._end())
            self.loop.run_until_complete(self.loop.shutdown_asyncgens())
            self.loop.run_until_complete(self.loop.shutdown_default_executor())
        finally:
            asyncio.set_event_loop(None)
            self.loop.close()

    async def _end(self) -> None:
        current = asyncio.current_task()
        if begun := [task for task in asyncio.all_tasks() if task is not current]:
            await asyncio.wait(begun)
        if self._made:
            await self._made.dispose()
