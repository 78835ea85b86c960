"""Run the operations of one database in threads.

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

from ...errors import StorageUnreachable
from ..threads import Workers

_THREADS = 8
_IDLE_TIMEOUT = 60.0  # seconds after the last operation
_JOIN_TIMEOUT = 5.0  # seconds to wait for operations in progress


class Runner:
    """Runs operations on a database.

    The first one creates the database in its thread, and ``close`` disposes of it. Can be used
    again after ``close``.
    """

    def __init__(self, factory: Callable[[], Any]) -> None:
        self._factory = factory
        self._lock = threading.Lock()
        self._workers: Workers | None = None
        self._database: Any = None
        self._last_use = 0.0
        self._idle_timer: asyncio.TimerHandle | None = None

    async def run(self, operation: Callable[[Any], Any], timeout: float | None = None) -> Any:
        """Run an operation on the database in a thread and return its result.

        Raises StorageUnreachable if there is none after ``timeout`` seconds.
        """
        if self._workers is None:
            self._workers = Workers(_THREADS)
        loop = asyncio.get_running_loop()
        # In a list, from which the caller takes it: the thread and the event loop would keep a long
        # session alive, and freeing it delays the next operation (benchmarks/stores.py).
        result = self._workers.run(lambda: [operation(self._get_database())])
        # Cheaper than asyncio.wait_for, for saves in SQLite (benchmarks/stores.py).
        timer = loop.call_later(timeout, _expire, result) if timeout else None
        try:
            return (await result).pop()
        finally:
            if timer:
                timer.cancel()
            self._last_use = loop.time()
            if self._idle_timer is None:
                self._idle_timer = loop.call_later(_IDLE_TIMEOUT, self._check_idle, loop)

    async def close(self) -> None:
        """Close the connections after the operations in progress."""
        if self._idle_timer:
            self._idle_timer.cancel()
            self._idle_timer = None
        workers, self._workers = self._workers, None
        if workers:
            await asyncio.to_thread(workers.close, _JOIN_TIMEOUT)
        await asyncio.to_thread(self.abandon)

    def _check_idle(self, loop: asyncio.AbstractEventLoop) -> None:
        remaining = self._last_use + _IDLE_TIMEOUT - loop.time()
        self._idle_timer = None
        if remaining > 0:
            self._idle_timer = loop.call_later(remaining, self._check_idle, loop)
        elif self._database:
            loop.run_in_executor(None, self._database.close_idle)

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


def _expire(result: asyncio.Future[Any]) -> None:
    if not result.done():
        result.set_exception(StorageUnreachable())
