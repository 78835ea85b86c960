"""Read, change and delete the JSON files of cells. Synchronous: ``manager.py`` runs it in threads.

Invariants:

- A session's file is read, edited and replaced under its lock.
- Reading a damaged file returns its intact records and changes nothing. Before it is replaced, its
  bytes are copied into quarantine.
- A file with a newer major version of the format is never written, quarantined or removed.
- A session that this process wrote is edited again without reading the file while the file's stamp
  is that of this write.
- Legacy files are read where they are. The next write to the session creates a file in the current
  format under the current name. A legacy file with this name is copied first.
"""

from __future__ import annotations

import copy
import os
import stat
import time
from collections.abc import Callable
from typing import NamedTuple, TypeVar

from ...durable import (
    QUARANTINE_SUFFIX,
    NotRegularFile,
    Stamp,
    copy_to_quarantine,
    move_to_quarantine,
    read_file,
    remove,
    replace_file,
)
from ...errors.storage import SessionCorrupt
from ...models import Session, SessionKey, new_session
from ..base import Logger
from ..record import codec
from ..record.codec import DamagedData
from ..record.filenames import find_ids, legacy_name, parse_session_name, session_name
from ..record.lru_cache import LRUCache
from ..record.mutations import check_writable, fork_session
from ..record.recovery import RECOVERED_TYPE, is_empty, recover
from .directory import SessionDirectory

T = TypeVar("T")

LEGACY_SUFFIX = ".v0-"  # a number follows in the copy's name
# Two writes within one tick of the disk's clock can have the same stamp, so a file that is younger
# isn't cached.
_MIN_AGE_NS = 100_000_000
_MAX_REPORTED = 1000
_MAX_WRITTEN = 16  # sessions kept after a write
_MAX_WRITTEN_BYTES = 8 * 1024 * 1024


class StoredSession(NamedTuple):
    """A session's file as read; only the intact records if it is damaged."""

    name: str
    data: bytes
    session: Session
    is_damaged: bool = False
    is_legacy: bool = False


class _Written(NamedTuple):
    """A session as this process wrote it; nobody else refers to it."""

    stamp: Stamp
    session: Session


class SessionFiles:
    """The session files of one directory."""

    def __init__(self, directory: SessionDirectory, log: Logger) -> None:
        self.directory, self.log = directory, log
        self._reported: set[tuple[str, int]] = set()
        """The damaged files that were already reported, as pairs of a name and a content hash."""
        self._written: LRUCache[str, _Written] = LRUCache(
            _MAX_WRITTEN, limit=_MAX_WRITTEN_BYTES, weight=lambda written: written.stamp.size
        )

    def load(self, key: SessionKey) -> Session | None:
        """Return the stored session, or None.

        Raises SessionCorrupt if no record is intact, or if the file isn't a regular one.
        """
        stored = self._load(key)
        return stored and stored.session

    def load_raw(self, key: SessionKey) -> tuple[bytes, int] | None:
        """Return the bytes and the revision of what ``load`` returns."""
        stored = self._load(key)
        if stored is None:
            return None
        is_current = not (stored.is_damaged or stored.is_legacy)
        data = stored.data if is_current else codec.encode(stored.session)
        return data, stored.session.revision

    def load_raw_unchecked(self, key: SessionKey) -> bytes | None:
        """Return the file's bytes, damaged or not; None if it can't be read."""
        name = session_name(key)
        try:
            if content := self.read(name):
                return content[0]
            legacy = self.find_legacy(key)
        except DamagedData:
            return None
        except OSError:  # the others of the batch are still read
            self.log.warning("The session file %s can't be read.", name)
            return None
        return legacy and legacy.data

    def exists(self, key: SessionKey) -> bool:
        if not self.directory.exists():
            return False
        return bool(self.stamp(session_name(key)) or self.find_legacy(key))

    def change(
        self, key: SessionKey, if_revision: int | None, edit: Callable[[Session], T]
    ) -> tuple[T, int]:
        """Edit a new or stored session; return the result of ``edit`` and the new revision.

        The session is saved if the result is True or the revision has changed.
        """
        name = session_name(key)
        with self.directory.lock(name):
            # It is out of the cache while it is edited: an edit or write may fail.
            written = self._written.pop(name)
            if written and written.stamp == self.stamp(name):
                stored, session = None, written.session
            else:
                stored = self._find_locked(key)
                session = stored.session if stored else new_session(key)
            check_writable(session, if_revision)
            revision = session.revision
            result = edit(session)
            if result is True or session.revision != revision:
                stamp = self._write(name, session, stored)
                if stamp and self.directory.trusts_stamps:
                    self._written.put(name, _Written(stamp, session))
                    result = copy.deepcopy(result)  # it may refer to records of the session
            return result, session.revision

    def fork(self, source: SessionKey, target: SessionKey) -> Session:
        """Copy a session, unless the target has one with intact records."""
        source_session = self.load(source)
        name = session_name(target)
        with self.directory.lock(name):
            stored = self._find_locked(target)
            if stored and not (stored.is_damaged and is_empty(stored.session)):
                return stored.session
            session = fork_session(source_session, target)
            self._write(name, session, stored)
            return session

    def has_damage(self, key: SessionKey) -> bool:
        if not self.directory.exists():
            return False
        names = self._quarantined_names(session_name(key))
        if any(QUARANTINE_SUFFIX in name for name in names):
            return True
        try:
            stored = self._find(key)
        except DamagedData:
            return True
        return stored is not None and stored.is_damaged

    def delete(self, key: SessionKey, if_revision: int | None) -> bool:
        """Delete a session and its quarantined files; return False if there was neither."""
        name = session_name(key)
        if not (self.exists(key) or (self.directory.exists() and self._quarantined_names(name))):
            return False
        with self.directory.lock(name):
            stored = self._find_locked(key)
            if stored:
                check_writable(stored.session, if_revision)
            names = [name, *self._quarantined_names(name)]
            if legacy := self.find_legacy(key):
                names.append(legacy.name)
            return remove(self.directory.path, names)

    def read(self, name: str) -> tuple[bytes, Stamp] | None:
        """Return bytes and stamp, or None. Raises OSError, or DamagedData for a link."""
        try:
            return read_file(self.directory.path / name)
        except NotRegularFile as exc:
            raise DamagedData("not a regular file") from exc

    def stamp(self, name: str) -> Stamp | None:
        try:
            status = os.lstat(f"{self.directory.path}{os.sep}{name}")
        except (FileNotFoundError, NotADirectoryError):
            return None
        return Stamp.of(status) if stat.S_ISREG(status.st_mode) else None

    def is_settled(self, stamp: Stamp) -> bool:
        """Return whether every later change is certain to have another stamp."""
        age = time.time_ns() - max(stamp.mtime_ns, stamp.ctime_ns)
        return self.directory.trusts_stamps and age > _MIN_AGE_NS

    def find_legacy(self, key: SessionKey) -> StoredSession | None:
        name = legacy_name(key.notebook_id, key.cell_id)
        if key.owner or name == session_name(key):
            return None
        try:
            content = self.read(name)
        except DamagedData:
            return None
        if content is None or find_ids(content[0]) != (key.notebook_id, key.cell_id):
            return None
        stored = self._parse(name, content[0], key)
        # A file in the current format under a legacy name was copied by hand, and is ignored.
        return stored if stored.is_damaged or stored.is_legacy else None

    def report(self, name: str, data: bytes) -> None:
        if (name, hash(data)) not in self._reported and len(self._reported) < _MAX_REPORTED:
            self._reported.add((name, hash(data)))
            self.log.warning("The session file %s is damaged.", name)

    def _find(self, key: SessionKey) -> StoredSession | None:
        name = session_name(key)
        content = self.read(name)
        return self._parse(name, content[0], key) if content else self.find_legacy(key)

    def _parse(self, name: str, data: bytes, key: SessionKey) -> StoredSession:
        try:
            session, is_legacy = codec.read(data, key)
            return StoredSession(name, data, session, is_legacy=is_legacy)
        except DamagedData:
            self.report(name, data)
            return StoredSession(name, data, recover(data, key), is_damaged=True)

    def _load(self, key: SessionKey) -> StoredSession | None:
        try:
            stored = self._find(key) if self.directory.exists() else None
        except DamagedData as exc:
            self.report(session_name(key), b"")
            raise SessionCorrupt from exc
        if stored and stored.is_damaged and is_empty(stored.session):
            raise SessionCorrupt
        return stored

    def _find_locked(self, key: SessionKey) -> StoredSession | None:
        try:
            return self._find(key)
        except DamagedData:  # a link or a folder
            name = session_name(key)
            self.log.warning("%s is not a regular file; it is quarantined.", name)
            move_to_quarantine(self.directory.path, name)
            return None

    def _write(self, name: str, session: Session, old: StoredSession | None) -> Stamp | None:
        """Replace the file, after copying it if it is damaged or legacy.

        ``old`` may come from a file with a legacy name, which stays.
        """
        if old and old.name == name and (old.is_damaged or old.is_legacy):
            suffix = QUARANTINE_SUFFIX if old.is_damaged else LEGACY_SUFFIX
            new_name = copy_to_quarantine(self.directory.path, name, old.data, suffix)
            kind = "damaged" if old.is_damaged else "legacy"
            self.log.warning("The %s session file %s was copied to %s.", kind, name, new_name)
            for event in (session.events or []) if old.is_damaged else []:
                if event.type == RECOVERED_TYPE and event.data is not None:
                    event.data.setdefault("kept_as", new_name)
        data = codec.encode(session)
        return replace_file(self.directory.path, name, data, shareable=True)

    def _quarantined_names(self, name: str) -> list[str]:
        with os.scandir(self.directory.path) as entries:
            return [
                entry.name
                for entry in entries
                if entry.name.startswith((name + QUARANTINE_SUFFIX, name + LEGACY_SUFFIX))
            ]


def find_key(name: str, data: bytes, owner: str = "") -> SessionKey | None:
    """Return the key to which a damaged file belongs, or None if it isn't certain.

    The ids are in ``name``, or in ``data`` if ``name`` is the legacy name for them.
    """
    key, ids = parse_session_name(name, owner), find_ids(data)
    if key is None and ids and legacy_name(*ids) == name:
        key = SessionKey(*ids)
    return key
