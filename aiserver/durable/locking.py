"""One lock among processes, by whatever the disk can do.

Invariants:

- One holder at a time, among all processes that share the folder, whatever each of them can do:
  the first that finds the system's locks missing notes it in the folder, and from then on all of
  them use lock files (``lock_files.py``) there.
- A killed holder blocks nobody.
- A link planted in place of a lock file is removed, never followed.
- A lock file that is removed while it is held or waited for locks nobody out and lets nobody in
  twice: whoever gets a lock verifies that its file is still the one of that name.
"""

from __future__ import annotations

import contextlib
import errno
import os
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from .lock_files import claim_file
from .platform import SAFE, make_private

try:
    import fcntl
except ImportError:  # Windows
    flock: Any = None
else:
    flock = fcntl.flock
    _EXCLUSIVE = fcntl.LOCK_EX | fcntl.LOCK_NB

NO_FLOCK = "no-flock"  # the note in the folder
_POLL = 0.002  # seconds between two tries for a lock that another process holds
# Seconds for a save that began under the system's lock, just before the note was written by a
# process that can't see that lock. Waited for once in the life of a folder.
_GRACE = 0.5


class _MissingLocks(Exception):
    """The system refuses to lock a file on this disk."""


def lock_file(folder: str, name: str, end: float) -> Callable[[], object] | None:
    """Lock a name in a folder; returns what releases it, or None if the time is over.

    ``end`` is a time of the monotonic clock. Raises OSError.
    """
    path, note = f"{folder}{os.sep}{name}.lock", f"{folder}{os.sep}{NO_FLOCK}"
    if flock is None:
        return _by_filelock(path, end)
    try:
        release = _by_flock(path, end)
        if release is None or not os.path.lexists(note):
            return release
        release()
    except _MissingLocks:
        _write(note)
    return claim_file(f"{folder}{os.sep}{name}.claim", end)


def has_system_locks(folder: Path) -> bool:
    """Whether the system's locks work in a folder, and are in use if it is a folder of locks.

    Leaves nothing behind. A folder that can't be written counts as one that has them.
    """
    if flock is None:
        return True
    if os.path.lexists(folder / NO_FLOCK):
        return False
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            _try_lock(file.fileno())
    except _MissingLocks:
        return False
    except OSError:
        return True
    return True


def _write(note: str) -> None:
    """Note that the folder needs lock files."""
    try:
        fd = os.open(note, os.O_WRONLY | os.O_CREAT | os.O_EXCL | SAFE, 0o600)
    except FileExistsError:
        return
    try:
        make_private(fd)
    finally:
        os.close(fd)
    time.sleep(_GRACE)


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
    flags = os.O_RDWR | os.O_CREAT | SAFE
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
    except OSError as exc:  # ENOSYS, ENOLCK, EOPNOTSUPP, EINVAL, EIO, EACCES …: disks differ
        raise _MissingLocks from exc
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
    # Not thread-local: the caller says which thread holds it.
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
