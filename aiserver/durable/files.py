"""Read, replace, append to and remove files, for good. What must hold is said of the package."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import secrets
import stat
import sys
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from .platform import NONBLOCK, SAFE, flush, flush_folder, hold, make_private, patiently, set_time

_TEMP = re.compile(r"(.+)\.[0-9a-f]{16}\.tmp")


class NotRegularFile(Exception):
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


def read_file(path: Path) -> tuple[bytes, Stamp] | None:
    """The bytes of a file, or None if there is none. Raises NotRegular, OSError."""
    try:
        fd = os.open(path, os.O_RDONLY | SAFE | NONBLOCK)
    except FileNotFoundError:
        return None
    except OSError as exc:
        if exc.errno in (errno.ELOOP, errno.EMLINK, errno.ENXIO) or path.is_symlink():
            raise NotRegularFile from exc
        raise
    try:
        status = os.fstat(fd)
        if not stat.S_ISREG(status.st_mode):
            raise NotRegularFile
        return _read_all(fd, status.st_size), Stamp.of(status)
    finally:
        os.close(fd)


def replace_file(
    folder: Path,
    name: str,
    data: bytes | Sequence[bytes | bytearray],
    *,
    temp_folder: Path | None = None,
    public: bool = False,
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
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | SAFE
    fd = os.open(temp, flags, 0o666 if public else 0o600)
    old = None
    try:
        try:
            if not public:
                make_private(fd)
            _write_all(fd, data)
            now = set_time(fd)
            flush(fd)
        finally:
            os.close(fd)  # some file systems tell only here that the disk is full
        if hold_old:
            old = hold(target)
        patiently(partial(os.replace, temp, target))
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


def commit_file(file: Path, target: Path) -> None:
    """Give a finished file its name for good: a power cut leaves no whole name on half a file."""
    with file.open("rb+") as content:
        flush(content.fileno())
    patiently(lambda: file.replace(target))
    flush_folder(target.parent)


def temp_target(name: str) -> str | None:
    """The name that a temp file was to get, or None if this is no temp file's name."""
    match = _TEMP.fullmatch(name)
    return match and match[1]


def append_file(folder: Path, name: str, data: bytes) -> None:
    """Add whole lines to a file, for good. A torn last line keeps its bytes and is ended first."""
    path = folder / name
    try:
        fd = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | SAFE | NONBLOCK, 0o600)
    except OSError as exc:
        if exc.errno in (errno.ELOOP, errno.EMLINK):
            raise NotRegularFile from exc
        raise
    try:
        status = os.fstat(fd)
        if not stat.S_ISREG(status.st_mode):
            raise NotRegularFile
        size = status.st_size
        if size == 0:
            make_private(fd)
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


def remove(folder: Path, names: Iterable[str]) -> bool:
    """Remove files for good; whether there was any."""
    removed = False
    for name in names:
        with contextlib.suppress(FileNotFoundError):
            patiently((folder / name).unlink)
            removed = True
    if removed:
        flush_folder(folder)
    return removed


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
