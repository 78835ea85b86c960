"""Small JSON files that are the server's person's alone.

What must hold: mode 0600 from the first byte, in a folder of mode 0700; written whole or not at
all; a symbolic link is neither followed nor written through; a damaged file counts as empty.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..errors import StorageError

_NO_LINK = getattr(os, "O_NOFOLLOW", 0)  # Windows has no such flag, nor links for everyone
_UNWRITABLE = "The settings could not be saved. Check the disk, and who may write there."


class PrivateFile:
    """One such file, holding one object."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def read(self) -> dict[str, Any]:
        """What it holds; nothing if it isn't there or can't be read."""
        try:
            with os.fdopen(os.open(self.path, os.O_RDONLY | _NO_LINK), "rb") as file:
                data = json.loads(file.read())
        except (OSError, ValueError):
            return {}
        return data if isinstance(data, dict) else {}

    @contextlib.contextmanager
    def change(self) -> Iterator[dict[str, Any]]:
        """Change what it holds, alone among all processes. Raises StorageError."""
        from filelock import FileLock

        folder = self.path.parent
        try:
            if not folder.is_dir():
                folder.parent.mkdir(parents=True, exist_ok=True)
                folder.mkdir(mode=0o700, exist_ok=True)
                folder.chmod(0o700)  # whatever the umask took away
            with FileLock(folder / ".lock", timeout=10, mode=0o600):
                data = self.read()
                yield data
                self._write(data)
        except OSError as error:  # TimeoutError of the lock included
            raise StorageError(_UNWRITABLE) from error

    def _write(self, data: dict[str, Any]) -> None:
        temporary = self.path.with_name(f"{self.path.name}.{secrets.token_hex(8)}.tmp")
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NO_LINK, 0o600)
        try:
            if hasattr(os, "fchmod"):
                os.fchmod(descriptor, 0o600)
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                json.dump(data, file, indent=2)
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(self.path)  # a link at that name is replaced, not followed
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
        if hasattr(os, "O_DIRECTORY"):
            folder = os.open(self.path.parent, os.O_RDONLY | os.O_DIRECTORY)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)
