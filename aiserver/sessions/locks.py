"""Locks by name, across threads and processes, with a bounded number of lock files.

What must hold:

- One holder per name at a time, among all threads and processes that share the folder.
- The system frees the lock of a killed process: it blocks nobody.
- A name maps to one of 256 lock files, so that they don't pile up. Two names may share one, so a
  thread never holds two names at once. One more stands apart: under it names can be held.
- A link planted in place of a lock file is removed, never followed.
"""

from __future__ import annotations

import contextlib
import errno
import threading
import zlib
from collections.abc import Iterator
from pathlib import Path

from filelock import FileLock, Timeout

from ..errors import StorageError

SHARDS = 256
_APART = SHARDS
_POLL = 0.002  # seconds between two tries for a lock that another process holds


class ShardLocks:
    """The locks of one folder. ``timeout`` is in seconds."""

    def __init__(self, folder: Path, timeout: float) -> None:
        self._folder, self._timeout = folder, timeout
        self._guard = threading.Lock()
        self._shards: dict[int, tuple[threading.Lock, FileLock]] = {}

    @contextlib.contextmanager
    def hold(self, name: str) -> Iterator[None]:
        """Hold a name's lock. The folder must be there.

        Raises StorageError if somebody keeps it longer than the timeout, OSError.
        """
        with self._held(name, self._timeout) as held:
            if not held:
                raise StorageError("The history is busy. Try again in a moment.")
            yield

    @contextlib.contextmanager
    def hold_if_free(self, name: str) -> Iterator[bool]:
        """Hold a name's lock if nobody has it now; gives whether it does."""
        with self._held(name, 0) as held:
            yield held

    @contextlib.contextmanager
    def hold_apart(self) -> Iterator[None]:
        """Hold a lock beside those of the names. Raises as ``hold``."""
        with self._held_shard(_APART, self._timeout) as held:
            if not held:
                raise StorageError("The history is busy. Try again in a moment.")
            yield

    def _held(self, name: str, timeout: float) -> contextlib.AbstractContextManager[bool]:
        return self._held_shard(zlib.crc32(name.encode()) % SHARDS, timeout)

    @contextlib.contextmanager
    def _held_shard(self, number: int, timeout: float) -> Iterator[bool]:
        # Threads wait for each other here, where they need not poll.
        among_threads, among_processes = self._shard(number)
        if not among_threads.acquire(timeout=timeout):
            yield False
            return
        try:
            if not self._acquire(among_processes, timeout):
                yield False
                return
            try:
                yield True
            finally:
                among_processes.release()
        finally:
            among_threads.release()

    def _shard(self, number: int) -> tuple[threading.Lock, FileLock]:
        with self._guard:
            if number not in self._shards:
                path = self._folder / f"{number:02x}.lock"
                # Not thread-local: the thread lock beside it says who holds it.
                file_lock = FileLock(path, mode=0o600, thread_local=False)
                self._shards[number] = threading.Lock(), file_lock
            return self._shards[number]

    def _acquire(self, lock: FileLock, timeout: float) -> bool:
        try:
            self._acquire_once(lock, timeout)
        except Timeout:
            return False
        except OSError as exc:
            path = Path(lock.lock_file)
            if exc.errno not in (errno.ELOOP, errno.EMLINK) or not path.is_symlink():
                raise
            path.unlink(missing_ok=True)  # nobody holds a lock through a link
            self._acquire_once(lock, timeout)
        return True

    def _acquire_once(self, lock: FileLock, timeout: float) -> None:
        lock.acquire(timeout=timeout, poll_interval=_POLL)
