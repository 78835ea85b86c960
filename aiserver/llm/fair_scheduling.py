"""Share the event loop fairly between streams, so that none of them blocks it.

If a packet contains many chunks, a provider's library yields them without a pause. One stream does
little harm that way; a hundred would block everything else that the server does. Without the gate
the event loop is two to three times as late (``benchmarks/streams.py``).

Invariants: in each iteration of the loop a few streams run, in FIFO order, each for at most
``SLICE`` seconds before it queues again; the first words of an answer are sent to the client before
the next chunk is processed.
"""

from __future__ import annotations

import asyncio
import time
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
            async with _gate():
                await asyncio.sleep(0)
        except asyncio.CancelledError:
            task = asyncio.current_task()
            assert task is not None
            task.cancel()
        self._since = time.perf_counter()


_gates: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore] = WeakKeyDictionary()


def _gate() -> asyncio.Semaphore:
    """Return the gate of the running loop, which lets a few streams through in each iteration."""
    return _gates.setdefault(asyncio.get_running_loop(), asyncio.Semaphore(STREAMS_PER_ROUND))
