"""List the sessions of one directory. Synchronous.

Invariants: a list reflects the current files, whoever wrote them, and its cost depends on the
listed sessions only. So the names are cached until the folder's stamp changes, and the summary of
a file until its stamp changes.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
import threading
import time
from collections import defaultdict
from collections.abc import Hashable, Iterable
from functools import lru_cache
from operator import itemgetter
from typing import NamedTuple

from ...durable import Stamp
from ...models import SessionKey, SessionSummary
from ..record import codec
from ..record.codec import DamagedData
from ..record.damage.recovery import is_empty
from ..record.filenames import (
    encode,
    is_session_name,
    may_belong_to_notebook,
    parse_session_name,
    session_name,
)
from ..record.legacy_format import find_ids, is_legacy_name, is_legacy_name_of, legacy_name
from ..record.lru_cache import LRUCache
from ..record.summaries import summarise, summary_marks
from .reader import Reader


class _CachedSummary(NamedTuple):
    stamp: Stamp
    summary: SessionSummary
    is_own_name: bool  # whether the name is that of these ids without an owner
    own_name: str = ""  # of a legacy file: its name in the current format, if it differs


class Listing:
    """Lists the session files of one directory."""

    def __init__(self, reader: Reader) -> None:
        self._reader, self._directory = reader, reader.directory
        self._names = FileNames(reader)
        self._summaries: LRUCache[str, _CachedSummary] = LRUCache(20_000)

    def summaries(self, notebook_id: str | None, owner: str) -> list[SessionSummary]:
        """Return a summary of each session, in no order. Damaged ones are reported in the log."""
        if not self._directory.exists():
            return []
        return self._rows(self._names.of(notebook_id), notebook_id, owner)

    def _rows(
        self, names: Iterable[str], notebook_id: str | None, owner: str
    ) -> list[SessionSummary]:
        rows = []
        folder = os.fspath(self._directory.path)
        for name in names:
            cached = self._cached_summary(name, f"{folder}{os.sep}{name}")
            if cached is None or notebook_id not in (None, cached.summary.notebook_id):
                continue
            # A file whose name doesn't match its ids (a manual copy) is not a cell's session.
            is_own_name = _is_own_name(cached.summary, name, owner) if owner else cached.is_own_name
            if is_own_name or (
                cached.own_name and not owner and cached.own_name not in self._names
            ):
                rows.append(cached.summary)
        return rows

    def marks(self, notebook_id: str | None, owner: str) -> dict[tuple[str, str], Hashable]:
        """Return the stamp of each session's file, the newest first.

        The summary replaces the stamp of files whose name doesn't determine the cell. Where
        stamps aren't reliable, a digest of the file's bytes is used.
        """
        if not self._directory.exists():
            return {}
        names = self._names.of(notebook_id)
        folder, now, others = os.fspath(self._directory.path), time.time_ns(), []
        stamps: list[tuple[int, tuple[str, str], Hashable]] = []
        for name in names:
            cell = _cell_of(name, owner)
            if cell is None:
                others.append(name)
            elif notebook_id in (None, cell[0]):
                with contextlib.suppress(FileNotFoundError):  # deleted meanwhile
                    status = os.lstat(f"{folder}{os.sep}{name}")
                    if stat.S_ISREG(status.st_mode):
                        stamp = Stamp.of(status)
                        # (The garbage collector doesn't track plain tuples.)
                        mark = tuple(stamp) if self._reader.is_settled(stamp, now) else object()
                        if not self._directory.trusts_stamps:
                            mark = self._digest(name)
                        stamps.append((stamp.mtime_ns, cell, mark))
        stamps.sort(key=itemgetter(0), reverse=True)
        marks = {cell: mark for _, cell, mark in stamps}
        return marks | summary_marks(self._rows(others, notebook_id, owner))

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
        for name in self._names.of(None):
            with contextlib.suppress(DamagedData, OSError):
                read = self._reader.read(name)
                meta = codec.parse(read[0]).meta if read else None
                if meta and meta.owner:
                    key = SessionKey(meta.notebook_id, meta.cell_id, meta.owner)
                    owners |= {meta.owner} if session_name(key) == name else set()
        return sorted(owners)

    def _cached_summary(self, name: str, path: str) -> _CachedSummary | None:
        try:
            status = os.lstat(path)
        except FileNotFoundError:
            return None  # deleted meanwhile
        if not stat.S_ISREG(status.st_mode):
            return None
        cached = self._summaries.get(name)
        if cached and cached.stamp == Stamp.of(status):
            return cached
        try:
            read = self._reader.read(name)
            parsed = read and self._parse(name, read[0])
        except DamagedData:
            self._reader.report(name, b"")
            return None
        except OSError:  # an unreadable file must not hide the others
            self._reader.log.warning("The session file %s can't be read.", name)
            return None
        if read is None or parsed is None:
            return None
        summary = summarise(parsed.session)
        key = SessionKey(summary.notebook_id, summary.cell_id)
        own_name = session_name(key)
        is_legacy_file = parsed.is_legacy and name == legacy_name(key.notebook_id, key.cell_id)
        cached = _CachedSummary(
            read[1],
            summary,
            own_name == name,
            own_name if is_legacy_file and own_name != name else "",
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
            key, is_legacy_file = parse_session_name(name), False
            if key is None and (ids := find_ids(data)) and legacy_name(*ids) == name:
                key, is_legacy_file = SessionKey(*ids), True
            session = self._reader.recover(name, data, key) if key else None
            return (
                None
                if session is None or is_empty(session)
                else codec.Parsed(session, is_legacy_file)
            )


class FileNames:
    """Indexes the names of the session files in a folder."""

    def __init__(self, reader: Reader) -> None:
        self._reader, self._folder = reader, reader.directory.path
        self._guard = threading.Lock()
        self._stamp: Stamp | None = None
        self._all: set[str] = set()
        self._by_notebook_part: defaultdict[str, set[str]] = defaultdict(set)

    def of(self, notebook_id: str | None) -> list[str]:
        """Return the names that may belong to a notebook; all names for None."""
        with self._guard:
            self._refresh()
            if notebook_id is None:
                return [name for name in self._all if _may_be_session(name)]
            heads = {encode(notebook_id), _notebook_part(notebook_id), _HASHED}
            names = [name for head in heads for name in self._by_notebook_part.get(head, ())]
        return [
            name
            for name in names
            if may_belong_to_notebook(name, notebook_id) or is_legacy_name_of(name, notebook_id)
        ]

    def __contains__(self, name: str) -> bool:
        return name in self._all

    def _refresh(self) -> None:
        stamp = Stamp.of(self._folder.stat())
        if stamp == self._stamp:
            return
        # Set before the names are read, so a file created meanwhile is read again.
        self._stamp = stamp if self._reader.is_settled(stamp) else None
        current = set(os.listdir(self._folder))  # noqa: PTH208 - a tenth of iterdir's time
        self._update_index(current - self._all, self._all - current)
        self._all = current

    def _update_index(self, new: Iterable[str], deleted: Iterable[str]) -> None:
        for name in deleted:
            self._by_notebook_part[_notebook_part(name)].discard(name)
        for name in new:
            if _may_be_session(name):
                self._by_notebook_part[_notebook_part(name)].add(name)


_HASHED = "~~"


@lru_cache(50_000)
def _cell_of(name: str, owner: str) -> tuple[str, str] | None:
    """Return notebook and cell id if the name of an owner's file determines them."""
    key = parse_session_name(name, owner)
    return (key.notebook_id, key.cell_id) if key else None


def _may_be_session(name: str) -> bool:
    return is_session_name(name) or is_legacy_name(name)


def _notebook_part(name: str) -> str:
    """Return the part of a name that identifies its notebook."""
    return _HASHED if "~~" in name else name.partition("_")[0]


def _is_own_name(summary: SessionSummary, name: str, owner: str) -> bool:
    return session_name(SessionKey(summary.notebook_id, summary.cell_id, owner)) == name
