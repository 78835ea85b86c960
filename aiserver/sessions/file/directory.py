"""Find, create, lock and clean up the folder ``.aiserver_sessions``, and return notices about it.

Invariants:

- Histories stay visible if Jupyter is started in another folder of the project. The search for the
  root goes upwards, but only within the home folder, the git repository or the server's root
  directory: in a folder above these, such as ``/tmp``, another user may have put histories.
- Nothing is created before the first write. AI Server puts only these into the folder: the files of
  sessions, their temp files, quarantined files and legacy copies, and the folders ``locks``,
  ``notebooks`` and ``blobs``.
- A process writes, quarantines or removes a file, or writes the temp file that will replace it,
  only while it has the lock of the file's name. So whoever has the lock and finds such a temp file
  may remove it: its writer was killed.
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
from urllib.parse import urlsplit
from urllib.request import url2pathname

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
    network_disk_warning,
    restrict_access,
    temp_target,
)
from ...errors.base import SettingError
from ...errors.storage import StorageBusy, StorageError

FOLDER = ".aiserver_sessions"
BLOBS = "blobs"
NOTEBOOKS = "notebooks"
LOCKS = "locks"
SHARDS = 256  # the number of lock files for names
_DIRECTORY_LOCK = SHARDS  # the directory's lock file, after those for names


class ShardLocks:
    """Locks by name, whose files are in one folder. ``timeout`` is in seconds.

    Names share 256 lock files, so a thread never locks two names at once. A thread that holds the
    lock of the whole directory may also lock a name.
    """

    def __init__(self, folder: Path, timeout: float) -> None:
        self._folder, self._timeout = os.fspath(folder), timeout
        self._thread_locks = [threading.Lock() for _ in range(SHARDS + 1)]

    @contextlib.contextmanager
    def lock(self, name: str | None = None) -> Iterator[None]:
        """Lock a name, or the directory. Raises OSError, or StorageBusy after the timeout."""
        with self.try_lock(name, self._timeout) as is_locked:
            if not is_locked:
                raise StorageBusy
            yield

    @contextlib.contextmanager
    def try_lock(self, name: str | None, timeout: float = 0) -> Iterator[bool]:
        """Yield whether the name could be locked within ``timeout`` seconds."""
        shard = _DIRECTORY_LOCK if name is None else zlib.crc32(name.encode()) % SHARDS
        deadline = time.monotonic() + timeout
        # Threads of one process wait with a thread lock, because ``lock_file`` polls.
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

    A lock's name is a file's path, such as ``notebooks/x.jsonl``; for a blob, without its
    subfolder.
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
        """Whether stamps are current; a network file system caches them for seconds."""
        return network_disk_warning(self.path.parent) is None

    def start(self) -> list[str]:
        """Make an existing folder private, remove orphaned temp files, and return notices."""
        tested_folder = self.path.parent
        became_private = self.exists() and self._make_private()
        if self.exists() and check_folder(self._lock_folder):
            tested_folder = self._lock_folder
            self._clean_up_once()
        if tested_folder.is_dir():
            self._has_system_locks = has_system_locks(tested_folder)
        return [*([NOW_PRIVATE_NOTICE] if became_private else []), *self.notices()]

    def notices(self) -> list[str]:
        """Return warnings about the folder and its disk. Change nothing."""
        warning = network_disk_warning(self.path.parent)
        access = get_access(self.path) if self.exists() else "private"
        notices = [f"{warning} {SINGLE_SERVER_ADVICE}" if warning else ""]
        if self._has_system_locks is None and self._lock_folder.is_dir():
            self._has_system_locks = has_system_locks(self._lock_folder)
        notices.append(NO_LOCKS_NOTICE if self._has_system_locks is False else "")
        notices.append({"private": "", "shared": SHARED_NOTICE}.get(access, OPEN_NOTICE))
        return [sentence for sentence in notices if sentence]

    def exists(self) -> bool:
        """Return whether the folder exists. Raises StorageError if it is a link."""
        return check_folder(self.path)

    def is_writable(self) -> bool:
        try:
            folder = self.path if self.exists() else self.path.parent
        except (OSError, StorageError):
            return False
        return os.access(folder, os.W_OK | os.X_OK)

    def lock(self, name: str) -> AbstractContextManager[None]:
        """Create missing folders, and return the lock of a name."""
        self._ensure()
        self._clean_up_once()
        return self._locks.lock(name)

    def lock_exclusive(self) -> AbstractContextManager[None]:
        """Create missing folders, and return the lock of the whole directory."""
        self._ensure()
        return self._locks.lock()

    def try_lock(self, name: str) -> AbstractContextManager[bool]:
        """Lock a name without waiting; yield whether it was locked.

        Creates no folder: without a folder for locks, it locks nothing and yields True.
        """
        if check_folder(self._lock_folder):
            return self._locks.try_lock(name)
        return contextlib.nullcontext(True)  # nothing was ever written here

    def temp_files(self) -> Iterator[tuple[Path, str]]:
        """Yield each temp file, and the name that its writer has locked."""
        for prefix in ("", f"{NOTEBOOKS}/", f"{BLOBS}/"):
            folder = self.path / prefix
            if folder.is_dir():
                for name in sorted(entry.name for entry in os.scandir(folder)):
                    if target := temp_target(name):
                        yield folder / name, prefix + target

    def remove_temp_file(self, file: Path, name: str) -> None:
        """Remove a temp file unless its writer is still running."""
        with self.try_lock(name) as is_locked:
            if is_locked:
                file.unlink(missing_ok=True)

    def _ensure(self) -> None:
        ensure_folder(self.path)
        ensure_folder(self._lock_folder, is_inner=True)

    def _clean_up_once(self) -> None:
        # Other threads wait for the cleanup: if they locked a name that shares an orphan's lock
        # file, the orphan's writer would seem to be running.
        with self._cleanup_lock:
            if not self._is_cleaned_up:
                try:
                    self._make_private()
                    self._remove_orphans()
                finally:
                    self._is_cleaned_up = True

    def _make_private(self) -> bool:
        """Return whether an open folder became private."""
        with contextlib.suppress(OSError):  # an error here doesn't prevent saving
            return restrict_access(self.path) == "open" and get_access(self.path) == "private"
        return False

    def _remove_orphans(self) -> None:
        with contextlib.suppress(OSError):  # an error here doesn't prevent saving
            for file, name in self.temp_files():
                self.remove_temp_file(file, name)


def path_from_url(url: str) -> Path:
    """Return the folder of a ``file:`` URL. Raises SettingError for any other URL."""
    parts = urlsplit(url)
    if parts.scheme != "file" or parts.netloc not in ("", "localhost") or not parts.path:
        raise SettingError(f"“{url}” is not a local folder. Use file:///path/to/folder.")
    return Path(url2pathname(parts.path)).expanduser()


def find_root(start: Path) -> Path:
    """Return the nearest folder that contains ``.aiserver_sessions``, or else ``start``."""
    return find_folder(start, FOLDER) or start.absolute()


def find_folder(start: Path, name: str) -> Path | None:
    """Return the nearest folder from ``start`` upwards that contains ``name``, or None.

    The search ends at the top of the git repository or at the home folder. Outside of both, only
    ``start`` itself is searched.
    """
    start = start.absolute()
    folders = _folders_up_to_project(start) or [start]
    return next((folder for folder in folders if _has_folder(folder, name)), None)


def find_other_roots(folder: Path, root: Path, served: Path) -> list[Path]:
    """Return all roots except ``root`` that may contain sessions of a notebook, nearest first.

    A server that was started in another folder may have used another root. The search goes from the
    notebook's ``folder`` up to the home folder, else to the top of the git repository, else to
    ``served``, the root directory of the Jupyter server. Outside of all, only ``folder`` is
    searched.
    """
    folder, home = folder.absolute(), home_folder()
    if home is not None and folder.is_relative_to(home):
        folders = _folders_up_to(folder, home)
    else:
        folders = _folders_up_to_project(folder) or _folders_up_to(folder, served) or [folder]
    return [
        candidate
        for candidate in folders
        if _has_folder(candidate, FOLDER) and candidate.resolve() != root.resolve()
    ]


def _folders_up_to_project(start: Path) -> list[Path]:
    home = home_folder()
    folders: list[Path] = []
    for folder in (start, *start.parents):
        folders.append(folder)
        if folder == home or (folder / ".git").exists():
            return folders
    return []


def _folders_up_to(start: Path, top: Path) -> list[Path]:
    """Return the folders from ``start`` up to ``top``; none if ``start`` isn't below ``top``."""
    return [folder for folder in (start, *start.parents) if folder.is_relative_to(top)]


def _has_folder(folder: Path, name: str) -> bool:
    path = folder / name
    try:
        return path.is_dir() and not path.is_symlink()
    except OSError:  # not permitted
        return False


def home_folder() -> Path | None:
    """Return the user's home folder; None if there is none, as in some containers."""
    try:
        return Path.home()
    except RuntimeError:
        return None
