"""Small JSON files that are the server's person's alone.

What must hold: that of ``durable/``, in a folder of mode 0700. To a reader, what can't be read
counts as empty; but nothing is written over it: a file that can't be read now is left alone, and
what is damaged, or no file, is put aside (``….corrupt-1``) before a new one is begun.
"""

from __future__ import annotations

import contextlib
import json
import os
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
from ...errors import StorageError, StorageFull

_PATIENCE = 10  # seconds to wait for another process that changes the settings
_UNWRITABLE = "The settings could not be saved. Check the disk and the folder’s permissions."
_FULL = (
    "The disk is full, or your quota is used up, so the settings could not be saved. "
    "Free up some space, then try again."
)


def make_private(folder: Path) -> None:
    """Let nobody else into a folder, made now or before. Raises OSError if it can't be made."""
    if not folder.is_dir():
        folder.parent.mkdir(parents=True, exist_ok=True)
        folder.mkdir(mode=0o700, exist_ok=True)
    if stat.S_IMODE(folder.stat().st_mode) != 0o700:  # whatever the umask took away, or left
        with contextlib.suppress(PermissionError):  # another's folder is theirs to open and close
            folder.chmod(0o700)


class PrivateFile:
    """One such file, holding one object."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def read(self) -> dict[str, Any]:
        """What it holds; nothing if it isn't there or can't be read."""
        try:
            return self._load()
        except (OSError, NotRegularFile, ValueError):
            return {}

    @contextlib.contextmanager
    def change(self) -> Iterator[dict[str, Any]]:
        """Change what it holds, alone among all processes. Raises StorageError."""
        with self._alone():
            try:
                data = self._load()
            except (NotRegularFile, ValueError):
                move_to_quarantine(self.path.parent, self.path.name)
                data = {}
            yield data
            replace_file(self.path.parent, self.path.name, json.dumps(data, indent=2).encode())

    def has_traces(self) -> bool:
        """Whether there is anything of it, if only what a killed writer left."""
        return os.path.lexists(self.path) or bool(self._unfinished())

    def sweep(self) -> None:
        """Remove what a killed writer left, for that may hold a key. Raises StorageError."""
        if self._unfinished():
            with self._alone():
                pass

    @contextlib.contextmanager
    def _alone(self) -> Iterator[None]:
        folder = self.path.parent
        try:
            make_private(folder)
            release = lock_file(str(folder), "", time.monotonic() + _PATIENCE)
            if release is None:
                raise StorageError(_UNWRITABLE)
            try:
                for unfinished in self._unfinished():
                    unfinished.unlink(missing_ok=True)
                yield
            finally:
                release()
        except OSError as error:
            kind = storage_error_class(error)
            raise kind(_FULL if kind is StorageFull else _UNWRITABLE) from error

    def _unfinished(self) -> list[Path]:
        try:
            beside = list(self.path.parent.iterdir())
        except OSError:
            return []
        return [path for path in beside if temp_target(path.name) == self.path.name]

    def _load(self) -> dict[str, Any]:
        """The content. Raises OSError, NotRegularFile, or ValueError if it is no JSON object."""
        found = read_file(self.path)
        data = json.loads(found[0]) if found else {}
        if not isinstance(data, dict):
            raise ValueError("not an object")
        return data
