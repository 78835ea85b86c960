"""Locks by name, across threads and processes, with a bounded number of lock files.

Invariants:

- One holder per name at a time, among all threads and processes that share the folder.
- A name maps to one of 256 lock files, so that they don't pile up. Two names may share one, so a
  thread never holds two names at once. One more stands apart: under it names can be held.
- The rest is that of ``durable/locking.py``: a killed process blocks nobody, also where the disk
  has no locks of the system.
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
_APART = SHARDS


class ShardLocks:
    """The locks of one folder. ``timeout`` is in seconds."""

    def __init__(self, folder: Path, timeout: float) -> None:
        self._folder, self._timeout = os.fspath(folder), timeout
        self._among_threads = [threading.Lock() for _ in range(SHARDS + 1)]

    def hold(self, name: str) -> Hold:
        """Hold a name's lock. The folder must be there.

        Raises StorageBusy if somebody keeps it longer than the timeout, OSError.
        """
        return self._of(_shard(name), self._timeout, must=True)

    def hold_if_free(self, name: str) -> Hold:
        """Hold a name's lock if nobody has it now; gives whether it does."""
        return self._of(_shard(name), 0, must=False)

    def hold_apart(self) -> Hold:
        """Hold a lock beside those of the names. Raises as ``hold``."""
        return self._of(_APART, self._timeout, must=True)

    def _of(self, number: int, timeout: float, *, must: bool) -> Hold:
        where = self._folder, f"{number:02x}"
        return Hold(self._among_threads[number], where, timeout, must=must)


class Hold:
    """One lock, held for one ``with``, which is told whether it is."""

    def __init__(
        self,
        among_threads: threading.Lock,
        where: tuple[str, str],
        timeout: float,
        *,
        must: bool,
    ) -> None:
        self._among_threads, self._where, self._timeout = among_threads, where, timeout
        self._must = must
        self._release: Callable[[], object] | None = None

    def __enter__(self) -> bool:
        # Threads wait for each other here, where they need not poll.
        end = time.monotonic() + self._timeout
        if self._among_threads.acquire(timeout=self._timeout):
            try:
                self._release = lock_file(*self._where, end)
            finally:
                if self._release is None:
                    self._among_threads.release()
        if self._release is None and self._must:
            raise StorageBusy
        return self._release is not None

    def __exit__(self, *_: object) -> None:
        release, self._release = self._release, None
        if release:
            try:
                release()
            finally:
                self._among_threads.release()


def _shard(name: str) -> int:
    return zlib.crc32(name.encode()) % SHARDS
