"""Load, change and delete the JSON file of a cell. Synchronous; ``manager.py`` makes it async.

Invariants:

- A change reads, edits and replaces the file under the file's lock, and is durable when the method
  returns.
- The next change of a damaged file quarantines its bytes and atomically replaces it with the intact
  records.
- A file with a newer major version of the format is never written, quarantined or removed.
- Legacy files are read in place. The next write converts them to the current format and name. The
  old bytes are preserved: under the legacy name if it differs from the current name, otherwise in a
  copy.
- Cached data is used only while the file's stamp is unchanged.
"""

from __future__ import annotations

import os
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
from ...models import Event, Interaction, NewEvent, NewTurn, Session, SessionKey, new_session
from ..record import codec
from ..record.codec import DamagedData
from ..record.damage.recovery import NOTE, is_empty
from ..record.filenames import session_name
from ..record.lru_cache import LRUCache
from ..record.mutations import check_writable, fork_session
from ..record.splice import SessionBytes
from ..threads import respond
from .git_stages import complete_conflict
from .reader import Reader, StoredSession

T = TypeVar("T")

LEGACY_SUFFIX = ".v0-"  # followed by a number, in the name of a preserved legacy file
_MAX_CACHED_BYTES = 64 * 1024 * 1024  # of sessions


class _Raw(NamedTuple):
    """The bytes of a file. They are valid, because this process has parsed or written them."""

    stamp: Stamp
    data: bytes
    revision: int


class _Extensible(NamedTuple):
    """The content of a file that this process wrote, to which the next record can be appended."""

    stamp: Stamp
    content: SessionBytes


class SessionFiles:
    """The session files of one directory."""

    def __init__(self, reader: Reader) -> None:
        self._reader, self._directory, self._log = reader, reader.directory, reader.log
        self._extensible: LRUCache[str, _Extensible] = LRUCache(
            256, limit=_MAX_CACHED_BYTES, weight=lambda file: file.content.size()
        )
        self._raw: LRUCache[str, _Raw] = LRUCache(
            256, limit=_MAX_CACHED_BYTES // 2, weight=lambda file: len(file.data)
        )

    def load(self, key: SessionKey) -> Session | None:
        """Return the stored session, or its intact records if it is damaged, or None.

        Raises SessionCorrupt if nothing is intact.
        """
        stored = self._reader.load(key)
        return stored and stored.session

    def load_cached(self, key: SessionKey) -> tuple[bytes, int] | None:
        """Return the last result of ``load_raw`` if the file is unchanged, or None.

        Only reads the file's stamp, and only from a local disk.
        """
        name = session_name(key)
        raw = self._raw.get(name)
        if raw is None or raw.stamp != self._reader.stamp(name):
            return None
        return raw.data, raw.revision

    def load_raw(self, key: SessionKey) -> tuple[bytes, int] | None:
        """Return a session's bytes and revision, or None. Raises as ``load``."""
        stored = self._reader.load(key)
        if stored is None:
            return None
        revision = stored.session.revision
        if not stored.is_current:
            return codec.encode(stored.session), revision
        if self._reader.is_settled(stored.stamp):
            self._raw.put(stored.name, _Raw(stored.stamp, stored.data, revision))
        return stored.data, revision

    def load_stored(self, key: SessionKey) -> bytes | None:
        """Return the bytes of a session's file, valid or not; None if the file can't be read.

        An unmerged file is returned as one conflict of both complete sides.
        """
        name = session_name(key)
        try:
            if read := self._reader.read(name):
                return complete_conflict(self._directory.path / name, read[0])
            legacy = self._reader.find_legacy(key)
        except DamagedData:
            return None
        except OSError:  # one unreadable file must not prevent reading the next ones
            self._log.warning("The session file %s can't be read.", name)
            return None
        return legacy and legacy.data

    def exists(self, key: SessionKey) -> bool:
        """Return whether there is a file for the key."""
        if not self._directory.exists():
            return False
        stamp = self._reader.stamp(session_name(key))
        return bool(stamp or self._reader.find_legacy(key))

    def add_turn(
        self, key: SessionKey, if_revision: int | None, turn: NewTurn
    ) -> tuple[Interaction, int]:
        """Append a turn to a new or stored session; return the saved turn and the new revision."""
        return self._extend(key, if_revision, lambda target: target.add_turn(turn))

    def add_events(
        self, key: SessionKey, if_revision: int | None, events: Sequence[NewEvent]
    ) -> tuple[list[Event], int]:
        """Append events like ``add_turn``. Without new events, nothing is written."""
        return self._extend(key, if_revision, lambda target: target.add_events(events))

    def change(self, key: SessionKey, edit: Callable[[Session], bool]) -> bool:
        """Edit a new or stored session, and save it if ``edit`` returns True."""
        name = session_name(key)
        with self._directory.lock(name):
            stored = self._find_locked(key)
            session = stored.session if stored else new_session(key)
            check_writable(session.meta, None)
            changed = edit(session)
            if changed:
                if stored:
                    self._copy_to_quarantine(name, stored)
                replace_file(self._directory.path, name, codec.encode(session))
            return changed

    def fork(self, source: SessionKey, target: SessionKey) -> Session:
        """Copy a session unless the target exists."""
        origin = self.load(source)
        name = session_name(target)
        with self._directory.lock(name):
            stored = self._find_locked(target)
            if stored and not (stored.is_damaged and is_empty(stored.session)):
                return stored.session
            session = fork_session(origin, target)
            if stored:
                self._copy_to_quarantine(name, stored)
            replace_file(self._directory.path, name, codec.encode(session))
            return session

    def delete(self, key: SessionKey, if_revision: int | None) -> bool:
        """Delete a session and its quarantined files."""
        name = session_name(key)
        if not (self.exists(key) or (self._directory.exists() and self._quarantined_names(name))):
            return False
        with self._directory.lock(name):
            stored = self._find_locked(key)
            if stored:
                check_writable(stored.session.meta, if_revision)
            names = [name, *self._quarantined_names(name)]
            if legacy := self._reader.find_legacy(key):
                names.append(legacy.name)
            return remove(self._directory.path, names)

    def _extend(
        self, key: SessionKey, if_revision: int | None, add: Callable[[SessionBytes], T]
    ) -> tuple[T, int]:
        name = session_name(key)
        with self._directory.lock(name):
            # The entry is put back after a successful save, so a failed save leaves no wrong entry.
            stamp, content = self._extensible.pop(name) or (None, None)
            if content is None or stamp != self._reader.stamp(name):
                stamp = None
                stored = self._find_locked(key)
                if stored:
                    check_writable(stored.session.meta, if_revision)
                    self._copy_to_quarantine(name, stored)
                content = SessionBytes(stored.session if stored else new_session(key))
            check_writable(content, if_revision)
            before = content.revision
            result = add(content)
            is_local = self._directory.trusts_stamps
            if content.revision != before:
                data = content.to_bytes()
                stamp = replace_file(
                    self._directory.path,
                    name,
                    data,
                    # To respond early, the old file is kept open. On a network disk, an open file
                    # that is replaced would stay in the folder under another name.
                    on_durable=(lambda: respond((result, content.revision))) if is_local else None,
                )
                if stamp and is_local:
                    self._raw.put(name, _Raw(stamp, data, content.revision))
            if stamp and is_local:
                self._extensible.put(name, _Extensible(stamp, content))
            return result, content.revision

    def _find_locked(self, key: SessionKey) -> StoredSession | None:
        """Return the stored session for editing. The caller holds the lock."""
        try:
            return self._reader.find(key)
        except DamagedData:  # a link or a folder
            name = session_name(key)
            self._log.warning("%s is not a regular file; it is quarantined.", name)
            move_to_quarantine(self._directory.path, name)
            return None

    def _copy_to_quarantine(self, name: str, stored: StoredSession) -> None:
        """Copy the bytes of a damaged or legacy file that is about to be replaced.

        The note event of a recovered session gets the name of the copy. A file under a legacy name
        needs no copy, because it isn't replaced.
        """
        if stored.is_current or stored.name != name:
            return
        suffix = QUARANTINE_SUFFIX if stored.is_damaged else LEGACY_SUFFIX
        new_name = copy_to_quarantine(self._directory.path, name, stored.data, suffix)
        kind = "damaged" if stored.is_damaged else "legacy"
        self._log.warning("The %s session file %s was copied to %s.", kind, name, new_name)
        for event in stored.session.events or [] if stored.is_damaged else []:
            if event.type == NOTE and event.data is not None:
                event.data.setdefault("kept_as", new_name)

    def _quarantined_names(self, name: str) -> list[str]:
        with os.scandir(self._directory.path) as entries:
            return [
                entry.name
                for entry in entries
                if entry.name.startswith((name + QUARANTINE_SUFFIX, name + LEGACY_SUFFIX))
            ]
