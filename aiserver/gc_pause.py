"""Pause the garbage collector while large packages or much data are loaded.

A full collection traverses all objects, and blocks the server until it is done. LangChain and a
provider's package create several hundred thousand objects, which take 0.2 s to traverse. So the
collector is disabled while packages are imported. After the import, ``gc.freeze`` makes the
collector ignore all objects that exist at that moment. An ignored object is still freed when its
last reference disappears. Only cycles of ignored objects are never freed.

The collector is also disabled while the history of a notebook is loaded. Otherwise, the first
timeline takes a third longer, and delays the event loop four times as long
(``benchmarks/replay.py``). If these objects are freed before the pause ends, the collector never
traverses them.
"""

from __future__ import annotations

import gc
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_PART = 200  # the number of records or steps that are freed in half a millisecond
_lock = threading.Lock()
_active_count = 0  # the number of pauses that have begun and not ended
_was_enabled = False  # whether the collector was enabled when the first of these pauses began


@contextmanager
def pause_gc() -> Iterator[None]:
    """Disable the collector while the ``with`` block runs.

    If several blocks overlap, in threads or tasks, the collector is disabled until the last one
    ends. After a block that imported packages, the collector ignores the objects that exist then.
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
    """Empty long lists in parts. Freeing all items at once would let no other thread run."""
    for items in lists:
        while items:
            del items[-_PART:]
