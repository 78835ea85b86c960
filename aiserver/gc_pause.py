"""Pause the garbage collector while large packages or much data are loaded.

A full collection traverses all objects and blocks the server meanwhile. LangChain and a provider's
package have some hundred thousand objects, which takes 0.2 s each time. So the collector is
disabled while they are loaded, and then ignores them (``gc.freeze``: reference counting still frees
all but reference cycles). Without this the first timeline of a notebook
takes a third longer, and the event loop is four times as late (``benchmarks/replay.py``).
"""

from __future__ import annotations

import gc
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_lock = threading.Lock()
_active = 0


@contextmanager
def pause_gc() -> Iterator[None]:
    """Disable the collector while code imports packages or creates many objects. Thread-safe."""
    global _active
    module_count = len(sys.modules)
    with _lock:
        _active += 1
        disables = _active == 1 and gc.isenabled()
        if disables:
            gc.disable()
    try:
        yield
    finally:
        with _lock:
            _active -= 1
            if len(sys.modules) > module_count:
                gc.freeze()
            if disables:
                gc.enable()
