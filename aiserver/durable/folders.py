"""Folders of histories: private, and never a link."""

from __future__ import annotations

import contextlib
import os
import stat
from pathlib import Path

from ..errors import StorageError
from .systems import flush_folder


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
