"""Store small JSON files that only the server's account can access.

Invariants:

- Files are written atomically and durably, in a folder of mode 0700.
- An unreadable file counts as empty, but is never overwritten: a damaged one is renamed to
  ``….corrupt-1`` before a change; with any other, a change fails.
"""

from __future__ import annotations

import contextlib
import json
import stat
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ...durable import (
    NotRegularFile,
    lock_file,
    move_to_quarantine,
    read_file,
    replace_file,
    storage_error_class,
    temp_target,
)
from ...errors import StorageError, StorageFull, UserText

_PATIENCE = 10  # seconds to wait for another process
_UNWRITABLE = UserText(
    "The settings could not be saved. Check the disk and the folder’s permissions."
)
_LOCKED = UserText("Another process is changing the settings. Please try again.")
_FULL = UserText(
    "The disk is full, or your quota is used up, so the settings could not be saved. "
    "Free up some space, then try again."
)


def make_private(folder: Path) -> None:
    """Create the folder, for the server's account only. Raises OSError."""
    if not folder.is_dir():
        folder.parent.mkdir(parents=True, exist_ok=True)
        folder.mkdir(mode=0o700, exist_ok=True)
    # The folder may have existed, or the umask set another mode.
    if stat.S_IMODE(folder.stat().st_mode) != 0o700:
        with contextlib.suppress(PermissionError):  # another user owns the folder
            folder.chmod(0o700)


class PrivateFile:
    """A file that contains one JSON object."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def read(self) -> dict[str, Any]:
        try:
            return self._load()
        except (OSError, NotRegularFile, ValueError):
            return {}

    @contextlib.contextmanager
    def change(self) -> Iterator[dict[str, Any]]:
        """Yield the content to modify, then save it. Raises StorageError."""
        with self._locked():
            try:
                data = self._load()
            except (NotRegularFile, ValueError):
                move_to_quarantine(self.path.parent, self.path.name)
                data = {}
            yield data
            replace_file(self.path.parent, self.path.name, json.dumps(data, indent=2).encode())

    def sweep(self) -> None:
        if self._temp_files():
            with self._locked():
                pass  # ``_locked`` removes temp files

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        """Lock the folder, and remove temp files of killed processes. Raises StorageError."""
        folder = self.path.parent
        try:
            make_private(folder)
            release = lock_file(str(folder), "", time.monotonic() + _PATIENCE)
            if release is None:
                raise StorageError(_LOCKED)
            try:
                for temp_file in self._temp_files():
                    temp_file.unlink(missing_ok=True)
                yield
            finally:
                release()
        except OSError as error:
            error_class = storage_error_class(error)
            message = _FULL if error_class is StorageFull else _UNWRITABLE
            raise error_class(message) from error

    def _temp_files(self) -> list[Path]:
        try:
            siblings = list(self.path.parent.iterdir())
        except OSError:
            return []
        return [path for path in siblings if temp_target(path.name)]

    def _load(self) -> dict[str, Any]:
        content_and_stamp = read_file(self.path)
        data = json.loads(content_and_stamp[0]) if content_and_stamp else {}
        if not isinstance(data, dict):
            raise ValueError("not an object")
        return data
