"""Cover differences between systems: flushing, permissions, files in use, file times."""

from __future__ import annotations

import contextlib
import errno
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

# Not every system has these flags. On Windows, without O_NOFOLLOW, links need a privilege.
SAFE_FLAGS = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
NONBLOCK_FLAG = getattr(os, "O_NONBLOCK", 0)  # so that a planted FIFO doesn't block
# Seconds between attempts to rename or remove a file that is in use, which Windows refuses.
WAITS: tuple[float, ...] = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5) if sys.platform == "win32" else ()


def flush(fd: int) -> None:
    """Flush a file to the disk, and the disk's own cache where the system can."""
    if sys.platform == "darwin":
        import fcntl

        with contextlib.suppress(OSError):
            fcntl.fcntl(fd, fcntl.F_FULLFSYNC)
            return
    os.fsync(fd)


def flush_folder(folder: Path) -> None:
    """Flush a folder's entries to the disk. (Windows can't, and writes them through.)"""
    if sys.platform == "win32":
        return
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | SAFE_FLAGS)
    try:
        os.fsync(fd)
    except OSError as exc:
        if exc.errno not in (errno.EINVAL, errno.ENOTSUP):  # some network disks can't either
            raise
    finally:
        os.close(fd)


def retry_while_in_use(act: Callable[[], object]) -> None:
    """Retry an action that Windows refuses while another program has the file open."""
    for wait in WAITS:
        try:
            act()
        except PermissionError:
            time.sleep(wait)
        else:
            return
    act()


def make_private(fd: int) -> None:
    """Set an open file's mode to 0600."""
    # A umask may have removed our own permissions, too. Some disks have none and raise.
    if sys.platform != "win32" and os.fstat(fd).st_mode & 0o777 != 0o600:
        with contextlib.suppress(PermissionError):
            os.fchmod(fd, 0o600)


def open_old_file(path: Path) -> int | None:
    """Open the file that is about to be replaced, so that its bytes are freed on close."""
    if sys.platform != "win32":  # Windows can't replace an open file
        with contextlib.suppress(OSError):
            return os.open(path, os.O_RDONLY | SAFE_FLAGS | NONBLOCK_FLAG)
    return None


def set_time(fd: int) -> int:
    """Set an open file's times to now, in nanoseconds; return that time."""
    now = time.time_ns()
    if os.utime in os.supports_fd:
        with contextlib.suppress(OSError):  # some disks don't support it
            os.utime(fd, ns=(now, now))
    return now
