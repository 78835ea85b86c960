"""Verify and repair the files in a folder ``.aiserver_sessions``. Synchronous.

Invariants:

- Verifying changes nothing, and other processes may write meanwhile.
- Repairing moves or copies damaged bytes into quarantine. The intact records stay in use. Only temp
  files of killed writers, which never confirmed their writes, are lost.
- A cloud sync or a restored backup creates copies beside ``x.json``: ``x (1).json``,
  ``x-HOST.json``, ``x (Alice's conflicted copy 2026-11-23).json``, ``X.JSON``. A copy may have
  records that the original lacks, and its content decides to which file it belongs. A session file
  is a copy if its name isn't the name for the ids that it contains. A log is a copy of another log
  if both have the same first line and its name begins with the name of the other, in any case.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Callable, Collection, Iterator
from functools import lru_cache, partial
from pathlib import Path
from typing import NamedTuple

from ...durable import (
    NotRegularFile,
    copy_to_quarantine,
    move_to_quarantine,
    read_file,
    replace_file,
    temp_target,
    translate_os_errors,
)
from ...errors.storage import StorageError
from ...models import Session, SessionKey
from ..base import VerifyResult
from ..record import codec
from ..record.codec import DamagedData
from ..record.filenames import (
    LOG_SUFFIX,
    SESSION_SUFFIX,
    blob_name,
    find_ids,
    is_session_name,
    legacy_name,
    log_name,
    log_notebook_id,
    parse_session_name,
    session_name,
)
from ..record.merge import SeqsByDigest, merge_into, seqs_by_digest
from ..record.mutations import check_writable, find_problems, increment_revision
from ..record.recovery import is_empty, recover
from .directory import BLOBS, NOTEBOOKS, SessionDirectory
from .logs_and_blobs import Blobs, NotebookLogs
from .session_files import SessionFiles, find_key

Check = Callable[[], "Finding"]
"""A function that verifies one file."""
_CONFLICT = (
    "contains git conflict markers: before you commit, run “jupyter aiserver git install”, which "
    "merges both sides"
)
_NOT_REGULAR = "not a regular file"
_UNREADABLE = "can't be read"
_UNIDENTIFIED = "damaged, and the file name does not identify the owner or cell"


class Finding(NamedTuple):
    """The result of verifying a file, with its repair."""

    location: str
    problem: str | None = None
    """None if the file is intact."""
    repair: Callable[[], object] | None = None
    """None if the problem can't be repaired."""


class _File(NamedTuple):
    """A file to verify."""

    folder: Path
    name: str
    location: str
    """The file's path in the directory, without a blob's subfolder. The lock has this name, too."""

    @property
    def path(self) -> Path:
        return self.folder / self.name


class Verifier:
    """Checks one owner's files in a directory."""

    def __init__(
        self,
        directory: SessionDirectory,
        files: SessionFiles,
        logs: NotebookLogs,
        blobs: Blobs,
        owner: str,
        list_owners: Callable[[], list[str]],
    ) -> None:
        self._directory, self._files, self._logs, self._blobs = directory, files, logs, blobs
        self._owner, self._list_owners = owner, lru_cache(list_owners)

    def checks(self) -> list[Check]:
        if not self._directory.exists():
            return []
        return [
            *self._session_checks(),
            *self._log_checks(),
            *self._blob_checks(),
            # Temp files of killed writers belong to no owner.
            *(
                partial(self._check_temp_file, file, name)
                for file, name in self._directory.temp_files()
                if not self._owner
            ),
        ]

    def _check(self, file: _File, find: Callable[[_File, bytes], Finding]) -> Finding:
        try:
            content = read_file(file.path)
        except NotRegularFile:
            return Finding(file.location, _NOT_REGULAR, partial(self._quarantine, file))
        except OSError:
            return Finding(file.location, _UNREADABLE)
        return find(file, content[0]) if content else Finding(file.location)  # deleted meanwhile

    def _session_checks(self) -> Iterator[Check]:
        for name in sorted(entry.name for entry in os.scandir(self._directory.path)):
            if may_be_session(name) and self._may_belong_to_owner(name):
                file = _File(self._directory.path, name, name)
                yield partial(self._check, file, self._check_session)

    def _may_belong_to_owner(self, name: str) -> bool:
        if parse_session_name(name, self._owner):
            return True
        data = b""
        try:
            content = read_file(self._directory.path / name)
            data = content[0] if content else b""
            return bool(content) and (codec.parse(data).meta.owner or "") == self._owner
        except (NotRegularFile, OSError, DamagedData):
            # A file without a recognisable owner is checked if ``_owner`` is empty.
            return (
                not self._owner
                and (is_session_name(name) or find_ids(data) is not None)
                and not any(parse_session_name(name, owner) for owner in self._list_owners())
            )

    def _check_session(self, file: _File, data: bytes) -> Finding:
        name = file.name
        try:
            session, is_legacy = codec.read(data)
        except DamagedData:
            return self._check_damaged(file, data)
        meta = session.meta
        key = SessionKey(meta.notebook_id, meta.cell_id, self._owner)
        # A legacy file may keep its legacy name.
        is_legacy_file = is_legacy and name == legacy_name(meta.notebook_id, meta.cell_id)
        if session_name(key) != name and not is_legacy_file:
            return self._check_misnamed(file, key, session, data)
        return Finding(name, find_problems(session, key))

    def _check_damaged(self, file: _File, data: bytes) -> Finding:
        name = file.name
        key, ids = find_key(name, data, self._owner), find_ids(data)
        if key is None and ids:  # only the content identifies the cell
            key = SessionKey(*ids, self._owner)
            session = recover(data, key)
            if is_empty(session) or (session.meta.owner or "") != self._owner:
                return Finding(name, _UNIDENTIFIED)
            return self._check_misnamed(file, key, session, data)
        if key is None:
            return Finding(name, _UNIDENTIFIED)
        correct_name = session_name(key)
        if correct_name != name and os.path.lexists(file.folder / correct_name):
            # This legacy file was converted already.
            return Finding(name)
        session = recover(data, key)
        if is_empty(session):
            problem = "damaged; nothing is readable"
            return Finding(name, problem, partial(self._quarantine, file, data))
        turns = len(session.interactions)
        events = len(session.events or []) - 1  # without the event ``recovered``
        reason = _CONFLICT if codec.has_markers(data) else "damaged"
        problem = f"{reason}; {turns} requests and {events} events are readable"
        return Finding(name, problem, partial(self._files.change, key, None, increment_revision))

    def _check_misnamed(
        self, file: _File, key: SessionKey, session: Session, data: bytes
    ) -> Finding:
        def merge() -> None:
            check_writable(session)
            self._files.change(key, None, lambda stored: merge_into(stored, session))

        problem = f"file name does not match its content, {key.notebook_id}/{key.cell_id}"
        repair = partial(self._merge_copy, file, session_name(key), data, merge)
        return Finding(file.name, problem, repair)

    def _merge_copy(
        self, file: _File, correct_name: str, data: bytes, merge: Callable[[], None]
    ) -> None:
        # On a disk that ignores the case of letters, both may be names of the same file.
        original = file.folder / correct_name
        if original.exists() and file.path.samefile(original):
            with self._directory.lock(correct_name):
                file.path.rename(original)
            return
        merge()
        self._quarantine(file, data, correct_name)

    def _log_checks(self) -> Iterator[Check]:
        logs = self._logs.marks(self._owner)
        folder = self._directory.path / NOTEBOOKS
        names = sorted(entry.name for entry in os.scandir(folder)) if folder.is_dir() else []

        @lru_cache(None)
        def read(name: str) -> bytes:
            return _read_content(folder / name)

        for name in names:
            file = _File(folder, name, f"{NOTEBOOKS}/{name}")
            notebook_id = log_notebook_id(name, self._owner)
            original = copied_notebook_id(name, logs, read, self._owner)
            if original and not temp_target(name):
                yield partial(self._check, file, partial(self._check_copied_log, original))
            elif notebook_id in logs:
                yield partial(self._check, file, self._check_log)

    def _check_copied_log(self, notebook_id: str, file: _File, data: bytes) -> Finding:
        entries = codec.parse_log(data).entries
        if not entries:
            return Finding(file.location)  # not a log

        def merge() -> None:
            get_seqs = self._seqs_of_cells(notebook_id)
            self._logs.merge_copy(notebook_id, entries, self._owner, get_seqs)

        problem = f"duplicate of the log of notebook {notebook_id}"
        correct_name = log_name(notebook_id, self._owner)
        return Finding(
            file.location, problem, partial(self._merge_copy, file, correct_name, data, merge)
        )

    def _seqs_of_cells(self, notebook_id: str) -> Callable[[str], SeqsByDigest | None]:
        """Return ``get_seqs``, which loads sessions late: a repair may change them first."""

        @lru_cache(None)
        def load_seqs(cell_id: str) -> SeqsByDigest | None:
            with contextlib.suppress(StorageError):
                session = self._files.load(SessionKey(notebook_id, cell_id, self._owner))
                return seqs_by_digest(session) if session else None
            return None

        return load_seqs

    def _check_log(self, file: _File, data: bytes) -> Finding:
        return Finding(file.location, _find_log_problem(data), partial(self._repair_log, file))

    def _repair_log(self, file: _File) -> None:
        with self._directory.lock(file.location):
            data = _read_content(file.path)
            if _find_log_problem(data):
                copy_to_quarantine(file.folder, file.name, data)
                entries = codec.parse_log(data).entries
                lines = [codec.encode(entry, indent=None) for entry in entries]
                replace_file(file.folder, file.name, b"".join(lines), shareable=True)

    def _blob_checks(self) -> Iterator[Check]:
        for sha256 in sorted(self._blobs.hashes(self._owner)):
            name = blob_name(sha256, self._owner)
            file = _File(self._directory.path / BLOBS / sha256[:2], name, f"{BLOBS}/{name}")
            yield partial(self._check, file, self._check_blob)

    def _check_blob(self, file: _File, data: bytes) -> Finding:
        if file.name.startswith(hashlib.sha256(data).hexdigest()):
            return Finding(file.location)
        problem = "content does not match its hash"
        return Finding(file.location, problem, partial(self._quarantine, file, data))

    def _check_temp_file(self, file: Path, name: str) -> Finding:
        # The lock's holder may still be writing the temp file.
        with self._directory.try_lock(name) as is_locked:
            if not is_locked or not file.exists():
                return Finding(file.name)
        problem = "left behind by a process that was killed"
        return Finding(file.name, problem, partial(self._directory.remove_temp_file, file, name))

    def _quarantine(self, file: _File, checked_data: bytes = b"", base_name: str = "") -> None:
        """Quarantine a file if its content is still ``checked_data``.

        ``checked_data`` is empty for a file that isn't a regular one. A copy's quarantine name
        begins with ``base_name``, the original's, so that both are deleted together.
        """
        with self._directory.lock(file.location.removesuffix(file.name) + (base_name or file.name)):
            try:
                content = read_file(file.path)
                if content is None or content[0] != checked_data:
                    return  # changed meanwhile
            except NotRegularFile:
                pass
            move_to_quarantine(file.folder, file.name, base_name)


def _read_content(path: Path) -> bytes:
    try:
        content = read_file(path)
    except (NotRegularFile, OSError):
        return b""
    return content[0] if content else b""


def _find_log_problem(data: bytes) -> str | None:
    # With a line break, ``parse_log`` counts an incomplete last line as damaged, too.
    damaged_count = codec.parse_log(data + b"\n").damaged_count
    if codec.has_markers(data):
        return _CONFLICT
    return f"{damaged_count} damaged lines" if damaged_count else None


def run_check(check: Check, repair: bool) -> VerifyResult:
    """Run one check, and repair the file if asked to."""
    location, problem, apply_repair = check()
    if not (problem and apply_repair and repair):
        return VerifyResult(location, problem)
    try:
        with translate_os_errors():
            apply_repair()
    except StorageError as error:
        return VerifyResult(location, f"{problem}: {error.message}")
    return VerifyResult(location, problem, repaired=True)


def may_be_session(name: str) -> bool:
    """Return whether a file of this name may contain a session or its copy."""
    return name.lower().endswith(SESSION_SUFFIX)


def is_copy(name: str, data: bytes) -> bool:
    """Return whether a session's file without an owner is a copy, by its beginning."""
    ids = find_ids(data) if may_be_session(name) else None
    # The name of a session with an owner contains a hash of the owner, who is unknown here.
    if ids is None or "~~" in name:
        return False
    correct_name = session_name(SessionKey(*ids))
    stem = correct_name.removesuffix(SESSION_SUFFIX)
    has_owner = len(name) == len(correct_name) + 33 and name.startswith(f"{stem}_")
    return name not in (legacy_name(*ids), correct_name) and not has_owner


def copied_notebook_id(
    name: str, logs: Collection[str], read: Callable[[str], bytes], owner: str = ""
) -> str | None:
    """Return the id of the notebook whose log was copied to the file ``name``, or None.

    ``logs`` are the ids of the owner's notebooks that have logs, and ``read`` reads a log's file.
    """
    lower = name.lower()
    if not lower.endswith(LOG_SUFFIX):
        return None
    originals = {log_name(id_, owner): id_ for id_ in logs}
    for original in sorted(originals.keys() - {name}, key=len, reverse=True):
        stem = original.removesuffix(LOG_SUFFIX)
        is_extended = lower.startswith(stem) and len(lower) > len(original)
        if (is_extended or lower == original) and _first_line(read(name)) == _first_line(
            read(original)
        ):
            return originals[original]
    return None


def _first_line(data: bytes) -> bytes:
    return codec.log_text(data).partition(b"\n")[0] or b"\0"
