"""Open a file, or list a folder, below the folder that Jupyter serves.

Invariants: nothing outside of it is opened, neither through ``..`` nor through links, even if a
link changes meanwhile (except on Windows). Hidden files are opened only in hidden folders that the
caller names. Devices and pipes, which could block, aren't opened.
"""

from __future__ import annotations

import itertools
import os
import re
import stat
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

_SEPARATOR = re.compile(r"[/\\]" if os.name == "nt" else "/")
_FLAGS = os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_NO_WAIT = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)
_HAS_DIR_FD = os.open in os.supports_dir_fd and hasattr(os, "O_DIRECTORY")


def parts_below_root(notebook_path: str, name: str) -> list[str] | None:
    """Return the parts of a path below the folder that Jupyter serves.

    ``name`` is relative to the notebook's folder: ``"a/b.ipynb", "../c.csv" -> ["c.csv"]``. Return
    None if the path isn't below the root, or a part is hidden.
    """
    if not name or name[0] in "/\\~" or "\0" in name + notebook_path or "://" in name:
        return None
    if os.name == "nt" and ":" in name:  # a drive such as `C:`, or an NTFS stream
        return None
    parts: list[str] = []
    folder = _SEPARATOR.split(notebook_path.strip("/"))[:-1]
    for part in (*folder, *_SEPARATOR.split(name)):
        if part == "..":
            if not parts:
                return None
            parts.pop()
        elif part.startswith(".") and part != ".":
            return None
        elif part not in ("", "."):
            parts.append(part)
    return parts or None


@contextmanager
def open_below(
    root: str, parts: list[str], *, hidden: Collection[str] = ()
) -> Iterator[BinaryIO | None]:
    """Open a regular file below ``root`` for reading; yield None without one.

    ``hidden`` are hidden folders in which it may be.
    """
    descriptor = _open(root, parts, hidden)
    if descriptor is None:
        yield None
        return
    with os.fdopen(descriptor, "rb", buffering=0) as file:
        yield file


def list_below(
    root: str, parts: list[str], *, hidden: Collection[str] = (), limit: int
) -> list[str]:
    """Return at most ``limit`` names in a folder; [] if there is no such folder."""
    real_parts = _real_parts(root, parts, hidden)
    if real_parts is None:
        return []
    try:
        with os.scandir(Path(os.path.realpath(root), *real_parts)) as entries:
            return [entry.name for entry in itertools.islice(entries, limit)]
    except OSError:
        return []


def _open(root: str, parts: list[str], hidden: Collection[str]) -> int | None:
    real_parts = _real_parts(root, parts, hidden)
    if not real_parts:
        return None
    try:
        base = os.path.realpath(root)
        if not stat.S_ISREG(os.lstat(Path(base, *real_parts)).st_mode):
            return None
        descriptor = _open_parts(base, real_parts)
    except (OSError, ValueError):
        return None
    if stat.S_ISREG(os.fstat(descriptor).st_mode):
        return descriptor
    os.close(descriptor)  # the file was replaced since the check above, for example by a pipe
    return None


def _real_parts(root: str, parts: list[str], hidden: Collection[str]) -> list[str] | None:
    try:
        base = os.path.realpath(root)
        path = str(Path(base, *parts))
        if not os.path.lexists(path):
            return None
        path = os.path.realpath(path)
        if os.path.commonpath([base, path]) != base:
            return None
    except (OSError, ValueError):
        return None
    real_parts = [] if path == base else _SEPARATOR.split(os.path.relpath(path, base))
    if any(part.startswith(".") and part not in hidden for part in real_parts):
        return None
    return real_parts


def _open_parts(base: str, parts: list[str]) -> int:
    """Open the file ``parts`` below ``base``; return its descriptor.

    Except on Windows, raises OSError if the file, or a folder above it up to ``base``, is a link.
    """
    if not _HAS_DIR_FD:
        return os.open(str(Path(base, *parts)), _FLAGS | _NO_LINK | _NO_WAIT)
    folder = os.open(base, _FLAGS | os.O_DIRECTORY)
    try:
        for part in parts[:-1]:
            inner = os.open(part, _FLAGS | os.O_DIRECTORY | _NO_LINK, dir_fd=folder)
            os.close(folder)
            folder = inner
        return os.open(parts[-1], _FLAGS | _NO_LINK | _NO_WAIT, dir_fd=folder)
    finally:
        os.close(folder)
