"""Pause the garbage collector while large packages or much data are loaded.

A full collection traverses all objects and blocks the server meanwhile. LangChain and a provider's
package create some hundred thousand objects, whose traversal takes 0.2 s each time. So the
collector is disabled while packages are imported, and ignores the packages' objects afterwards
(``gc.freeze``). Reference counting still frees those objects, except in reference cycles.

Without the pause, the first timeline of a notebook takes a third longer, and the event loop is
delayed four times as long (``benchmarks/replay.py``).
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
        must_disable = _active == 1 and gc.isenabled()
        if must_disable:
            gc.disable()
    try:
        yield
    finally:
        with _lock:
            _active -= 1
            if len(sys.modules) > module_count:  # packages were imported
                gc.freeze()
            if must_disable:
                gc.enable()
