"""Run the operations of one database outside of the server's event loop.

Invariants: none of them runs on the server's loop, because reading, decoding and checking
thousands of rows takes long; they can be submitted from any loop; an operation that has begun
runs to its end even if its caller is cancelled, so no save is interrupted; the interpreter exits
without waiting.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any

from ..threads import Workers

_THREADS = 8
_JOIN_TIMEOUT = 5.0  # seconds for open connections to close


class ThreadRunner:
    """Runs synchronous operations in threads.

    The first one creates the database in its thread, and ``close`` disposes of it. Can be used
    again after ``close``.
    """

    def __init__(self, factory: Callable[[], Any]) -> None:
        self._factory = factory
        self._lock = threading.Lock()
        self._workers: Workers | None = None
        self._database: Any = None

    async def run(self, operation: Callable[[Any], Any]) -> Any:
        """Run an operation on the database in a thread and return its result."""
        if self._workers is None:
            self._workers = Workers(_THREADS)
        return await self._workers.run(lambda: operation(self._get_database()))

    async def close(self) -> None:
        """Close the connections after the operations in progress."""
        workers, self._workers = self._workers, None
        if workers:
            await asyncio.to_thread(workers.close)
        await asyncio.to_thread(self.abandon)

    def abandon(self) -> None:
        """Close the connections."""
        with self._lock:
            database, self._database = self._database, None
        if database:
            database.dispose()

    def _get_database(self) -> Any:
        if self._database is None:
            with self._lock:
                if self._database is None:
                    self._database = self._factory()
        return self._database


class LoopRunner:
    """Runs asynchronous operations on an event loop in a background thread.

    The first one creates the database, and ``close`` disposes of it. Can be used again after
    ``close``.
    """

    def __init__(self, factory: Callable[[], Any]) -> None:
        self._factory = factory
        self._lock = threading.Lock()
        self._thread: _LoopThread | None = None

    async def run(self, operation: Callable[[Any], Any]) -> Any:
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

    def abandon(self) -> _LoopThread | None:
        """Like ``close``, but don't wait."""
        with self._lock:
            thread, self._thread = self._thread, None
        if thread:
            thread.loop.call_soon_threadsafe(thread.loop.stop)
        return thread


class _LoopThread:
    """The thread, its loop and the database."""

    def __init__(self, factory: Callable[[], Any]) -> None:
        self._factory = factory
        self._database: Any = None
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self._serve, name="aiserver-database", daemon=True)
        self.thread.start()

    async def do(self, operation: Callable[[Any], Any]) -> Any:
        if self._database is None:
            self._database = self._factory()
        return await operation(self._database)

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
        if self._database:
            await self._database.dispose()
