"""Lock a name across processes with the means that the disk supports.

Invariants:

- At most one process holds the lock, whatever each process supports: the first one that finds the
  system's locks missing notes it in the folder, and from then on all processes use lock files
  (``lock_files.py``) there.
- A killed holder blocks nobody.
- A planted link in place of a lock file is removed, never followed.
- Removing a lock file that is in use neither blocks anybody nor admits two holders: after locking,
  a process verifies that its file still has that name.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from .lock_files import claim_file
from .platform import SAFE_FLAGS, make_private

try:
    import fcntl
except ImportError:  # Windows
    flock: Any = None
else:
    flock = fcntl.flock
    _EXCLUSIVE = fcntl.LOCK_EX | fcntl.LOCK_NB

NO_FLOCK = "no-flock"  # name of the file that notes the missing locks
_POLL = 0.002  # seconds between two attempts
# Seconds in which a save may end that began under the system's lock just before another process
# wrote the note. Spent once per folder.
_GRACE = 0.5


class _NoSystemLocks(Exception):
    """The disk doesn't support the system's locks."""


def lock_file(folder: str, name: str, deadline: float) -> Callable[[], object] | None:
    """Lock a name in a folder and return its release function, or None on timeout.

    ``deadline`` is a time of the monotonic clock. Raises OSError.
    """
    path, note = f"{folder}{os.sep}{name}.lock", f"{folder}{os.sep}{NO_FLOCK}"
    # A planted link: nobody holds a lock through one.
    if os.path.islink(path):  # noqa: PTH114 - a third of the time
        Path(path).unlink(missing_ok=True)
    if flock is None:
        return _by_filelock(path, deadline)
    try:
        release = _by_flock(path, deadline)
        if release is None or not os.path.lexists(note):
            return release
        release()
    except _NoSystemLocks:
        _note_missing_locks(note)
    return claim_file(f"{folder}{os.sep}{name}.claim", deadline)


def has_system_locks(folder: Path) -> bool:
    """Return whether the system's locks work in a folder and aren't noted as missing there.

    Leaves no file behind. A read-only folder counts as one that has them.
    """
    if flock is None:
        return True
    if os.path.lexists(folder / NO_FLOCK):
        return False
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            _try_lock(file.fileno())
    except _NoSystemLocks:
        return False
    except OSError:
        return True
    return True


def _note_missing_locks(note: str) -> None:
    """Note in the folder that it needs lock files."""
    try:
        fd = os.open(note, os.O_WRONLY | os.O_CREAT | os.O_EXCL | SAFE_FLAGS, 0o600)
    except FileExistsError:
        return
    try:
        make_private(fd)
    finally:
        os.close(fd)
    time.sleep(_GRACE)


def _by_flock(path: str, deadline: float) -> Callable[[], object] | None:
    # Not filelock, with which a save of 10 turns exceeds its target in benchmarks/stores.py.
    while True:
        fd = os.open(path, os.O_RDWR | os.O_CREAT | SAFE_FLAGS, 0o600)
        try:
            while not _try_lock(fd):
                if time.monotonic() >= deadline:
                    os.close(fd)
                    return None
                time.sleep(_POLL)
            if _is_file_at(fd, path):
                return partial(os.close, fd)
        except BaseException:
            os.close(fd)
            raise
        os.close(fd)


def _try_lock(fd: int) -> bool:
    try:
        flock(fd, _EXCLUSIVE)
    except BlockingIOError:
        return False
    except OSError as exc:  # ENOSYS, ENOLCK, EOPNOTSUPP, EINVAL, EIO, EACCES, …
        raise _NoSystemLocks from exc
    return True


def _is_file_at(fd: int, path: str) -> bool:
    try:
        current = os.lstat(path)
    except FileNotFoundError:
        return False
    opened = os.fstat(fd)
    if (current.st_ino, current.st_dev) != (opened.st_ino, opened.st_dev):
        return False
    if opened.st_mode & 0o777 != 0o600:  # changed by the umask
        with contextlib.suppress(PermissionError):
            Path(path).chmod(0o600)
    return True


def _by_filelock(path: str, deadline: float) -> Callable[[], object] | None:
    # Not thread-local, since the caller may release it in another thread.
    lock = FileLock(path, mode=0o600, thread_local=False)
    try:
        lock.acquire(timeout=max(0.0, deadline - time.monotonic()), poll_interval=_POLL)
    except Timeout:
        return None
    return lock.release
