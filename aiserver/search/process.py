"""Start, call and stop the search process.

Searching is CPU-bound Python. In a thread of the server it would compete with the event loop for
the GIL, and its hundred thousands of objects would slow down the server's garbage collector.

Invariants: the process starts on first use; one request runs at a time; after its death, or after
``IDLE`` seconds without a request, the next ``start`` starts another one with a new number and no
texts.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from ..child_process import Child, ChildEnded, command_of
from ..errors import SearchFailed

IDLE = 600.0  # seconds

_COMMAND = command_of("aiserver.search.worker")


class SearchProcess:
    """One child process."""

    def __init__(self, command: Sequence[str] = _COMMAND, idle: float = IDLE) -> None:
        self._command, self._idle = tuple(command), idle
        self._child: Child | None = None
        self._number = 0
        # Only this thread talks to the child: so the answer to a cancelled request is still read
        # and never mistaken for the next one.
        self._thread = ThreadPoolExecutor(1, "aiserver-search")
        self._timer: asyncio.TimerHandle | None = None
        self._closed = False

    @property
    def pid(self) -> int | None:
        """The running child's process id."""
        child = self._child  # the thread may clear the attribute meanwhile
        return child.pid if child else None

    async def start(self) -> int:
        """Start the process if it isn't running; return its number. Raises SearchFailed."""
        number: int = await self._run(self._start)
        return number

    async def call(self, number: int, name: str, *arguments: Any) -> Any:
        """Call a method of the ``TextIndex`` in the process with this number.

        Raises ChildEnded, SearchFailed.
        """
        return await self._run(self._call, number, name, arguments)

    async def close(self) -> None:
        """Stop the process permanently."""
        if self._closed:
            return
        self._closed = True
        if self._timer:
            self._timer.cancel()
        await asyncio.get_running_loop().run_in_executor(self._thread, self._end)
        self._thread.shutdown(wait=False)

    async def _run(self, function: Any, *arguments: Any) -> Any:
        if self._closed:
            raise SearchFailed
        loop = asyncio.get_running_loop()
        if self._timer:
            self._timer.cancel()
        # (A longer request delays this to its own end, because there is only one thread.)
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
