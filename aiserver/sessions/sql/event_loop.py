"""Run all operations of one database on an event loop in a background thread.

Invariants: none of them runs on the server's loop, because reading, decoding and checking
thousands of rows takes long; they can be submitted from any loop; an operation that has begun
runs to its end even if its caller is cancelled, so no save is interrupted; the interpreter exits
without waiting.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from typing import Any, Generic, Protocol, TypeVar

_JOIN_TIMEOUT = 5.0  # seconds for open connections to close


class Disposable(Protocol):
    """A resource that is used on the loop."""

    async def dispose(self) -> None:
        """Release what it holds."""


D = TypeVar("D", bound=Disposable)
T = TypeVar("T")


class BackgroundLoop(Generic[D]):
    """The loop and its resource, which the first operation creates and ``close`` disposes of.

    Can be used again after ``close``.
    """

    def __init__(self, factory: Callable[[], D]) -> None:
        self._factory = factory
        self._lock = threading.Lock()
        self._thread: _LoopThread[D] | None = None

    async def run(self, operation: Callable[[D], Coroutine[Any, Any, T]]) -> T:
        """Run an operation on the loop and return its result."""
        with self._lock:
            if self._thread is None:
                self._thread = _LoopThread(self._factory)
            future = asyncio.run_coroutine_threadsafe(self._thread.do(operation), self._thread.loop)
        return await asyncio.shield(asyncio.wrap_future(future))

    async def close(self) -> None:
        """Stop the loop after the operations in progress."""
        thread = self.abandon()
        if thread:
            await asyncio.to_thread(thread.thread.join, _JOIN_TIMEOUT)

    def abandon(self) -> _LoopThread[D] | None:
        """Like ``close``, but don't wait."""
        with self._lock:
            thread, self._thread = self._thread, None
        if thread:
            thread.loop.call_soon_threadsafe(thread.loop.stop)
        return thread


class _LoopThread(Generic[D]):
    """The thread, its loop and the resource."""

    def __init__(self, factory: Callable[[], D]) -> None:
        self._factory = factory
        self._resource: D | None = None
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self._serve, name="aiserver-database", daemon=True)
        self.thread.start()

    async def do(self, operation: Callable[[D], Coroutine[Any, Any, T]]) -> T:
        if self._resource is None:
            self._resource = self._factory()
        return await operation(self._resource)

    def _serve(self) -> None:
        asyncio.set_event_loop(self.loop)
        try:
            self.loop.run_forever()
            self.loop.run_until_complete(self._shut_down())
            self.loop.run_until_complete(self.loop.shutdown_asyncgens())
            self.loop.run_until_complete(self.loop.shutdown_default_executor())
        finally:
            asyncio.set_event_loop(None)
            self.loop.close()

    async def _shut_down(self) -> None:
        current = asyncio.current_task()
        if pending := [task for task in asyncio.all_tasks() if task is not current]:
            await asyncio.wait(pending)
        if self._resource:
            await self._resource.dispose()
