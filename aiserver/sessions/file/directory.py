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
from .locks import Hold, ShardLocks
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
        # As texts, for each save looks at them, and a look through a Path takes twice as long.
        self._folders = os.fspath(self.path), os.fspath(self._lock_folder)
        self._sweeping = threading.Lock()
        self._swept = False
        self._has_locks = True

    @cached_property
    def trusts_stamps(self) -> bool:
        """Whether a file that another wrote has another stamp at once.

        On a network file system this machine remembers stamps for seconds.
        """
        return network_disk(self.path.parent) is None

    def start(self) -> list[str]:
        """Sweep and shut others out, if there is anything yet; then as ``notices``.

        Raises StorageError, OSError.
        """
        there = self.is_there()
        locked = there and check_folder(self._lock_folder)
        was_open = there and self._shut_out_others()
        if locked:
            self._sweep_once()
        root = self.path.parent
        self._has_locks = not root.is_dir() or has_system_locks(
            self._lock_folder if locked else root
        )
        return [*([NOW_PRIVATE_NOTICE] if was_open else []), *self.notices()]

    def notices(self) -> list[str]:
        """What a person should know of the folder, in sentences. Changes nothing."""
        disk = network_disk(self.path.parent)
        noted = os.path.lexists(self._lock_folder / NO_FLOCK)
        access = get_access(self.path) if self.is_there() else "private"
        said = [f"{disk.warning} {SINGLE_SERVER_ADVICE}" if disk else ""]
        said.append(NO_LOCKS_NOTICE if noted or not self._has_locks else "")
        said.append({"private": "", "shared": SHARED_NOTICE}.get(access, OPEN_NOTICE))
        return [sentence for sentence in said if sentence]

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
        if check_folder(self.path / LOCKS):
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
                    self._shut_out_others()
                    self._sweep()
                finally:
                    self._swept = True

    def _shut_out_others(self) -> bool:
        """Make the folder private where that is ours to do; whether it was not."""
        with contextlib.suppress(OSError):  # no reason not to save
            return restrict_access(self.path) == "open" and get_access(self.path) == "private"
        return False

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
