"""Loads large packages, and much data, into a server that is at work.

What must hold: whoever types meanwhile notices little. Python's garbage collector looks through
all that was ever loaded whenever there is much that is new, and stops the server for it: LangChain
and a provider's package are some hundred thousand objects, which take 0.2 s each time. So it waits
while they are loaded, and is told that they stay.
"""

from __future__ import annotations

import gc
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_lock = threading.Lock()
_active = 0


def freeze_gc() -> None:
    """Spare the collector all there is by now. To be called seldom, and inside ``pause_gc``.

    What is no longer used is freed all the same, but for objects in a circle.
    """
    gc.freeze()


@contextmanager
def pause_gc() -> Iterator[None]:
    """For the code that imports, or makes very many objects. Many threads may enter it at once."""
    global _active
    known = len(sys.modules)
    with _lock:
        _active += 1
        ours = _active == 1 and gc.isenabled()
        if ours:
            gc.disable()
    try:
        yield
    finally:
        with _lock:
            _active -= 1
            if len(sys.modules) > known:
                freeze_gc()
            if ours:
                gc.enable()
