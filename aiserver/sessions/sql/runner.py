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
        self._idle_timer: asyncio.TimerHandle | None = None

    async def run(self, operation: Callable[[Any], Any], timeout: float | None = None) -> Any:
        """Run an operation on the database in a thread and return its result.

        Raises StorageUnreachable if there is none after ``timeout`` seconds.
        """
        if self._workers is None:
            self._workers = Workers(_THREADS)
        result = self._workers.run(lambda: operation(self._get_database()))
        try:
            return await asyncio.wait_for(result, timeout)
        except asyncio.TimeoutError as exc:
            raise StorageUnreachable from exc
        finally:
            self._restart_idle_timer()

    async def close(self) -> None:
        """Close the connections after the operations in progress."""
        if self._idle_timer:
            self._idle_timer.cancel()
        workers, self._workers = self._workers, None
        if workers:
            await asyncio.to_thread(workers.close, _JOIN_TIMEOUT)
        await asyncio.to_thread(self.abandon)

    def _restart_idle_timer(self) -> None:
        loop = asyncio.get_running_loop()
        if self._idle_timer:
            self._idle_timer.cancel()
        self._idle_timer = loop.call_later(
            _IDLE_TIMEOUT, loop.run_in_executor, None, self._close_idle
        )

    def _close_idle(self) -> None:
        if self._database:
            self._database.close_idle()

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
