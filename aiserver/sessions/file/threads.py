"""Threads for the work with files: no wait for a disk or a lock on the event loop.

What must hold: work that was begun is finished, whoever still waits for it; ``close`` waits for
that. Who waits is answered once.

Python's own ThreadPoolExecutor does most of it, and takes four times as long to hand a piece of
work over and its result back: a third of what a whole save may cost.
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
    """At most ``count`` threads, made when they are first needed."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._jobs: _Queue = SimpleQueue()
        self._busy = _Busy()
        self._threads: list[threading.Thread] = []
        # Whoever forgets to close leaves no threads behind.
        self._end = weakref.finalize(self, _dismiss, self._jobs, self._threads)

    def run(self, work: Callable[[], T]) -> asyncio.Future[T]:
        """Do the work in a thread; its result in a future of the running loop."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[T] = loop.create_future()
        if self._busy.begin() > len(self._threads) < self._count:
            thread = threading.Thread(
                target=_serve, args=(self._jobs, self._busy), name="aiserver-store", daemon=True
            )
            self._threads.append(thread)
            thread.start()
        self._jobs.put(_Job(loop, future, work))
        return future

    def close(self) -> None:
        """End the threads, after what was asked of them."""
        self._end()
        for thread in self._threads:
            thread.join()


def answer(result: object) -> None:
    """Let whoever waits for the work at hand go on with this; what is still done is for later.

    Nobody hears what that raises. Where no worker is at work this does nothing.
    """
    job: _Job | None = getattr(_here, "job", None)
    if job:
        job.answer(result, None)


_here = threading.local()


class _Busy:
    """How many jobs are not done yet."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._jobs = 0

    def begin(self) -> int:
        with self._guard:
            self._jobs += 1
            return self._jobs

    def end(self) -> None:
        with self._guard:
            self._jobs -= 1


class _Job:
    """Work, and who waits for it."""

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        future: asyncio.Future[Any],
        work: Callable[[], Any],
    ) -> None:
        self._loop, self._future, self._work = loop, future, work
        self._answered = False

    def do(self) -> None:
        if self._future.cancelled():  # nobody waited for its turn to come
            return
        result, error = None, None
        try:
            result = self._work()
        except BaseException as reason:
            error = reason
        self.answer(result, error)

    def answer(self, result: object, error: BaseException | None) -> None:
        if self._answered:
            return
        self._answered = True
        with contextlib.suppress(RuntimeError):  # the loop was closed meanwhile
            self._loop.call_soon_threadsafe(self._settle, result, error)

    def _settle(self, result: object, error: BaseException | None) -> None:
        if self._future.cancelled():
            return
        if error is None:
            self._future.set_result(result)
        else:
            self._future.set_exception(error)


def _serve(jobs: _Queue, busy: _Busy) -> None:
    while job := jobs.get():
        _here.job = job
        job.do()
        busy.end()
        _here.job = job = None  # to hold on to nothing while waiting


def _dismiss(jobs: _Queue, threads: list[threading.Thread]) -> None:
    for _ in threads:
        jobs.put(None)
