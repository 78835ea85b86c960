"""What is kept of a whole notebook, read together: its sessions, its log, and its timeline.

What must hold:

- What is answered is what the store holds now, whoever wrote it, and be it a text that was edited
  in a file: each call asks for the store's marks, and reads again only what has another one.
- Nothing is computed on the event loop. Of several calls for one notebook at a time, one reads.
- At most a few notebooks are remembered, and as few objects of each as will do, none in a circle:
  Python's garbage collector looks through all there are, and stops the server for it, so it is
  spared those of a large notebook.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections import OrderedDict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from ..gc_pause import freeze_gc, pause_gc
from ..models import NotebookLogEntry, Session, SessionKey, check_id, dumps
from ..replay import Step, Timeline, replay
from ..sessions.base import SessionManager
from ..sessions.record import codec
from ..sessions.record.damage.recovery import parse_or_recover
from ..sessions.record.merge import digests
from ..sessions.record.merge.digests import SeqsByDigest

_NOTEBOOKS = 4
_AT_ONCE = 64  # sessions that are asked for together
_MANY = 5_000  # steps, of some ten objects each: to look through them takes 10 ms


class Sessions(Mapping[str, Session]):
    """The sessions of a notebook by cell, read from their bytes each time one is asked for."""

    def __init__(self, raw: Mapping[str, bytes]) -> None:
        self._raw = raw

    def __getitem__(self, cell_id: str) -> Session:
        return codec.parse(self._raw[cell_id])

    def __iter__(self) -> Iterator[str]:
        return iter(self._raw)

    def __len__(self) -> int:
        return len(self._raw)


@dataclass(frozen=True)
class History:
    """All that is kept of a notebook at one time. Not changed after it was made."""

    notebook_id: str
    sessions: Mapping[str, Session]
    """By cell."""
    log: Sequence[NotebookLogEntry]
    timeline: Timeline
    version: str
    """Another one as soon as anything was written."""


@dataclass(eq=False)
class _Cell:
    """What is remembered of a session."""

    digest: bytes
    """Of the bytes as stored."""
    raw: bytes
    steps: Sequence[Step]
    merged: object
    """Where branches were merged: ``meta.merged``."""
    seqs_by_digest: SeqsByDigest | None = None
    """Where a line of the log needed them."""


@dataclass
class _Known:
    """What is remembered of a notebook."""

    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    marks: Mapping[str, Hashable] = field(default_factory=dict)
    cells: dict[str, _Cell] = field(default_factory=dict)
    log_mark: Hashable = None
    log: Sequence[NotebookLogEntry] = ()
    history: History | None = None


class Histories:
    """The histories of one owner's notebooks."""

    def __init__(self, store: SessionManager, *, owner: str = "") -> None:
        self._store, self._owner = store, owner
        self._known: OrderedDict[str, _Known] = OrderedDict()

    async def of(self, notebook_id: str, *, version: str | None = None) -> History:
        """The history of a notebook; an empty one of one that is not known.

        If ``version`` is the one that is remembered, the store isn't asked: so one can step
        through the moments of a timeline while it grows. Raises InvalidRequest, StorageError.
        """
        check_id("notebookId", notebook_id)
        known = self._remembered(notebook_id)
        if version is not None and known.history and known.history.version == version:
            return known.history
        async with known.lock:
            with pause_gc():
                return await self._read(notebook_id, known)

    def _remembered(self, notebook_id: str) -> _Known:
        known = self._known.setdefault(notebook_id, _Known())
        self._known.move_to_end(notebook_id)
        while len(self._known) > _NOTEBOOKS:
            self._known.popitem(last=False)
        return known

    async def _read(self, notebook_id: str, known: _Known) -> History:
        there = await self._store.session_marks(notebook_id, owner=self._owner)
        marks = {cell_id: mark for (_, cell_id), mark in there.items()}
        log_mark = (await self._store.notebook_marks(owner=self._owner)).get(notebook_id)
        is_same = log_mark == known.log_mark and marks == known.marks
        if known.history and is_same:
            return known.history
        log = known.log
        if log_mark is None:
            log = ()
        elif log_mark != known.log_mark:
            log = await self._store.read_notebook_log(notebook_id, owner=self._owner)
        changed = [cell_id for cell_id, mark in marks.items() if known.marks.get(cell_id) != mark]
        loaded = await load_stored(self._store, self._owner, notebook_id, changed)
        # In one thread: many that read JSON side by side would all take turns with the event loop.
        old = {cell_id: cell for cell_id, cell in known.cells.items() if cell_id in marks}
        cells = await asyncio.to_thread(_cells, self._owner, notebook_id, old, changed, loaded)
        if known.history is None or cells != known.cells or log_mark != known.log_mark:
            known.history = await asyncio.to_thread(_history, notebook_id, cells, log, log_mark)
        known.log_mark, known.log, known.cells = log_mark, log, cells
        unread = set(changed) - loaded.keys()  # asked for again the next time
        known.marks = {cell_id: mark for cell_id, mark in marks.items() if cell_id not in unread}
        if sum(len(cells[cell_id].steps) for cell_id in changed if cell_id in cells) > _MANY:
            freeze_gc()
        return known.history


async def load_stored(
    store: SessionManager, owner: str, notebook_id: str, cell_ids: Sequence[str]
) -> dict[str, bytes]:
    """The sessions of some cells as they are stored, by cell; without those that are not there."""
    found: dict[str, bytes] = {}
    for at in range(0, len(cell_ids), _AT_ONCE):
        some = cell_ids[at : at + _AT_ONCE]
        keys = [SessionKey(notebook_id, cell_id, owner) for cell_id in some]
        stored = await store.load_stored(keys)
        found |= {cell: data for cell, data in zip(some, stored, strict=True) if data}
    return found


def history_of(
    owner: str,
    notebook_id: str,
    stored: Mapping[str, bytes],
    log: Sequence[NotebookLogEntry],
) -> History:
    """The history of a notebook, from the bytes of its sessions by cell. Takes its time."""
    return _history(notebook_id, _cells(owner, notebook_id, {}, list(stored), stored), log, None)


def _cells(
    owner: str,
    notebook_id: str,
    old: Mapping[str, _Cell],
    changed: Sequence[str],
    loaded: Mapping[str, bytes],
) -> dict[str, _Cell]:
    """The sessions, sorted by cell: those that changed, and the old ones where they didn't."""
    cells = dict(old)
    for cell_id in changed:
        before, data = cells.pop(cell_id, None), loaded.get(cell_id)
        digest = hashlib.sha256(data).digest() if data else b""
        if before and before.digest == digest:
            cells[cell_id] = before  # the file was only touched
        elif data and (session := parse_or_recover(data, SessionKey(notebook_id, cell_id, owner))):
            merged = session.meta.merged
            cells[cell_id] = _Cell(digest, dumps(session, None), replay(session), merged)
    return dict(sorted(cells.items()))


def _history(
    notebook_id: str,
    cells: Mapping[str, _Cell],
    log: Sequence[NotebookLogEntry],
    log_mark: Hashable,
) -> History:
    contents = [(cell_id, cell.digest) for cell_id, cell in cells.items()]
    state = (notebook_id, log[-1].seq if log else 0, log_mark, contents)
    version = hashlib.sha256(repr(state).encode()).hexdigest()[:16]

    def places_of(cell_id: str) -> SeqsByDigest | None:
        cell = cells.get(cell_id)
        if cell and cell.seqs_by_digest is None:
            cell.seqs_by_digest = digests.seqs_by_digest(codec.parse(cell.raw))
        return cell.seqs_by_digest if cell else None

    merges = {cell_id: cell.merged for cell_id, cell in cells.items() if cell.merged}
    last_seqs = {
        cell_id: max((step.seq or 0 for step in cell.steps), default=0)
        for cell_id, cell in cells.items()
    }
    lines = digests.renumber_entries(log, merges, last_seqs, places_of)
    timeline = Timeline({cell_id: cell.steps for cell_id, cell in cells.items()}, lines)
    sessions = Sessions({cell_id: cell.raw for cell_id, cell in cells.items()})
    return History(notebook_id, sessions, log, timeline, version)
