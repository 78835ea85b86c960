"""Read, replace, append to and remove files durably.

The docstring of the package ``durable`` lists the invariants.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import secrets
import stat
import zipfile
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import IO, NamedTuple

from .platform import (
    NONBLOCK_FLAG,
    SAFE_FLAGS,
    flush,
    flush_folder,
    group_access,
    make_private,
    retry_while_in_use,
    set_time,
)

# The name of a temp file: the name of the file that it will replace, and a random number.
_TEMP_NAME = re.compile(r"(.+)\.[0-9a-f]{16}\.tmp")


class NotRegularFile(Exception):
    """The path is not a regular file but, for example, a link, a folder or a pipe."""


class Stamp(NamedTuple):
    """The times, size and inode number of a file, which change with its content.

    Two changes within one tick of the disk's clock may result in the same stamp.
    """

    mtime_ns: int
    ctime_ns: int
    size: int
    inode: int

    @classmethod
    def of(cls, status: os.stat_result) -> Stamp:
        return cls(status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino)


def read_file(path: Path) -> tuple[bytes, Stamp] | None:
    """Return a file's bytes and stamp; None if there is none. Raises NotRegularFile, OSError."""
    try:
        with _open_regular(path, os.O_RDONLY) as (fd, status):
            return _read_all(fd, status.st_size), Stamp.of(status)
    except FileNotFoundError:
        return None


@contextlib.contextmanager
def _open_regular(path: Path, flags: int) -> Iterator[tuple[int, os.stat_result]]:
    """Yield a regular file's descriptor and status. Raises NotRegularFile, OSError."""
    try:
        fd = os.open(path, flags | SAFE_FLAGS | NONBLOCK_FLAG, 0o600)
    except FileNotFoundError:
        raise
    except OSError as exc:
        # These error numbers mean that the path is a link, or a pipe or socket.
        if exc.errno in (errno.ELOOP, errno.EMLINK, errno.ENXIO) or path.is_symlink():
            raise NotRegularFile from exc
        raise
    try:
        status = os.fstat(fd)
        if not stat.S_ISREG(status.st_mode):
            raise NotRegularFile
        yield fd, status
    finally:
        os.close(fd)


def open_zip_member(zipped: zipfile.ZipFile, member: str | zipfile.ZipInfo) -> IO[bytes]:
    """Open a member of a zip that anybody may have made, for reading with ``read(size)``.

    Such a call needs memory for about ``size`` bytes only. Without a size, or by a method other
    than deflate, ``zipfile`` unpacks it at once. Raises BadZipFile for these methods.
    """
    info = zipped.getinfo(member) if isinstance(member, str) else member
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise zipfile.BadZipFile(f"compressed by method {info.compress_type}")
    return zipped.open(info)


def replace_file(
    folder: Path,
    name: str,
    data: bytes,
    *,
    temp_folder: Path | None = None,
    public: bool = False,
    shareable: bool = False,
) -> Stamp | None:
    """Atomically and durably replace the file ``name`` with ``data``.

    The temp file is in the same folder, or in ``temp_folder`` on the same disk. A killed process
    leaves it; a later process that locks ``name``, with which its name begins, may delete it. The
    file is private, unless it is ``public``, or ``shareable`` with a group that shares the folder.

    Return the file's stamp if no later change can produce the same one, else None: the function
    sets the file's time itself, because the disk's clock gives equal times to two changes within a
    tick.
    """
    temp = (temp_folder or folder) / f"{name}.{secrets.token_hex(8)}.tmp"
    target = folder / name
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | SAFE_FLAGS
    fd = os.open(temp, flags, 0o666 if public else 0o600)
    try:
        try:
            if not public:
                make_private(fd, folder if shareable else None)
            elif shareable and group_access(folder):
                os.fchmod(fd, os.fstat(fd).st_mode & 0o777 | 0o060)
            _write_all(fd, data)
            written_at = set_time(fd)
            flush(fd)
        finally:
            os.close(fd)  # some file systems report a full disk only here
        retry_while_in_use(partial(os.replace, temp, target))
        flush_folder(folder)
    except BaseException:
        with contextlib.suppress(OSError):
            temp.unlink()
        raise
    try:
        stamp = Stamp.of(os.lstat(target))
    except OSError:
        return None
    return stamp if stamp.mtime_ns == written_at else None


def commit_file(file: Path, target: Path) -> None:
    """Durably rename the completely written ``file`` to ``target``."""
    with file.open("rb+") as content:
        flush(content.fileno())
    retry_while_in_use(lambda: file.replace(target))
    flush_folder(target.parent)


def temp_target(name: str) -> str | None:
    """Return the name of the file that a temp file will replace; None for another name."""
    match = _TEMP_NAME.fullmatch(name)
    return match and match[1]


def append_file(folder: Path, name: str, data: bytes) -> None:
    """Durably append complete lines to a file, which may not exist.

    If the last line of the file is incomplete, a line break is written before the new lines.
    """
    with _open_regular(folder / name, os.O_RDWR | os.O_APPEND | os.O_CREAT) as (fd, status):
        size = status.st_size
        if size == 0:
            make_private(fd, folder)
        else:
            os.lseek(fd, size - 1, os.SEEK_SET)
            if os.read(fd, 1) != b"\n":
                data = b"\n" + data
        try:
            _write_all(fd, data)
            flush(fd)
        except BaseException:
            with contextlib.suppress(OSError):
                os.ftruncate(fd, size)  # so that a second attempt doesn't write these bytes twice
            raise
    if size == 0:
        flush_folder(folder)


def remove(folder: Path, names: Iterable[str]) -> bool:
    """Durably remove files; return whether any of them existed."""
    has_removed = False
    for name in names:
        with contextlib.suppress(FileNotFoundError):
            retry_while_in_use((folder / name).unlink)
            has_removed = True
    if has_removed:
        flush_folder(folder)
    return has_removed


def _write_all(fd: int, data: bytes) -> None:
    with memoryview(data) as view:
        written_count = 0
        while written_count < len(view):
            written_count += os.write(fd, view[written_count:])


def _read_all(fd: int, size: int) -> bytes:
    chunks = []
    # The first call usually reads the whole file. Further calls read the bytes that were added
    # after the file was opened.
    while chunk := os.read(fd, max(size + 1, 65536)):
        chunks.append(chunk)
        size = 0
    return b"".join(chunks)
