"""Records what happened to the cells of a notebook, and in which order.

A batch is what a page noticed between two moments of its notebook: events of several cells, and
where the order of the cells or a cell's type changed, the order. When the sessions are written, a
line of the notebook's log says how far each of them had come.

What must hold:

- Sending a batch again is sending it once, also where only a part of it was written before, or
  another server wrote it.
- What a line of the log names is in the sessions before the line is there.
- A cell whose record can't be written (a newer AI Server's, a damaged one) holds up no other: it is
  left out of the answer and of the line.
- A new cell's session is made before anything of the batch is recorded: a fork holds what its
  origin held before, and the parents of a merged cell are named with what they had.
- A ``first`` look at a cell that says what the record says already is not kept.
- The first line that comes with an order says of all cells in it how far they had come, for what
  was recorded before anybody watched is older.

The lines: ``cell_order {cell_ids, types}`` and behind it, in the same write, ``changed {cells: {id:
seq}, id, saved?}``. ``saved`` marks the state that the notebook was saved in.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict, deque
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

from ..errors import AIServerError, NotFound, SessionCorrupt, SessionTooNew
from ..models import Event, Interaction, NewEvent, NewLogEntry, Session, SessionKey, new_session
from .base import SessionManager

T = TypeVar("T")

_CHANGED = "changed"
_ORDER = "cell_order"
_UNWRITABLE = (SessionTooNew, SessionCorrupt)
_AT_ONCE = 4  # cells of a batch: more would only wait for the disk
_IDS = 256  # of the newest batches; what is sent again was sent last
_NOTEBOOKS = 256


@dataclass(frozen=True)
class CellChange:
    """What happened to one cell, oldest first; and where it came from, if it is new."""

    key: SessionKey
    events: Sequence[NewEvent] = ()
    fork_of: SessionKey | None = None
    parents: Sequence[SessionKey] = ()


@dataclass(frozen=True)
class Batch:
    """What happened between two moments of a notebook. ``id`` is the sender's name of it."""

    id: str
    timestamp: str
    cells: Sequence[CellChange]
    order: Sequence[tuple[str, str]] | None = None  # (cell id, cell type)
    saved: bool = False


class Mark(NamedTuple):
    """Where a session stands: its revision, and the last place in its order."""

    revision: int
    seq: int


@dataclass
class _Known:
    """What the log of one notebook says; ``ids`` is None until looked up."""

    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    ids: deque[str] | None = None  # of the batches that were recorded last
    is_placed: bool = False  # whether one of them came with an order


class Changes:
    """Writes batches of changes into a store."""

    def __init__(self, store: SessionManager, *, owner: str = "") -> None:
        self._store, self._owner = store, owner
        self._notebooks: OrderedDict[str, _Known] = OrderedDict()

    async def record(self, notebook_id: str, batch: Batch) -> dict[str, Mark]:
        """Record a batch; say where the session of each cell stands that could be written.

        Raises StorageError: then the same batch may be sent again.
        """
        known = self._known(notebook_id)
        async with known.lock:
            await _each(batch.cells, self._prepare)
            marks: dict[str, Mark] = {}

            async def write(cell: CellChange) -> None:
                mark = await self._write(cell)
                if mark is not None:
                    marks[cell.key.cell_id] = mark

            # The new ones first: once they are there, no later attempt forks what is written next.
            await _each(filter(_is_new, batch.cells), write)
            await _each((cell for cell in batch.cells if not _is_new(cell)), write)
            in_order = {
                cell.key.cell_id: marks[cell.key.cell_id]
                for cell in batch.cells
                if cell.key.cell_id in marks
            }
            await self._log(notebook_id, batch, in_order, known)
            return in_order

    async def _prepare(self, cell: CellChange) -> None:
        """Make the session of a cell that came out of others. One that is there stays."""
        try:
            if cell.fork_of is not None:
                await self._store.fork(cell.fork_of, cell.key)
            elif cell.parents and not await self._store.exists(cell.key):
                await self._join(cell)
        except (NotFound, *_UNWRITABLE):
            return  # it begins anew; what it came from stays with the other

    async def _join(self, cell: CellChange) -> None:
        parents = []
        for key in cell.parents:
            session = await self._store.load_if_exists(key)
            if session is not None:
                named = {"notebook_id": key.notebook_id, "cell_id": key.cell_id}
                parents.append(named | {"revision": session.revision})
        if parents:
            merged = new_session(cell.key)
            merged.meta.parents = parents
            await self._store.take_over(cell.key, merged)

    async def _write(self, cell: CellChange) -> Mark | None:
        try:
            events = list(cell.events)
            if events and _is_first_look(events[0]):
                session = await self._store.load_session(cell.key)
                if _adds_nothing(session, events[0]):
                    events.pop(0)
            if not events:
                session = await self._store.load_session(cell.key)
                return Mark(session.revision, session.next_seq - 1)
            saved, revision = await self._store.record_events(cell.key, events)
            return Mark(revision, max(event.seq for event in saved))
        except _UNWRITABLE:
            return None

    async def _log(
        self, notebook_id: str, batch: Batch, marks: dict[str, Mark], known: _Known
    ) -> None:
        if known.ids is None:
            log = await self._store.read_notebook_log(notebook_id, owner=self._owner)
            ids = (str(entry.data.get("id")) for entry in log if entry.type == _CHANGED)
            known.ids = deque(ids, maxlen=_IDS)
            # (Whoever registers a notebook doesn't tell the cells' types.)
            known.is_placed = any("types" in entry.data for entry in log if entry.type == _ORDER)
        if batch.id in known.ids:
            return
        lines: list[tuple[str, dict[str, Any]]] = []
        if batch.order is not None:
            ids_in_order = [cell_id for cell_id, _ in batch.order]
            if not known.is_placed:
                marks = await self._marks(notebook_id, ids_in_order) | marks
            lines.append((_ORDER, {"cell_ids": ids_in_order, "types": dict(batch.order)}))
        said: dict[str, Any] = {
            "cells": {cell_id: mark.seq for cell_id, mark in marks.items() if mark.seq},
            "id": batch.id,
        }
        lines.append((_CHANGED, said | ({"saved": True} if batch.saved else {})))
        entries = [
            NewLogEntry(type=type_, timestamp=batch.timestamp, data=data) for type_, data in lines
        ]
        await self._store.append_notebook_log(notebook_id, entries, owner=self._owner)
        known.ids.append(batch.id)
        known.is_placed = known.is_placed or batch.order is not None

    async def _marks(self, notebook_id: str, cell_ids: Sequence[str]) -> dict[str, Mark]:
        """Where the sessions of these cells stand, of those that have one."""
        rows, _ = await self._store.list_sessions(notebook_id, owner=self._owner)
        there = {row.cell_id for row in rows}
        cells = [SessionKey(notebook_id, id_, self._owner) for id_ in cell_ids if id_ in there]
        marks: dict[str, Mark] = {}

        async def look(key: SessionKey) -> None:
            mark = await self._write(CellChange(key))
            if mark is not None:
                marks[key.cell_id] = mark

        await _each(cells, look)
        return marks

    def _known(self, notebook_id: str) -> _Known:
        known = self._notebooks.setdefault(notebook_id, _Known())
        self._notebooks.move_to_end(notebook_id)
        if len(self._notebooks) > _NOTEBOOKS:
            self._notebooks.popitem(last=False)
        return known


def _is_new(cell: CellChange) -> bool:
    return cell.fork_of is not None or bool(cell.parents)


def _is_first_look(event: NewEvent) -> bool:
    return event.type == "edit" and (event.data or {}).get("trigger") == "first"


def _adds_nothing(session: Session, event: NewEvent) -> bool:
    """Whether the record says already that the cell held this."""
    known = any(event.id is not None and event.id == one.id for one in session.events or [])
    return not known and event.source is not None and held(session) == event.source


def held(session: Session) -> str | None:
    """What the cell held last, as far as one record says so by itself; None where none does."""
    for item in reversed(session.ordered()):
        if isinstance(item, Event) and item.source is not None:
            return item.source
        if isinstance(item, Event) and item.type == "accept":
            accepted = (t for t in session.interactions if t.turn_id == item.turn_id)
            return next((turn.ai_response.suggestion for turn in accepted), None)
        if isinstance(item, Interaction) and item.parent_turn_id is None:
            return item.user_request.current_code
    return None


async def _each(cells: Iterable[T], work: Callable[[T], Awaitable[None]]) -> None:
    """Do the work for all, a few at once. Raises the first failure when all have ended."""
    room = asyncio.Semaphore(_AT_ONCE)

    async def one(cell: T) -> None:
        async with room:
            await work(cell)

    ended = await asyncio.gather(*map(one, cells), return_exceptions=True)
    for failure in ended:
        if isinstance(failure, AIServerError):
            raise failure
    for failure in ended:
        if isinstance(failure, BaseException):
            raise failure
