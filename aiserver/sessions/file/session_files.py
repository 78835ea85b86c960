"""One JSON file per cell: loading, growing, deleting. Synchronous; ``manager.py`` makes it async.

What must hold:

- A change reads, edits and replaces the file under its lock, and is on disk when it returns.
- The next change of a damaged file keeps its bytes aside and puts what was whole in its place, in
  one step.
- A file of a newer major version is never written, set aside or removed.
- The predecessor's files are read where they are. The next write makes it our format, under our
  name; the old bytes stay: under their own name if that is another, else aside.
- What is kept in memory is used only while it equals what is on disk: while the file's stamp is
  the one that it was compared under, or after it was compared anew.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeVar

from ...durable import (
    QUARANTINE_SUFFIX,
    Stamp,
    copy_to_quarantine,
    move_to_quarantine,
    remove,
    replace_file,
)
from ...models import Event, Interaction, NewEvent, Session, SessionKey, new_session
from ..record import codec
from ..record.codec import DamagedData
from ..record.damage.recovery import NOTE, is_empty
from ..record.filenames import session_name
from ..record.lru_cache import LRUCache
from ..record.mutations import check_writable, fork_session
from ..record.prepared_turn import PreparedTurn
from ..record.splice import SessionBytes
from .git_stages import complete_conflict
from .reader import Found, Logger, Reader
from .threads import answer

T = TypeVar("T")

FLAT = ".v0-"  # behind it the number, in the name of a predecessor's file that was kept
_MEMORY = 64 * 1024 * 1024  # bytes of sessions that are kept at most


class _Sure(NamedTuple):
    """A file that was parsed, or written by us: valid, and of this revision."""

    stamp: Stamp
    revision: int


class _Raw(NamedTuple):
    """The bytes of a file that is sure."""

    stamp: Stamp
    data: bytes
    revision: int


def _weight(raw: _Raw) -> int:
    return len(raw.data)


class SessionFiles:
    """The session files of one place."""

    def __init__(self, reader: Reader, log: Logger) -> None:
        self._reader, self._place, self._log = reader, reader.place, log
        self._pieces: LRUCache[str, SessionBytes] = LRUCache(256, limit=_MEMORY, weight=len)
        self._sure: LRUCache[str, _Sure] = LRUCache(20_000)
        self._raw: LRUCache[str, _Raw] = LRUCache(256, limit=_MEMORY // 2, weight=_weight)

    def load(self, key: SessionKey) -> Session | None:
        """A session, or None; of a damaged one what is whole in it.

        Raises SessionCorrupt if nothing is.
        """
        found = self._reader.load(key)
        if found is None:
            return None
        self._remember(session_name(key), found.stamp, found.data, found)
        return found.session

    def at_hand(self, key: SessionKey) -> tuple[bytes, int] | None:
        """What ``load_raw`` gave last if the file is the same, or None.

        It asks the disk for nothing but the file's stamp, and only one of this machine.
        """
        name = session_name(key)
        raw = self._raw.get(name)
        if raw is None or raw.stamp != self._stamp(name):
            return None
        return raw.data, raw.revision

    def load_raw(self, key: SessionKey) -> tuple[bytes, int] | None:
        """A session's bytes and its revision, or None. Raises as ``load``.

        Bytes that are known to be valid are not parsed again.
        """
        if not self._place.is_there():
            return None
        name = session_name(key)
        try:
            read = self._reader.read(name)
        except DamagedData:
            read = None  # ``load`` says what it is
        if read:
            data, stamp = read
            revision = self._remember(name, stamp, data)
            if revision is not None:
                if self._sure.get(name) == (stamp, revision):
                    self._raw.put(name, _Raw(stamp, data, revision))
                return data, revision
        found = self._reader.load(key)
        if found is None:
            return None
        self._remember(name, found.stamp, found.data, found)
        session = found.session
        return found.data if found.as_stored else codec.encode(session), session.revision

    def stored(self, key: SessionKey) -> bytes | None:
        """The bytes of a session's file, whatever they are; None if they can't be had.

        Those of an unmerged file as one conflict of both its sides.
        """
        name = session_name(key)
        try:
            if read := self._reader.read(name):
                return complete_conflict(self._place.path / name, read[0])
            older = self._reader.find_legacy(key)
        except DamagedData:
            return None
        except OSError:  # one that we may not read must not hide the others
            self._log.warning("The session file %s can't be read.", name)
            return None
        return older and older.data

    def exists(self, key: SessionKey) -> bool:
        """Whether there is a file for the key."""
        if not self._place.is_there():
            return False
        return self._is_file(session_name(key)) or self._reader.find_legacy(key) is not None

    def add_turn(
        self, key: SessionKey, if_revision: int | None, turn: PreparedTurn
    ) -> tuple[Interaction, int]:
        """Put a turn behind a session, new or stored; return it as saved, and the revision."""
        return self._grow(key, if_revision, lambda pieces: pieces.add_turn(turn))

    def add_events(
        self, key: SessionKey, if_revision: int | None, events: Sequence[NewEvent]
    ) -> tuple[list[Event], int]:
        """Put events behind a session, as ``add_turn``. None that is new is no write."""
        return self._grow(key, if_revision, lambda pieces: pieces.add_events(events))

    def change(self, key: SessionKey, edit: Callable[[Session], bool]) -> bool:
        """Edit a session, new or stored, and save it if the edit says that it changed anything."""
        name = session_name(key)
        with self._place.writing(name):
            found = self._take(key)
            session = found.session if found else new_session(key)
            check_writable(session.meta, None)
            changed = edit(session)
            if changed:
                if found:
                    self._keep_aside(name, found)
                replace_file(self._place.path, name, codec.encode(session))
            return changed

    def fork(self, source: SessionKey, target: SessionKey) -> Session:
        """Copy a session, unless the target exists."""
        origin = self.load(source)
        name = session_name(target)
        with self._place.writing(name):
            found = self._take(target)
            if found and not (found.damaged and is_empty(found.session)):
                return found.session
            session = fork_session(origin, target)
            if found:
                self._keep_aside(name, found)
            replace_file(self._place.path, name, codec.encode(session))
            return session

    def delete(self, key: SessionKey, if_revision: int | None) -> bool:
        """Remove a session for good, with all that was set aside of it."""
        name = session_name(key)
        if not (self.exists(key) or (self._place.is_there() and self._aside(name))):
            return False
        with self._place.writing(name):
            found = self._take(key)
            if found:
                check_writable(found.session.meta, if_revision)
            names = [name, *self._aside(name)]
            if older := self._reader.find_legacy(key):
                names.append(older.name)
            return remove(self._place.path, names)

    def _grow(
        self, key: SessionKey, if_revision: int | None, add: Callable[[SessionBytes], T]
    ) -> tuple[T, int]:
        name = session_name(key)
        with self._place.writing(name):
            pieces = self._take_pieces(name)
            if pieces is None:
                found = self._take(key)
                if found:
                    check_writable(found.session.meta, if_revision)
                    self._keep_aside(name, found)
                pieces = SessionBytes(found.session if found else new_session(key))
            check_writable(pieces, if_revision)
            before = pieces.revision
            result = add(pieces)
            if pieces.revision != before:
                local = self._place.trusts_stamps
                stamp = replace_file(
                    self._place.path,
                    name,
                    pieces.chunks(),
                    on_durable=lambda: answer((result, pieces.revision)),
                    keep_old_open=local,  # elsewhere an open file leaves a name behind
                )
                if stamp and local:
                    self._sure.put(name, _Sure(stamp, pieces.revision))
            self._pieces.put(name, pieces)
            return result, pieces.revision

    def _take_pieces(self, name: str) -> SessionBytes | None:
        """What is known of the file, ours to add to. Under the lock.

        It is known no more until it is put back, so a failed save leaves nothing half done.
        """
        pieces = self._pieces.pop(name)
        sure = self._sure.get(name)
        if pieces is None:
            return None
        try:
            if sure and sure == (self._stamp(name), pieces.revision):
                return pieces
            read = self._reader.read(name)
        except DamagedData:
            return None
        return pieces if read and pieces.revision_of(read[0]) is not None else None

    def _take(self, key: SessionKey) -> Found | None:
        """The stored session, ours to edit. Under the lock."""
        name = session_name(key)
        self._pieces.pop(name)
        try:
            return self._reader.find(key)
        except DamagedData:  # a link, a folder: no bytes of ours
            self._log.warning("%s is no regular file; it is set aside.", name)
            move_to_quarantine(self._place.path, name)
            return None

    def _remember(
        self, name: str, stamp: Stamp, data: bytes, found: Found | None = None
    ) -> int | None:
        """The revision of a file's bytes if it is known, and that they are valid."""
        sure = self._sure.get(name)
        if sure and sure.stamp == stamp:
            return sure.revision
        revision = found.session.revision if found and found.as_stored else None
        if revision is None and found is None and (pieces := self._pieces.get(name)):
            revision = pieces.revision_of(data)
        if revision is not None and self._reader.is_settled(stamp):
            self._sure.put(name, _Sure(stamp, revision))
        return revision

    def _keep_aside(self, name: str, found: Found) -> None:
        """Keep the bytes of a file that is to be replaced by other than its own session.

        Of a damaged one the session then says where they are. A file under another name stays.
        """
        if found.as_stored or found.name != name:
            return
        mark = QUARANTINE_SUFFIX if found.damaged else FLAT
        kept_as = copy_to_quarantine(self._place.path, name, found.data, mark)
        kind = "damaged" if found.damaged else "predecessor's"
        self._log.warning("The %s session file %s is kept as %s.", kind, name, kept_as)
        for event in found.session.events or [] if found.damaged else []:
            if event.type == NOTE and event.data is not None:
                event.data.setdefault("kept_as", kept_as)

    def _aside(self, name: str) -> list[str]:
        with os.scandir(self._place.path) as entries:
            return [
                e.name
                for e in entries
                if e.name.startswith((name + QUARANTINE_SUFFIX, name + FLAT))
            ]

    def _stamp(self, name: str) -> Stamp | None:
        try:
            status = os.lstat(f"{self._place.path}{os.sep}{name}")
        except (FileNotFoundError, NotADirectoryError):
            return None
        return Stamp.of(status) if stat.S_ISREG(status.st_mode) else None

    def _is_file(self, name: str) -> bool:
        return self._stamp(name) is not None
