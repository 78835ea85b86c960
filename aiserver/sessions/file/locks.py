"""Locks by name, across threads and processes, with a bounded number of lock files.

Invariants:

- At most one thread of all processes that share the folder holds a name.
- A name maps to one of 256 lock files, so that they don't accumulate. Two names may share one, so a
  thread never holds two names at once. One more lock is for the directory; its holder may lock
  names, too.
- As in ``durable/locking.py``, a killed process blocks nobody, even on a disk without the system's
  locks.
"""

from __future__ import annotations

import os
import threading
import time
import zlib
from collections.abc import Callable
from pathlib import Path

from ...durable import lock_file
from ...errors import StorageBusy

SHARDS = 256
_DIRECTORY_LOCK = SHARDS


class ShardLocks:
    """The locks of one folder. ``timeout`` is in seconds."""

    def __init__(self, folder: Path, timeout: float) -> None:
        self._folder, self._timeout = os.fspath(folder), timeout
        self._thread_locks = [threading.Lock() for _ in range(SHARDS + 1)]

    def lock(self, name: str) -> Lock:
        """Return a name's lock. The folder must exist.

        Entering it raises OSError, or StorageBusy on timeout.
        """
        return self._of(_shard(name), self._timeout, must=True)

    def try_lock(self, name: str) -> Lock:
        """Return a name's lock that doesn't wait; entering returns whether it was acquired."""
        return self._of(_shard(name), 0, must=False)

    def lock_directory(self) -> Lock:
        """Return the lock of the directory. Raises as ``lock``."""
        return self._of(_DIRECTORY_LOCK, self._timeout, must=True)

    def _of(self, number: int, timeout: float, *, must: bool) -> Lock:
        where = self._folder, f"{number:02x}"
        return Lock(self._thread_locks[number], where, timeout, must=must)


class Lock:
    """A lock for one ``with`` statement, which receives whether it was acquired."""

    def __init__(
        self,
        thread_lock: threading.Lock,
        where: tuple[str, str],
        timeout: float,
        *,
        must: bool,
    ) -> None:
        self._thread_locks, self._where, self._timeout = thread_lock, where, timeout
        self._must = must
        self._release: Callable[[], object] | None = None

    def __enter__(self) -> bool:
        # Threads wait for each other here, where they need not poll.
        end = time.monotonic() + self._timeout
        if self._thread_locks.acquire(timeout=self._timeout):
            try:
                self._release = lock_file(*self._where, end)
            finally:
                if self._release is None:
                    self._thread_locks.release()
        if self._release is None and self._must:
            raise StorageBusy
        return self._release is not None

    def __exit__(self, *_: object) -> None:
        release, self._release = self._release, None
        if release:
            try:
                release()
            finally:
                self._thread_locks.release()


def _shard(name: str) -> int:
    return zlib.crc32(name.encode()) % SHARDS
