"""Hide differences between operating systems: flushing, permissions, files in use, errors."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from ..errors import StorageError, StorageFull, StorageReadOnly

# The flags for opening a file. A system may lack some of them. Windows has no O_NOFOLLOW and so
# follows links, but a user needs a privilege to create a link there.
SAFE_FLAGS = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
NONBLOCK_FLAG = getattr(os, "O_NONBLOCK", 0)  # so that opening a pipe (FIFO) doesn't block
# Windows refuses to rename or remove a file that is in use. The action is retried after each of
# these waits, which are in seconds.
WAITS: tuple[float, ...] = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5) if sys.platform == "win32" else ()
# The disk is full, the file is too large, or the user's quota is used up (EDQUOT, which Windows
# doesn't have).
_FULL_ERRNOS = {errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC)}
_READ_ONLY_ERRNOS = {errno.EACCES, errno.EPERM, errno.EROFS}


def flush(fd: int) -> None:
    """Flush a file to the disk and, if the system can do so, the disk's own cache."""
    if sys.platform == "darwin":
        import fcntl

        with contextlib.suppress(OSError):
            fcntl.fcntl(fd, fcntl.F_FULLFSYNC)
            return
    os.fsync(fd)


def flush_folder(folder: Path) -> None:
    """Flush a folder's entries to the disk. Windows can't.

    The folder may be a link, because flushing writes nothing into it.
    """
    if sys.platform == "win32":
        return
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    except OSError as exc:
        if exc.errno not in (errno.EINVAL, errno.ENOTSUP):  # not supported by some network disks
            raise
    finally:
        os.close(fd)


def retry_while_in_use(action: Callable[[], object]) -> None:
    """Run an action; retry it while Windows refuses it because another program uses the file."""
    for wait in WAITS:
        try:
            action()
        except PermissionError:
            time.sleep(wait)
        else:
            return
    action()


def group_access(folder: str | Path) -> int:
    """Return the permissions, 0o070 or 0, of a group that shares a folder: setgid and writable."""
    shared = stat.S_ISGID | stat.S_IWGRP
    return 0o070 if Path(folder).stat().st_mode & shared == shared else 0


def make_private(fd: int, shared_folder: str | Path | None = None) -> None:
    """Set an open file's mode to 0600, or to 0660 if a group shares ``shared_folder``."""
    # The umask may have removed permissions of the owner. Some disks refuse to change permissions;
    # on such a disk, the mode stays as it is.
    mode = 0o600 | (group_access(shared_folder) & 0o060 if shared_folder else 0)
    if sys.platform != "win32" and os.fstat(fd).st_mode & 0o777 != mode:
        with contextlib.suppress(PermissionError):
            os.fchmod(fd, mode)


def set_time(fd: int) -> int:
    """Set the times of an open file to now; return the current time in nanoseconds."""
    now = time.time_ns()
    if os.utime in os.supports_fd:
        with contextlib.suppress(OSError):  # some disks can't set times
            os.utime(fd, ns=(now, now))
    return now


@contextlib.contextmanager
def translate_os_errors() -> Iterator[None]:
    """If the block raises an OSError, raise the corresponding StorageError instead."""
    try:
        yield
    except OSError as exc:
        raise storage_error_class(exc) from exc


def storage_error_class(error: OSError) -> type[StorageError]:
    """Return the class of StorageError that corresponds to the ``errno`` of an OSError."""
    if error.errno in _FULL_ERRNOS:
        return StorageFull
    return StorageReadOnly if error.errno in _READ_ONLY_ERRNOS else StorageError
