"""Threads for the work with files: no wait for a disk or a lock on the event loop.

What must hold: work that was begun is finished, whoever still waits for it; ``close`` waits for
that. Python's own ThreadPoolExecutor does the same, and takes four times as long to hand a piece
of work over and its result back: a third of what a whole save may cost.
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

_Job = tuple[asyncio.AbstractEventLoop, "asyncio.Future[Any]", Callable[[], Any]]
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
        self._jobs.put((loop, future, work))
        return future

    def close(self) -> None:
        """End the threads, after what was asked of them."""
        self._end()
        for thread in self._threads:
            thread.join()


def afterwards(work: Callable[[], object]) -> None:
    """Do that when the result of the work at hand is on its way; at once where no worker is."""
    works: list[Callable[[], object]] | None = getattr(_here, "works", None)
    if works is None:
        work()
    else:
        works.append(work)


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


def _serve(jobs: _Queue, busy: _Busy) -> None:
    _here.works = []
    while job := jobs.get():
        loop, future, work = job
        result, error = None, None
        if not future.cancelled():  # else nobody waited for its turn to come
            try:
                result = work()
            except BaseException as reason:
                error = reason
        busy.end()
        with contextlib.suppress(RuntimeError):  # the loop was closed meanwhile
            loop.call_soon_threadsafe(_settle, future, result, error)
        while _here.works:
            with contextlib.suppress(OSError):
                _here.works.pop()()
        del job, future, work, result, error  # to hold on to nothing while waiting


def _settle(future: asyncio.Future[Any], result: Any, error: BaseException | None) -> None:
    if future.cancelled():
        return
    if error is None:
        future.set_result(result)
    else:
        future.set_exception(error)


def _dismiss(jobs: _Queue, threads: list[threading.Thread]) -> None:
    for _ in threads:
        jobs.put(None)
