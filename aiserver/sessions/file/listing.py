"""List the sessions of one directory. Synchronous.

Invariants:

- A list always shows the current content of the files, no matter which program wrote them.
- File names are cached until the folder's stamp changes, a summary until its file's stamp changes.
  So the time depends mainly on the number of listed sessions.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import sys
import threading
from bisect import bisect
from collections.abc import Hashable, Iterable
from operator import itemgetter
from typing import NamedTuple

from ...durable import Stamp
from ...models import SessionKey, SessionSummary
from ..record import codec
from ..record.codec import DamagedData
from ..record.filenames import (
    find_ids,
    is_legacy_name,
    is_session_name,
    legacy_name,
    parse_session_name,
    session_name,
    session_prefix,
)
from ..record.mutations import summarise, summary_marks
from ..record.recovery import is_empty, recover
from .session_files import SessionFiles, find_key

_MAX_CACHED = 20_000  # summaries
_LAST_CHARACTER = chr(sys.maxunicode)  # no other character sorts after it


class _CachedSummary(NamedTuple):
    """A summary, valid as long as ``stamp`` is the file's stamp."""

    stamp: Stamp
    summary: SessionSummary
    expected_name: str
    """The name that the session file of this cell should have if the session has no owner."""
    is_legacy: bool
    """Whether the file is a legacy file, or a damaged file with a legacy name."""


class Listing:
    """Lists the session files of one directory."""

    def __init__(self, files: SessionFiles) -> None:
        self._files, self._directory = files, files.directory
        self._summaries: dict[str, _CachedSummary] = {}
        self._names_lock = threading.Lock()  # for the next two attributes
        self._folder_stamp: Stamp | None = None
        self._names: list[str] = []  # all file names, sorted

    def summaries(self, notebook_id: str | None, owner: str) -> list[SessionSummary]:
        """Return summaries of a notebook's sessions, or of all, in no fixed order."""
        return self._summarise(self._candidate_names(notebook_id), notebook_id, owner)

    def _summarise(
        self, names: Iterable[str], notebook_id: str | None, owner: str
    ) -> list[SessionSummary]:
        summaries = []
        for name in names:
            cached = self._read_summary(name)
            if cached is None or notebook_id not in (None, cached.summary.notebook_id):
                continue
            expected_name = _expected_name(cached.summary, owner) if owner else cached.expected_name
            # A file with another name is a copy that somebody made by hand. A legacy file is listed
            # if its cell has no file in the current format.
            if name == expected_name or (
                cached.is_legacy
                and not owner
                and not os.path.lexists(self._directory.path / expected_name)
            ):
                summaries.append(cached.summary)
        return summaries

    def marks(self, notebook_id: str | None, owner: str) -> dict[tuple[str, str], Hashable]:
        """Return a mark for each session, the newest first.

        It is the stamp of the file or, on a disk with unreliable stamps, a hash of its bytes. If
        the ids aren't in the file's name, because they are too long, it is made from the summary,
        and the session comes last.
        """
        names = self._candidate_names(notebook_id)
        ambiguous_names = []
        stamps: list[tuple[int, tuple[str, str], Hashable]] = []
        for name in names:
            key = parse_session_name(name, owner)
            if key is None:
                ambiguous_names.append(name)
            elif notebook_id in (None, key.notebook_id) and (stamp := self._files.stamp(name)):
                # The garbage collector doesn't track plain tuples of numbers. A later change may
                # have the same stamp if it isn't settled; then the mark equals no other.
                mark = tuple(stamp) if self._files.is_settled(stamp) else object()
                if not self._directory.trusts_stamps:
                    mark = self._hash_content(name)
                stamps.append((stamp.mtime_ns, (key.notebook_id, key.cell_id), mark))
        stamps.sort(key=itemgetter(0), reverse=True)
        marks = {cell: mark for _, cell, mark in stamps}
        return marks | summary_marks(self._summarise(ambiguous_names, notebook_id, owner))

    def _hash_content(self, name: str) -> Hashable:
        try:
            content = self._files.read(name)
        except (DamagedData, OSError):
            return object()  # equals no other mark
        return hashlib.sha256(content[0]).digest() if content else None

    def owners(self) -> list[str]:
        """Return the owners of the sessions, sorted, with ``""`` unless the folder is missing."""
        if not self._directory.exists():
            return []
        owners = {""}
        for name in self._candidate_names(None):
            with contextlib.suppress(DamagedData, OSError):
                content = self._files.read(name)
                meta = codec.parse(content[0]).meta if content else None
                if meta and meta.owner:
                    key = SessionKey(meta.notebook_id, meta.cell_id, meta.owner)
                    if session_name(key) == name:
                        owners.add(meta.owner)
        return sorted(owners)

    def _read_summary(self, name: str) -> _CachedSummary | None:
        stamp, cached = self._files.stamp(name), self._summaries.get(name)
        if stamp is None:
            return None
        if cached and cached.stamp == stamp:
            return cached
        try:
            content = self._files.read(name)
            parsed = content and self._parse(name, content[0])
        except DamagedData:
            self._files.report(name, b"")
            return None
        except OSError:  # other sessions are still listed
            self._files.log.warning("The session file %s can't be read.", name)
            return None
        if content is None or parsed is None:
            return None
        summary = summarise(parsed.session)
        has_legacy_name = name == legacy_name(summary.notebook_id, summary.cell_id)
        cached = _CachedSummary(
            content[1], summary, _expected_name(summary), parsed.is_legacy and has_legacy_name
        )
        if self._files.is_settled(content[1]):
            if len(self._summaries) >= _MAX_CACHED:
                self._summaries.clear()
            self._summaries[name] = cached
        return cached

    def _parse(self, name: str, data: bytes) -> codec.Parsed | None:
        try:
            return codec.read(data)
        except DamagedData:
            if is_session_name(name) or find_ids(data):
                self._files.report(name, data)
            key = find_key(name, data)
            session = recover(data, key) if key else None
            if session is None or is_empty(session):
                return None
            # A damaged file with a legacy name is listed, too.
            return codec.Parsed(session, is_legacy=True)

    def _candidate_names(self, notebook_id: str | None) -> list[str]:
        if not self._directory.exists():
            return []
        with self._names_lock:
            stamp = Stamp.of(self._directory.path.stat())
            if stamp != self._folder_stamp:
                # Read before the names: a file created in between changes the stamp again.
                self._folder_stamp = stamp if self._files.is_settled(stamp) else None
                self._names = sorted(os.listdir(self._directory.path))  # noqa: PTH208 - faster
            names = self._names
        if notebook_id is not None:
            # Legacy names begin with the second prefix.
            prefixes = {session_prefix(notebook_id), f"{notebook_id}_"}
            names = [
                name
                for prefix in prefixes
                for name in names[bisect(names, prefix) : bisect(names, prefix + _LAST_CHARACTER)]
            ]
        return [name for name in names if is_session_name(name) or is_legacy_name(name)]


def _expected_name(summary: SessionSummary, owner: str = "") -> str:
    return session_name(SessionKey(summary.notebook_id, summary.cell_id, owner))
