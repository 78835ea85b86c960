"""A dictionary that forgets what was not used for longest. Safe among threads."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class LRUCache(Generic[K, V]):
    """At most ``size`` entries; of those that weigh something, as many as weigh ``limit``."""

    def __init__(
        self, size: int, *, limit: int = 0, weight: Callable[[V], int] = lambda value: 0
    ) -> None:
        self._size, self._limit, self._weight = size, limit, weight
        self._entries: OrderedDict[K, tuple[V, int]] = OrderedDict()
        self._load = 0
        self._guard = threading.Lock()

    def get(self, key: K) -> V | None:
        """The entry, which counts as used now, or None."""
        with self._guard:
            found = self._entries.get(key)
            if found is None:
                return None
            self._entries.move_to_end(key)
            return found[0]

    def put(self, key: K, value: V) -> None:
        """Set an entry, and forget the oldest if there are too many."""
        weight = self._weight(value)
        with self._guard:
            self._drop(key)
            self._entries[key] = value, weight
            self._load += weight
            while len(self._entries) > self._size or self._load > self._limit:
                self._drop(next(iter(self._entries)))

    def take(self, key: K) -> V | None:
        """Remove an entry and return it, or None."""
        with self._guard:
            return self._drop(key)

    def _drop(self, key: K) -> V | None:
        found = self._entries.pop(key, None)
        if found is None:
            return None
        self._load -= found[1]
        return found[0]
