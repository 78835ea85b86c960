"""Reading the session files of one place, whatever lies there. Synchronous.

What must hold:

- A damaged file is read as what is whole in it, and reading changes nothing.
- What is remembered of a file by its stamp is used only while the file can't have changed.
"""

from __future__ import annotations

import logging
import time
from typing import Any, NamedTuple

from ...durable import NotRegularFile, Stamp, read_file
from ...errors import SessionCorrupt
from ...models import Session, SessionKey
from ..record import codec
from ..record.codec import DamagedData
from ..record.damage.recovery import is_empty, recover
from ..record.filenames import session_name
from ..record.legacy_format import belongs_to, legacy_name
from ..record.lru_cache import LRUCache
from .directory import SessionDirectory
from .git_stages import complete_conflict

Logger = logging.Logger | logging.LoggerAdapter[Any]

# Two writes within one tick of the disk's clock can leave the same stamp: what was changed so
# lately is read again. (The rule of git's index.)
_RACY_NS = 100_000_000


class Found(NamedTuple):
    """A session that is stored."""

    name: str
    data: bytes  # as on disk
    stamp: Stamp
    session: Session  # what is whole in them
    damaged: bool = False
    is_legacy: bool = False  # in the predecessor's shape

    @property
    def as_stored(self) -> bool:
        """Whether the bytes are those of the session."""
        return not (self.damaged or self.is_legacy)


class Reader:
    """The session files of one place, to be read."""

    def __init__(self, place: SessionDirectory, log: Logger) -> None:
        self.place, self.log = place, log
        self._reported: LRUCache[tuple[str, int], bool] = LRUCache(1000)

    def read(self, name: str) -> tuple[bytes, Stamp] | None:
        """A file's bytes, or None. Raises Damaged if it is no regular file, OSError."""
        try:
            return read_file(self.place.path / name)
        except NotRegularFile as exc:
            raise DamagedData("not a regular file") from exc

    def find(self, key: SessionKey) -> Found | None:
        """The stored session, or what is whole in it. Raises Damaged if it is no regular file."""
        name = session_name(key)
        read = self.read(name)
        if read is None:
            return self.find_legacy(key)
        try:
            parsed = codec.read(read[0], key)
            return Found(name, *read, parsed.session, is_legacy=parsed.is_legacy)
        except DamagedData:
            self.report(name, read[0])
            return Found(name, *read, self.recover(name, read[0], key), damaged=True)

    def find_legacy(self, key: SessionKey) -> Found | None:
        """What the predecessor kept of a cell under a name that isn't ours, or None."""
        name = legacy_name(key.notebook_id, key.cell_id)
        if key.owner or name == session_name(key):
            return None
        try:
            read = self.read(name)
        except DamagedData:
            return None
        if read is None or not belongs_to(read[0], key):
            return None
        try:
            session, is_legacy = codec.read(read[0], key)
            return Found(name, *read, session, is_legacy=True) if is_legacy else None
        except DamagedData:
            self.report(name, read[0])
            return Found(
                name, *read, self.recover(name, read[0], key), damaged=True, is_legacy=True
            )

    def recover(self, name: str, data: bytes, key: SessionKey) -> Session:
        """What is whole in the bytes of a file; of an unmerged one, both its sides."""
        return recover(complete_conflict(self.place.path / name, data), key)

    def load(self, key: SessionKey) -> Found | None:
        """The stored session, or None. Raises SessionCorrupt if nothing in it is whole."""
        try:
            found = self.find(key) if self.place.is_there() else None
        except DamagedData as exc:
            self.report(session_name(key), b"")
            raise SessionCorrupt from exc
        if found and found.damaged and is_empty(found.session):
            raise SessionCorrupt
        return found

    def is_settled(self, stamp: Stamp, now: int | None = None) -> bool:
        """Whether a file that was read with this stamp can't change without getting another.

        ``now``: when it was looked at, in nanoseconds; if not at this moment.
        """
        age = (now or time.time_ns()) - max(stamp.mtime_ns, stamp.ctime_ns)
        return self.place.trusts_stamps and age > _RACY_NS

    def report(self, name: str, data: bytes) -> None:
        """Say once that a file is damaged."""
        if not self._reported.get((name, hash(data))):
            self._reported.put((name, hash(data)), True)
            self.log.warning("The session file %s is damaged.", name)
