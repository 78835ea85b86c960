"""Small JSON files that are the server's person's alone.

What must hold: mode 0600 from the first byte, in a folder of mode 0700; written whole or not at
all; a symbolic link is neither followed nor written through. To a reader, what can't be read counts
as empty; but nothing is written over it: a file that can't be read now is left alone, and one that
is damaged is put aside with its bytes (``….corrupt-1``) before a new one is begun.
"""

from __future__ import annotations

import contextlib
import errno
import itertools
import json
import os
import re
import secrets
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..errors import StorageError

_NO_LINK = getattr(os, "O_NOFOLLOW", 0)  # Windows has no such flag, nor links for everyone
_NO_WAIT = getattr(os, "O_NONBLOCK", 0)  # a named pipe would never open
_UNWRITABLE = "The settings could not be saved. Check the disk, and who may write there."


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
        except (OSError, ValueError):
            return {}

    @contextlib.contextmanager
    def change(self) -> Iterator[dict[str, Any]]:
        """Change what it holds, alone among all processes. Raises StorageError."""
        from filelock import FileLock

        folder = self.path.parent
        try:
            make_private(folder)
            with FileLock(folder / ".lock", timeout=10, mode=0o600):
                for unfinished in self._unfinished():  # of one that was killed: it may hold a key
                    unfinished.unlink(missing_ok=True)
                data = self._load_or_put_aside()
                yield data
                self._write(data)
        except OSError as error:  # TimeoutError of the lock included
            raise StorageError(_UNWRITABLE) from error

    def has_traces(self) -> bool:
        """Whether there is anything of it, if only what a killed writer left."""
        return os.path.lexists(self.path) or bool(self._unfinished())

    def _unfinished(self) -> list[Path]:
        form = re.compile(re.escape(self.path.name) + r"\.[0-9a-f]{16}\.tmp")
        if not self.path.parent.is_dir():
            return []
        return [path for path in self.path.parent.iterdir() if form.fullmatch(path.name)]

    def _load(self) -> dict[str, Any]:
        """What it holds. Raises OSError, or ValueError if that is no object of JSON."""
        with os.fdopen(os.open(self.path, os.O_RDONLY | _NO_LINK | _NO_WAIT), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise ValueError("not a file")
            data = json.loads(file.read())
        if not isinstance(data, dict):
            raise ValueError("not an object")
        return data

    def _load_or_put_aside(self) -> dict[str, Any]:
        """What a change begins with. Raises OSError where that can't be known at the moment."""
        try:
            return self._load()
        except FileNotFoundError:
            return {}
        except OSError as error:
            if error.errno == errno.ELOOP:  # a link, never ours: it will be replaced
                return {}
            raise
        except ValueError:
            names = (f"{self.path.name}.corrupt-{number}" for number in itertools.count(1))
            asides = map(self.path.with_name, names)
            self.path.rename(next(aside for aside in asides if not os.path.lexists(aside)))
            return {}

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
