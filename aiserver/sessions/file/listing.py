"""List the sessions of one directory. Synchronous.

Invariants:

- A list reflects the current files, whichever program wrote them.
- The cost of a list depends only on the number of listed sessions. So the names of all files are
  cached until the folder's stamp changes, and the summary of a file until the file's stamp changes.
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
from ..record.damage.recovery import is_empty
from ..record.filenames import is_session_name, parse_session_name, session_name, session_prefix
from ..record.legacy_format import find_ids, is_legacy_name, legacy_name
from ..record.lru_cache import LRUCache
from ..record.summaries import summarise, summary_marks
from .reader import Reader, find_key

_LAST = chr(sys.maxunicode)  # no character sorts after it


class _CachedSummary(NamedTuple):
    stamp: Stamp
    summary: SessionSummary
    own_name: str  # the file name of the summary's cell, without an owner
    is_legacy: bool  # whether the file has a legacy name


class Listing:
    """Lists the session files of one directory."""

    def __init__(self, reader: Reader) -> None:
        self._reader, self._directory = reader, reader.directory
        self._summaries: LRUCache[str, _CachedSummary] = LRUCache(20_000)
        self._guard = threading.Lock()
        self._stamp: Stamp | None = None
        self._names: list[str] = []

    def summaries(self, notebook_id: str | None, owner: str) -> list[SessionSummary]:
        """Return a summary of each session, in no particular order. Logs damaged files."""
        return self._summarise(self._names_of(notebook_id), notebook_id, owner)

    def _summarise(
        self, names: Iterable[str], notebook_id: str | None, owner: str
    ) -> list[SessionSummary]:
        summaries = []
        for name in names:
            cached = self._read_summary(name)
            if cached is None or notebook_id not in (None, cached.summary.notebook_id):
                continue
            own_name = _own_name(cached.summary, owner) if owner else cached.own_name
            # A file whose name doesn't match its ids is a copy made by hand, so it isn't listed.
            if name == own_name or (
                cached.is_legacy
                and not owner
                and not os.path.lexists(self._directory.path / own_name)
            ):
                summaries.append(cached.summary)
        return summaries

    def marks(self, notebook_id: str | None, owner: str) -> dict[tuple[str, str], Hashable]:
        """Return a mark for each session, newest first: a value that changes with the session.

        It is the stamp of the session's file, or where stamps aren't reliable, a digest of the
        file's bytes. If the file's name doesn't determine the cell, it is the session's summary.
        """
        names = self._names_of(notebook_id)
        ambiguous_names = []
        stamps: list[tuple[int, tuple[str, str], Hashable]] = []
        for name in names:
            key = parse_session_name(name, owner)
            if key is None:
                ambiguous_names.append(name)
            elif notebook_id in (None, key.notebook_id) and (stamp := self._reader.stamp(name)):
                # A plain tuple, which the garbage collector doesn't track. Until the stamp is
                # settled, an object that equals no other mark, so the session counts as changed.
                mark = tuple(stamp) if self._reader.is_settled(stamp) else object()
                if not self._directory.trusts_stamps:
                    mark = self._digest(name)
                stamps.append((stamp.mtime_ns, (key.notebook_id, key.cell_id), mark))
        stamps.sort(key=itemgetter(0), reverse=True)
        marks = {cell: mark for _, cell, mark in stamps}
        return marks | summary_marks(self._summarise(ambiguous_names, notebook_id, owner))

    def _digest(self, name: str) -> Hashable:
        try:
            read = self._reader.read(name)
        except (DamagedData, OSError):
            return object()
        return hashlib.sha256(read[0]).digest() if read else None

    def owners(self) -> list[str]:
        """Return the owners that sessions name, and ``""`` if the folder exists; sorted."""
        if not self._directory.exists():
            return []
        owners = {""}
        for name in self._names_of(None):
            with contextlib.suppress(DamagedData, OSError):
                read = self._reader.read(name)
                meta = codec.parse(read[0]).meta if read else None
                if meta and meta.owner:
                    key = SessionKey(meta.notebook_id, meta.cell_id, meta.owner)
                    owners |= {meta.owner} if session_name(key) == name else set()
        return sorted(owners)

    def _read_summary(self, name: str) -> _CachedSummary | None:
        stamp, cached = self._reader.stamp(name), self._summaries.get(name)
        if stamp is None:
            return None
        if cached and cached.stamp == stamp:
            return cached
        try:
            read = self._reader.read(name)
            parsed = read and self._parse(name, read[0])
        except DamagedData:
            self._reader.report(name, b"")
            return None
        except OSError:  # one unreadable file must not hide the other sessions
            self._reader.log.warning("The session file %s can't be read.", name)
            return None
        if read is None or parsed is None:
            return None
        summary = summarise(parsed.session)
        has_legacy_name = name == legacy_name(summary.notebook_id, summary.cell_id)
        cached = _CachedSummary(
            read[1], summary, _own_name(summary), parsed.is_legacy and has_legacy_name
        )
        if self._reader.is_settled(read[1]):
            self._summaries.put(name, cached)
        return cached

    def _parse(self, name: str, data: bytes) -> codec.Parsed | None:
        try:
            return codec.read(data)
        except DamagedData:
            if is_session_name(name) or find_ids(data):
                self._reader.report(name, data)
            key = find_key(name, data)
            session = self._reader.recover(name, data, key) if key else None
            return None if session is None or is_empty(session) else codec.Parsed(session, True)

    def _names_of(self, notebook_id: str | None) -> list[str]:
        """Return the names of files that may be sessions of a notebook, or of any for None."""
        if not self._directory.exists():
            return []
        with self._guard:
            stamp = Stamp.of(self._directory.path.stat())
            if stamp != self._stamp:
                # Set before the names are read. A file that is created meanwhile changes the
                # folder's stamp again, so the next call reads the names again.
                self._stamp = stamp if self._reader.is_settled(stamp) else None
                self._names = sorted(os.listdir(self._directory.path))  # noqa: PTH208 - faster
            names = self._names
        if notebook_id is not None:
            prefixes = {session_prefix(notebook_id), f"{notebook_id}_"}  # or a legacy name
            names = [
                name
                for prefix in prefixes
                for name in names[bisect(names, prefix) : bisect(names, prefix + _LAST)]
            ]
        return [name for name in names if is_session_name(name) or is_legacy_name(name)]


def _own_name(summary: SessionSummary, owner: str = "") -> str:
    return session_name(SessionKey(summary.notebook_id, summary.cell_id, owner))
