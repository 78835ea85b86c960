"""The folder ``.aiserver_sessions`` as a whole: its locks, and the order kept in it.

What must hold:

- Nothing is made before the first write, and nothing but ``locks/``, ``notebooks/``, ``blobs/``
  beside the sessions.
- A file is written, set aside or removed only under the lock of its name, so whoever holds that
  lock knows that a temp file of it has no living writer. That is how orphans are swept.
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

from ..durable import check_folder, ensure_folder, temp_target
from ..errors import StorageError
from .disks import network_disk
from .locks import Hold, ShardLocks
from .root import FOLDER

BLOBS = "blobs"
NOTEBOOKS = "notebooks"
_LOCKS = "locks"


class Place:
    """One ``.aiserver_sessions``. Names are paths relative to it, with ``/``."""

    def __init__(self, root: Path, lock_timeout: float) -> None:
        self.path = root / FOLDER
        self._lock_folder = self.path / _LOCKS
        self._locks = ShardLocks(self._lock_folder, lock_timeout)
        # As texts, for each save looks at them, and a look through a Path takes twice as long.
        self._folders = os.fspath(self.path), os.fspath(self._lock_folder)
        self._sweeping = threading.Lock()
        self._swept = False

    @cached_property
    def trusts_stamps(self) -> bool:
        """Whether a file that another wrote has another stamp at once.

        On a network file system this machine remembers stamps for seconds.
        """
        return network_disk(self.path.parent) is None

    def sweep(self) -> None:
        """Remove the temp files of dead writers, if there may be any. Raises StorageError."""
        if self.is_there() and check_folder(self._lock_folder):
            self._sweep_once()

    def is_there(self) -> bool:
        """Whether there is anything to read. Raises StorageError if a link is in its place."""
        return check_folder(self.path)

    def is_writable(self) -> bool:
        """Whether we may write here, as far as the rights tell."""
        try:
            folder = self.path if self.is_there() else self.path.parent
        except (OSError, StorageError):
            return False
        return os.access(folder, os.W_OK | os.X_OK)

    def writing(self, name: str) -> Hold:
        """Make the folders; gives the lock of a name, to be held. Raises StorageError, OSError."""
        self._ensure()
        self._sweep_once()
        return self._locks.hold(name)

    def alone(self) -> Hold:
        """The same of a lock that no name shares, so that names can be written meanwhile."""
        self._ensure()
        return self._locks.hold_apart()

    @contextlib.contextmanager
    def if_free(self, name: str) -> Iterator[bool]:
        """Hold the lock of a name if nobody has it now; gives whether it does. Makes no folder."""
        if check_folder(self.path / _LOCKS):
            with self._locks.hold_if_free(name) as held:
                yield held
        else:
            yield True  # nobody ever wrote here

    def _ensure(self) -> None:
        for folder in self._folders:
            if not check_folder(folder):
                ensure_folder(Path(folder))

    def _sweep_once(self) -> None:
        if self._swept:
            return
        # Our own threads wait for it, for what they write would keep orphans that share its lock.
        with self._sweeping:
            if not self._swept:
                try:
                    self._sweep()
                finally:
                    self._swept = True

    def _sweep(self) -> None:
        """Remove the temp files of dead writers. Failing to is no reason not to save."""
        for prefix, folder in (("", self.path), (f"{BLOBS}/", self.path / BLOBS)):
            with contextlib.suppress(OSError), os.scandir(folder) as entries:
                orphans = [
                    (entry.name, target) for entry in entries if (target := temp_target(entry.name))
                ]
                for name, target in orphans:
                    with self._locks.hold_if_free(prefix + target) as held:
                        if held:
                            (folder / name).unlink(missing_ok=True)
