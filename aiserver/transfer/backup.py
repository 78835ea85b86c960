"""Write a backup of histories before they are deleted. ``sessions import`` can restore a backup.

Invariant: when ``write`` returns, the backup is complete and synced to disk, and was verified by
reading it back. Only the user who runs the command can read it.
"""

from __future__ import annotations

import os
import secrets
import zipfile
import zlib
from collections.abc import Iterable
from datetime import datetime, timezone
from pathlib import Path

from ..durable import commit_file, translate_os_errors
from ..errors import StorageError


def write(folder: Path, members: Iterable[tuple[str, bytes]]) -> Path:
    """Write a zip file into ``folder``, and return its path.

    ``members`` are the names and contents of the files in the zip file. The name of the zip file
    contains the current time. Raises StorageError if the backup can't be written or verified.
    """
    now = datetime.now(timezone.utc)
    target = folder / f"aiserver-backup-{now:%Y%m%d-%H%M%S}-{secrets.token_hex(2)}.zip"
    temp = target.with_suffix(".part")
    names: list[str] = []
    with translate_os_errors():
        fd = os.open(temp, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            with (
                os.fdopen(fd, "w+b") as file,
                zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as zipped,
            ):
                for name, data in members:
                    zipped.writestr(name, data)
                    names.append(name)
            _verify(temp, names)
            commit_file(temp, target)
        except BaseException:
            temp.unlink(missing_ok=True)
            raise
    return target


def _verify(file: Path, names: list[str]) -> None:
    """Raise StorageError unless the zip file has exactly the members ``names``, all undamaged."""
    try:
        with zipfile.ZipFile(file) as zipped:
            is_complete = zipped.namelist() == names and zipped.testzip() is None
    except (zipfile.BadZipFile, zlib.error, EOFError):
        is_complete = False
    if not is_complete:
        raise StorageError("The backup could not be verified, so nothing was deleted.")
