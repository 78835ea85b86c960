"""Record what happened to the cells of a notebook, and in which order.

A page sends its changes in batches: new events of any number of cells and, if it has changed, the
order with the types of all cells. First, the events are written into the sessions. Then an entry in
the change log records the last seq of each of these sessions.

Invariants:

- A batch that arrives again, at this or another server, isn't recorded twice. What was missing of
  it is added.
- A log entry only contains the seqs of records that are already in the sessions.
- A cell whose session can't be written (because it is damaged, or from a newer AI Server) doesn't
  block others. The response and the log entry don't contain it.
- The sessions of new cells are created before any event of the batch is recorded, so that a fork
  starts with the records that the forked session had before. Likewise, the session of a merged cell
  lists the revisions that the others had before.
- A page may send a source that perhaps hasn't changed: when a notebook is opened (an initial
  observation, ``first``), or later (``again``). It isn't recorded if the session already has it,
  and after an initial observation, the log entry doesn't contain the cell, either. The same order
  again adds no entry, and neither does a batch that changed nothing.
- An entry is ``saved`` only if the records match the saved file. They don't if a session can't be
  written, or if another page with the same notebook, without jupyter-collaboration, has recorded
  changes that the sending page lacks. Then the response lists the cells that the other page
  changed, and the sending page sends the sources that it saved.
- The ``changed`` entry with the first order contains the last seq of each of its cells, so the
  records that existed when tracking began are older than it.

A batch adds at most two entries, in one write: ``cell_order {cell_ids, types}`` and ``changed
{cells: {id: seq}, digests?: {id: digest}, id, page?, saved?}``. ``saved`` means that the notebook
was saved in this state, ``page`` is the id of the sending page, and a digest identifies a record
even after a merge has changed its seq.
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
from ..sessions.record.merge import digest, last_digest
from .log_view import CHANGED, ORDER, LogView

_UNWRITABLE = (SessionTooNew, SessionCorrupt)
_CONCURRENCY = 4  # cells at a time; more would only wait for the disk
_MAX_NOTEBOOKS = 256


@dataclass(frozen=True)
class CellChange:
    """A cell's events, oldest first, and the cells from which it was created."""

    key: SessionKey
    events: Sequence[NewEvent] = ()
    fork_of: SessionKey | None = None
    parents: Sequence[SessionKey] = ()


@dataclass(frozen=True)
class Batch:
    """The changes that a page sends at once.

    ``id`` is chosen by the page, ``page`` is its own id, and ``seen`` the seq of the last log entry
    that it knows.
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


_WriteResult = tuple[SessionHead | None, bool]
"""The result of ``_write_cell``. The docstring of ``_write_cell`` describes both values."""


class BatchResult(NamedTuple):
    """The result of recording a batch.

    ``heads`` are those of the sessions that could be written, by cell id, and ``seq`` is that of
    the last log entry. ``changed_by_others`` has the cells that other pages changed after the last
    entry that the page has seen, or is None if no other page has sent a batch since.
    """

    heads: dict[str, SessionHead]
    seq: int
    changed_by_others: list[str] | None


class ChangeRecorder:
    """Writes batches of changes into a store."""

    def __init__(self, store: SessionManager, *, owner: str = "") -> None:
        self._store, self._owner = store, owner
        self._views: LRUCache[str, LogView] = LRUCache(_MAX_NOTEBOOKS)

    async def record(self, notebook_id: str, batch: Batch) -> BatchResult:
        """Record a batch. After a StorageError, it can be sent again."""
        view = self._view(notebook_id)
        async with view.lock:
            await for_each(batch.cells, self._create_session, limit=_CONCURRENCY)
            # New cells come first. Otherwise, if this attempt failed in between, the next one could
            # find a session to fork where there was none, and would copy events of this very batch.
            results = await self._write_cells(filter(_is_new, batch.cells))
            results |= await self._write_cells(cell for cell in batch.cells if not _is_new(cell))
            cell_ids = [cell.key.cell_id for cell in batch.cells]
            heads = {id_: head for id_ in cell_ids if (head := results[id_][0])}
            heads_to_log = {id_: head for id_, head in heads.items() if not results[id_][1]}
            view.unwritable = (view.unwritable | set(cell_ids)) - heads.keys()
            changed_by_others = await self._append_entries(notebook_id, batch, heads_to_log, view)
            return BatchResult(heads, view.acknowledge(batch.page), changed_by_others)

    async def _create_session(self, cell: CellChange) -> None:
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

    async def _write_cells(self, cells: Iterable[CellChange]) -> dict[str, _WriteResult]:
        results: dict[str, _WriteResult] = {}

        async def write(cell: CellChange) -> None:
            results[cell.key.cell_id] = await self._write_cell(cell)

        await for_each(cells, write, limit=_CONCURRENCY)
        return results

    async def _write_cell(self, cell: CellChange) -> _WriteResult:
        """Record a cell's events; return the session's head, or None if it can't be written.

        Also return whether the change was only an initial observation of a known source.
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

    async def _append_entries(
        self, notebook_id: str, batch: Batch, heads: dict[str, SessionHead], view: LogView
    ) -> list[str] | None:
        if not view.is_read:
            await self._read_log(notebook_id, view)
        changed_by_others = view.changed_by_others(batch.page, batch.seen)
        order = None if batch.order is None else list(batch.order)
        if order == view.order:
            order = None
        if batch.id in view.batch_ids or _is_redundant(
            batch, heads, order, view, changed_by_others
        ):
            return changed_by_others
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
        if batch.saved and changed_by_others is None and view.is_complete(order):
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
        # Another server, or a ``NotebookRegistry``, has written entries.
        if saved[0].seq != view.seq + 1:
            if saved[0].seq <= view.seq:  # an older log replaced the stored one
                view.reset()
            await self._read_log(notebook_id, view)
            return view.changed_by_others(batch.page, batch.seen)
        view.extend(saved)
        return changed_by_others

    async def _read_log(self, notebook_id: str, view: LogView) -> None:
        view.extend(await self._store.read_notebook_log(notebook_id, owner=self._owner))
        view.is_read = True

    async def _heads(self, notebook_id: str, cell_ids: Sequence[str]) -> dict[str, SessionHead]:
        """Return the heads of sessions by cell id, without cells that have none."""
        summaries, _ = await self._store.list_sessions(notebook_id, owner=self._owner)
        existing = {summary.cell_id for summary in summaries}
        keys = [SessionKey(notebook_id, id_, self._owner) for id_ in cell_ids if id_ in existing]
        # Without events, ``_write_cell`` only returns the head.
        results = await self._write_cells(map(CellChange, keys))
        return {cell_id: head for cell_id, (head, _) in results.items() if head}

    def _view(self, notebook_id: str) -> LogView:
        view = self._views.get(notebook_id)
        if view is None:
            self._views.put(notebook_id, view := LogView())
        return view


def _is_new(cell: CellChange) -> bool:
    return cell.fork_of is not None or bool(cell.parents)


def _is_observation(event: NewEvent) -> bool:
    data = event.data or {}
    return event.type == "edit" and (data.get("trigger") == "first" or data.get("again") is True)


def _is_redundant(
    batch: Batch,
    heads: Mapping[str, SessionHead],
    order: object,
    view: LogView,
    changed_by_others: Sequence[str] | None,
) -> bool:
    """Return whether a batch needs no log entry.

    A mere save is redundant if the last entry is a save by the same page, or if other pages changed
    cells, because the saved state then doesn't match the records.
    """
    if heads or order is not None:
        return False
    if not batch.saved:
        return True
    last = view.entries[-1] if view.entries else None
    only_reports_save = not batch.cells and batch.page is not None
    return only_reports_save and (
        changed_by_others is not None
        or (last is not None and last.saved and last.page == batch.page)
    )


def _is_redundant_event(session: Session, event: NewEvent) -> bool:
    """Return whether an event reports the session's source.

    Line breaks don't count: other programs and earlier versions may have recorded ``\\r\\n`` or
    ``\\r``.
    """
    # A recorded event isn't redundant: the store returns it with its seq.
    ids = {recorded.id for recorded in session.events or []}
    if event.id is not None and event.id in ids:
        return False
    source = _observed_source(event) if event.source is None else redact(event.source)
    return source is not None and _normalized(_last_source(session)) == _normalized(source)


def _normalized(source: str | int | None) -> str | int | None:
    if not isinstance(source, str):
        return source
    return source.replace("\r\n", "\n").replace("\r", "\n")


def _observed_source(event: Event | NewEvent) -> str | int | None:
    """Return a source, or its length if it was too large to record."""
    too_long = (event.data or {}).get("too_long")
    return too_long if event.source is None and type(too_long) is int else event.source


def _last_source(session: Session) -> str | int | None:
    """Return the last source, or its length if it was too large to record.

    Return None without a source, or if the cell was removed since.
    """
    for record in reversed(session.ordered()):
        if isinstance(record, Event) and _is_removal(record):
            return None
        if isinstance(record, Event) and (source := _observed_source(record)) is not None:
            return source
        if isinstance(record, Event) and record.type == "accept":
            accepted = (turn for turn in session.interactions if turn.turn_id == record.turn_id)
            return next((turn.ai_response.suggestion for turn in accepted), None)
        # A request that continues from an older turn, or is asked again, may be about other code.
        is_branch = isinstance(record, Interaction) and (
            record.parent_turn_id is not None or record.repeats_turn_id is not None
        )
        if isinstance(record, Interaction) and not is_branch:
            return record.user_request.current_code
    return None


def _is_removal(event: Event) -> bool:
    """Return whether an event removed the cell, perhaps by merging it into another one."""
    return event.type == "delete" or (event.type == "merge" and "into" in (event.data or {}))
