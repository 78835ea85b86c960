"""Memories as files in a folder, which people may edit at the same time.

Invariants:

- A process writes only while it has the lock of the file's name, and looks at the file again right
  before, so that a change which an editor has saved isn't lost.
- A failed write leaves the old file and no temp file. A killed process's temp file is removed at
  the next use.
- The folder in a project contains, besides ``MEMORY.md``, only what git needs to merge it and to
  ignore the rest. The files of the person's folder are private.
- No link is followed: a project from elsewhere can't make AI Server read or write other files.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import secrets
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from ....durable import (
    NotRegularFile,
    check_folder,
    ensure_folder,
    flush_folder,
    group_access,
    lock_file,
    move_to_quarantine,
    read_file,
    remove,
    replace_file,
    retry_while_in_use,
    temp_target,
    translate_os_errors,
)
from ....errors import MemoryTooLarge, MemoryUnreadable, StorageBusy, StorageError
from .base import DocumentName, MemoryStore, check_size, max_bytes

PROJECT_FOLDER = ".aiserver_memory"
FILE_NAMES: dict[DocumentName, str] = {
    "memory": "MEMORY.md",
    "proposals": "proposals.json",
    "reviews": "reviews.json",
    "corrections": "corrections.json",
    "notes": "notes.json",
}
_LOCK_TIMEOUT = 10.0  # seconds
_LOCKS = "locks"
# git keeps the lines of both branches, without a conflict.
_FOR_GIT = {
    ".gitattributes": "MEMORY.md merge=union\n",
    ".gitignore": f"{_LOCKS}/\n*.tmp\n.ipynb_checkpoints/\n",
}


class FileMemoryStore(MemoryStore):
    """Stores documents as files in one folder.

    The documents of an owner with a name are in a subfolder. ``is_shared_by_git``: the files are as
    readable as others of the project.
    """

    def __init__(self, folder: Path, *, is_shared_by_git: bool = False, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.folder = folder
        self._is_shared_by_git = is_shared_by_git

    def path(self, name: DocumentName, *, owner: str = "") -> Path:
        return self._folder_of(owner) / FILE_NAMES[name]

    async def read(self, name: DocumentName, *, owner: str = "") -> bytes | None:
        """Return a document, or None.

        Raises MemoryTooLarge, and MemoryUnreadable if the document, or the folder, is a link or not
        accessible.
        """
        folder = self._folder_of(owner)
        return await asyncio.to_thread(self._read_and_clean, folder, name)

    async def replace(
        self, name: DocumentName, expected: bytes | None, new: bytes | None, *, owner: str = ""
    ) -> bool:
        check_size(name, expected, new)
        return await asyncio.to_thread(self._replace, self._folder_of(owner), name, expected, new)

    async def set_aside(self, name: DocumentName, damaged: bytes, *, owner: str = "") -> None:
        """Rename the file to ``….corrupt-1``."""
        await asyncio.to_thread(self._set_aside, self._folder_of(owner), name, damaged)

    def _set_aside(self, folder: Path, name: DocumentName, damaged: bytes) -> None:
        file_name = FILE_NAMES[name]
        with _translate_errors(), self._locked(folder, file_name, _LOCK_TIMEOUT):
            if self._read(folder, name) == damaged:
                new_name = move_to_quarantine(folder, file_name)
                self.log.warning("The file %s is damaged. It is now %s.", file_name, new_name)

    def _folder_of(self, owner: str) -> Path:
        if not owner:
            return self.folder
        # Hashed, because an owner can be any text.
        return self.folder / hashlib.sha256(owner.encode("utf-8", "surrogatepass")).hexdigest()

    def _read_and_clean(self, folder: Path, name: DocumentName) -> bytes | None:
        data = self._read(folder, name)
        with suppress(OSError, StorageError):  # the folder is read-only, or there is a writer
            for file_name in FILE_NAMES.values():
                if _temp_files(folder, file_name):
                    with self._locked(folder, file_name, timeout=0):
                        remove(folder, _temp_files(folder, file_name))
        return data

    def _read(self, folder: Path, name: DocumentName) -> bytes | None:
        with _translate_errors():
            try:
                if not check_folder(folder):
                    return None
            except StorageError as exc:  # the folder is a link or a file
                raise MemoryUnreadable from exc
            try:
                path = folder / FILE_NAMES[name]
                if path.lstat().st_size > max_bytes(name):
                    raise MemoryTooLarge
                stored = read_file(path)
            except FileNotFoundError:
                return None
        return None if stored is None else stored[0]

    def _replace(
        self, folder: Path, name: DocumentName, expected: bytes | None, new: bytes | None
    ) -> bool:
        if expected == new:
            return self._read(folder, name) == expected
        file_name = FILE_NAMES[name]
        with _translate_errors(), self._locked(folder, file_name, _LOCK_TIMEOUT):
            remove(folder, _temp_files(folder, file_name))  # temp files of killed processes
            if self._is_shared_by_git and name == "memory":
                _prepare_for_git(folder)
            if self._read(folder, name) != expected:
                return False
            if new is None:
                remove(folder, [file_name])
                return True
            temp = folder / f"{file_name}.{secrets.token_hex(8)}.tmp"
            try:
                replace_file(folder, temp.name, new, public=self._is_shared_by_git, shareable=True)
                with suppress(FileNotFoundError):  # others who can read the file still can
                    temp.chmod(stat.S_IMODE((folder / file_name).lstat().st_mode))
                if self._read(folder, name) != expected:  # an editor has saved it meanwhile
                    return False
                # The bytes are flushed, so nothing delays the rename.
                retry_while_in_use(lambda: temp.replace(folder / file_name))
                flush_folder(folder)
            finally:
                with suppress(OSError):
                    temp.unlink()
        return True

    @contextmanager
    def _locked(self, folder: Path, file_name: str, timeout: float) -> Iterator[None]:
        self._ensure(folder)
        ensure_folder(folder / _LOCKS, is_inner=True)
        release = lock_file(str(folder / _LOCKS), file_name, time.monotonic() + timeout)
        if release is None:
            raise StorageBusy
        try:
            yield
        finally:
            release()

    def _ensure(self, folder: Path) -> None:
        if check_folder(folder):
            return
        if self._is_shared_by_git:
            with suppress(FileExistsError):
                folder.mkdir()
                if group_access(folder.parent):
                    folder.chmod(0o2770 | folder.stat().st_mode & 0o7)
                flush_folder(folder.parent)
            return
        self.folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        ensure_folder(self.folder)
        ensure_folder(folder)


def _temp_files(folder: Path, file_name: str) -> list[str]:
    if not check_folder(folder):
        return []
    # The memory's lock covers the files for git.
    targets = (file_name, *_FOR_GIT) if file_name == FILE_NAMES["memory"] else (file_name,)
    with os.scandir(folder) as entries:
        return [
            entry.name
            for entry in entries
            if entry.name.startswith(tuple(f"{target}." for target in targets))
            and temp_target(entry.name)
            and not entry.is_dir(follow_symlinks=False)
        ]


@contextmanager
def _translate_errors() -> Iterator[None]:
    with translate_os_errors():
        try:
            yield
        except (NotRegularFile, PermissionError) as exc:  # e.g. a file of another account
            raise MemoryUnreadable from exc


def _prepare_for_git(folder: Path) -> None:
    """Create the missing files for git; the caller has the lock of the memory."""
    for name, text in _FOR_GIT.items():
        if not os.path.lexists(folder / name):
            replace_file(folder, name, text.encode(), public=True, shareable=True)
