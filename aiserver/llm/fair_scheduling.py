"""Lets many streams share the server's event loop, so that it never stands still.

A provider's library that finds many pieces in one packet hands them out without a pause. With one
stream that is quick; with a hundred, whatever else the server does would wait for all of them.

What must hold: each round of the loop lets a few streams work, in the order they came, and each
for ``SLICE`` seconds at most before it waits for its next turn; the first words of an answer are
with whoever asked before the next are looked at.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from weakref import WeakKeyDictionary

SLICE = 0.001  # seconds of work for one stream at a time
AT_ONCE = 8  # streams that work in one round of the loop
HEAD_START = 0.001  # seconds for the first words to get out


class Turns:
    """The turns of one stream, which calls ``pause`` after each piece."""

    def __init__(self) -> None:
        self._since = time.perf_counter()
        self._has_spoken = False

    async def pause(self, speaks: bool) -> None:
        """Wait if this stream has worked long enough. ``speaks``: whether its last piece has text.

        Who cancels the task meanwhile is heard at its next wait, which is the library's own: only
        there does a cancellation unwind the library's clean-up.
        """
        first = speaks and not self._has_spoken
        self._has_spoken |= speaks
        if not first and time.perf_counter() - self._since < SLICE:
            return
        try:
            if first:
                await asyncio.sleep(HEAD_START)
            await _queue().wait()
        except asyncio.CancelledError:
            task = asyncio.current_task()
            assert task is not None
            task.cancel()
        self._since = time.perf_counter()


class _Queue:
    """The streams of one loop that wait for their turn."""

    def __init__(self) -> None:
        self._waiting: deque[asyncio.Future[None]] = deque()

    async def wait(self) -> None:
        loop = asyncio.get_running_loop()
        turn = loop.create_future()
        self._waiting.append(turn)
        if len(self._waiting) == 1:
            loop.call_soon(self._next)
        await turn

    def _next(self) -> None:
        left = AT_ONCE
        while self._waiting and left:
            turn = self._waiting.popleft()
            if not turn.done():  # it may have been cancelled
                turn.set_result(None)
                left -= 1
        if self._waiting:
            asyncio.get_running_loop().call_soon(self._next)


_queues: WeakKeyDictionary[asyncio.AbstractEventLoop, _Queue] = WeakKeyDictionary()


def _queue() -> _Queue:
    loop = asyncio.get_running_loop()
    queue = _queues.get(loop)
    if queue is None:
        queue = _queues[loop] = _Queue()
    return queue
