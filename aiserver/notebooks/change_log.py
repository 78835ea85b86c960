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
- A ``first`` look at a cell, or one ``again``, that says what the record says already is not kept;
  nor does the log name the cell for such a first look, of which each opening brings one per cell.
  An order that the log has last, and a batch that changed nothing, leave no line.
- A moment is marked ``saved`` only if the record says what the file says. The record of a cell may
  not be writable. Another page of the same notebook (without a shared document) may have recorded
  what the file of this one lacks: then the sender is told of which cells, and answers with what it
  wrote into the file.
- The first line that comes with an order says of all cells in it how far they had come, for what
  was recorded before anybody watched is older.

The lines: ``cell_order {cell_ids, types}`` and behind it, in the same write, ``changed {cells: {id:
seq}, digests?: {id: digest}, id, page?, saved?}``. ``saved`` marks the state that the notebook was
saved in, ``page`` names the sender; a digest names the record where merges change its number.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

from ..errors import AIServerError, NotFound, SessionCorrupt, SessionTooNew
from ..models import Event, Interaction, NewEvent, NewLogEntry, Session, SessionKey, new_session
from ..redact import redact
from ..sessions.base import SessionManager
from ..sessions.record.merge.digests import digest, last_digest
from .log_view import CHANGED, ORDER, LogView

T = TypeVar("T")

_UNWRITABLE = (SessionTooNew, SessionCorrupt)
_AT_ONCE = 4  # cells of a batch: more would only wait for the disk
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
    """What happened between two moments of a notebook. ``id`` is the sender's name of it.

    ``page`` names the sender. All that is in the log up to ``seen`` it knows, or has answered.
    """

    id: str
    timestamp: str
    cells: Sequence[CellChange]
    order: Sequence[tuple[str, str]] | None = None  # (cell id, cell type)
    saved: bool = False
    page: str | None = None
    seen: int | None = None


@dataclass(frozen=True)
class Mark:
    """Where a session stands: its revision, and the last place in its order."""

    revision: int
    seq: int
    digest: str | None = field(default=None, compare=False)  # of the record in that place


class Recorded(NamedTuple):
    """What became of a batch.

    ``marks`` are those of its cells that could be written, ``seq`` is the last line of the log.
    ``others`` are the cells that other pages wrote since ``seen``; None where none wrote anything.
    """

    marks: dict[str, Mark]
    seq: int
    others: list[str] | None


class Changes:
    """Writes batches of changes into a store."""

    def __init__(self, store: SessionManager, *, owner: str = "") -> None:
        self._store, self._owner = store, owner
        self._notebooks: OrderedDict[str, LogView] = OrderedDict()

    async def record(self, notebook_id: str, batch: Batch) -> Recorded:
        """Record a batch. Raises StorageError: then the same batch may be sent again."""
        known = self._known(notebook_id)
        async with known.lock:
            await _each(batch.cells, self._prepare)
            marks: dict[str, Mark] = {}
            same: set[str] = set()

            async def write(cell: CellChange) -> None:
                mark, is_same = await self._write(cell)
                if mark is not None:
                    marks[cell.key.cell_id] = mark
                if is_same:
                    same.add(cell.key.cell_id)

            # The new ones first: once they are there, no later attempt forks what is written next.
            await _each(filter(_is_new, batch.cells), write)
            await _each((cell for cell in batch.cells if not _is_new(cell)), write)
            in_order = {
                cell.key.cell_id: marks[cell.key.cell_id]
                for cell in batch.cells
                if cell.key.cell_id in marks
            }
            changed = {id_: mark for id_, mark in in_order.items() if id_ not in same}
            sent = {cell.key.cell_id for cell in batch.cells}
            known.unwritable = (known.unwritable | sent) - in_order.keys()
            others = await self._log(notebook_id, batch, changed, known)
            return Recorded(in_order, known.answer(batch.page), others)

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

    async def _write(self, cell: CellChange) -> tuple[Mark | None, bool]:
        """Record what happened to a cell.

        Returns where its session stands then, or None if it can't be written; and whether a first
        look found what the record says already.
        """
        try:
            events = list(cell.events)
            is_first = bool(events) and (events[0].data or {}).get("trigger") == "first"
            if events and _is_look(events[0]):
                session = await self._store.load_session(cell.key)
                if _adds_nothing(session, events[0]):
                    events.pop(0)
            if not events:
                session = await self._store.load_session(cell.key)
                mark = Mark(session.revision, session.next_seq - 1, last_digest(session))
                return mark, is_first
            saved, revision = await self._store.record_events(cell.key, events)
            last = max(saved, key=lambda event: event.seq)
            return Mark(revision, last.seq, digest(last)), False
        except _UNWRITABLE:
            return None, False

    async def _log(
        self, notebook_id: str, batch: Batch, marks: dict[str, Mark], known: LogView
    ) -> list[str] | None:
        """Write the lines of a batch; returns what other pages wrote since its sender looked."""
        if not known.is_read:
            await self._read(notebook_id, known)
        others = known.others(batch.page, batch.seen)
        order = None if batch.order is None else list(batch.order)
        if order == known.order:
            order = None
        if batch.id in known.ids or _says_nothing(batch, marks, order, known, others):
            return others
        lines: list[tuple[str, dict[str, Any]]] = []
        if order is not None:
            ids_in_order = [cell_id for cell_id, _ in order]
            if not known.is_placed:
                marks = await self._marks(notebook_id, ids_in_order) | marks
            lines.append((ORDER, {"cell_ids": ids_in_order, "types": dict(order)}))
        said: dict[str, Any] = {
            "cells": {cell_id: mark.seq for cell_id, mark in marks.items() if mark.seq},
            "id": batch.id,
        }
        if digests := {cell_id: mark.digest for cell_id, mark in marks.items() if mark.digest}:
            said["digests"] = digests
        if batch.page is not None:
            said["page"] = batch.page
        if batch.saved and others is None and known.is_complete(order):
            said["saved"] = True
        lines.append((CHANGED, said))
        entries = [
            NewLogEntry(type=type_, timestamp=batch.timestamp, data=data) for type_, data in lines
        ]
        saved = await self._store.append_notebook_log(notebook_id, entries, owner=self._owner)
        if saved[0].seq != known.seq + 1:  # another server, or who registered the notebook
            if saved[0].seq <= known.seq:
                known.begin_anew()
            await self._read(notebook_id, known)
            return known.others(batch.page, batch.seen)
        known.follow(saved)
        return others

    async def _read(self, notebook_id: str, known: LogView) -> None:
        known.follow(await self._store.read_notebook_log(notebook_id, owner=self._owner))
        known.is_read = True

    async def _marks(self, notebook_id: str, cell_ids: Sequence[str]) -> dict[str, Mark]:
        """Where the sessions of these cells stand, of those that have one."""
        rows, _ = await self._store.list_sessions(notebook_id, owner=self._owner)
        there = {row.cell_id for row in rows}
        cells = [SessionKey(notebook_id, id_, self._owner) for id_ in cell_ids if id_ in there]
        marks: dict[str, Mark] = {}

        async def look(key: SessionKey) -> None:
            mark, _ = await self._write(CellChange(key))
            if mark is not None:
                marks[key.cell_id] = mark

        await _each(cells, look)
        return marks

    def _known(self, notebook_id: str) -> LogView:
        known = self._notebooks.setdefault(notebook_id, LogView())
        self._notebooks.move_to_end(notebook_id)
        if len(self._notebooks) > _NOTEBOOKS:
            self._notebooks.popitem(last=False)
        return known


def _is_new(cell: CellChange) -> bool:
    return cell.fork_of is not None or bool(cell.parents)


def _is_look(event: NewEvent) -> bool:
    """Whether it tells what the cell holds, whether that is new or not."""
    data = event.data or {}
    return event.type == "edit" and (data.get("trigger") == "first" or data.get("again") is True)


def _says_nothing(
    batch: Batch,
    marks: Mapping[str, Mark],
    order: object,
    known: LogView,
    others: Sequence[str] | None,
) -> bool:
    """Whether a batch changed nothing, and says at most once more that the same was saved."""
    if marks or order is not None:
        return False
    if not batch.saved:
        return True
    last = known.lines[-1] if known.lines else None
    is_bare = not batch.cells and batch.page is not None
    return is_bare and (
        others is not None or (last is not None and last.saved and last.page == batch.page)
    )


def _adds_nothing(session: Session, event: NewEvent) -> bool:
    """Whether the record says already that the cell held this, as it would be recorded."""
    known = any(event.id is not None and event.id == one.id for one in session.events or [])
    look = _look_of(event) if event.source is None else redact(event.source)
    return not known and look is not None and held(session) == look


def _look_of(event: Event | NewEvent) -> str | int | None:
    """The source that an event says the cell held; of one too large its number of characters."""
    too_long = (event.data or {}).get("too_long")
    return too_long if event.source is None and type(too_long) is int else event.source


def held(session: Session) -> str | int | None:
    """What the cell held last, as far as one record says so by itself; None where none does.

    Of a source that was too large for the record, its number of characters.
    """
    for item in reversed(session.ordered()):
        if isinstance(item, Event) and _is_removal(item):
            return None
        if isinstance(item, Event) and (look := _look_of(item)) is not None:
            return look
        if isinstance(item, Event) and item.type == "accept":
            accepted = (t for t in session.interactions if t.turn_id == item.turn_id)
            return next((turn.ai_response.suggestion for turn in accepted), None)
        if isinstance(item, Interaction) and item.parent_turn_id is None:
            return item.user_request.current_code
    return None


def _is_removal(event: Event) -> bool:
    """Whether it took the cell out of the notebook, or merged it into another."""
    return event.type == "delete" or (event.type == "merge" and "into" in (event.data or {}))


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
