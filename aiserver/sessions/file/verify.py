"""Looks at each file of a place, and mends what can be: the file store's ``verify``. Synchronous.

What must hold:

- Looking changes nothing and makes nothing. What another process writes meanwhile is no flaw.
- Mending is what the next write would do, or less: damaged bytes are kept aside, what is whole in
  them stays in use. No byte is lost but those of writes that were never acknowledged.
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
from .sync_copies import copied_notebook_id, may_be_session, shorter_logs

Look = Callable[[bool], VerifyResult]
_CONFLICT = "contains git conflict markers"
_LINK = "not a regular file"
_NAMELESS = "damaged, and the file name does not identify the owner or cell"


class Checks:
    """What there is to look at in one place, of one owner."""

    def __init__(
        self,
        place: SessionDirectory,
        files: SessionFiles,
        logs: NotebookLogs,
        blobs: Blobs,
        owner: str,
        all_owners: Callable[[], list[str]],
    ) -> None:
        self._place, self._files, self._logs, self._blobs = place, files, logs, blobs
        self._owner, self._all_owners = owner, all_owners
        self._owners: list[str] | None = None

    def all(self) -> list[Look]:
        """A look at each record; each takes whether to mend."""
        if not self._place.is_there():
            return []
        return [*self._sessions(), *self._notebook_logs(), *self._all_blobs(), *self._orphans()]

    def _sessions(self) -> Iterator[Look]:
        for name in sorted(entry.name for entry in os.scandir(self._place.path)):
            if may_be_session(name) and not temp_target(name) and self._may_be_ours(name):
                yield partial(self._session, name)

    def _may_be_ours(self, name: str) -> bool:
        """Whether a file is this owner's to look at: by its name, or by what it says."""
        if parse_session_name(name, self._owner):
            return True
        data = b""
        try:
            found = read_file(self._place.path / name)
            data = found[0] if found else b""
            return bool(found) and (codec.parse(data).meta.owner or "") == self._owner
        except (NotRegularFile, OSError, DamagedData):
            # Nobody's, where nobody can tell whose; then at least it is looked at once.
            known = is_session_name(name) or find_ids(data)
            return not self._owner and bool(known) and not self._is_anybody_s(name)

    def _is_anybody_s(self, name: str) -> bool:
        if self._owners is None:
            self._owners = self._all_owners()
        return any(parse_session_name(name, owner) for owner in self._owners)

    def _session(self, name: str, repair: bool) -> VerifyResult:
        try:
            found = read_file(self._place.path / name)
        except NotRegularFile:
            return self._set_aside(self._place.path, name, name, _LINK, repair)
        except OSError:
            return VerifyResult(name, "can't be read")
        if found is None:
            return VerifyResult(name)  # deleted meanwhile
        try:
            session, is_legacy = codec.read(found[0])
        except DamagedData:
            return self._damaged(name, found[0], repair)
        meta = session.meta
        key = SessionKey(meta.notebook_id, meta.cell_id, self._owner)
        # The predecessor's are read where they are.
        is_raw = is_legacy and name == legacy_name(meta.notebook_id, meta.cell_id)
        if session_name(key) != name and not is_raw:
            return self._misnamed(name, key, session, found[0], repair)
        return VerifyResult(name, "; ".join(find_problems(session, key)) or None)

    def _damaged(self, name: str, data: bytes, repair: bool) -> VerifyResult:
        key, said = parse_session_name(name, self._owner), find_ids(data)
        if key is None and said and legacy_name(*said) == name:
            key = SessionKey(*said)
        if key is None and said:
            return self._damaged_copy(name, SessionKey(*said, self._owner), data, repair)
        if key is None:
            return VerifyResult(name, _NAMELESS)
        ours = session_name(key)
        if ours != name and os.path.lexists(self._place.path / ours):
            return VerifyResult(name)  # the predecessor's, and what was whole in it is in ours
        session = recover(complete_conflict(self._place.path / name, data), key)
        if is_empty(session):
            problem = "damaged; nothing is readable"
            return self._set_aside(self._place.path, name, name, problem, repair, data)
        turns, events = len(session.interactions), len(session.events or []) - 1
        reason = _CONFLICT if has_marks(data) else "damaged"
        problem = f"{reason}; {turns} requests and {events} events are readable"
        if repair:
            self._files.change(key, _touched)  # its bytes are kept aside, as by any write
        return VerifyResult(name, problem, repair)

    def _misnamed(
        self, name: str, key: SessionKey, session: Session, data: bytes, repair: bool
    ) -> VerifyResult:
        problem = f"file name does not match its content, {key.notebook_id}/{key.cell_id}"
        ours = session_name(key)
        if not repair:
            return VerifyResult(name, problem)
        if self._is_same_file(self._place.path, name, ours):
            return self._rename(self._place.path, name, ours, problem)
        try:
            check_writable(session.meta, None)
            self._files.change(key, lambda ours: merge_into(ours, session))
        except SessionTooNew:
            return VerifyResult(name, problem)
        return self._set_aside(self._place.path, name, name, problem, repair, data, ours)

    def _damaged_copy(self, name: str, key: SessionKey, data: bytes, repair: bool) -> VerifyResult:
        """A damaged file under a name that is nobody's; it says itself which cell's it is."""
        session = recover(data, key)
        if is_empty(session) or (session.meta.owner or "") != self._owner:
            return VerifyResult(name, _NAMELESS)
        return self._misnamed(name, key, session, data, repair)

    def _is_same_file(self, folder: Path, name: str, ours: str) -> bool:
        """Whether a disk that folds case knows one file by both names."""
        try:
            return (folder / name).samefile(folder / ours)
        except OSError:
            return False

    def _rename(self, folder: Path, name: str, ours: str, problem: str) -> VerifyResult:
        with self._place.writing(ours):
            (folder / name).rename(folder / ours)
        return VerifyResult(name, problem, True)

    def _notebook_logs(self) -> Iterator[Look]:
        logs = self._logs.marks(self._owner)
        for notebook_id in sorted(logs):
            name = log_name(notebook_id, self._owner)
            whose = next(
                filter(partial(self._is_copied, name), shorter_logs(notebook_id, logs)), None
            )
            yield partial(self._copied_log, name, whose) if whose else partial(self._log, name)
        if (folder := self._place.path / NOTEBOOKS).is_dir():
            for name in sorted(entry.name for entry in os.scandir(folder)):
                if not temp_target(name) and (whose := copied_notebook_id(name, logs, self._owner)):
                    yield partial(self._copied_log, name, whose)

    def _is_copied(self, name: str, notebook_id: str) -> bool:
        """Whether a log began as another notebook's, as a sync's copy of that one does."""
        folder = self._place.path / NOTEBOOKS
        first = [
            codec.log_text(_content(folder / one) or b"").partition(b"\n")[0]
            for one in (name, log_name(notebook_id, self._owner))
        ]
        return first[0] == first[1] != b""

    def _copied_log(self, name: str, notebook_id: str, repair: bool) -> VerifyResult:
        location, folder = f"{NOTEBOOKS}/{name}", self._place.path / NOTEBOOKS
        data = _content(folder / name)
        entries = codec.parse_log(data).entries if data else []
        if data is None or not entries:
            return VerifyResult(location)  # deleted meanwhile, or nothing of ours
        problem = f"duplicate of the log of notebook {notebook_id}"
        ours = log_name(notebook_id, self._owner)
        if not repair:
            return VerifyResult(location, problem)
        if self._is_same_file(folder, name, ours):
            return self._rename(folder, name, ours, problem)
        self._logs.take_over(notebook_id, entries, self._owner, self._places(notebook_id))
        return self._set_aside(folder, name, location, problem, repair, data, ours)

    def _places(self, notebook_id: str) -> Callable[[str], SeqsByDigest | None]:
        """Where the records of a notebook's cells are, once the copies of sessions are united."""

        @lru_cache(None)
        def of(cell_id: str) -> SeqsByDigest | None:
            with contextlib.suppress(StorageError):
                session = self._files.load(SessionKey(notebook_id, cell_id, self._owner))
                return seqs_by_digest(session) if session else None
            return None

        return of

    def _log(self, name: str, repair: bool) -> VerifyResult:
        location, folder = f"{NOTEBOOKS}/{name}", self._place.path / NOTEBOOKS
        damaged = _damaged_lines(folder / name)
        if not damaged:
            return VerifyResult(location)
        problem = f"{damaged} damaged lines"
        if has_marks(_content(folder / name) or b""):
            problem = f"{_CONFLICT}; both sides are read"
        if repair:
            with self._place.writing(location):
                found = read_file(folder / name)
                if found and _damaged_lines(folder / name):
                    copy_to_quarantine(folder, name, found[0])
                    lines = [line + b"\n" for line in _lines(found[0]) if _is_whole(line)]
                    if has_marks(found[0]):
                        entries = codec.parse_log(
                            complete_conflict(folder / name, found[0])
                        ).entries
                        lines = [codec.encode(entry, indent=None) for entry in entries]
                    replace_file(folder, name, b"".join(lines))
        return VerifyResult(location, problem, repair)

    def _all_blobs(self) -> Iterator[Look]:
        for sha256 in sorted(self._blobs.hashes(self._owner)):
            yield partial(self._blob, sha256)

    def _blob(self, sha256: str, repair: bool) -> VerifyResult:
        name = blob_name(sha256, self._owner)
        location, folder = f"{BLOBS}/{name}", self._place.path / BLOBS / sha256[:2]
        try:
            found = read_file(folder / name)
        except NotRegularFile:
            return self._set_aside(folder, name, location, _LINK, repair)
        except OSError:
            return VerifyResult(location, "can't be read")
        if found is None or hashlib.sha256(found[0]).hexdigest() == sha256:
            return VerifyResult(location)
        return self._set_aside(
            folder, name, location, "content does not match its hash", repair, found[0]
        )

    def _orphans(self) -> Iterator[Look]:
        """What killed writers have left behind. It belongs to nobody in particular."""
        if self._owner:
            return
        for prefix, folder in (("", self._place.path), (f"{BLOBS}/", self._place.path / BLOBS)):
            if folder.is_dir():
                for name in sorted(entry.name for entry in os.scandir(folder)):
                    target = temp_target(name)
                    if target is not None:
                        yield partial(self._orphan, folder / name, prefix + target)

    def _orphan(self, file: Path, target: str, repair: bool) -> VerifyResult:
        # Whoever holds the lock of its name may have made it just now.
        with self._place.if_free(target) as free:
            if not free or not file.exists():
                return VerifyResult(file.name)
            if repair:
                file.unlink(missing_ok=True)
        return VerifyResult(file.name, "left behind by a process that was killed", repair)

    def _set_aside(
        self,
        folder: Path,
        name: str,
        location: str,
        problem: str,
        repair: bool,
        seen: bytes = b"",
        of: str = "",
    ) -> VerifyResult:
        """Have a file out of the way if it is still what was ``seen`` (nothing: no real file).

        ``of``: the file whose copy it is, beside whose name it is kept and with which it goes.
        """
        if not repair:
            return VerifyResult(location, problem)
        with self._place.writing(f"{location.removesuffix(name)}{of}" if of else location):
            try:
                found = read_file(folder / name)
                if found is None or found[0] != seen:
                    return VerifyResult(location)  # somebody has mended it meanwhile
            except NotRegularFile:
                pass
            move_to_quarantine(folder, name, of)
        return VerifyResult(location, problem, True)


def _content(file: Path) -> bytes | None:
    try:
        found = read_file(file)
    except (NotRegularFile, OSError):
        return None
    return found and found[0]


def _damaged_lines(file: Path) -> int:
    try:
        found = read_file(file)
    except (NotRegularFile, OSError):
        return 1
    return sum(bool(line) and not _is_whole(line) for line in _lines(found[0])) if found else 0


def _lines(data: bytes) -> list[bytes]:
    return codec.log_text(data).split(b"\n")


def _is_whole(line: bytes) -> bool:
    return bool(line) and bool(codec.parse_log(line + b"\n").entries)


def looked(look: Look, repair: bool) -> VerifyResult:
    """One look; what keeps it from mending is said as its flaw."""
    try:
        return look(repair)
    except StorageError as error:
        found = look(False)
        return found._replace(
            problem=": ".join(part for part in (found.problem, error.message) if part)
        )


def _touched(session: Session) -> bool:
    bump_revision(session)
    return True
