"""Lists of the sessions of one place. Synchronous.

What must hold: a list is of what is on disk now, whoever wrote it, and costs as much as what is
listed, not as what else is there. So the names are kept as long as the folder's own stamp says
that none came and none went, and the summary of a file as long as its stamp says that it is the
same.
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


class _Known(NamedTuple):
    stamp: Stamp
    summary: SessionSummary
    is_own: bool  # whether the name is that of nobody's session with these ids
    ours: str = ""  # of a file of the predecessor under a name that isn't ours: our name


class Listing:
    """The session files of one place, to be listed."""

    def __init__(self, reader: Reader) -> None:
        self._reader, self._place = reader, reader.place
        self._names = Names(reader)
        self._summaries: LRUCache[str, _Known] = LRUCache(20_000)

    def summaries(self, notebook_id: str | None, owner: str) -> list[SessionSummary]:
        """A summary of each session, in no order. Damaged ones are told in the log."""
        if not self._place.is_there():
            return []
        return self._rows(self._names.of(notebook_id), notebook_id, owner)

    def _rows(
        self, names: Iterable[str], notebook_id: str | None, owner: str
    ) -> list[SessionSummary]:
        rows = []
        folder = os.fspath(self._place.path)
        for name in names:
            known = self._known(name, f"{folder}{os.sep}{name}")
            if known is None or notebook_id not in (None, known.summary.notebook_id):
                continue
            # A file whose name isn't its own (a copy made by hand) is no cell's session.
            is_own = _is_own(known.summary, name, owner) if owner else known.is_own
            if is_own or (known.ours and not owner and known.ours not in self._names):
                rows.append(known.summary)
        return rows

    def marks(self, notebook_id: str | None, owner: str) -> dict[tuple[str, str], Hashable]:
        """The stamp of each session's file, the newest first; a summary of those few whose name
        doesn't tell whose they are. Where stamps prove nothing, a digest of each file's bytes.
        """
        if not self._place.is_there():
            return {}
        names = self._names.of(notebook_id)
        folder, now, others = os.fspath(self._place.path), time.time_ns(), []
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
                        # (A plain tuple is nothing to Python's garbage collector.)
                        mark = tuple(stamp) if self._reader.is_settled(stamp, now) else object()
                        if not self._place.trusts_stamps:
                            mark = self._digest(name)
                        stamps.append((stamp.mtime_ns, cell, mark))
        stamps.sort(key=itemgetter(0), reverse=True)
        found = {cell: mark for _, cell, mark in stamps}
        return found | summary_marks(self._rows(others, notebook_id, owner))

    def _digest(self, name: str) -> Hashable:
        try:
            read = self._reader.read(name)
        except (DamagedData, OSError):
            return object()
        return hashlib.sha256(read[0]).digest() if read else None

    def owners(self) -> list[str]:
        """Nobody, where there is anything, and whom the sessions name as their owners."""
        if not self._place.is_there():
            return []
        owners = {""}
        for name in self._names.of(None):
            with contextlib.suppress(DamagedData, OSError):
                found = self._reader.read(name)
                meta = codec.parse(found[0]).meta if found else None
                if meta and meta.owner:
                    key = SessionKey(meta.notebook_id, meta.cell_id, meta.owner)
                    owners |= {meta.owner} if session_name(key) == name else set()
        return sorted(owners)

    def _known(self, name: str, path: str) -> _Known | None:
        try:
            status = os.lstat(path)
        except FileNotFoundError:
            return None  # deleted meanwhile
        if not stat.S_ISREG(status.st_mode):
            return None
        known = self._summaries.get(name)
        if known and known.stamp == Stamp.of(status):
            return known
        try:
            read = self._reader.read(name)
            parsed = read and self._parsed(name, read[0])
        except DamagedData:
            self._reader.report(name, b"")
            return None
        except OSError:  # one that we may not read must not hide the others
            self._reader.log.warning("The session file %s can't be read.", name)
            return None
        if read is None or parsed is None:
            return None
        summary = summarise(parsed.session)
        key = SessionKey(summary.notebook_id, summary.cell_id)
        ours = session_name(key)
        is_raw = parsed.is_legacy and name == legacy_name(key.notebook_id, key.cell_id)
        known = _Known(read[1], summary, ours == name, ours if is_raw and ours != name else "")
        if self._reader.is_settled(read[1]):
            self._summaries.put(name, known)
        return known

    def _parsed(self, name: str, data: bytes) -> codec.Parsed | None:
        try:
            return codec.read(data)
        except DamagedData:
            if is_session_name(name) or find_ids(data):
                self._reader.report(name, data)
            key, is_raw = parse_session_name(name), False
            if key is None and (said := find_ids(data)) and legacy_name(*said) == name:
                key, is_raw = SessionKey(*said), True
            session = self._reader.recover(name, data, key) if key else None
            return None if session is None or is_empty(session) else codec.Parsed(session, is_raw)


class Names:
    """The names of the session files in a folder."""

    def __init__(self, reader: Reader) -> None:
        self._reader, self._folder = reader, reader.place.path
        self._guard = threading.Lock()
        self._stamp: Stamp | None = None
        self._all: set[str] = set()
        self._by_head: defaultdict[str, set[str]] = defaultdict(set)

    def of(self, notebook_id: str | None) -> list[str]:
        """Those that may be a notebook's; all for None."""
        with self._guard:
            self._look()
            if notebook_id is None:
                return [name for name in self._all if _may_be_one(name)]
            heads = {encode(notebook_id), _head(notebook_id), _HASHED}
            names = [name for head in heads for name in self._by_head.get(head, ())]
        return [
            name
            for name in names
            if may_belong_to_notebook(name, notebook_id) or is_legacy_name_of(name, notebook_id)
        ]

    def __contains__(self, name: str) -> bool:
        return name in self._all

    def _look(self) -> None:
        stamp = Stamp.of(self._folder.stat())
        if stamp == self._stamp:
            return
        # Before the names are read: what comes meanwhile is at most found again.
        self._stamp = stamp if self._reader.is_settled(stamp) else None
        there = set(os.listdir(self._folder))  # noqa: PTH208 - a tenth of iterdir's time
        self._sort_in(there - self._all, self._all - there)
        self._all = there

    def _sort_in(self, new: Iterable[str], gone: Iterable[str]) -> None:
        for name in gone:
            self._by_head[_head(name)].discard(name)
        for name in new:
            if _may_be_one(name):
                self._by_head[_head(name)].add(name)


_HASHED = "~~"


@lru_cache(50_000)
def _cell_of(name: str, owner: str) -> tuple[str, str] | None:
    """Notebook and cell, where the name of an owner's file tells them."""
    key = parse_session_name(name, owner)
    return (key.notebook_id, key.cell_id) if key else None


def _may_be_one(name: str) -> bool:
    return is_session_name(name) or is_legacy_name(name)


def _head(name: str) -> str:
    """What a name says of its notebook."""
    return _HASHED if "~~" in name else name.partition("_")[0]


def _is_own(summary: SessionSummary, name: str, owner: str) -> bool:
    return session_name(SessionKey(summary.notebook_id, summary.cell_id, owner)) == name
