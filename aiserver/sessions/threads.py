"""Run file operations in threads, so that the event loop never waits for a disk or a lock.

Invariants: a job that was started is finished, even if its caller stopped waiting; ``close`` waits
for it. Each job responds once.

With Python's ThreadPoolExecutor, a save of 10 turns in a file exceeds its target in
benchmarks/stores.py.
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
    """At most ``count`` threads, started on demand."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._jobs: _Queue = SimpleQueue()
        self._idle = threading.Semaphore(0)
        """One permit for each thread that has no job."""
        self._threads: list[threading.Thread] = []
        # Stops the threads if nobody calls ``close``.
        self._end = weakref.finalize(self, _stop_threads, self._jobs, self._threads)

    def run(self, work: Callable[[], T]) -> asyncio.Future[T]:
        """Run ``work`` in a thread and return a future of the running loop."""
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
        """Stop the threads after their queued jobs; wait ``timeout`` seconds at most for each."""
        self._end()
        for thread in self._threads:
            thread.join(timeout)


def respond(result: object) -> None:
    """Resolve the current job's future now, before the rest of the job runs.

    Later exceptions of the job are discarded. Does nothing outside of a worker thread.
    """
    job: _Job | None = getattr(_thread_state, "job", None)
    if job:
        job.respond(result, None)


_thread_state = threading.local()


class _Job:
    """Work and the future of its result."""

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        future: asyncio.Future[Any],
        work: Callable[[], Any],
    ) -> None:
        self._loop, self._future, self._work = loop, future, work
        self._has_responded = False

    def run(self) -> None:
        if self._future.done():  # cancelled or expired while it was queued
            return
        result, error = None, None
        try:
            result = self._work()
        except BaseException as reason:
            error = reason
        self.respond(result, error)

    def respond(self, result: object, error: BaseException | None) -> None:
        if self._has_responded:
            return
        self._has_responded = True
        with contextlib.suppress(RuntimeError):  # the loop was closed meanwhile
            self._loop.call_soon_threadsafe(self._settle, result, error)

    def _settle(self, result: object, error: BaseException | None) -> None:
        if self._future.done():
            return
        if error is None:
            self._future.set_result(result)
        else:
            self._future.set_exception(error)


def _run_jobs(jobs: _Queue, idle: threading.Semaphore) -> None:
    while job := jobs.get():
        _thread_state.job = job
        job.run()
        _thread_state.job = job = None  # to free the job while waiting
        idle.release()


def _stop_threads(jobs: _Queue, threads: list[threading.Thread]) -> None:
    for _ in threads:
        jobs.put(None)
