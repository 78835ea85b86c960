"""Load, change and delete the JSON files of cells. Synchronous: ``manager.py`` runs it in threads.

Invariants:

- A method that changes a session reads, edits and replaces its file under the file's lock. The
  change is durable when the method returns.
- When a method changes a damaged file, it first copies the damaged bytes into quarantine. Then it
  atomically replaces the file with the intact records and the change.
- A file with a newer major version of the format is never written, quarantined or removed.
- Legacy files are read where they are. The next write to the session creates a file in the current
  format under the current name. The legacy file is preserved: usually, it stays where it is. If the
  new file has the same name and so replaces the legacy file, the legacy file is copied first.
- Cached content of a file is used only while the file's stamp is unchanged.
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
from ..record import codec, slices
from ..record.codec import DamagedData
from ..record.damage.recovery import RECOVERED_TYPE, is_empty
from ..record.filenames import session_name
from ..record.lazy_session import AnySession, parse_lazily
from ..record.lru_cache import LRUCache
from ..record.mutations import check_writable, fork_session
from ..record.splice import SessionBytes
from ..threads import respond
from .git_stages import complete_conflict
from .reader import Reader, StoredSession

T = TypeVar("T")

LEGACY_SUFFIX = ".v0-"  # the name of a legacy file's copy ends with this suffix and a number
_MAX_CACHED_BYTES = 64 * 1024 * 1024


class _CachedFile(NamedTuple):
    """The bytes of a file. They need no validation, because this process parsed or wrote them."""

    stamp: Stamp
    data: bytes
    revision: int


class _ExtensibleFile(NamedTuple):
    """A file that this process wrote. ``content`` is its content, to which records can be added."""

    stamp: Stamp
    revision: int
    content: SessionBytes  # used only while the file is locked


class SessionFiles:
    """The session files of one directory."""

    def __init__(self, reader: Reader) -> None:
        self._reader, self._directory, self._log = reader, reader.directory, reader.log
        self._extensible_files: LRUCache[str, _ExtensibleFile] = LRUCache(
            256, limit=_MAX_CACHED_BYTES, weight=lambda file: file.content.size()
        )
        self._cached_files: LRUCache[str, _CachedFile] = LRUCache(
            256, limit=_MAX_CACHED_BYTES // 2, weight=lambda file: len(file.data)
        )

    def load(self, key: SessionKey) -> Session | None:
        """Return the stored session, or None if there is no file.

        If the file is damaged, the session contains only the intact records. Raises SessionCorrupt
        if no record is intact.
        """
        stored = self._reader.load(key)
        return stored and stored.session

    def load_lazily(self, key: SessionKey) -> AnySession | None:
        """Return the same session as ``load``. The turns of a large session aren't parsed."""
        large = self._read_large(session_name(key))
        return (large and parse_lazily(large[0], key)) or self.load(key)

    def load_cached(self, key: SessionKey) -> tuple[bytes, int] | None:
        """Return the cached result of ``load_raw``, or None if it is missing or out of date.

        This method is fast, because it only reads the file's stamp. On a network disk, nothing is
        cached.
        """
        name = session_name(key)
        cached_file = self._cached_files.get(name)
        if cached_file is None or cached_file.stamp != self._reader.stamp(name):
            return None
        return cached_file.data, cached_file.revision

    def load_raw(self, key: SessionKey) -> tuple[bytes, int] | None:
        """Return a session's bytes and revision, or None if there is no file.

        Raises the same errors as ``load``.
        """
        name = session_name(key)
        if unchanged := self._load_unchanged(name):
            return unchanged
        large = self._read_large(name)
        if large and (session := parse_lazily(large[0], key)):
            return self._cache(name, *large, session.revision)
        stored = self._reader.load(key)
        if stored is None:
            return None
        revision = stored.session.revision
        if not stored.is_current:
            return codec.encode(stored.session), revision
        return self._cache(stored.name, stored.data, stored.stamp, revision)

    def _cache(self, name: str, data: bytes, stamp: Stamp, revision: int) -> tuple[bytes, int]:
        if self._reader.is_settled(stamp):
            self._cached_files.put(name, _CachedFile(stamp, data, revision))
        return data, revision

    def _load_unchanged(self, name: str) -> tuple[bytes, int] | None:
        """Return a file's bytes and revision if the file is unchanged since this process wrote it.

        Otherwise, return None. Bytes that this process wrote need no validation.
        """
        file = self._extensible_files.get(name)
        try:
            data, stamp = (file and self._reader.read(name)) or (b"", None)
        except DamagedData:
            return None
        if file is None or stamp != file.stamp:
            return None
        self._cached_files.put(name, _CachedFile(file.stamp, data, file.revision))
        return data, file.revision

    def load_raw_unchecked(self, key: SessionKey) -> bytes | None:
        """Return the bytes of a session's file, without checking whether they are damaged.

        Return None if there is no file or it can't be read. If git left a conflict in the file, the
        bytes contain one conflict between the two complete sides.
        """
        name = session_name(key)
        try:
            if content := self._reader.read(name):
                return complete_conflict(self._directory.path / name, content[0])
            legacy = self._reader.find_legacy(key)
        except DamagedData:
            return None
        except OSError:  # one unreadable file must not prevent reading the other files of the batch
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
        """Append events to a new or stored session; return the saved events and the new revision.

        If all events are already stored, nothing is written.
        """
        return self._extend(key, if_revision, lambda target: target.add_events(events))

    def change(self, key: SessionKey, edit: Callable[[Session], bool]) -> bool:
        """Edit a new or stored session; return whether that changed anything.

        ``edit`` changes the session. If it returns False, the session isn't saved.
        """
        name = session_name(key)
        with self._directory.lock(name):
            stored = self._find_locked(key)
            session = stored.session if stored else new_session(key)
            check_writable(session.meta, None)
            has_changed = edit(session)
            if has_changed:
                if stored:
                    self._copy_to_quarantine(name, stored)
                replace_file(self._directory.path, name, codec.encode(session), shareable=True)
            return has_changed

    def fork(self, source: SessionKey, target: SessionKey) -> Session:
        """Copy a session to another cell, and return the copy.

        If the target cell has a session already, copy nothing and return that session. But if that
        session is damaged and has no intact records, quarantine it and replace it with the copy.
        """
        source_session = self.load(source)
        name = session_name(target)
        with self._directory.lock(name):
            stored = self._find_locked(target)
            if stored and not (stored.is_damaged and is_empty(stored.session)):
                return stored.session
            session = fork_session(source_session, target)
            if stored:
                self._copy_to_quarantine(name, stored)
            replace_file(self._directory.path, name, codec.encode(session), shareable=True)
            return session

    def delete(self, key: SessionKey, if_revision: int | None) -> bool:
        """Delete a session and its quarantined files; return False if there was neither."""
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
        """Append records to a new or stored session with ``add``.

        Return the result of ``add`` and the new revision.
        """
        name = session_name(key)
        with self._directory.lock(name):
            # The cached content is removed first, and cached again only after a successful save.
            stamp, _, content = self._extensible_files.pop(name) or (None, 0, None)
            if content is None or stamp != self._reader.stamp(name):
                stamp = None
                large = self._read_large(name)
                content = large and SessionBytes.of_large(large[0], key)
            if content is None:
                stored = self._find_locked(key)
                if stored:
                    check_writable(stored.session.meta, if_revision)
                    self._copy_to_quarantine(name, stored)
                content = SessionBytes(stored.session if stored else new_session(key))
            check_writable(content, if_revision)
            old_revision = content.revision
            result = add(content)
            is_local = self._directory.trusts_stamps
            if content.revision != old_revision:
                stamp = replace_file(
                    self._directory.path,
                    name,
                    content.to_chunks(),
                    shareable=True,
                    # With ``on_durable``, the caller gets the result as soon as the new file is
                    # durable. Until this moment, ``replace_file`` keeps the old file open, so that
                    # freeing the old bytes doesn't delay the result. But on a network disk, an open
                    # file that is replaced stays in the folder under another name. So on a network
                    # disk, the caller waits until ``replace_file`` returns.
                    on_durable=(lambda: respond((result, content.revision))) if is_local else None,
                )
            if stamp and is_local:
                self._extensible_files.put(name, _ExtensibleFile(stamp, content.revision, content))
            return result, content.revision

    def _read_large(self, name: str) -> tuple[bytes, Stamp] | None:
        """Return a file's bytes and stamp; None if it isn't a regular file, or isn't large.

        Raises StorageError if the folder is a link.
        """
        stamp = self._reader.stamp(name) if self._directory.exists() else None
        if stamp is None or stamp.size <= slices.LARGE:
            return None
        try:
            return self._reader.read(name)
        except DamagedData:
            return None

    def _find_locked(self, key: SessionKey) -> StoredSession | None:
        """Return the stored session for editing, or None if there is no file.

        The caller must have the file's lock. If the file isn't a regular file, quarantine it and
        return None.
        """
        try:
            return self._reader.find(key)
        except DamagedData:  # a link or a folder
            name = session_name(key)
            self._log.warning("%s is not a regular file; it is quarantined.", name)
            move_to_quarantine(self._directory.path, name)
            return None

    def _copy_to_quarantine(self, name: str, stored: StoredSession) -> None:
        """Copy the file ``name``, which is about to be replaced, if it is damaged or a legacy file.

        If the session was recovered, the name of the copy is stored in its event ``recovered``.
        ``stored`` may come from a file with another name, a legacy name. That file isn't replaced,
        so it isn't copied.
        """
        if stored.is_current or stored.name != name:
            return
        suffix = QUARANTINE_SUFFIX if stored.is_damaged else LEGACY_SUFFIX
        new_name = copy_to_quarantine(self._directory.path, name, stored.data, suffix)
        kind = "damaged" if stored.is_damaged else "legacy"
        self._log.warning("The %s session file %s was copied to %s.", kind, name, new_name)
        events = (stored.session.events or []) if stored.is_damaged else []
        for event in events:
            if event.type == RECOVERED_TYPE and event.data is not None:
                event.data.setdefault("kept_as", new_name)

    def _quarantined_names(self, name: str) -> list[str]:
        """Return the names of the quarantined files and legacy copies of a session file."""
        with os.scandir(self._directory.path) as entries:
            return [
                entry.name
                for entry in entries
                if entry.name.startswith((name + QUARANTINE_SUFFIX, name + LEGACY_SUFFIX))
            ]
