"""Pause the garbage collector while large packages or much data are loaded.

A full collection traverses all objects, and blocks the server. Those of LangChain and a provider's
package, several hundred thousand, take 0.2 s. So the collector is disabled while packages are
imported, and ``gc.freeze`` then makes it ignore all objects; only cycles of them are never freed.

It is also disabled while a notebook's history is loaded. Otherwise, the first timeline takes a
third longer, and delays the event loop four times as long (``benchmarks/replay.py``).
"""

from __future__ import annotations

import gc
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_PART = 200  # records or steps that are freed in half a millisecond
_lock = threading.Lock()
_active_count = 0  # pauses that haven't ended
_was_enabled = False  # whether the collector was, before the first of these pauses


@contextmanager
def pause_gc() -> Iterator[None]:
    """Disable the collector within a ``with`` block.

    If blocks overlap, in threads or tasks, the collector is disabled until the last one ends. After
    a block that imported packages, it ignores the objects that exist then.
    """
    global _active_count, _was_enabled
    module_count = len(sys.modules)
    with _lock:
        if _active_count == 0:
            _was_enabled = gc.isenabled()
            gc.disable()
        _active_count += 1
    try:
        yield
    finally:
        with _lock:
            _active_count -= 1
            if len(sys.modules) > module_count:  # packages were imported
                gc.freeze()
            if _active_count == 0 and _was_enabled:
                gc.enable()


def free_items(*lists: list[Any]) -> None:
    """Empty long lists in parts, so that other threads run."""
    for items in lists:
        while items:
            del items[-_PART:]
