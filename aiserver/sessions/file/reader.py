"""Read the session files of one directory, intact or damaged. Synchronous.

Invariants:

- Reading a damaged file returns its intact records and changes nothing.
- The content of a file is cached together with the file's stamp, but only if each later change of
  the file is certain to produce a different stamp (see ``is_settled``).
"""

from __future__ import annotations

import os
import stat
import time
from typing import NamedTuple

from ...durable import NotRegularFile, Stamp, read_file
from ...errors import SessionCorrupt
from ...models import Session, SessionKey
from ..base import Logger
from ..record import codec
from ..record.codec import DamagedData
from ..record.damage.recovery import is_empty, recover
from ..record.filenames import parse_session_name, session_name
from ..record.legacy_format import find_ids, legacy_name
from ..record.lru_cache import LRUCache
from .directory import SessionDirectory
from .git_stages import complete_conflict

# Two writes within one tick of the disk's clock can produce the same stamp. So a file is cached
# only if at least this number of nanoseconds has passed since the file's last write.
_MIN_AGE_NS = 100_000_000


class StoredSession(NamedTuple):
    """The result of reading a session's file."""

    name: str
    data: bytes  # the bytes of the file
    stamp: Stamp
    session: Session  # contains only the intact records if the file is damaged
    is_damaged: bool = False
    is_legacy: bool = False

    @property
    def is_current(self) -> bool:
        """Whether the file is intact and in the current format, so its bytes need no change."""
        return not (self.is_damaged or self.is_legacy)


class Reader:
    """Reads the session files of one directory."""

    def __init__(self, directory: SessionDirectory, log: Logger) -> None:
        self.directory, self.log = directory, log
        self._folder = os.fspath(directory.path)
        self._reported: LRUCache[tuple[str, int], bool] = LRUCache(1000)
        """The damaged files that were already reported, as pairs of a name and a content hash."""

    def read(self, name: str) -> tuple[bytes, Stamp] | None:
        """Return a file's bytes and stamp, or None if there is no file.

        Raises OSError, or DamagedData if the file isn't a regular file.
        """
        try:
            return read_file(self.directory.path / name)
        except NotRegularFile as exc:
            raise DamagedData("not a regular file") from exc

    def stamp(self, name: str) -> Stamp | None:
        """Return a file's stamp, or None if there is no regular file."""
        try:
            status = os.lstat(f"{self._folder}{os.sep}{name}")
        except (FileNotFoundError, NotADirectoryError):
            return None
        return Stamp.of(status) if stat.S_ISREG(status.st_mode) else None

    def find(self, key: SessionKey) -> StoredSession | None:
        """Return a cell's stored session, or None if there is no file.

        If the cell has only a legacy file, this file is read. If the file is damaged, the session
        contains only the intact records; there may be none. Raises DamagedData if the file isn't a
        regular file.
        """
        name = session_name(key)
        content = self.read(name)
        return self._parse(name, *content, key) if content else self.find_legacy(key)

    def find_legacy(self, key: SessionKey) -> StoredSession | None:
        """Return the session in the legacy file of a cell, or None if there is no such file."""
        name = legacy_name(key.notebook_id, key.cell_id)
        if key.owner or name == session_name(key):
            return None
        try:
            content = self.read(name)
        except DamagedData:
            return None
        if content is None or find_ids(content[0]) != (key.notebook_id, key.cell_id):
            return None
        stored = self._parse(name, *content, key)
        # AI Server never writes a file in the current format under a legacy name. So such a file is
        # a copy that somebody made by hand, and it is ignored.
        return None if stored.is_current else stored

    def _parse(self, name: str, data: bytes, stamp: Stamp, key: SessionKey) -> StoredSession:
        try:
            session, is_legacy = codec.read(data, key)
            return StoredSession(name, data, stamp, session, is_legacy=is_legacy)
        except DamagedData:
            self.report(name, data)
            session = self.recover(name, data, key)
            return StoredSession(name, data, stamp, session, is_damaged=True)

    def recover(self, name: str, data: bytes, key: SessionKey) -> Session:
        """Return the intact records in a file's bytes.

        If git left a conflict in the file, return the intact records of both sides.
        """
        return recover(complete_conflict(self.directory.path / name, data), key)

    def load(self, key: SessionKey) -> StoredSession | None:
        """Return a cell's stored session (see ``find``), or None if there is none.

        Raises SessionCorrupt if the file isn't a regular file, or is damaged without any intact
        record.
        """
        try:
            stored = self.find(key) if self.directory.exists() else None
        except DamagedData as exc:
            self.report(session_name(key), b"")
            raise SessionCorrupt from exc
        if stored and stored.is_damaged and is_empty(stored.session):
            raise SessionCorrupt
        return stored

    def is_settled(self, stamp: Stamp) -> bool:
        """Return whether each later change of the file is certain to produce a different stamp."""
        age = time.time_ns() - max(stamp.mtime_ns, stamp.ctime_ns)
        return self.directory.trusts_stamps and age > _MIN_AGE_NS

    def report(self, name: str, data: bytes) -> None:
        """Warn once in the server's log that a file with these bytes is damaged."""
        if not self._reported.get((name, hash(data))):
            self._reported.put((name, hash(data)), True)
            self.log.warning("The session file %s is damaged.", name)


def find_key(name: str, data: bytes, owner: str = "") -> SessionKey | None:
    """Return the key of the cell to which a damaged file belongs, or None if it can't be found.

    If ``name`` is a session file's name that contains the ids, use these ids. Otherwise, read the
    ids from ``data``, the file's bytes, and use them only if ``name`` is the legacy name for them.
    """
    key, ids = parse_session_name(name, owner), find_ids(data)
    if key is None and ids and legacy_name(*ids) == name:
        key = SessionKey(*ids)
    return key
