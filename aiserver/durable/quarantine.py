"""Preserve the bytes of unreadable files under the name ``<file>.corrupt-N``.

Invariants: a quarantined file is never replaced. At every moment, the bytes are stored under the
original name, the quarantine name or both.
"""

from __future__ import annotations

import os
from pathlib import Path

from .files import NotRegularFile, read_file, replace_file
from .platform import flush_folder, retry_while_in_use

QUARANTINE_SUFFIX = ".corrupt-"


def move_to_quarantine(folder: Path, name: str, base_name: str = "") -> str:
    """Move a file, or a link itself, into quarantine; return the new name.

    It begins with ``base_name`` or ``name``: ``"a.json" -> "a.json.corrupt-1"``. The caller must
    have the lock of that name: otherwise, another process could choose the same one.
    """
    new_name, _ = _quarantine_names(folder, base_name or name)
    retry_while_in_use(lambda: (folder / name).rename(folder / new_name))
    flush_folder(folder)
    return new_name


def copy_to_quarantine(
    folder: Path, name: str, data: bytes, suffix: str = QUARANTINE_SUFFIX
) -> str:
    """Copy a file, whose bytes are ``data``, into quarantine; return the name of the copy.

    The file itself stays until the caller replaces it. If the last copy has these bytes, it is
    used.
    """
    new_name, latest_name = _quarantine_names(folder, name, suffix)
    if latest_name and _has_content(folder / latest_name, data):
        return latest_name
    try:
        os.link(folder / name, folder / new_name, follow_symlinks=False)
        flush_folder(folder)
    except (OSError, NotImplementedError):  # a disk without hard links
        replace_file(folder, new_name, data, shareable=True)
    return new_name


def _quarantine_names(
    folder: Path, name: str, suffix: str = QUARANTINE_SUFFIX
) -> tuple[str, str | None]:
    """Return a file's first free quarantine name, and the last used one or None."""
    latest_name, number = None, 1
    while os.path.lexists(folder / (free_name := f"{name}{suffix}{number}")):
        latest_name, number = free_name, number + 1
    return free_name, latest_name


def _has_content(path: Path, data: bytes) -> bool:
    try:
        content = read_file(path)
    except (OSError, NotRegularFile):
        return False
    return content is not None and content[0] == data
