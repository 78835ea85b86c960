"""What is kept of a whole notebook, read together: its sessions, its log, and its timeline.

What must hold:

- What is answered is what the store holds now, whoever wrote it: each call asks for the
  revisions, and reads again only what has another one than it had.
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
from typing import NamedTuple

from .loading import keep, loading
from .models import NotebookLogEntry, Session, SessionKey, SessionSummary, check_id, dumps
from .replay import Step, Timeline, replay
from .sessions import codec, digests
from .sessions.base import SessionManager
from .sessions.digests import Places
from .sessions.recovery import readable

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


@dataclass
class _Known:
    """What is remembered of a notebook."""

    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    marks: dict[str, Hashable] = field(default_factory=dict)
    raw: dict[str, bytes] = field(default_factory=dict)
    steps: dict[str, Sequence[Step]] = field(default_factory=dict)
    merges: dict[str, object] = field(default_factory=dict)
    places: dict[str, Places] = field(default_factory=dict)
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
            with loading():
                return await self._read(notebook_id, known)

    def _remembered(self, notebook_id: str) -> _Known:
        known = self._known.setdefault(notebook_id, _Known())
        self._known.move_to_end(notebook_id)
        while len(self._known) > _NOTEBOOKS:
            self._known.popitem(last=False)
        return known

    async def _read(self, notebook_id: str, known: _Known) -> History:
        rows, _ = await self._store.list_sessions(notebook_id, owner=self._owner)
        marks = {row.cell_id: _mark(row) for row in rows}
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
        made = await asyncio.to_thread(_made, self._owner, notebook_id, known, loaded, log, marks)
        known.log_mark, known.log, known.marks = log_mark, log, marks
        known.raw, known.steps, known.merges, known.places, known.history = made
        if sum(len(made.steps.get(cell_id, ())) for cell_id in changed) > _MANY:
            keep()
        return made.history


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
    marks: dict[str, Hashable] = dict.fromkeys(stored, True)
    return _made(owner, notebook_id, _Known(), stored, log, marks).history


def _mark(row: SessionSummary) -> Hashable:
    # Files of other tools have no revision.
    return row.revision, row.turns, row.events, row.last_updated


class _Made(NamedTuple):
    raw: dict[str, bytes]
    steps: dict[str, Sequence[Step]]
    merges: dict[str, object]  # by cell, where branches were merged: ``meta.merged``
    places: dict[str, Places]  # by cell, where a line of the log needed them
    history: History


def _made(
    owner: str,
    notebook_id: str,
    known: _Known,
    loaded: Mapping[str, bytes],
    log: Sequence[NotebookLogEntry],
    marks: dict[str, Hashable],
) -> _Made:
    """``marks`` loses those of sessions that are gone, or of which nothing is whole."""
    raw: dict[str, bytes] = {}
    steps: dict[str, Sequence[Step]] = {}
    merges: dict[str, object] = {}
    places: dict[str, Places] = {}
    for cell_id in sorted(marks):
        if known.marks.get(cell_id) == marks[cell_id]:
            raw[cell_id], steps[cell_id] = known.raw[cell_id], known.steps[cell_id]
            if cell_id in known.merges:
                merges[cell_id] = known.merges[cell_id]
            if cell_id in known.places:
                places[cell_id] = known.places[cell_id]
            continue
        data = loaded.get(cell_id)
        session = readable(data, SessionKey(notebook_id, cell_id, owner)) if data else None
        if session is None:
            del marks[cell_id]
        else:
            raw[cell_id], steps[cell_id] = dumps(session, None), replay(session)
            if session.meta.merged:
                merges[cell_id] = session.meta.merged
    state = (notebook_id, log[-1].seq if log else 0, sorted(marks.items(), key=lambda row: row[0]))
    version = hashlib.sha256(repr(state).encode()).hexdigest()[:16]

    def places_of(cell_id: str) -> Places | None:
        if cell_id in raw and cell_id not in places:
            places[cell_id] = digests.places(codec.parse(raw[cell_id]))
        return places.get(cell_id)

    lines = [digests.with_marks_now(entry, merges, places_of) for entry in log]
    timeline = Timeline(steps, lines)
    return _Made(
        raw, steps, merges, places, History(notebook_id, Sessions(raw), log, timeline, version)
    )
