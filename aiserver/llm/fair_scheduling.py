"""Share the event loop fairly between streams, so that none of them blocks it.

If a packet contains many chunks, a provider's library yields them without a pause. One stream does
little harm that way; a hundred would block everything else that the server does. Without the queue
the event loop is two to three times as late (``benchmarks/streams.py``).

Invariants: in each iteration of the loop a few streams run, in FIFO order, each for at most
``SLICE`` seconds before it queues again; the first words of an answer are sent to the client before
the next chunk is processed.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from weakref import WeakKeyDictionary

SLICE = 0.001  # seconds that one stream may run at a time
STREAMS_PER_ROUND = 8  # streams that run in one iteration of the loop
HEAD_START = 0.001  # seconds for sending the first words


class FairShare:
    """The share of one stream, which calls ``pause`` after each chunk."""

    def __init__(self) -> None:
        self._since = time.perf_counter()
        self._has_had_text = False

    async def pause(self, has_text: bool) -> None:
        """Wait if this stream has run long enough. ``has_text``: whether the last chunk had text.

        A cancellation during the wait is re-raised at the task's next await, inside the library:
        only there does it trigger the library's own clean-up.
        """
        is_first = has_text and not self._has_had_text
        self._has_had_text |= has_text
        if not is_first and time.perf_counter() - self._since < SLICE:
            return
        try:
            if is_first:
                await asyncio.sleep(HEAD_START)
            await _queue().wait()
        except asyncio.CancelledError:
            task = asyncio.current_task()
            assert task is not None
            task.cancel()
        self._since = time.perf_counter()


class _Queue:
    """The streams of one event loop that wait to run again."""

    def __init__(self) -> None:
        self._waiting: deque[asyncio.Future[None]] = deque()

    async def wait(self) -> None:
        loop = asyncio.get_running_loop()
        waiter = loop.create_future()
        self._waiting.append(waiter)
        if len(self._waiting) == 1:
            loop.call_soon(self._wake_next)
        await waiter

    def _wake_next(self) -> None:
        remaining = STREAMS_PER_ROUND
        while self._waiting and remaining:
            waiter = self._waiting.popleft()
            if not waiter.done():  # it may have been cancelled
                waiter.set_result(None)
                remaining -= 1
        if self._waiting:
            asyncio.get_running_loop().call_soon(self._wake_next)


_queues: WeakKeyDictionary[asyncio.AbstractEventLoop, _Queue] = WeakKeyDictionary()


def _queue() -> _Queue:
    loop = asyncio.get_running_loop()
    queue = _queues.get(loop)
    if queue is None:
        queue = _queues[loop] = _Queue()
    return queue
