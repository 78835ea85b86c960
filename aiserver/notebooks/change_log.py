"""Record what happened to the cells of a notebook, and in which order.

A batch is what a page observed between two moments of its notebook: events of several cells and,
if the order of the cells or a cell's type changed, the order. After the sessions are written, an
entry in the notebook's change log records the last seq of each of them.

Invariants:

- Recording a batch again has no further effect, also if only a part of it was written before or
  another server wrote it.
- Records that a log entry names are in the sessions before the entry is written.
- A cell whose session can't be written (it is damaged, or from a newer AI Server) doesn't block
  other cells: it is left out of the answer and of the log entry.
- The session of a new cell is created before anything of the batch is recorded: a fork starts with
  what its origin contained before, and the parents of a merged cell are named with their revisions.
- An initial observation (``first``), or a repeated one (``again``), is not recorded if the session
  already has that source. Nor does the log name the cell for such an initial observation: opening
  a notebook sends one per cell. An order equal to the last one in the log, or a batch that changed
  nothing, adds no entry.
- An entry is marked ``saved`` only if the records match the file. A session may be unwritable, or
  another page of the same notebook (without a shared document) may have recorded what this page's
  file lacks: then the answer names those cells, and the page sends what it wrote into the file.
- The first entry with an order names the last seqs of all cells in it, since what was recorded
  before tracking began is older.

The entries: ``cell_order {cell_ids, types}`` and, in the same write, ``changed {cells: {id: seq},
digests?: {id: digest}, id, page?, saved?}``. ``saved`` marks the state in which the notebook was
saved, ``page`` is the id of the sender. A digest identifies the record after merges, which may
change its seq.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ..concurrency import for_each
from ..errors import NotFound, SessionCorrupt, SessionTooNew
from ..models import Event, Interaction, NewEvent, NewLogEntry, Session, SessionKey, new_session
from ..redact import redact
from ..sessions.base import SessionManager
from ..sessions.record.lru_cache import LRUCache
from ..sessions.record.merge.digests import digest, last_digest
from .log_view import CHANGED, ORDER, LogView

_UNWRITABLE = (SessionTooNew, SessionCorrupt)
_CONCURRENCY = 4  # cells of a batch: more would only wait for the disk
_MAX_NOTEBOOKS = 256  # whose logs are cached


@dataclass(frozen=True)
class CellChange:
    """The events of one cell, oldest first; and its origin, if the cell is new."""

    key: SessionKey
    events: Sequence[NewEvent] = ()
    fork_of: SessionKey | None = None
    parents: Sequence[SessionKey] = ()


@dataclass(frozen=True)
class Batch:
    """The changes between two moments of a notebook. The sender chooses ``id``.

    ``page`` is the id of the sender, which has seen all log entries up to ``seen``.
    """

    id: str
    timestamp: str
    cells: Sequence[CellChange]
    order: Sequence[tuple[str, str]] | None = None  # (cell id, cell type)
    saved: bool = False
    page: str | None = None
    seen: int | None = None


@dataclass(frozen=True)
class SessionHead:
    """A session's revision, and the seq and digest of its last record."""

    revision: int
    seq: int
    digest: str | None = field(default=None, compare=False)


_Written = tuple[SessionHead | None, bool]


class BatchResult(NamedTuple):
    """The result of recording a batch.

    ``heads`` are those of the cells that could be written, ``seq`` is that of the last log entry.
    ``others`` are the cells that other pages changed since ``seen``; None if no other page wrote.
    """

    heads: dict[str, SessionHead]
    seq: int
    others: list[str] | None


class ChangeRecorder:
    """Writes batches of changes into a store."""

    def __init__(self, store: SessionManager, *, owner: str = "") -> None:
        self._store, self._owner = store, owner
        self._views: LRUCache[str, LogView] = LRUCache(_MAX_NOTEBOOKS)

    async def record(self, notebook_id: str, batch: Batch) -> BatchResult:
        """Record a batch. Raises StorageError; then the same batch may be sent again."""
        view = self._view(notebook_id)
        async with view.lock:
            await for_each(batch.cells, self._create_session, limit=_CONCURRENCY)
            # New cells first: a later attempt then forks nothing that is written next.
            new = await self._write_all(filter(_is_new, batch.cells))
            results = new | await self._write_all(cell for cell in batch.cells if not _is_new(cell))
            sent = [cell.key.cell_id for cell in batch.cells]
            heads = {id_: head for id_ in sent if (head := results[id_][0])}
            changed = {id_: head for id_, head in heads.items() if not results[id_][1]}
            view.unwritable = (view.unwritable | set(sent)) - heads.keys()
            others = await self._log(notebook_id, batch, changed, view)
            return BatchResult(heads, view.acknowledge(batch.page), others)

    async def _create_session(self, cell: CellChange) -> None:
        """Create the session of a cell that came from others, unless it exists."""
        try:
            if cell.fork_of is not None:
                await self._store.fork(cell.fork_of, cell.key)
            elif cell.parents and not await self._store.exists(cell.key):
                await self._create_merged_session(cell)
        except (NotFound, *_UNWRITABLE):
            return  # the cell starts with an empty session

    async def _create_merged_session(self, cell: CellChange) -> None:
        parents = []
        for key in cell.parents:
            session = await self._store.load_if_exists(key)
            if session is not None:
                ids = {"notebook_id": key.notebook_id, "cell_id": key.cell_id}
                parents.append(ids | {"revision": session.revision})
        if parents:
            merged = new_session(cell.key)
            merged.meta.parents = parents
            await self._store.merge_copy(cell.key, merged)

    async def _write_all(self, cells: Iterable[CellChange]) -> dict[str, _Written]:
        """Record the events of cells; return the result of ``_write`` by cell id."""
        results: dict[str, _Written] = {}

        async def write(cell: CellChange) -> None:
            results[cell.key.cell_id] = await self._write(cell)

        await for_each(cells, write, limit=_CONCURRENCY)
        return results

    async def _write(self, cell: CellChange) -> _Written:
        """Record the events of a cell.

        Returns the head of its session, or None if it can't be written; and whether the change was
        only an initial observation of the recorded source.
        """
        try:
            events = list(cell.events)
            is_initial = bool(events) and (events[0].data or {}).get("trigger") == "first"
            if events and _is_observation(events[0]):
                session = await self._store.load_session(cell.key)
                if _is_redundant_event(session, events[0]):
                    events.pop(0)
            if not events:
                session = await self._store.load_session(cell.key)
                head = SessionHead(session.revision, session.next_seq - 1, last_digest(session))
                return head, is_initial
            saved, revision = await self._store.record_events(cell.key, events)
            last = max(saved, key=lambda event: event.seq)
            return SessionHead(revision, last.seq, digest(last)), False
        except _UNWRITABLE:
            return None, False

    async def _log(
        self, notebook_id: str, batch: Batch, heads: dict[str, SessionHead], view: LogView
    ) -> list[str] | None:
        """Write the log entries of a batch; return the cells that other pages changed."""
        if not view.is_read:
            await self._read(notebook_id, view)
        others = view.changed_by_others(batch.page, batch.seen)
        order = None if batch.order is None else list(batch.order)
        if order == view.order:
            order = None
        if batch.id in view.batch_ids or _is_redundant(batch, heads, order, view, others):
            return others
        entries: list[tuple[str, dict[str, Any]]] = []
        if order is not None:
            ids_in_order = [cell_id for cell_id, _ in order]
            if not view.has_order:
                heads = await self._heads(notebook_id, ids_in_order) | heads
            entries.append((ORDER, {"cell_ids": ids_in_order, "types": dict(order)}))
        changed: dict[str, Any] = {
            "cells": {cell_id: head.seq for cell_id, head in heads.items() if head.seq},
            "id": batch.id,
        }
        if digests := {cell_id: head.digest for cell_id, head in heads.items() if head.digest}:
            changed["digests"] = digests
        if batch.page is not None:
            changed["page"] = batch.page
        if batch.saved and others is None and view.is_complete(order):
            changed["saved"] = True
        entries.append((CHANGED, changed))
        saved = await self._store.append_notebook_log(
            notebook_id,
            [
                NewLogEntry(type=type_, timestamp=batch.timestamp, data=data)
                for type_, data in entries
            ],
            owner=self._owner,
        )
        if saved[0].seq != view.seq + 1:  # another server or the notebook's registration wrote
            if saved[0].seq <= view.seq:
                view.reset()
            await self._read(notebook_id, view)
            return view.changed_by_others(batch.page, batch.seen)
        view.extend(saved)
        return others

    async def _read(self, notebook_id: str, view: LogView) -> None:
        view.extend(await self._store.read_notebook_log(notebook_id, owner=self._owner))
        view.is_read = True

    async def _heads(self, notebook_id: str, cell_ids: Sequence[str]) -> dict[str, SessionHead]:
        """Return the heads of these cells' sessions, as far as they have one."""
        rows, _ = await self._store.list_sessions(notebook_id, owner=self._owner)
        existing = {row.cell_id for row in rows}
        keys = [SessionKey(notebook_id, id_, self._owner) for id_ in cell_ids if id_ in existing]
        results = await self._write_all(map(CellChange, keys))
        return {cell_id: head for cell_id, (head, _) in results.items() if head}

    def _view(self, notebook_id: str) -> LogView:
        view = self._views.get(notebook_id)
        if view is None:
            self._views.put(notebook_id, view := LogView())
        return view


def _is_new(cell: CellChange) -> bool:
    return cell.fork_of is not None or bool(cell.parents)


def _is_observation(event: NewEvent) -> bool:
    """Return whether the event is the source that a page observed, whether that is new or not."""
    data = event.data or {}
    return event.type == "edit" and (data.get("trigger") == "first" or data.get("again") is True)


def _is_redundant(
    batch: Batch,
    heads: Mapping[str, SessionHead],
    order: object,
    view: LogView,
    others: Sequence[str] | None,
) -> bool:
    """Return whether a batch changed nothing, and at most repeats that the same state was saved."""
    if heads or order is not None:
        return False
    if not batch.saved:
        return True
    last = view.entries[-1] if view.entries else None
    is_bare = not batch.cells and batch.page is not None
    return is_bare and (
        others is not None or (last is not None and last.saved and last.page == batch.page)
    )


def _is_redundant_event(session: Session, event: NewEvent) -> bool:
    """Return whether the session already has the source that an event observed."""
    ids = {recorded.id for recorded in session.events or []}
    if event.id is not None and event.id in ids:
        return False
    source = _observed_source(event) if event.source is None else redact(event.source)
    return source is not None and _last_source(session) == source


def _observed_source(event: Event | NewEvent) -> str | int | None:
    """Return the source in an event; its length in characters if it was too large to record."""
    too_long = (event.data or {}).get("too_long")
    return too_long if event.source is None and type(too_long) is int else event.source


def _last_source(session: Session) -> str | int | None:
    """Return the cell's last source, as far as a single record has it; None if none does.

    If the source was too large to record, its length in characters.
    """
    for record in reversed(session.ordered()):
        if isinstance(record, Event) and _is_removal(record):
            return None
        if isinstance(record, Event) and (source := _observed_source(record)) is not None:
            return source
        if isinstance(record, Event) and record.type == "accept":
            accepted = (turn for turn in session.interactions if turn.turn_id == record.turn_id)
            return next((turn.ai_response.suggestion for turn in accepted), None)
        if isinstance(record, Interaction) and record.parent_turn_id is None:
            return record.user_request.current_code
    return None


def _is_removal(event: Event) -> bool:
    """Return whether the event removed the cell from the notebook, or merged it into another."""
    return event.type == "delete" or (event.type == "merge" and "into" in (event.data or {}))
