"""A thread-safe cache that evicts the least recently used entries."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class LRUCache(Generic[K, V]):
    """Holds at most ``size`` values of a total weight up to ``limit``."""

    def __init__(
        self, size: int, *, limit: int = 0, weight: Callable[[V], int] = lambda value: 0
    ) -> None:
        self._size, self._limit, self._weight = size, limit, weight
        self._entries: OrderedDict[K, tuple[V, int]] = OrderedDict()
        self._total_weight = 0
        self._lock = threading.Lock()

    def get(self, key: K) -> V | None:
        with self._lock:
            entry = self._entries.get(key)
            if entry is None:
                return None
            self._entries.move_to_end(key)
            return entry[0]

    def put(self, key: K, value: V) -> None:
        """Evict the least recently used values until the limits are met."""
        weight = self._weight(value)
        with self._lock:
            self._remove(key)
            self._entries[key] = value, weight
            self._total_weight += weight
            while len(self._entries) > self._size or self._total_weight > self._limit:
                self._remove(next(iter(self._entries)))

    def pop(self, key: K) -> V | None:
        with self._lock:
            return self._remove(key)

    def clear(self) -> None:
        with self._lock:
            self._entries.clear()
            self._total_weight = 0

    def _remove(self, key: K) -> V | None:
        entry = self._entries.pop(key, None)
        if entry is None:
            return None
        self._total_weight -= entry[1]
        return entry[0]
