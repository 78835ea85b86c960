"""Share the event loop fairly between streams.

A provider's library yields all chunks of a network packet without returning to the event loop. So
all streams share a semaphore, the gate: without it, the event loop takes two to three times as long
to respond (``benchmarks/streams.py``).
"""

from __future__ import annotations

import asyncio
import time
from weakref import WeakKeyDictionary

SLICE = 0.001  # seconds of one stream at a time
STREAMS_PER_ITERATION = 8  # streams that pass the gate in one iteration of the event loop
FIRST_WORDS_PAUSE = 0.001  # seconds to pause while the first words are sent


class FairShare:
    """Limits how long one stream uses the event loop. It calls ``pause`` after each chunk."""

    def __init__(self) -> None:
        self._running_since = time.perf_counter()
        self._has_had_text = False

    async def pause(self, has_text: bool) -> None:
        """Let others run after a time slice, or the first words.

        A cancellation waits for the next await inside the provider's library, which then cleans up.
        """
        is_first = has_text and not self._has_had_text
        self._has_had_text |= has_text
        if not is_first and time.perf_counter() - self._running_since < SLICE:
            return
        try:
            if is_first:
                await asyncio.sleep(FIRST_WORDS_PAUSE)
            async with _gate():
                await asyncio.sleep(0)
        except asyncio.CancelledError:
            task = asyncio.current_task()
            assert task is not None
            task.cancel()
        self._running_since = time.perf_counter()


_gates: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore] = WeakKeyDictionary()


def _gate() -> asyncio.Semaphore:
    return _gates.setdefault(asyncio.get_running_loop(), asyncio.Semaphore(STREAMS_PER_ITERATION))
