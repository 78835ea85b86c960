"""Starts, asks and ends the process that searches.

To look through many texts is work for Python alone. In a thread of the server it would take turns
with the event loop, and its hundred thousands of objects would be looked through by the server's
garbage collector, which stops everything for that.

What must hold: it starts at the first need; one request at a time; a process that died, or that
nobody asked for ``IDLE`` seconds, is started anew, under another number, at the next ``start``: it
knows nothing then.
"""

from __future__ import annotations

import asyncio
import pickle
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from ..child_process import Child, command_of
from ..errors import SearchFailed

IDLE = 600.0  # seconds

_COMMAND = command_of("aiserver.search.worker")


class Ended(Exception):
    """The process is gone, and with it all that it knew."""


class SearchProcess:
    """One child process."""

    def __init__(self, command: Sequence[str] = _COMMAND, idle: float = IDLE) -> None:
        self._command, self._idle = tuple(command), idle
        self._child: Child | None = None
        self._number = 0
        # One thread, and it alone talks to the child: so an answer that nobody waits for any more
        # is read all the same, and is never taken for the next one.
        self._thread = ThreadPoolExecutor(1, "aiserver-search")
        self._timer: asyncio.TimerHandle | None = None
        self._closed = False

    @property
    def pid(self) -> int | None:
        """The running child's id."""
        child = self._child  # the thread may let go of it meanwhile
        return child.pid if child else None

    async def start(self) -> int:
        """Have it running; its number. Raises SearchFailed."""
        number: int = await self._do(self._start)
        return number

    async def call(self, number: int, name: str, *arguments: Any) -> Any:
        """What a method of the ``Shelf`` in the process of this number gives.

        Raises Ended, SearchFailed.
        """
        return await self._do(self._ask, number, name, arguments)

    async def close(self) -> None:
        """End it, for good."""
        if self._closed:
            return
        self._closed = True
        if self._timer:
            self._timer.cancel()
        await asyncio.get_running_loop().run_in_executor(self._thread, self._end)
        self._thread.shutdown(wait=False)

    async def _do(self, work: Any, *arguments: Any) -> Any:
        if self._closed:
            raise SearchFailed
        loop = asyncio.get_running_loop()
        if self._timer:
            self._timer.cancel()
        # (What takes longer than that ends it only when it is done, for there is one thread.)
        self._timer = loop.call_later(self._idle, self._thread.submit, self._end)
        return await loop.run_in_executor(self._thread, work, *arguments)

    def _start(self) -> int:
        if self.pid is None:
            self._end()
            try:
                self._child = Child(self._command)
            except OSError as error:
                raise SearchFailed from error
            self._number += 1
        return self._number

    def _ask(self, number: int, name: str, arguments: tuple[Any, ...]) -> Any:
        child = self._child
        if child is None or number != self._number:
            raise Ended
        try:
            pickle.dump((name, arguments), child.requests, pickle.HIGHEST_PROTOCOL)
            child.requests.flush()
            went_well, value = pickle.load(child.answers)  # noqa: S301 - our own child
        except (OSError, EOFError, pickle.UnpicklingError) as error:
            self._end()
            raise Ended from error
        if not went_well:
            raise SearchFailed from RuntimeError(value)
        return value

    def _end(self) -> None:
        child, self._child = self._child, None
        if child is not None:
            child.end()
