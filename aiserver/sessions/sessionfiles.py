"""One JSON file per cell: reading, changing, listing. Synchronous; ``file.py`` makes it async.

What must hold:

- A change reads, edits and replaces the file under its lock, and is on disk when it returns.
- A damaged file is set aside with its bytes kept, and only after it was read again under the
  lock: by then another process may have put a good one there.
- A file of a newer major version is never written, set aside or removed.
- What is kept in memory is used only while it equals what is on disk.
"""

from __future__ import annotations

import logging
import os
import stat
import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, TypeVar

from ..errors import SessionCorrupt, StorageError
from ..models import Session, SessionKey, SessionSummary, new_session
from . import codec
from .base import check_writable, forked, summarise
from .codec import Damaged
from .durable import ASIDE, NotRegular, Stamp, read_file, remove, replace_file, set_aside
from .filenames import is_session_name, may_belong_to, session_name
from .pieces import Pieces
from .place import Place
from .recent import Recent

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


class SessionFiles:
    """The session files of one place."""

    def __init__(self, place: Place, log: Logger) -> None:
        self._place, self._log = place, log
        self._current: Recent[str, _Current] = Recent(32)
        self._summaries: Recent[str, _Known] = Recent(20_000)

    def load(self, key: SessionKey) -> tuple[bytes, Session] | None:
        """A session and its bytes as stored, or None.

        Raises SessionCorrupt if it is damaged; then it is set aside, and gone the next time.
        """
        try:
            return self._find(key) if self._place.is_there() else None
        except Damaged as exc:
            try:
                return self._find_or_set_aside(key)
            except OSError:  # a folder that can't be written: it stays where it is
                self._log.warning("The session file %s is damaged.", session_name(key))
                raise SessionCorrupt from exc

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
            if current:
                return current.session
            session = forked(found and found[1], target)
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
            summary = summarise(codec.parse(data))
        except Damaged:
            self._set_aside_listed(name)
            return None
        except OSError:  # one that we may not read must not hide the others
            self._log.warning("The session file %s can't be read.", name)
            return None
        if time.time_ns() - max(stamp.mtime_ns, stamp.ctime_ns) > _RACY_NS:
            self._summaries.put(name, _Known(stamp, summary))
        return summary

    def _find(self, key: SessionKey) -> tuple[bytes, Session] | None:
        found = self._read(session_name(key))
        return found and (found[0], codec.parse(found[0], key))

    def _find_or_set_aside(self, key: SessionKey) -> tuple[bytes, Session] | None:
        name = session_name(key)
        with self._place.writing(name):
            try:
                return self._find(key)
            except Damaged as exc:
                self._set_aside(name)
                raise SessionCorrupt from exc

    def _take(self, key: SessionKey) -> _Current | None:
        """The stored session, ours to edit; a damaged one is set aside. Under the lock.

        It is known no more until it is put back, so a failed edit leaves nothing half done.
        """
        name = session_name(key)
        known = self._current.take(name)
        try:
            found = self._read(name)
            if found is None:
                return None
            data = found[0]
            if known and known.data == data:
                return known
            return _Current(data, codec.parse(data, key), Pieces())
        except Damaged:
            self._set_aside(name)
            return None

    def _set_aside_listed(self, name: str) -> None:
        try:
            with self._place.writing(name):
                try:
                    found = self._read(name)
                    if found:
                        codec.parse(found[0])
                except Damaged:
                    self._set_aside(name)
        except (OSError, StorageError):  # it can't be moved now: it stays where it is
            self._log.warning("The session file %s is damaged.", name)

    def _set_aside(self, name: str) -> None:
        new_name = set_aside(self._place.path, name)
        self._log.warning("The session file %s is damaged. It is kept as %s.", name, new_name)

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
