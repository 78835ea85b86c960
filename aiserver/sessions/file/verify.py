"""Verify and repair each file of a directory, for the file store's ``verify``. Synchronous.

Invariants:

- Verifying is read-only. Concurrent writes of other processes are not reported as problems.
- Repairing does no more than the next write would: damaged bytes are quarantined, and their intact
  records stay in use. Only bytes of unacknowledged writes are ever lost.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from pathlib import Path

from ...durable import (
    NotRegularFile,
    copy_to_quarantine,
    move_to_quarantine,
    read_file,
    replace_file,
    temp_target,
)
from ...errors import SessionTooNew, StorageError
from ...models import Session, SessionKey
from ..base import VerifyResult
from ..record import codec
from ..record.codec import DamagedData
from ..record.damage.conflict_marks import has_marks
from ..record.damage.recovery import is_empty, recover
from ..record.filenames import (
    blob_name,
    is_session_name,
    log_name,
    parse_session_name,
    session_name,
)
from ..record.legacy_format import find_ids, legacy_name
from ..record.merge.digests import SeqsByDigest, seqs_by_digest
from ..record.merge.sessions import merge_into
from ..record.mutations import bump_revision, check_writable, find_problems
from .directory import BLOBS, NOTEBOOKS, SessionDirectory
from .git_stages import complete_conflict
from .logs_and_blobs import Blobs, NotebookLogs
from .session_files import SessionFiles
from .sync_copies import copied_notebook_id, may_be_session, possible_originals

Check = Callable[[bool], VerifyResult]
_CONFLICT = "contains git conflict markers"
_LINK = "not a regular file"
_UNIDENTIFIED = "damaged, and the file name does not identify the owner or cell"


class Verifier:
    """Lists the checks for the files of one owner in a directory."""

    def __init__(
        self,
        directory: SessionDirectory,
        files: SessionFiles,
        logs: NotebookLogs,
        blobs: Blobs,
        owner: str,
        all_owners: Callable[[], list[str]],
    ) -> None:
        self._directory, self._files, self._logs, self._blobs = directory, files, logs, blobs
        self._owner, self._all_owners = owner, all_owners
        self._owners: list[str] | None = None

    def all(self) -> list[Check]:
        """Return a check for each record, a function that takes whether to repair."""
        if not self._directory.exists():
            return []
        return [
            *self._session_checks(),
            *self._log_checks(),
            *self._blob_checks(),
            *self._orphan_checks(),
        ]

    def _session_checks(self) -> Iterator[Check]:
        for name in sorted(entry.name for entry in os.scandir(self._directory.path)):
            if may_be_session(name) and not temp_target(name) and self._may_be_ours(name):
                yield partial(self._check_session, name)

    def _may_be_ours(self, name: str) -> bool:
        """Return whether a file belongs to this owner, by its name or its content."""
        if parse_session_name(name, self._owner):
            return True
        data = b""
        try:
            content = read_file(self._directory.path / name)
            data = content[0] if content else b""
            return bool(content) and (codec.parse(data).meta.owner or "") == self._owner
        except (NotRegularFile, OSError, DamagedData):
            # A file without a recognisable owner is checked once, with those without an owner.
            is_session = is_session_name(name) or find_ids(data)
            return not self._owner and bool(is_session) and not self._belongs_to_any_owner(name)

    def _belongs_to_any_owner(self, name: str) -> bool:
        if self._owners is None:
            self._owners = self._all_owners()
        return any(parse_session_name(name, owner) for owner in self._owners)

    def _check_session(self, name: str, repair: bool) -> VerifyResult:
        try:
            content = read_file(self._directory.path / name)
        except NotRegularFile:
            return self._quarantine(self._directory.path, name, name, _LINK, repair)
        except OSError:
            return VerifyResult(name, "can't be read")
        if content is None:
            return VerifyResult(name)  # deleted meanwhile
        try:
            session, is_legacy = codec.read(content[0])
        except DamagedData:
            return self._check_damaged(name, content[0], repair)
        meta = session.meta
        key = SessionKey(meta.notebook_id, meta.cell_id, self._owner)
        # Legacy files are read in place.
        is_legacy_file = is_legacy and name == legacy_name(meta.notebook_id, meta.cell_id)
        if session_name(key) != name and not is_legacy_file:
            return self._check_misnamed(name, key, session, content[0], repair)
        return VerifyResult(name, "; ".join(find_problems(session, key)) or None)

    def _check_damaged(self, name: str, data: bytes, repair: bool) -> VerifyResult:
        key, ids = parse_session_name(name, self._owner), find_ids(data)
        if key is None and ids and legacy_name(*ids) == name:
            key = SessionKey(*ids)
        if key is None and ids:
            return self._check_damaged_copy(name, SessionKey(*ids, self._owner), data, repair)
        if key is None:
            return VerifyResult(name, _UNIDENTIFIED)
        own_name = session_name(key)
        if own_name != name and os.path.lexists(self._directory.path / own_name):
            return VerifyResult(name)  # a legacy file whose intact records were converted already
        session = recover(complete_conflict(self._directory.path / name, data), key)
        if is_empty(session):
            problem = "damaged; nothing is readable"
            return self._quarantine(self._directory.path, name, name, problem, repair, data)
        turns, events = len(session.interactions), len(session.events or []) - 1
        reason = _CONFLICT if has_marks(data) else "damaged"
        problem = f"{reason}; {turns} requests and {events} events are readable"
        if repair:
            self._files.change(key, _bump_revision)  # quarantines the bytes, as any write does
        return VerifyResult(name, problem, repair)

    def _check_misnamed(
        self, name: str, key: SessionKey, session: Session, data: bytes, repair: bool
    ) -> VerifyResult:
        problem = f"file name does not match its content, {key.notebook_id}/{key.cell_id}"
        own_name = session_name(key)
        if not repair:
            return VerifyResult(name, problem)
        if self._is_same_file(self._directory.path, name, own_name):
            return self._rename(self._directory.path, name, own_name, problem)
        try:
            check_writable(session.meta, None)
            self._files.change(key, lambda stored: merge_into(stored, session))
        except SessionTooNew:
            return VerifyResult(name, problem)
        return self._quarantine(self._directory.path, name, name, problem, repair, data, own_name)

    def _check_damaged_copy(
        self, name: str, key: SessionKey, data: bytes, repair: bool
    ) -> VerifyResult:
        """Check a damaged file whose content, but not its name, identifies a cell."""
        session = recover(data, key)
        if is_empty(session) or (session.meta.owner or "") != self._owner:
            return VerifyResult(name, _UNIDENTIFIED)
        return self._check_misnamed(name, key, session, data, repair)

    def _is_same_file(self, folder: Path, name: str, own_name: str) -> bool:
        """Return whether both names are the same file on a case-insensitive disk."""
        try:
            return (folder / name).samefile(folder / own_name)
        except OSError:
            return False

    def _rename(self, folder: Path, name: str, own_name: str, problem: str) -> VerifyResult:
        with self._directory.lock(own_name):
            (folder / name).rename(folder / own_name)
        return VerifyResult(name, problem, True)

    def _log_checks(self) -> Iterator[Check]:
        logs = self._logs.marks(self._owner)
        for notebook_id in sorted(logs):
            name = log_name(notebook_id, self._owner)
            original = next(
                filter(partial(self._is_copied, name), possible_originals(notebook_id, logs)), None
            )
            yield (
                partial(self._check_copied_log, name, original)
                if original
                else partial(self._check_log, name)
            )
        if (folder := self._directory.path / NOTEBOOKS).is_dir():
            for name in sorted(entry.name for entry in os.scandir(folder)):
                if not temp_target(name) and (
                    original := copied_notebook_id(name, logs, self._owner)
                ):
                    yield partial(self._check_copied_log, name, original)

    def _is_copied(self, name: str, notebook_id: str) -> bool:
        """Return whether a log begins like another notebook's, as a copy by a sync does."""
        folder = self._directory.path / NOTEBOOKS
        first = [
            codec.log_text(_read_content(folder / file_name) or b"").partition(b"\n")[0]
            for file_name in (name, log_name(notebook_id, self._owner))
        ]
        return first[0] == first[1] != b""

    def _check_copied_log(self, name: str, notebook_id: str, repair: bool) -> VerifyResult:
        location, folder = f"{NOTEBOOKS}/{name}", self._directory.path / NOTEBOOKS
        data = _read_content(folder / name)
        entries = codec.parse_log(data).entries if data else []
        if data is None or not entries:
            return VerifyResult(location)  # deleted meanwhile, or not a log
        problem = f"duplicate of the log of notebook {notebook_id}"
        own_name = log_name(notebook_id, self._owner)
        if not repair:
            return VerifyResult(location, problem)
        if self._is_same_file(folder, name, own_name):
            return self._rename(folder, name, own_name, problem)
        self._logs.take_over(notebook_id, entries, self._owner, self._seqs_of_cells(notebook_id))
        return self._quarantine(folder, name, location, problem, repair, data, own_name)

    def _seqs_of_cells(self, notebook_id: str) -> Callable[[str], SeqsByDigest | None]:
        """Return a function for the record numbers of a cell, after merging copies of sessions."""

        @lru_cache(None)
        def of(cell_id: str) -> SeqsByDigest | None:
            with contextlib.suppress(StorageError):
                session = self._files.load(SessionKey(notebook_id, cell_id, self._owner))
                return seqs_by_digest(session) if session else None
            return None

        return of

    def _check_log(self, name: str, repair: bool) -> VerifyResult:
        location, folder = f"{NOTEBOOKS}/{name}", self._directory.path / NOTEBOOKS
        damaged = _damaged_lines(folder / name)
        if not damaged:
            return VerifyResult(location)
        problem = f"{damaged} damaged lines"
        if has_marks(_read_content(folder / name) or b""):
            problem = f"{_CONFLICT}; both sides are read"
        if repair:
            with self._directory.lock(location):
                content = read_file(folder / name)
                if content and _damaged_lines(folder / name):
                    copy_to_quarantine(folder, name, content[0])
                    lines = [line + b"\n" for line in _lines(content[0]) if _is_intact(line)]
                    if has_marks(content[0]):
                        entries = codec.parse_log(
                            complete_conflict(folder / name, content[0])
                        ).entries
                        lines = [codec.encode(entry, indent=None) for entry in entries]
                    replace_file(folder, name, b"".join(lines))
        return VerifyResult(location, problem, repair)

    def _blob_checks(self) -> Iterator[Check]:
        for sha256 in sorted(self._blobs.hashes(self._owner)):
            yield partial(self._check_blob, sha256)

    def _check_blob(self, sha256: str, repair: bool) -> VerifyResult:
        name = blob_name(sha256, self._owner)
        location, folder = f"{BLOBS}/{name}", self._directory.path / BLOBS / sha256[:2]
        try:
            content = read_file(folder / name)
        except NotRegularFile:
            return self._quarantine(folder, name, location, _LINK, repair)
        except OSError:
            return VerifyResult(location, "can't be read")
        if content is None or hashlib.sha256(content[0]).hexdigest() == sha256:
            return VerifyResult(location)
        return self._quarantine(
            folder, name, location, "content does not match its hash", repair, content[0]
        )

    def _orphan_checks(self) -> Iterator[Check]:
        """Yield checks for temp files of killed writers, which have no owner."""
        if self._owner:
            return
        for prefix, folder in (
            ("", self._directory.path),
            (f"{BLOBS}/", self._directory.path / BLOBS),
        ):
            if folder.is_dir():
                for name in sorted(entry.name for entry in os.scandir(folder)):
                    target = temp_target(name)
                    if target is not None:
                        yield partial(self._check_orphan, folder / name, prefix + target)

    def _check_orphan(self, file: Path, target: str, repair: bool) -> VerifyResult:
        # The holder of the lock may have just created it.
        with self._directory.try_lock(target) as free:
            if not free or not file.exists():
                return VerifyResult(file.name)
            if repair:
                file.unlink(missing_ok=True)
        return VerifyResult(file.name, "left behind by a process that was killed", repair)

    def _quarantine(
        self,
        folder: Path,
        name: str,
        location: str,
        problem: str,
        repair: bool,
        seen: bytes = b"",
        base_name: str = "",
    ) -> VerifyResult:
        """Quarantine a file if its content is still ``seen`` (empty if it isn't a regular file).

        ``base_name``: the original, if this file is a copy; the quarantined file gets its name and
        is deleted together with it.
        """
        if not repair:
            return VerifyResult(location, problem)
        lock_name = f"{location.removesuffix(name)}{base_name}" if base_name else location
        with self._directory.lock(lock_name):
            try:
                content = read_file(folder / name)
                if content is None or content[0] != seen:
                    return VerifyResult(location)  # changed meanwhile
            except NotRegularFile:
                pass
            move_to_quarantine(folder, name, base_name)
        return VerifyResult(location, problem, True)


def _read_content(file: Path) -> bytes | None:
    try:
        content = read_file(file)
    except (NotRegularFile, OSError):
        return None
    return content and content[0]


def _damaged_lines(file: Path) -> int:
    try:
        content = read_file(file)
    except (NotRegularFile, OSError):
        return 1
    return sum(bool(line) and not _is_intact(line) for line in _lines(content[0])) if content else 0


def _lines(data: bytes) -> list[bytes]:
    return codec.log_text(data).split(b"\n")


def _is_intact(line: bytes) -> bool:
    return bool(line) and bool(codec.parse_log(line + b"\n").entries)


def run_check(check: Check, repair: bool) -> VerifyResult:
    """Run one check; an error during the repair becomes part of the problem."""
    try:
        return check(repair)
    except StorageError as error:
        result = check(False)
        return result._replace(
            problem=": ".join(part for part in (result.problem, error.message) if part)
        )


def _bump_revision(session: Session) -> bool:
    bump_revision(session)
    return True
