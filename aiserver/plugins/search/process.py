"""Start, call and stop the search process, a child process that runs a ``TextIndex``.

Searching needs a lot of CPU time in Python code. In a thread of the server, a search would compete
with the event loop for the GIL, and slow down the server's garbage collection.

Invariants: the process starts when it is first used, and executes one call at a time. It is stopped
``IDLE`` seconds after the last call began, but never during a call. After it was stopped or has
crashed, the next ``start`` starts a new process, which has a different number and no texts.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from ...child_process import Child, ChildEnded, command_of
from ...errors import SearchFailed

IDLE = 600.0  # seconds without a call after which the process is stopped

_COMMAND = command_of("aiserver.plugins.search.worker")


class SearchProcess:
    """Manages the search process."""

    def __init__(self, command: Sequence[str] = _COMMAND, idle: float = IDLE) -> None:
        self._command, self._idle = tuple(command), idle
        self._child: Child | None = None
        self._number = 0
        # Only this thread communicates with the child. The thread also reads the answer to a
        # cancelled call, so that this answer is never mistaken for the answer to the next call.
        self._thread = ThreadPoolExecutor(1, "aiserver-search")
        self._timer: asyncio.TimerHandle | None = None
        self._closed = False

    @property
    def pid(self) -> int | None:
        """The operating system's id of the child process; None if it isn't running."""
        child = self._child  # read once, because the thread may set the attribute to None
        return child.pid if child else None

    async def start(self) -> int:
        """Start the process if it isn't running, and return its number. Raises SearchFailed."""
        number: int = await self._run(self._start)
        return number

    async def call(self, number: int, name: str, *arguments: Any) -> Any:
        """Call the method ``name`` of the index in the process with this number.

        Raises ChildEnded if that process has ended, so that everything must be indexed again, and
        SearchFailed if the method raises an exception.
        """
        return await self._run(self._call, number, name, arguments)

    async def close(self) -> None:
        """Stop the process permanently."""
        if self._closed:
            return
        self._closed = True
        if self._timer:
            self._timer.cancel()
        if child := self._child:
            child.kill()  # it may be busy, and it keeps nothing
        await asyncio.get_running_loop().run_in_executor(self._thread, self._end)
        self._thread.shutdown(wait=False)

    async def _run(self, function: Any, *arguments: Any) -> Any:
        if self._closed:
            raise SearchFailed
        loop = asyncio.get_running_loop()
        if self._timer:
            self._timer.cancel()
        # If a call takes longer than ``_idle`` seconds, the process is stopped only after this
        # call, because the thread executes one function at a time.
        self._timer = loop.call_later(self._idle, self._thread.submit, self._end)
        return await loop.run_in_executor(self._thread, function, *arguments)

    def _start(self) -> int:
        if self.pid is None:
            self._end()
            try:
                self._child = Child(self._command)
            except OSError as error:
                raise SearchFailed from error
            self._number += 1
        return self._number

    def _call(self, number: int, name: str, arguments: tuple[Any, ...]) -> Any:
        child = self._child
        if child is None or number != self._number:
            raise ChildEnded
        try:
            is_ok, value = child.call((name, arguments))
        except ChildEnded:
            self._end()
            raise
        if not is_ok:
            raise SearchFailed from RuntimeError(value)
        return value

    def _end(self) -> None:
        child, self._child = self._child, None
        if child is not None:
            child.end()
