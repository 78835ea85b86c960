"""Folders of histories: private, and never a link."""

from __future__ import annotations

import contextlib
import os
import stat
import sys
from pathlib import Path
from typing import Literal

from ..errors import StorageError
from .platform import flush_folder


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
            f"“{Path(folder).name}” should be a folder, but is a link or a file, so it is not used."
        )
    return True


Access = Literal["private", "open", "shared", "foreign"]


def get_access(folder: Path) -> Access:
    """Who else may look into a folder, and whether that is ours to change.

    ``open`` to others, as ``git clone`` leaves a folder; ``shared`` on purpose, by an access list
    or as a folder that a group writes together (setgid); ``foreign``: open, and another account's.
    """
    status = os.lstat(folder)
    if sys.platform == "win32" or not status.st_mode & 0o077:
        return "private"
    if status.st_uid != os.geteuid():
        return "foreign"
    by_group = status.st_mode & stat.S_ISGID and status.st_mode & stat.S_IWGRP
    return "shared" if by_group or _has_access_list(folder) else "open"


def restrict_access(folder: Path) -> Access:
    """Make a folder private where that is ours to do; returns what ``access_of`` was before.

    A share on purpose keeps its group, and loses everybody else.
    """
    access = get_access(folder)
    keep = 0o770 if access == "shared" else 0o700
    mode = stat.S_IMODE(os.lstat(folder).st_mode)
    if access in ("open", "shared") and mode & 0o777 & ~keep:
        folder.chmod(mode & ~0o777 | mode & keep)
    return access


def _has_access_list(folder: Path) -> bool:
    try:
        names = os.listxattr(folder, follow_symlinks=False)
    except (AttributeError, OSError):  # not this system, or not this disk
        return False
    return "system.posix_acl_access" in names
