"""Lock a name in a folder across processes, with the library filelock.

Invariants:

- At most one process has the lock of a name. When the process ends, the lock is free.
- A symbolic link in place of a lock file, which somebody may have planted, is never followed.
- On a disk that doesn't support the system's file locks (``flock``), the lock is a file that exists
  while the lock is held. Another process on the same machine takes over the file of a process that
  was killed. The file of a killed process on another machine must be removed by hand.
"""

from __future__ import annotations

import errno
import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from filelock import BaseFileLock, FileLock, SoftFileLock, Timeout

from .platform import group_access

try:
    import fcntl
except ImportError:  # Windows
    flock: Any = None
else:
    flock = fcntl.flock
    _EXCLUSIVE = fcntl.LOCK_EX | fcntl.LOCK_NB

_POLL = 0.002  # seconds between two attempts to get a lock
# The errors of a disk that has no file locks.
_NO_LOCKS = {errno.ENOSYS, errno.ENOLCK, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EINVAL, errno.EIO}


class _SystemLock(FileLock):
    """A lock of the system only.

    The library would use the same file as a lock file, and wait forever if an earlier lock of the
    system has left it, for example on a disk to which the folder was copied.
    """

    def _fallback_to_soft_lock(self) -> None:
        raise OSError(errno.ENOSYS, "flock not supported")


def lock_file(folder: str, name: str, deadline: float) -> Callable[[], object] | None:
    """Lock a name in a folder; return a function that releases the lock, or None on timeout.

    ``deadline`` is a time of the monotonic clock. Raises OSError.
    """
    path = f"{folder}{os.sep}{name}.lock"
    if Path(path).is_symlink():  # AI Server creates no links here, so somebody planted it
        Path(path).unlink(missing_ok=True)
    try:
        return _acquire(_SystemLock, path, deadline)
    except OSError as exc:
        if exc.errno not in _NO_LOCKS:
            raise
    return _acquire(SoftFileLock, f"{path}.held", deadline)


def _acquire(kind: Any, path: str, deadline: float) -> Callable[[], object] | None:
    # Not thread-local, because the caller may release the lock in another thread.
    mode = 0o600 | group_access(Path(path).parent) & 0o060
    lock: BaseFileLock = kind(path, mode=mode, thread_local=False)
    try:
        lock.acquire(timeout=max(0.0, deadline - time.monotonic()), poll_interval=_POLL)
    except Timeout:
        return None
    return lock.release


def has_system_locks(folder: Path) -> bool:
    """Return whether the system's file locks work in a folder; true if no file can be created."""
    if flock is None:
        return True
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            flock(file.fileno(), _EXCLUSIVE)
    except OSError as exc:
        return exc.errno not in _NO_LOCKS
    return True
