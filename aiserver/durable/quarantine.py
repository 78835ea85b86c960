"""Preserve the bytes of files that can't be used, under the name ``<file>.corrupt-N``.

Invariants: earlier quarantined files are never replaced, and at no moment are any bytes missing.
"""

from __future__ import annotations

import os
from pathlib import Path

from .files import NotRegularFile, read_file, replace_file
from .platform import flush_folder, retry_while_in_use

QUARANTINE_SUFFIX = ".corrupt-"


def move_to_quarantine(folder: Path, name: str, base_name: str = "") -> str:
    """Rename a file (a link itself, not its target); return the new name.

    The new name begins with ``base_name`` if that is given, else with ``name``. The caller holds
    that name's lock, so that no earlier quarantined file is replaced.
    """
    new_name, _ = _next_names(folder, base_name or name)
    retry_while_in_use(lambda: (folder / name).rename(folder / new_name))
    flush_folder(folder)
    return new_name


def copy_to_quarantine(
    folder: Path, name: str, data: bytes, suffix: str = QUARANTINE_SUFFIX
) -> str:
    """Copy a file's bytes to another name; return that name.

    The file itself stays until the caller replaces it. If that failed, the next attempt reuses the
    copy.
    """
    new_name, last = _next_names(folder, name, suffix)
    if last and _has_content(folder / last, data):
        return last
    try:
        os.link(folder / name, folder / new_name, follow_symlinks=False)
        flush_folder(folder)
    except (OSError, NotImplementedError):  # a disk without hard links
        replace_file(folder, new_name, data)
    return new_name


def _next_names(folder: Path, name: str, suffix: str = QUARANTINE_SUFFIX) -> tuple[str, str | None]:
    """Return the next free quarantine name, and the latest used one if there is any."""
    last, number = None, 1
    while os.path.lexists(folder / (free := f"{name}{suffix}{number}")):
        last, number = free, number + 1
    return free, last


def _has_content(path: Path, data: bytes) -> bool:
    try:
        content = read_file(path)
    except (OSError, NotRegularFile):
        return False
    return content is not None and content[0] == data
