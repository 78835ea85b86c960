"""Run a store's operations in threads, so that the event loop never waits for a disk or a lock.

Invariants: a job that has begun runs to its end, even if its caller stops waiting.

The threads of Python's ThreadPoolExecutor would delay the end of the process while a database
doesn't respond.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
import weakref
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any, TypeVar

T = TypeVar("T")

_Queue = SimpleQueue["_Job | None"]


class Workers:
    """At most ``count`` threads. A job starts a new one only if none is idle."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._jobs: _Queue = SimpleQueue()
        self._idle = threading.Semaphore(0)
        """One permit for each thread that has no job."""
        self._threads: list[threading.Thread] = []
        # The threads end even if nobody calls ``close``.
        self._stop_threads = weakref.finalize(self, _stop_threads, self._jobs, self._threads)

    def run(self, work: Callable[[], T]) -> asyncio.Future[T]:
        loop = asyncio.get_running_loop()
        future: asyncio.Future[T] = loop.create_future()
        if not self._idle.acquire(blocking=False) and len(self._threads) < self._count:
            arguments = self._jobs, self._idle
            thread = threading.Thread(
                target=_run_jobs, args=arguments, name="aiserver-store", daemon=True
            )
            self._threads.append(thread)
            thread.start()
        self._jobs.put(_Job(loop, future, work))
        return future

    def close(self, timeout: float | None = None) -> None:
        """Wait for all queued jobs, at most ``timeout`` seconds for each thread."""
        self._stop_threads()
        for thread in self._threads:
            thread.join(timeout)


class _Job:
    """A function to run in a thread, and the future that gets the function's result."""

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        future: asyncio.Future[Any],
        work: Callable[[], Any],
    ) -> None:
        self._loop, self._future, self._work = loop, future, work

    def run(self) -> None:
        if self._future.done():
            return
        result, error = None, None
        try:
            result = self._work()
        except BaseException as exc:
            error = exc
        with contextlib.suppress(RuntimeError):  # the event loop was closed meanwhile
            self._loop.call_soon_threadsafe(self._resolve_future, result, error)

    def _resolve_future(self, result: object, error: BaseException | None) -> None:
        """Runs in the event loop's thread."""
        if self._future.done():
            return
        if error is None:
            self._future.set_result(result)
        else:
            self._future.set_exception(error)


def _run_jobs(jobs: _Queue, idle: threading.Semaphore) -> None:
    while job := jobs.get():
        job.run()
        job = None  # frees the memory while the thread is idle
        idle.release()


def _stop_threads(jobs: _Queue, threads: list[threading.Thread]) -> None:
    for _ in threads:
        jobs.put(None)  # ends the thread that gets it
