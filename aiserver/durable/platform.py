"""What one system does otherwise than another: making the disk hold it, rights, files in use."""

from __future__ import annotations

import contextlib
import errno
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

# Flags that not every system has; without O_NOFOLLOW (Windows) links need a privilege anyway.
SAFE = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
NONBLOCK = getattr(os, "O_NONBLOCK", 0)  # a planted FIFO must not hold us up
# Seconds between the tries to rename or remove a file that is in use, where that is refused.
WAITS: tuple[float, ...] = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5) if sys.platform == "win32" else ()


def flush(fd: int) -> None:
    """Have the disk hold what was written, through its own cache where the system can."""
    if sys.platform == "darwin":
        import fcntl

        with contextlib.suppress(OSError):
            fcntl.fcntl(fd, fcntl.F_FULLFSYNC)
            return
    os.fsync(fd)


def flush_folder(folder: Path) -> None:
    """Have the disk hold the folder's names. (Windows can't, and writes them through.)"""
    if sys.platform == "win32":
        return
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | SAFE)
    try:
        os.fsync(fd)
    except OSError as exc:
        if exc.errno not in (errno.EINVAL, errno.ENOTSUP):  # some network disks can't either
            raise
    finally:
        os.close(fd)


def patiently(act: Callable[[], object]) -> None:
    """Do what Windows refuses while somebody has the file open, who will soon have closed it."""
    for wait in WAITS:
        try:
            act()
        except PermissionError:
            time.sleep(wait)
        else:
            return
    act()


def make_private(fd: int) -> None:
    """Let nobody else read or write an open file."""
    # A umask can take away our own rights too. Some disks know no rights, and say so.
    if sys.platform != "win32" and os.fstat(fd).st_mode & 0o777 != 0o600:
        with contextlib.suppress(PermissionError):
            os.fchmod(fd, 0o600)


def hold(path: str) -> int | None:
    """Keeps a file's bytes until it is closed, though the name goes to another."""
    if sys.platform != "win32":  # where a file that is open can't be replaced
        with contextlib.suppress(OSError):
            return os.open(path, os.O_RDONLY | SAFE | NONBLOCK)
    return None


def set_time(fd: int) -> int:
    """Say of an open file that it was written now, to the nanosecond; return that time."""
    now = time.time_ns()
    if os.utime in os.supports_fd:
        with contextlib.suppress(OSError):  # a disk that lets nobody set times
            os.utime(fd, ns=(now, now))
    return now
