"""Lock a name in a folder across processes, with a kind of lock that the folder's disk supports.

The *system's locks* are the file locks of the operating system (``flock``).

Invariants:

- At most one process has the lock of a name, even if the system's locks work for some processes
  and not for others. The first process for which they don't work creates the file ``no-flock``
  in the folder. This file is called the note. From then on, all processes use the claim files of
  ``lock_files.py`` in this folder instead.
- If a process that has a lock is killed, other processes can get the lock.
- A symbolic link in place of a lock file, which somebody may have planted, is removed and never
  followed.
- If somebody removes a lock file that is in use, the processes that wait for the lock still get it,
  one at a time. To ensure this, a process that has locked a file verifies that the file still
  exists under its name. If it doesn't, the process creates the file again and locks the new file.
"""

from __future__ import annotations

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

# The name of the note: an empty file that says that the system's locks don't work in its folder.
NO_FLOCK = "no-flock"
_POLL = 0.002  # seconds between two attempts to get a lock
# The age of the note in seconds at which processes without the system's locks begin to lock. Until
# then, other processes can finish what they began with the system's locks before the note existed.
_GRACE = 0.5


class _NoSystemLocks(Exception):
    """The disk doesn't support the system's locks."""


def lock_file(folder: str, name: str, deadline: float) -> Callable[[], object] | None:
    """Lock a name in a folder; return a function that releases the lock, or None on timeout.

    ``deadline`` is a time of the monotonic clock. Raises OSError.
    """
    path, note_path = f"{folder}{os.sep}{name}.lock", f"{folder}{os.sep}{NO_FLOCK}"
    # AI Server creates no links here. If there is a link, somebody planted it.
    if os.path.islink(path):  # noqa: PTH114 - takes a third of the time of Path.is_symlink
        Path(path).unlink(missing_ok=True)
    if flock is None:
        return _lock_with_filelock(path, deadline)
    try:
        release = _lock_with_flock(path, deadline)
        if release is None or not os.path.lexists(note_path):
            return release
        release()
    except _NoSystemLocks:
        _create_note(note_path)
    return claim_file(f"{folder}{os.sep}{name}.claim", deadline)


def has_system_locks(folder: Path) -> bool:
    """Return whether the system's locks work in a folder; False if the folder has the note.

    The locks are tried with a temporary file. In a read-only folder, where no file can be created,
    the locks count as working. On Windows, which has other locks, the result is always True.
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


def _create_note(note_path: str) -> None:
    """Create the note, which makes all processes use claim files in the folder.

    Return only when the note has existed for ``_GRACE`` seconds.
    """
    try:
        fd = os.open(note_path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | SAFE_FLAGS, 0o600)
    except FileExistsError:
        age = time.time() - os.lstat(note_path).st_mtime
    else:
        age = 0.0
        try:
            make_private(fd, Path(note_path).parent)
        finally:
            os.close(fd)
    if 0 <= age < _GRACE:
        time.sleep(_GRACE - age)


def _lock_with_flock(path: str, deadline: float) -> Callable[[], object] | None:
    # The package filelock would be slower: saving a session of 10 turns would exceed its target in
    # benchmarks/stores.py.
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
    """Lock an open file without waiting; return False if another process has the lock."""
    try:
        flock(fd, _EXCLUSIVE)
    except BlockingIOError:
        return False
    except OSError as exc:  # ENOSYS, ENOLCK, EOPNOTSUPP, EINVAL, EIO, EACCES, …
        raise _NoSystemLocks from exc
    return True


def _is_file_at(fd: int, path: str) -> bool:
    """Return whether the open file is still the file at ``path``; if so, set the file's mode."""
    try:
        current = os.lstat(path)
    except FileNotFoundError:
        return False
    opened = os.fstat(fd)
    if (current.st_ino, current.st_dev) != (opened.st_ino, opened.st_dev):
        return False
    if opened.st_uid == os.geteuid():  # the umask may have removed permissions
        make_private(fd, Path(path).parent)
    return True


def _lock_with_filelock(path: str, deadline: float) -> Callable[[], object] | None:
    # Not thread-local, because the caller may release the lock in another thread.
    lock = FileLock(path, mode=0o600, thread_local=False)
    try:
        lock.acquire(timeout=max(0.0, deadline - time.monotonic()), poll_interval=_POLL)
    except Timeout:
        return None
    return lock.release
