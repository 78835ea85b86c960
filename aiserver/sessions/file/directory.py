"""Create, lock and clean up the folder ``.aiserver_sessions``, and return notices about the folder.

Invariants:

- Nothing is created before the first write. AI Server puts only these into the folder: the files of
  sessions, their temp files, quarantined files and legacy copies, and the folders ``locks``,
  ``notebooks`` and ``blobs``.
- A process writes, quarantines or removes a file only while it has the lock of the file's name.
  This includes writing the temp file that will replace the file. So if a process gets the lock and
  finds such a temp file, the temp file is an orphan: its writer was killed. The process that has
  the lock may remove the orphan.
"""

from __future__ import annotations

import contextlib
import os
import threading
import time
import zlib
from collections.abc import Iterator
from contextlib import AbstractContextManager
from functools import cached_property
from pathlib import Path

from ...durable import (
    NO_LOCKS_NOTICE,
    NOW_PRIVATE_NOTICE,
    OPEN_NOTICE,
    SHARED_NOTICE,
    SINGLE_SERVER_ADVICE,
    check_folder,
    ensure_folder,
    get_access,
    has_system_locks,
    lock_file,
    network_disk,
    restrict_access,
    temp_target,
)
from ...errors import StorageBusy, StorageError
from .root import FOLDER

BLOBS = "blobs"
NOTEBOOKS = "notebooks"
LOCKS = "locks"
SHARDS = 256  # the number of lock files for names
_DIRECTORY_LOCK = SHARDS  # the index of the directory's lock file, after those for names


class ShardLocks:
    """Locks by name, whose files are in one folder. ``timeout`` is in seconds.

    Each name maps to one of 256 lock files, so that lock files don't accumulate. Two names may
    share a lock file, so a thread never locks two names at once. There is one more lock, for the
    directory as a whole. A thread that holds the directory's lock may also lock a name.
    """

    def __init__(self, folder: Path, timeout: float) -> None:
        self._folder, self._timeout = os.fspath(folder), timeout
        self._thread_locks = [threading.Lock() for _ in range(SHARDS + 1)]

    @contextlib.contextmanager
    def lock(self, name: str | None = None) -> Iterator[None]:
        """Lock a name, or the directory if ``name`` is None. The folder must exist.

        Raises OSError, or StorageBusy after the timeout.
        """
        with self.try_lock(name, self._timeout) as is_locked:
            if not is_locked:
                raise StorageBusy
            yield

    @contextlib.contextmanager
    def try_lock(self, name: str | None, timeout: float = 0) -> Iterator[bool]:
        """Try to lock a name for ``timeout`` seconds; yield whether it was locked."""
        shard = _DIRECTORY_LOCK if name is None else zlib.crc32(name.encode()) % SHARDS
        deadline = time.monotonic() + timeout
        # The threads of this process wait for each other with a thread lock, because ``lock_file``
        # polls.
        if not self._thread_locks[shard].acquire(timeout=timeout):
            yield False
            return
        try:
            release = lock_file(self._folder, f"{shard:02x}", deadline)
            try:
                yield release is not None
            finally:
                if release:
                    release()
        finally:
            self._thread_locks[shard].release()


class SessionDirectory:
    """One folder ``.aiserver_sessions``.

    The name of a lock is the path of a file in the folder, such as ``notebooks/x.jsonl``. For a
    blob, the path is written without the blob's subfolder.
    """

    def __init__(self, root: Path, lock_timeout: float) -> None:
        self.path = root / FOLDER
        self._lock_folder = self.path / LOCKS
        self._locks = ShardLocks(self._lock_folder, lock_timeout)
        self._cleanup_lock = threading.Lock()
        self._is_cleaned_up = False
        self._has_system_locks: bool | None = None  # None: not tested yet

    @cached_property
    def trusts_stamps(self) -> bool:
        """Whether this process sees a file's new stamp as soon as another process writes the file.

        False on a network file system, because the operating system caches stamps for seconds.
        """
        return network_disk(self.path.parent) is None

    def start(self) -> list[str]:
        """If the folder exists, make it private and remove orphaned temp files. Return notices.

        Raises StorageError, OSError.
        """
        tested_folder = self.path.parent
        became_private = self.exists() and self._make_private()
        if self.exists() and check_folder(self._lock_folder):
            tested_folder = self._lock_folder
            self._clean_up_once()
        if tested_folder.is_dir():
            self._has_system_locks = has_system_locks(tested_folder)
        return [*([NOW_PRIVATE_NOTICE] if became_private else []), *self.notices()]

    def notices(self) -> list[str]:
        """Return warnings about risks of the folder or its disk, as sentences. Change nothing."""
        disk = network_disk(self.path.parent)
        access = get_access(self.path) if self.exists() else "private"
        notices = [f"{disk.warning} {SINGLE_SERVER_ADVICE}" if disk else ""]
        if self._has_system_locks is None and self._lock_folder.is_dir():
            self._has_system_locks = has_system_locks(self._lock_folder)
        notices.append(NO_LOCKS_NOTICE if self._has_system_locks is False else "")
        notices.append({"private": "", "shared": SHARED_NOTICE}.get(access, OPEN_NOTICE))
        return [sentence for sentence in notices if sentence]

    def exists(self) -> bool:
        """Return whether the folder exists. Raises StorageError if it is a link."""
        return check_folder(self.path)

    def is_writable(self) -> bool:
        """Return whether this process may write into the folder, or create it."""
        try:
            folder = self.path if self.exists() else self.path.parent
        except (OSError, StorageError):
            return False
        return os.access(folder, os.W_OK | os.X_OK)

    def lock(self, name: str) -> AbstractContextManager[None]:
        """Create missing folders, and return a context manager that locks a name.

        Raises StorageError, OSError.
        """
        self._ensure()
        self._clean_up_once()
        return self._locks.lock(name)

    def lock_exclusive(self) -> AbstractContextManager[None]:
        """Create missing folders, and return a context manager that locks the whole directory.

        This lock is independent of the locks of names: both can be locked at the same time.
        """
        self._ensure()
        return self._locks.lock()

    def try_lock(self, name: str) -> AbstractContextManager[bool]:
        """Return a context manager that tries to lock a name without waiting.

        The context manager yields whether the name was locked. Creates no folder: if there is no
        folder for locks, the context manager locks nothing and yields True.
        """
        if check_folder(self._lock_folder):
            return self._locks.try_lock(name)
        return contextlib.nullcontext(True)  # nothing was ever written here

    def temp_files(self) -> Iterator[tuple[Path, str]]:
        """Yield the temp files of sessions, change logs and blobs.

        Each is a pair: the file's path, and the name that the file's writer has locked.
        """
        for prefix in ("", f"{NOTEBOOKS}/", f"{BLOBS}/"):
            folder = self.path / prefix
            if folder.is_dir():
                for name in sorted(entry.name for entry in os.scandir(folder)):
                    if target := temp_target(name):
                        yield folder / name, prefix + target

    def remove_temp_file(self, file: Path, name: str) -> None:
        """Remove a temp file unless its writer, which has locked ``name``, is still running."""
        with self.try_lock(name) as is_locked:
            if is_locked:
                file.unlink(missing_ok=True)

    def _ensure(self) -> None:
        ensure_folder(self.path)
        ensure_folder(self._lock_folder, is_inner=True)

    def _clean_up_once(self) -> None:
        # Other threads wait here until the cleanup is done. Otherwise, they could lock a name that
        # shares its lock file with an orphan's name. The orphan's writer would seem to be running,
        # so the orphan wouldn't be removed.
        with self._cleanup_lock:
            if not self._is_cleaned_up:
                try:
                    self._make_private()
                    self._remove_orphans()
                finally:
                    self._is_cleaned_up = True

    def _make_private(self) -> bool:
        """Restrict the access of other accounts; return whether an open folder became private."""
        with contextlib.suppress(OSError):  # an error here doesn't prevent saving
            return restrict_access(self.path) == "open" and get_access(self.path) == "private"
        return False

    def _remove_orphans(self) -> None:
        """Remove the temp files of killed writers."""
        with contextlib.suppress(OSError):  # an error here doesn't prevent saving
            for file, name in self.temp_files():
                self.remove_temp_file(file, name)
