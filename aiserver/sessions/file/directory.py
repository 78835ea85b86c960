"""The folder ``.aiserver_sessions`` as a whole: its locks, notices and orphaned files.

Invariants:

- Nothing is created before the first write, and only ``locks/``, ``notebooks/`` and ``blobs/``
  besides the sessions.
- A file is written, quarantined or removed only under the lock of its name. So the holder of that
  lock may remove temp files of that name, since they have no living writer.
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager
from functools import cached_property
from pathlib import Path

from ...durable import (
    NO_FLOCK,
    check_folder,
    ensure_folder,
    get_access,
    has_system_locks,
    restrict_access,
    temp_target,
)
from ...durable.disks import (
    NO_LOCKS_NOTICE,
    NOW_PRIVATE_NOTICE,
    OPEN_NOTICE,
    SHARED_NOTICE,
    SINGLE_SERVER_ADVICE,
    network_disk,
)
from ...errors import StorageError
from .locks import ShardLocks
from .root import FOLDER

BLOBS = "blobs"
NOTEBOOKS = "notebooks"
LOCKS = "locks"


class SessionDirectory:
    """One ``.aiserver_sessions``. Names are paths relative to it, with ``/``."""

    def __init__(self, root: Path, lock_timeout: float) -> None:
        self.path = root / FOLDER
        self._lock_folder = self.path / LOCKS
        self._locks = ShardLocks(self._lock_folder, lock_timeout)
        self._sweep_lock = threading.Lock()
        self._is_swept = False
        self._has_locks = True

    @cached_property
    def trusts_stamps(self) -> bool:
        """Whether a write by another process changes a file's stamp at once.

        On a network file system this machine caches stamps for seconds.
        """
        return network_disk(self.path.parent) is None

    def start(self) -> list[str]:
        """Sweep orphans and make an existing folder private; return the notices.

        Raises StorageError, OSError.
        """
        folder = self.path.parent
        was_open = self.exists() and self._shut_out_others()
        if self.exists() and check_folder(self._lock_folder):
            folder = self._lock_folder
            self._sweep_once()
        self._has_locks = not folder.is_dir() or has_system_locks(folder)
        return [*([NOW_PRIVATE_NOTICE] if was_open else []), *self.notices()]

    def notices(self) -> list[str]:
        """Return sentences for people about the folder. Read-only."""
        disk = network_disk(self.path.parent)
        lacks_locks = os.path.lexists(self._lock_folder / NO_FLOCK)
        access = get_access(self.path) if self.exists() else "private"
        notices = [f"{disk.warning} {SINGLE_SERVER_ADVICE}" if disk else ""]
        notices.append(NO_LOCKS_NOTICE if lacks_locks or not self._has_locks else "")
        notices.append({"private": "", "shared": SHARED_NOTICE}.get(access, OPEN_NOTICE))
        return [sentence for sentence in notices if sentence]

    def exists(self) -> bool:
        """Return whether the folder exists. Raises StorageError if it is a link."""
        return check_folder(self.path)

    def is_writable(self) -> bool:
        """Return whether the permissions let us write here."""
        try:
            folder = self.path if self.exists() else self.path.parent
        except (OSError, StorageError):
            return False
        return os.access(folder, os.W_OK | os.X_OK)

    def lock(self, name: str) -> AbstractContextManager[None]:
        """Create the folders and return the lock of a name. Raises StorageError, OSError."""
        self._ensure()
        self._sweep_once()
        return self._locks.lock(name)

    def lock_exclusive(self) -> AbstractContextManager[None]:
        """Return a lock of the directory, which doesn't block writes to names."""
        self._ensure()
        return self._locks.lock()

    def try_lock(self, name: str) -> AbstractContextManager[bool]:
        """Try to lock a name without waiting; yield whether it succeeded. Creates no folder."""
        if check_folder(self._lock_folder):
            return self._locks.try_lock(name)
        return contextlib.nullcontext(True)  # nothing was ever written here

    def temp_files(self) -> Iterator[tuple[Path, str]]:
        """Yield each temp file and the name that its writer has locked."""
        for prefix, folder in (("", self.path), (f"{BLOBS}/", self.path / BLOBS)):
            if folder.is_dir():
                for name in sorted(entry.name for entry in os.scandir(folder)):
                    if target := temp_target(name):
                        yield folder / name, prefix + target

    def remove_temp_file(self, file: Path, name: str) -> None:
        """Remove a temp file unless its writer still runs."""
        with self.try_lock(name) as is_locked:
            if is_locked:
                file.unlink(missing_ok=True)

    def _ensure(self) -> None:
        ensure_folder(self.path)
        ensure_folder(self._lock_folder)

    def _sweep_once(self) -> None:
        # Other threads wait, since their locks would protect orphans that share these locks.
        with self._sweep_lock:
            if not self._is_swept:
                try:
                    self._shut_out_others()
                    self._sweep()
                finally:
                    self._is_swept = True

    def _shut_out_others(self) -> bool:
        """Make the folder private if we own it; return whether that changed anything."""
        with contextlib.suppress(OSError):  # failing is no reason not to save
            return restrict_access(self.path) == "open" and get_access(self.path) == "private"
        return False

    def _sweep(self) -> None:
        """Remove the temp files of dead writers. Errors are ignored, so that saving works."""
        with contextlib.suppress(OSError):
            for file, name in self.temp_files():
                self.remove_temp_file(file, name)
