"""Locks by name, across threads and processes, with a bounded number of lock files.

Invariants:

- Among all processes that share the folder, at most one thread at a time holds the lock of a name.
- Each name maps to one of 256 lock files, so that lock files don't accumulate. Two names may share
  a lock file. So a thread never locks two names at once: if they shared a lock file, the thread
  would wait for itself. There is one more lock, for the directory as a whole. A thread that holds
  the directory's lock may also lock a name.
- When a process ends, its locks are released. This is true even on a disk that doesn't support the
  system's file locks (see ``durable/locking.py``).
"""

from __future__ import annotations

import os
import threading
import time
import zlib
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from ...durable import lock_file
from ...errors import StorageBusy

SHARDS = 256  # the number of lock files for names
_DIRECTORY_LOCK = SHARDS  # the index of the directory's lock file, after those for names


class ShardLocks:
    """The locks whose files are in one folder. ``timeout`` is in seconds."""

    def __init__(self, folder: Path, timeout: float) -> None:
        self._folder, self._timeout = os.fspath(folder), timeout
        self._thread_locks = [threading.Lock() for _ in range(SHARDS + 1)]

    @contextmanager
    def lock(self, name: str | None = None) -> Iterator[None]:
        """Lock a name, or the directory if ``name`` is None. The folder must exist.

        Raises OSError, or StorageBusy after the timeout.
        """
        with self._lock(name, self._timeout) as is_locked:
            if not is_locked:
                raise StorageBusy
            yield

    def try_lock(self, name: str) -> AbstractContextManager[bool]:
        """Return a context manager that tries to lock a name without waiting.

        The context manager yields whether the name was locked.
        """
        return self._lock(name, 0)

    @contextmanager
    def _lock(self, name: str | None, timeout: float) -> Iterator[bool]:
        shard = _DIRECTORY_LOCK if name is None else zlib.crc32(name.encode()) % SHARDS
        deadline = time.monotonic() + timeout
        # A thread first waits for the other threads of this process, with a thread lock. To wait
        # for them with `lock_file` would take longer, because `lock_file` polls.
        if not self._thread_locks[shard].acquire(timeout=timeout):
            yield False
            return
        try:
            release = lock_file(self._folder, f"{shard:02x}", deadline)
            try:
                yield release is not None
            finally:
                if release:
                    release()
        finally:
            self._thread_locks[shard].release()
