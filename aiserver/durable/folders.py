"""Create, check and restrict the folders of histories. A symbolic link is never accepted."""

from __future__ import annotations

import contextlib
import os
import stat
import sys
from pathlib import Path
from typing import Literal

from ..errors import StorageError
from .platform import flush_folder, group_access


def ensure_folder(folder: Path, *, is_inner: bool = False) -> None:
    """Create a private folder durably, unless it exists.

    An inner folder is shared with a group that shares the folder above. Raises StorageError if the
    path is a link or a file.
    """
    if check_folder(folder):
        return
    mode = 0o2770 if is_inner and group_access(folder.parent) else 0o700
    with contextlib.suppress(FileExistsError):
        folder.mkdir(mode=0o700)
        # The umask may have removed some of our own permissions, so set the mode again. Some file
        # systems don't allow this.
        with contextlib.suppress(PermissionError):
            folder.chmod(mode)
        flush_folder(folder.parent)
    check_folder(folder)


def check_folder(folder: Path) -> bool:
    """Return whether a folder exists. Raises StorageError if the path is a link or a file."""
    try:
        mode = os.lstat(folder).st_mode
    except FileNotFoundError:
        return False
    if not stat.S_ISDIR(mode):
        raise StorageError(
            f"“{folder.name}” should be a folder, but is a link or a file, so it is not used."
        )
    return True


Access = Literal["private", "open", "shared", "foreign"]


def get_access(folder: Path) -> Access:
    """Return which access other accounts have to a folder: none if it is ``private``.

    ``open`` is probably an accident, for example of ``git clone``, and ``shared`` an intention: the
    folder has an access list, or it has the setgid bit and its group may write. A ``foreign``
    folder belongs to another account. On Windows, nothing is checked.
    """
    status = os.lstat(folder)
    if sys.platform == "win32" or not status.st_mode & 0o077:
        return "private"
    if status.st_uid != os.geteuid():
        return "foreign"
    is_group_folder = status.st_mode & stat.S_ISGID and status.st_mode & stat.S_IWGRP
    return "shared" if is_group_folder or _has_access_list(folder) else "open"


def restrict_access(folder: Path) -> Access:
    """Make a folder private if it is ours; return the access that other accounts had before.

    The group and the access list of a ``shared`` folder stay.
    """
    access = get_access(folder)
    allowed_mode = 0o770 if access == "shared" else 0o700
    mode = stat.S_IMODE(os.lstat(folder).st_mode)
    if access in ("open", "shared") and mode & 0o777 & ~allowed_mode:
        folder.chmod(mode & ~0o777 | mode & allowed_mode)  # keeps the setgid bit
    return access


def _has_access_list(folder: Path) -> bool:
    try:
        names = os.listxattr(folder, follow_symlinks=False)
    except (AttributeError, OSError):  # unsupported by the system or the disk
        return False
    return "system.posix_acl_access" in names
