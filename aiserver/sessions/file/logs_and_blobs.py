"""Store the change logs of notebooks, and blobs. Synchronous.

Invariants:

- Appending changes no existing bytes, not even a killed writer's incomplete last line, which
  readers skip.
- A blob that doesn't match the SHA-256 in its file's name is never returned.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator, Sequence

from ...durable import (
    NotRegularFile,
    Stamp,
    append_file,
    check_folder,
    ensure_folder,
    flush_folder,
    move_to_quarantine,
    read_file,
    remove,
    replace_file,
)
from ...models import NewLogEntry, NotebookLogEntry
from ..base import Logger
from ..record import codec
from ..record.filenames import blob_name, blob_sha256, log_name, log_notebook_id
from ..record.merge import SeqsByDigest, missing_entries, renumber_entry
from ..record.mutations import number_entries
from .directory import BLOBS, NOTEBOOKS, SessionDirectory


class NotebookLogs:
    """The change logs of one directory."""

    def __init__(self, directory: SessionDirectory, logger: Logger) -> None:
        self._directory, self._logger = directory, logger
        self._folder = directory.path / NOTEBOOKS
        self._reported: set[tuple[str, int]] = set()
        """The logged warnings, each as a file name and the number of damaged lines in that file."""

    def append(
        self, notebook_id: str, entries: Sequence[NewLogEntry], owner: str
    ) -> list[NotebookLogEntry]:
        return self._extend(notebook_id, owner, lambda _: entries) if entries else []

    def merge_copy(
        self,
        notebook_id: str,
        entries: Sequence[NotebookLogEntry],
        owner: str,
        get_seqs: Callable[[str], SeqsByDigest | None],
    ) -> None:
        """Append another copy's entries that the log lacks; see ``renumber_entry``."""

        def select_new(log: list[NotebookLogEntry]) -> list[NotebookLogEntry]:
            return [renumber_entry(entry, get_seqs) for entry in missing_entries(log, entries)]

        self._extend(notebook_id, owner, select_new)

    def _extend(
        self,
        notebook_id: str,
        owner: str,
        select_new: Callable[[list[NotebookLogEntry]], Sequence[NewLogEntry]],
    ) -> list[NotebookLogEntry]:
        name = log_name(notebook_id, owner)
        with self._directory.lock(f"{NOTEBOOKS}/{name}"):
            ensure_folder(self._folder, is_inner=True)
            try:
                log = self._read(name)
            except NotRegularFile:
                self._logger.warning("%s is not a regular file; it is quarantined.", name)
                move_to_quarantine(self._folder, name)
                log = []
            saved = number_entries(log, select_new(log))
            lines = b"".join(codec.encode(entry, indent=None) for entry in saved)
            if lines:
                append_file(self._folder, name, lines)
            return saved

    def read(self, notebook_id: str, owner: str) -> list[NotebookLogEntry]:
        try:
            return self._read(log_name(notebook_id, owner)) if self._folder_exists() else []
        except NotRegularFile:
            return []

    def has_damage(self, notebook_id: str, owner: str) -> bool:
        if not self._folder_exists():
            return False
        try:
            content = read_file(self._folder / log_name(notebook_id, owner))
        except NotRegularFile:
            return True
        return content is not None and codec.parse_log(content[0]).damaged_count > 0

    def delete(self, notebook_id: str, owner: str) -> bool:
        name = log_name(notebook_id, owner)
        if not (self._folder_exists() and os.path.lexists(self._folder / name)):
            return False
        with self._directory.lock(f"{NOTEBOOKS}/{name}"):
            return remove(self._folder, [name])

    def marks(self, owner: str) -> dict[str, Stamp]:
        if not self._folder_exists():
            return {}
        marks = {}
        with os.scandir(self._folder) as files:
            for entry in files:
                notebook_id = log_notebook_id(entry.name, owner)
                if notebook_id is not None and entry.is_file(follow_symlinks=False):
                    marks[notebook_id] = Stamp.of(entry.stat(follow_symlinks=False))
        return marks

    def _folder_exists(self) -> bool:
        return self._directory.exists() and check_folder(self._folder)

    def _read(self, name: str) -> list[NotebookLogEntry]:
        content = read_file(self._folder / name)
        if content is None:
            return []
        entries, damaged_count = codec.parse_log(content[0])
        if damaged_count and (name, damaged_count) not in self._reported:
            self._reported.add((name, damaged_count))
            self._logger.warning(
                "%d lines of the notebook log %s are damaged.", damaged_count, name
            )
        return entries


class Blobs:
    """The blobs of one directory."""

    def __init__(self, directory: SessionDirectory, logger: Logger) -> None:
        self._directory, self._logger = directory, logger
        self._folder = directory.path / BLOBS

    def put(self, data: bytes, owner: str) -> str:
        digest = hashlib.sha256(data).hexdigest()
        name, folder = blob_name(digest, owner), self._folder / digest[:2]
        with self._directory.lock(f"{BLOBS}/{name}"):
            ensure_folder(self._folder, is_inner=True)
            ensure_folder(folder, is_inner=True)
            if self._read(digest, owner) == data:
                flush_folder(folder)  # its writer may have been killed before the flush
            else:
                replace_file(folder, name, data, temp_folder=self._folder, shareable=True)
        return digest

    def get(self, sha256: str, owner: str) -> bytes | None:
        """Return a blob's bytes; None if no intact blob has this hash."""
        folders = (self._folder, self._folder / sha256[:2])
        if not (self._directory.exists() and all(check_folder(folder) for folder in folders)):
            return None
        data = self._read(sha256, owner)
        if data is not None and hashlib.sha256(data).hexdigest() != sha256:
            self._logger.warning("The blob %s is damaged.", sha256)
            return None
        return data

    def hashes(self, owner: str) -> Iterator[str]:
        if not (self._directory.exists() and check_folder(self._folder)):
            return
        for folder in sorted(self._folder.iterdir()):
            if len(folder.name) == 2 and check_folder(folder):
                for file in folder.iterdir():
                    sha256 = blob_sha256(file.name, owner)
                    if sha256 is not None and sha256[:2] == folder.name:
                        yield sha256

    def delete(self, sha256: str, owner: str) -> bool:
        name, folder = blob_name(sha256, owner), self._folder / sha256[:2]
        if not (self._directory.exists() and os.path.lexists(folder / name)):
            return False
        with self._directory.lock(f"{BLOBS}/{name}"):
            return remove(folder, [name])

    def _read(self, sha256: str, owner: str) -> bytes | None:
        try:
            content = read_file(self._folder / sha256[:2] / blob_name(sha256, owner))
        except NotRegularFile:
            return None
        return content and content[0]
