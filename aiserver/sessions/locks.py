"""Locks by name, across threads and processes, with a bounded number of lock files.

What must hold:

- One holder per name at a time, among all threads and processes that share the folder.
- The system frees the lock of a killed process: it blocks nobody.
- A name maps to one of 256 lock files, so that they don't pile up. Two names may share one, so a
  thread never holds two names at once. One more stands apart: under it names can be held.
- A link planted in place of a lock file is removed, never followed.
- A lock file that is removed while it is held or waited for locks nobody out and lets nobody in
  twice: who gets a lock looks whether its file is still the one of that name.
"""

from __future__ import annotations

import contextlib
import errno
import os
import threading
import time
import zlib
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from ..errors import StorageError

try:
    import fcntl
except ImportError:  # Windows
    flock: Any = None
else:
    flock = fcntl.flock
    _EXCLUSIVE = fcntl.LOCK_EX | fcntl.LOCK_NB

SHARDS = 256
_APART = SHARDS
_POLL = 0.002  # seconds between two tries for a lock that another process holds


class ShardLocks:
    """The locks of one folder. ``timeout`` is in seconds."""

    def __init__(self, folder: Path, timeout: float) -> None:
        self._prefix, self._timeout = os.fspath(folder / "_")[:-1], timeout
        self._among_threads = [threading.Lock() for _ in range(SHARDS + 1)]

    def hold(self, name: str) -> Hold:
        """Hold a name's lock. The folder must be there.

        Raises StorageError if somebody keeps it longer than the timeout, OSError.
        """
        return self._of(_shard(name), self._timeout, must=True)

    def hold_if_free(self, name: str) -> Hold:
        """Hold a name's lock if nobody has it now; gives whether it does."""
        return self._of(_shard(name), 0, must=False)

    def hold_apart(self) -> Hold:
        """Hold a lock beside those of the names. Raises as ``hold``."""
        return self._of(_APART, self._timeout, must=True)

    def _of(self, number: int, timeout: float, *, must: bool) -> Hold:
        path = f"{self._prefix}{number:02x}.lock"
        return Hold(self._among_threads[number], path, timeout, must=must)


class Hold:
    """One lock, held for one ``with``, which is told whether it is."""

    def __init__(
        self, among_threads: threading.Lock, path: str, timeout: float, *, must: bool
    ) -> None:
        self._among_threads, self._path, self._timeout = among_threads, path, timeout
        self._must = must
        self._release: Callable[[], object] | None = None

    def __enter__(self) -> bool:
        # Threads wait for each other here, where they need not poll.
        end = time.monotonic() + self._timeout
        if self._among_threads.acquire(timeout=self._timeout):
            try:
                self._release = _lock(self._path, end)
            finally:
                if self._release is None:
                    self._among_threads.release()
        if self._release is None and self._must:
            raise StorageError("The history is busy. Try again in a moment.")
        return self._release is not None

    def __exit__(self, *_: object) -> None:
        release, self._release = self._release, None
        if release:
            try:
                release()
            finally:
                self._among_threads.release()


def _lock(path: str, end: float) -> Callable[[], object] | None:
    """Lock the file; what gives it free again, or None if the time is over."""
    try:
        if flock:
            return _by_flock(path, end)
    except OSError as exc:
        if exc.errno != errno.ENOSYS:  # as of some parallel disks, mounted without locks
            raise
    return _by_filelock(path, end)


def _shard(name: str) -> int:
    return zlib.crc32(name.encode()) % SHARDS


def _by_flock(path: str, end: float) -> Callable[[], object] | None:
    # By hand, for filelock takes ten times as long: a sixth of what a whole save may cost.
    while True:
        fd = _open(path)
        try:
            while not _try_lock(fd):
                if time.monotonic() >= end:
                    os.close(fd)
                    return None
                time.sleep(_POLL)
            if _is_at(fd, path):
                return partial(os.close, fd)
        except BaseException:
            os.close(fd)
            raise
        os.close(fd)


def _open(path: str) -> int:
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
    try:
        return os.open(path, flags, 0o600)
    except OSError as exc:
        if not _is_link(exc, path):
            raise
        Path(path).unlink(missing_ok=True)
        return os.open(path, flags, 0o600)


def _try_lock(fd: int) -> bool:
    try:
        flock(fd, _EXCLUSIVE)
    except BlockingIOError:
        return False
    return True


def _is_at(fd: int, path: str) -> bool:
    try:
        there = os.lstat(path)
    except FileNotFoundError:
        return False
    mine = os.fstat(fd)
    if (there.st_ino, there.st_dev) != (mine.st_ino, mine.st_dev):
        return False
    if mine.st_mode & 0o777 != 0o600:  # the umask had its say
        with contextlib.suppress(PermissionError):
            Path(path).chmod(0o600)
    return True


def _by_filelock(path: str, end: float) -> Callable[[], object] | None:
    # Not thread-local: the thread lock around it says who holds it.
    lock = FileLock(path, mode=0o600, thread_local=False)
    for last in (False, True):
        try:
            lock.acquire(timeout=max(0.0, end - time.monotonic()), poll_interval=_POLL)
        except Timeout:
            return None
        except OSError as exc:
            if last or not _is_link(exc, path):
                raise
            Path(path).unlink(missing_ok=True)
        else:
            break
    return lock.release


def _is_link(error: OSError, path: str) -> bool:
    # Nobody holds a lock through a link.
    return error.errno in (errno.ELOOP, errno.EMLINK) and Path(path).is_symlink()
