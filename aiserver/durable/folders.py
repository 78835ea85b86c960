"""Create and check folders of histories. They are private and never symbolic links."""

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
    """Create a private folder durably, unless it exists.

    Raises StorageError if the path is a link or a file.
    """
    if check_folder(folder):
        return
    with contextlib.suppress(FileExistsError):
        folder.mkdir(mode=0o700)
        # The umask may have removed some of the owner's permissions. Some file systems
        # don't allow chmod.
        with contextlib.suppress(PermissionError):
            folder.chmod(0o700)
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
    """Return whether other accounts can read a folder and, if so, why.

    - ``private``: no other account can read the folder.
    - ``open``: other accounts can read the folder, for example because ``git clone`` created it.
    - ``shared``: somebody allowed other accounts to read the folder. They used an access list, or
      gave the folder to a group (with the setgid bit).
    - ``foreign``: other accounts can read the folder, and it belongs to another account.
    """
    status = os.lstat(folder)
    if sys.platform == "win32" or not status.st_mode & 0o077:
        return "private"
    if status.st_uid != os.geteuid():
        return "foreign"
    is_group_folder = status.st_mode & stat.S_ISGID and status.st_mode & stat.S_IWGRP
    return "shared" if is_group_folder or _has_access_list(folder) else "open"


def restrict_access(folder: Path) -> Access:
    """Make a folder private if this account owns it; return the access as it was before.

    In a ``shared`` folder, the group keeps its access, and everybody else loses it.
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
