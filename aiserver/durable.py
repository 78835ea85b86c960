"""Files that survive: whole or not at all, private, and never through a link.

What must hold:

- When ``replace_file`` or ``append_file`` returns, the bytes survive the machine's death; when it
  raises, the old content is still there (a log may end in a torn line).
- A reader sees the old or the new content of a replaced file, never a part.
- Folders are made 0700 and files 0600, whatever the umask, but for what is for everybody.
- A symbolic link is never followed at the last step of a path; what isn't a regular file is
  reported as ``NotRegular``. Nothing is made by reading.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import secrets
import stat
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from .errors import StorageError, StorageFull, StorageReadOnly

# No room is left: on the disk, in the person's quota (which Windows doesn't have), or under the
# limit of how big a file may be.
_FULL = {errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC)}
_READ_ONLY = {errno.EACCES, errno.EPERM, errno.EROFS}
# Flags that not every system has; without O_NOFOLLOW (Windows) links need a privilege anyway.
_SAFE = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_NONBLOCK = getattr(os, "O_NONBLOCK", 0)  # a planted FIFO must not hold us up
# Seconds between the tries to rename or remove a file that is in use, where that is refused.
_WAITS: tuple[float, ...] = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5) if sys.platform == "win32" else ()
ASIDE = ".corrupt-"
_TEMP = re.compile(r"(.+)\.[0-9a-f]{16}\.tmp")


class NotRegular(Exception):
    """There is something at that path, but it is no regular file (a link, a folder, a pipe)."""


class Stamp(NamedTuple):
    """What changes when a file does."""

    mtime_ns: int
    ctime_ns: int
    size: int
    inode: int

    @classmethod
    def of(cls, status: os.stat_result) -> Stamp:
        """The stamp in a ``stat`` result."""
        return cls(status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino)


@contextlib.contextmanager
def translated() -> Iterator[None]:
    """Turn the system's errors into ours, with sentences for a person."""
    try:
        yield
    except OSError as exc:
        raise translation(exc) from exc


def translation(error: OSError) -> type[StorageError]:
    """What the system's error is called here."""
    if error.errno in _FULL:
        return StorageFull
    return StorageReadOnly if error.errno in _READ_ONLY else StorageError


def read_file(path: Path) -> tuple[bytes, Stamp] | None:
    """The bytes of a file, or None if there is none. Raises NotRegular, OSError."""
    try:
        fd = os.open(path, os.O_RDONLY | _SAFE | _NONBLOCK)
    except FileNotFoundError:
        return None
    except OSError as exc:
        if exc.errno in (errno.ELOOP, errno.EMLINK, errno.ENXIO) or path.is_symlink():
            raise NotRegular from exc
        raise
    try:
        status = os.fstat(fd)
        if not stat.S_ISREG(status.st_mode):
            raise NotRegular
        return _read_all(fd, status.st_size), Stamp.of(status)
    finally:
        os.close(fd)


def replace_file(
    folder: Path,
    name: str,
    data: bytes | Sequence[bytes | bytearray],
    *,
    temp_folder: Path | None = None,
    for_everybody: bool = False,
    done: Callable[[], object] | None = None,
    hold_old: bool = False,
) -> Stamp | None:
    """Put ``data``, whole or in pieces, under ``name``, whole and for good.

    The temp file lies in the same folder, or in one of the same disk; its name begins with
    ``name``, so that whoever holds that name's lock may sweep it. A file ``for_everybody`` has
    the rights that the umask gives.

    ``done`` is called as soon as that is so. With ``hold_old`` the disk frees the old bytes only
    after it: a fifth of a small save, and a third of a large one.

    Returns the file's stamp if no later change can leave the same: a change within one tick of
    the disk's clock would, were it not that the file's time is set to the nanosecond here, and
    that of a change is what the tick says. None where the disk keeps no such times.
    """
    # Texts, for pathlib would take a tenth of the time of a small save.
    temp = f"{temp_folder or folder}{os.sep}{name}.{secrets.token_hex(8)}.tmp"
    target = f"{folder}{os.sep}{name}"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _SAFE
    fd = os.open(temp, flags, 0o666 if for_everybody else 0o600)
    old = None
    try:
        try:
            if not for_everybody:
                _make_private(fd)
            _write_all(fd, data)
            now = _set_time(fd)
            flush(fd)
        finally:
            os.close(fd)  # some file systems tell only here that the disk is full
        if hold_old:
            old = _held(target)
        _patiently(partial(os.replace, temp, target))
        flush_folder(folder)
        if done:
            done()
    except BaseException:
        with contextlib.suppress(OSError):
            Path(temp).unlink()
        raise
    finally:
        if old is not None:
            os.close(old)
    try:
        stamp = Stamp.of(os.lstat(target))
    except OSError:
        return None
    return stamp if stamp.mtime_ns == now else None


def settle_file(file: Path, target: Path) -> None:
    """Give a finished file its name for good: a power cut leaves no whole name on half a file."""
    with file.open("rb+") as content:
        flush(content.fileno())
    _patiently(lambda: file.replace(target))
    flush_folder(target.parent)


def temp_target(name: str) -> str | None:
    """The name that a temp file was to get, or None if this is no temp file's name."""
    match = _TEMP.fullmatch(name)
    return match and match[1]


def append_file(folder: Path, name: str, data: bytes) -> None:
    """Add whole lines to a file, for good. A torn last line keeps its bytes and is ended first."""
    path = folder / name
    try:
        fd = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | _SAFE | _NONBLOCK, 0o600)
    except OSError as exc:
        if exc.errno in (errno.ELOOP, errno.EMLINK):
            raise NotRegular from exc
        raise
    try:
        status = os.fstat(fd)
        if not stat.S_ISREG(status.st_mode):
            raise NotRegular
        size = status.st_size
        if size == 0:
            _make_private(fd)
        else:
            os.lseek(fd, size - 1, os.SEEK_SET)
            if os.read(fd, 1) != b"\n":
                data = b"\n" + data
        try:
            _write_all(fd, data)
            flush(fd)
        except BaseException:
            with contextlib.suppress(OSError):
                os.ftruncate(fd, size)  # not acknowledged, so not kept
            raise
    finally:
        os.close(fd)
    if size == 0:
        flush_folder(folder)


def set_aside(folder: Path, name: str) -> str:
    """Rename what lies under ``name`` (a link itself, not its target); return the new name.

    The caller holds the name's lock, so that nothing set aside before is replaced.
    """
    new_name, _ = _asides(folder, name)
    _patiently(lambda: (folder / name).rename(folder / new_name))
    flush_folder(folder)
    return new_name


def keep_aside(folder: Path, name: str, data: bytes, mark: str = ASIDE) -> str:
    """Keep a file's bytes under another name, too; return that name.

    The file itself stays until it is replaced, so at no moment is it missing. Where replacing it
    then failed, the next try finds its bytes kept already.
    """
    new_name, last = _asides(folder, name, mark)
    if last and _holds(folder / last, data):
        return last
    try:
        os.link(folder / name, folder / new_name, follow_symlinks=False)
        flush_folder(folder)
    except (OSError, NotImplementedError):  # a disk without hard links
        replace_file(folder, new_name, data)
    return new_name


def _asides(folder: Path, name: str, mark: str = ASIDE) -> tuple[str, str | None]:
    """The next free name to set a file aside under, and the one before it, if there is one."""
    last, number = None, 1
    while os.path.lexists(folder / (free := f"{name}{mark}{number}")):
        last, number = free, number + 1
    return free, last


def _holds(path: Path, data: bytes) -> bool:
    try:
        found = read_file(path)
    except (OSError, NotRegular):
        return False
    return found is not None and found[0] == data


def remove(folder: Path, names: Iterable[str]) -> bool:
    """Remove files for good; whether there was any."""
    removed = False
    for name in names:
        with contextlib.suppress(FileNotFoundError):
            _patiently((folder / name).unlink)
            removed = True
    if removed:
        flush_folder(folder)
    return removed


def ensure_folder(folder: Path) -> None:
    """Make a folder, private and for good, unless it is there. Raises StorageError for a link."""
    if check_folder(folder):
        return
    with contextlib.suppress(FileExistsError):
        folder.mkdir(mode=0o700)
        with contextlib.suppress(PermissionError):
            folder.chmod(0o700)
        flush_folder(folder.parent)
    check_folder(folder)


def check_folder(folder: Path | str) -> bool:
    """Whether a folder is there. Raises StorageError if a link or a file is in its place."""
    try:
        mode = os.lstat(folder).st_mode
    except FileNotFoundError:
        return False
    if not stat.S_ISDIR(mode):
        raise StorageError(
            f"“{Path(folder).name}” is a link or a file where a folder of histories should be, "
            "so it is not used."
        )
    return True


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
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | _SAFE)
    try:
        os.fsync(fd)
    except OSError as exc:
        if exc.errno not in (errno.EINVAL, errno.ENOTSUP):  # some network disks can't either
            raise
    finally:
        os.close(fd)


def _patiently(act: Callable[[], object]) -> None:
    """Do what Windows refuses while somebody has the file open, who will soon have closed it."""
    for wait in _WAITS:
        try:
            act()
        except PermissionError:
            time.sleep(wait)
        else:
            return
    act()


def _make_private(fd: int) -> None:
    # A umask can take away our own rights too. Some disks know no rights, and say so.
    if sys.platform != "win32" and os.fstat(fd).st_mode & 0o777 != 0o600:
        with contextlib.suppress(PermissionError):
            os.fchmod(fd, 0o600)


def _held(path: str) -> int | None:
    """Keeps a file's bytes until it is closed, though the name goes to another."""
    if sys.platform != "win32":  # where a file that is open can't be replaced
        with contextlib.suppress(OSError):
            return os.open(path, os.O_RDONLY | _SAFE | _NONBLOCK)
    return None


def _set_time(fd: int) -> int:
    now = time.time_ns()
    if os.utime in os.supports_fd:
        with contextlib.suppress(OSError):  # a disk that lets nobody set times
            os.utime(fd, ns=(now, now))
    return now


def _write_all(fd: int, data: bytes | Sequence[bytes | bytearray]) -> None:
    pieces: Sequence[bytes | bytearray] = [data] if isinstance(data, bytes) else data
    done = 0
    if sys.platform != "win32":  # all at once, and without a copy
        done = os.writev(fd, pieces)
    for piece in pieces:
        done = _write_from(fd, piece, done)


def _write_from(fd: int, piece: bytes | bytearray, done: int) -> int:
    """Write what is missing of a piece; how much was done of those behind it."""
    with memoryview(piece) as whole:
        while done < len(whole):
            with whole[done:] as rest:
                done += os.write(fd, rest)
    return done - len(piece)


def _read_all(fd: int, size: int) -> bytes:
    chunks = []
    while chunk := os.read(fd, max(size + 1, 65536)):
        chunks.append(chunk)
        size = 0
    return b"".join(chunks)
