"""One JSON file per cell: reading, changing, listing. Synchronous; ``file.py`` makes it async.

What must hold:

- A change reads, edits and replaces the file under its lock, and is on disk when it returns.
- A damaged file is read as what is whole in it, and reading changes nothing. The next change keeps
  its bytes aside and puts what was whole in its place, in one step.
- A file of a newer major version is never written, set aside or removed.
- What is kept in memory is used only while it equals what is on disk.
"""

from __future__ import annotations

import contextlib
import logging
import os
import stat
import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, TypeVar

from ..durable import (
    ASIDE,
    NotRegular,
    Stamp,
    keep_aside,
    read_file,
    remove,
    replace_file,
    set_aside,
)
from ..errors import SessionCorrupt
from ..models import Session, SessionKey, SessionSummary, new_session
from . import codec
from .codec import Damaged
from .filenames import is_session_name, may_belong_to, session_key, session_name
from .pieces import Pieces
from .place import Place
from .recent import Recent
from .recovery import NOTE, is_empty, recovered
from .steps import check_writable, forked
from .summaries import summarise

T = TypeVar("T")
Logger = logging.Logger | logging.LoggerAdapter[Any]

# Two writes within one tick of the disk's clock can leave the same stamp: what was changed so
# lately is read again. (The rule of git's index.)
_RACY_NS = 100_000_000


class _Known(NamedTuple):
    stamp: Stamp
    summary: SessionSummary


class _Current(NamedTuple):
    data: bytes  # as on disk
    session: Session
    pieces: Pieces
    damaged: bool = False


class SessionFiles:
    """The session files of one place."""

    def __init__(self, place: Place, log: Logger) -> None:
        self._place, self._log = place, log
        self._current: Recent[str, _Current] = Recent(32)
        self._summaries: Recent[str, _Known] = Recent(20_000)
        self._reported: Recent[tuple[str, int], bool] = Recent(1000)

    def load(self, key: SessionKey) -> tuple[bytes, Session] | None:
        """A session and its bytes as stored, or None.

        Of a damaged one what is whole in it. Raises SessionCorrupt if nothing is.
        """
        try:
            current = self._read_session(key) if self._place.is_there() else None
        except Damaged as exc:
            self._report(session_name(key), b"")
            raise SessionCorrupt from exc
        if current is None:
            return None
        if current.damaged:
            if is_empty(current.session):
                raise SessionCorrupt
            return codec.encode(current.session), current.session
        return current.data, current.session

    def exists(self, key: SessionKey) -> bool:
        """Whether there is a file for the key."""
        return self._place.is_there() and self._is_file(session_name(key))

    def change(
        self, key: SessionKey, if_revision: int | None, edit: Callable[[Session], T]
    ) -> tuple[T, int]:
        """Edit a session, new or stored, and save it; return the edit's result and the revision.

        An edit that leaves the revision alone is not written.
        """
        name = session_name(key)
        with self._place.writing(name):
            current = self._take(key)
            session = current.session if current else new_session(key)
            check_writable(session, if_revision)
            before = session.revision
            result = edit(session)
            if session.revision != before:
                pieces = current.pieces if current else Pieces()
                if current and current.damaged:
                    self._keep_aside(name, current)
                data = pieces.encode(session)
                replace_file(self._place.path, name, data)
                self._current.put(name, _Current(data, session, pieces))
            return result, session.revision

    def fork(self, source: SessionKey, target: SessionKey) -> Session:
        """Copy a session, unless the target exists."""
        found = self.load(source)
        name = session_name(target)
        with self._place.writing(name):
            current = self._take(target)
            if current and not (current.damaged and is_empty(current.session)):
                return current.session
            session = forked(found and found[1], target)
            if current:
                self._keep_aside(name, current)
            replace_file(self._place.path, name, codec.encode(session))
            return session

    def delete(self, key: SessionKey, if_revision: int | None) -> bool:
        """Remove a session for good, with all that was set aside of it."""
        name = session_name(key)
        if not (self._place.is_there() and (self._is_file(name) or any(self._aside(name)))):
            return False
        with self._place.writing(name):
            current = self._take(key)
            if current:
                check_writable(current.session, if_revision)
            return remove(self._place.path, [name, *self._aside(name)])

    def summaries(self, notebook_id: str | None, owner: str) -> list[SessionSummary]:
        """A summary of each session, in no order. Damaged ones are set aside."""
        if not self._place.is_there():
            return []
        rows = []
        for name, stamp in self._scan(notebook_id):
            row = self._summary(name, stamp)
            if row is None or notebook_id not in (None, row.notebook_id):
                continue
            # A file whose name isn't its own (a copy made by hand) is no cell's session.
            if session_name(SessionKey(row.notebook_id, row.cell_id, owner)) == name:
                rows.append(row)
        return rows

    def owners(self) -> list[str]:
        """Nobody, where there is anything, and whom the sessions name as their owners."""
        if not self._place.is_there():
            return []
        owners = {""}
        for name, _ in self._scan(None):
            with contextlib.suppress(Damaged, OSError):
                found = self._read(name)
                meta = codec.parse(found[0]).meta if found else None
                if meta and meta.owner:
                    key = SessionKey(meta.notebook_id, meta.cell_id, meta.owner)
                    owners |= {meta.owner} if session_name(key) == name else set()
        return sorted(owners)

    def _scan(self, notebook_id: str | None) -> Iterator[tuple[str, Stamp]]:
        with os.scandir(self._place.path) as entries:
            for entry in entries:
                name = entry.name
                if notebook_id is not None and not may_belong_to(name, notebook_id):
                    continue
                if is_session_name(name) and entry.is_file(follow_symlinks=False):
                    try:
                        yield name, Stamp.of(entry.stat(follow_symlinks=False))
                    except FileNotFoundError:
                        continue  # deleted meanwhile

    def _summary(self, name: str, stamp: Stamp) -> SessionSummary | None:
        known = self._summaries.get(name)
        if known and known.stamp == stamp:
            return known.summary
        try:
            found = self._read(name)
            if found is None:
                return None
            data, stamp = found
            summary = self._summarised(name, data)
            if summary is None:
                return None
        except Damaged:
            self._report(name, b"")
            return None
        except OSError:  # one that we may not read must not hide the others
            self._log.warning("The session file %s can't be read.", name)
            return None
        if time.time_ns() - max(stamp.mtime_ns, stamp.ctime_ns) > _RACY_NS:
            self._summaries.put(name, _Known(stamp, summary))
        return summary

    def _summarised(self, name: str, data: bytes) -> SessionSummary | None:
        try:
            return summarise(codec.parse(data))
        except Damaged:
            self._report(name, data)
            key = session_key(name)
            session = recovered(data, key) if key else None
            return None if session is None or is_empty(session) else summarise(session)

    def _read_session(self, key: SessionKey) -> _Current | None:
        """The stored session, or what is whole in it. Raises Damaged if it is no regular file."""
        name = session_name(key)
        found = self._read(name)
        if found is None:
            return None
        try:
            return _Current(found[0], codec.parse(found[0], key), Pieces())
        except Damaged:
            self._report(name, found[0])
            return _Current(found[0], recovered(found[0], key), Pieces(), damaged=True)

    def _take(self, key: SessionKey) -> _Current | None:
        """The stored session, ours to edit. Under the lock.

        It is known no more until it is put back, so a failed edit leaves nothing half done.
        """
        name = session_name(key)
        known = self._current.take(name)
        try:
            if known:
                found = self._read(name)
                if found and found[0] == known.data:
                    return known
            return self._read_session(key)
        except Damaged:  # a link, a folder: no bytes of ours
            self._log.warning("%s is no regular file; it is set aside.", name)
            set_aside(self._place.path, name)
            return None

    def _keep_aside(self, name: str, current: _Current) -> None:
        """Keep the bytes of a damaged file, and write into the session where they are."""
        kept_as = keep_aside(self._place.path, name, current.data)
        self._log.warning("The damaged session file %s is kept as %s.", name, kept_as)
        for event in current.session.events or []:
            if event.type == NOTE and event.data is not None:
                event.data.setdefault("kept_as", kept_as)

    def _report(self, name: str, data: bytes) -> None:
        if not self._reported.get((name, hash(data))):
            self._reported.put((name, hash(data)), True)
            self._log.warning("The session file %s is damaged.", name)

    def _aside(self, name: str) -> list[str]:
        with os.scandir(self._place.path) as entries:
            return [e.name for e in entries if e.name.startswith(name + ASIDE)]

    def _is_file(self, name: str) -> bool:
        try:
            return stat.S_ISREG((self._place.path / name).lstat().st_mode)
        except FileNotFoundError:
            return False

    def _read(self, name: str) -> tuple[bytes, Stamp] | None:
        try:
            return read_file(self._place.path / name)
        except NotRegular as exc:
            raise Damaged("not a regular file") from exc
