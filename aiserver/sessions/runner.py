"""Run operations on a database in threads, with a timeout, and close unused connections."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any, TypeVar

from ..errors import StorageUnreachable
from .threads import Workers

T = TypeVar("T")

_THREADS = 8
_IDLE_TIMEOUT = 60.0  # seconds until unused connections are closed
_JOIN_TIMEOUT = 5.0  # seconds that ``close`` waits for each thread


class Runner:
    """Runs operations on a database in threads.

    The first one, also after ``close``, calls ``factory`` in its thread.
    """

    def __init__(self, factory: Callable[[], Any]) -> None:
        self._factory = factory
        self._lock = threading.Lock()
        self._workers: Workers | None = None
        self._database: Any = None
        self._last_use = 0.0
        self._idle_timer: asyncio.TimerHandle | None = None

    async def run(self, operation: Callable[[Any], T], timeout: float | None = None) -> T:
        """Run an operation in a thread, and return its result.

        Raises StorageUnreachable after ``timeout`` seconds; a begun operation continues.
        """
        if self._workers is None:
            self._workers = Workers(_THREADS)
        loop = asyncio.get_running_loop()
        # The future's result is a list, from which ``pop`` takes the operation's: thread and event
        # loop refer to it for a while, and freeing a long session then would delay the next
        # operation (benchmarks/stores.py).
        future = self._workers.run(lambda: [operation(self._get_database())])
        # asyncio.wait_for makes saves in SQLite slower (benchmarks/stores.py).
        timer = loop.call_later(timeout, _set_timeout_error, future) if timeout else None
        try:
            return (await future).pop()
        finally:
            if timer:
                timer.cancel()
            self._last_use = loop.time()
            if self._idle_timer is None:
                self._idle_timer = loop.call_later(_IDLE_TIMEOUT, self._check_idle, loop)

    async def close(self) -> None:
        """Wait for the threads, then close the connections."""
        if self._idle_timer:
            self._idle_timer.cancel()
            self._idle_timer = None
        workers, self._workers = self._workers, None
        if workers:
            await asyncio.to_thread(workers.close, _JOIN_TIMEOUT)
        await asyncio.to_thread(self.dispose)

    def _check_idle(self, loop: asyncio.AbstractEventLoop) -> None:
        remaining = self._last_use + _IDLE_TIMEOUT - loop.time()
        self._idle_timer = None
        if remaining > 0:
            self._idle_timer = loop.call_later(remaining, self._check_idle, loop)
        elif self._database:
            loop.run_in_executor(None, self._database.close_idle)

    def dispose(self) -> None:
        """Close the connections without waiting for operations."""
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


def _set_timeout_error(future: asyncio.Future[Any]) -> None:
    if not future.done():
        future.set_exception(StorageUnreachable())
