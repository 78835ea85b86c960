"""Record what happened to the cells of a notebook, and in which order.

A page sends its changes to the server in batches. A batch contains new events of any number of
cells. If the order or the type of cells has changed, the batch also contains the ids and types of
all cells, in the new order. First, the events are written into the sessions of the cells. Then an
entry in the notebook's change log records the last seq of each of these sessions.

Invariants:

- A batch may arrive again, at this server or at another server. Even so, nothing is recorded twice.
  If only a part of the batch was recorded before, the missing events and entries are added.
- A log entry only contains the seqs of records that are already in the sessions.
- A cell whose session can't be written (because it is damaged, or from a newer AI Server) doesn't
  block other cells. The response and the log entry don't contain the cell.
- The sessions of new cells are created before any event of the batch is recorded. So a fork starts
  with the records that the forked session had before the batch. Likewise, if cells were merged,
  the session of the new cell lists the revisions that the sessions of the merged cells had before
  the batch.
- A page may send the source of a cell without knowing whether the source has changed. It does so
  when a notebook is opened (an initial observation, ``first``), or later (a repeated observation,
  ``again``). An observation isn't recorded if the session already has the source. In the case of an
  initial observation, the log entry doesn't contain the cell, either. An order that equals the last
  order in the log adds no entry, and neither does a batch that changed nothing.
- An entry is marked as ``saved`` only if the records match the saved file. They don't match if
  the session of a cell can't be written. Nor do they match if the notebook is also open in another
  page, without jupyter-collaboration, and the other page has recorded changes that the sending page
  doesn't have. In this last case, the response lists the cells that the other page changed, and
  the sending page then sends the sources that it saved.
- The ``changed`` entry that is written with the first order contains the last seq of each cell in
  that order. So the records that existed when tracking began are certain to be older than this
  entry.

A batch adds at most two entries, in one write: ``cell_order {cell_ids, types}`` and
``changed {cells: {id: seq}, digests?: {id: digest}, id, page?, saved?}``. ``saved`` means that the
notebook was saved in this state, and ``page`` is the id of the page that sent the batch. A digest
identifies a record even after a merge has changed its seq.
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
_CONCURRENCY = 4  # how many cells are written at the same time; more would only wait for the disk
_MAX_NOTEBOOKS = 256  # the maximum number of notebooks whose logs are cached


@dataclass(frozen=True)
class CellChange:
    """The events of one cell, oldest first, and the cells from which it was created, if any."""

    key: SessionKey
    events: Sequence[NewEvent] = ()
    fork_of: SessionKey | None = None
    parents: Sequence[SessionKey] = ()


@dataclass(frozen=True)
class Batch:
    """The changes that a page sends at once. The page chooses the ``id`` of the batch.

    ``page`` is the id of the page, and ``seen`` is the seq of the last log entry that this page
    knows.
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

    ``heads`` are the heads of the sessions that could be written, by cell id, and ``seq`` is the
    seq of the last log entry. ``changed_by_others`` contains the ids of the cells that other pages
    changed after the last entry that the sending page has seen. ``changed_by_others`` is None if no
    other page has sent a batch since that entry.
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
        """Record a batch. After a StorageError, this can be called again with the same batch."""
        view = self._view(notebook_id)
        async with view.lock:
            await for_each(batch.cells, self._create_session, limit=_CONCURRENCY)
            # The events of new cells are written first. If a new cell couldn't be forked yet,
            # because the other cell had no session, it starts with an empty session. If the other
            # cells' events came first and this attempt then failed, the next attempt would find a
            # session to fork, and would copy events of this very batch.
            results = await self._write_cells(filter(_is_new, batch.cells))
            results |= await self._write_cells(cell for cell in batch.cells if not _is_new(cell))
            cell_ids = [cell.key.cell_id for cell in batch.cells]
            heads = {id_: head for id_ in cell_ids if (head := results[id_][0])}
            heads_to_log = {id_: head for id_, head in heads.items() if not results[id_][1]}
            view.unwritable = (view.unwritable | set(cell_ids)) - heads.keys()
            changed_by_others = await self._append_entries(notebook_id, batch, heads_to_log, view)
            return BatchResult(heads, view.acknowledge(batch.page), changed_by_others)

    async def _create_session(self, cell: CellChange) -> None:
        """Create the session of a cell that a split, copy or merge created, if it has none yet."""
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
        """Record the events of cells; return the result of ``_write_cell`` by cell id."""
        results: dict[str, _WriteResult] = {}

        async def write(cell: CellChange) -> None:
            results[cell.key.cell_id] = await self._write_cell(cell)

        await for_each(cells, write, limit=_CONCURRENCY)
        return results

    async def _write_cell(self, cell: CellChange) -> _WriteResult:
        """Record the events of a cell.

        Return the head of the cell's session, or None if the session can't be written. Also return
        whether the change was only an initial observation of a source that the session already has.
        """
        try:
            events = list(cell.events)
            is_initial = bool(events) and (events[0].data or {}).get("trigger") == "first"
            if events and _is_observation(events[0]):
                session = await self._store.load_session(cell.key)
                if _is_redundant_event(session, events[0]):
                    events.pop(0)
            if not events:  # there is nothing to write
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
        """Append the log entries of a batch; return the value for ``changed_by_others``."""
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
        # The seqs have a gap if another server, or a ``NotebookRegistry``, has written entries.
        if saved[0].seq != view.seq + 1:
            if saved[0].seq <= view.seq:  # the stored log was replaced by an older log
                view.reset()
            await self._read_log(notebook_id, view)
            return view.changed_by_others(batch.page, batch.seen)
        view.extend(saved)
        return changed_by_others

    async def _read_log(self, notebook_id: str, view: LogView) -> None:
        """Read the stored log, and add to the view the entries that the view lacks."""
        view.extend(await self._store.read_notebook_log(notebook_id, owner=self._owner))
        view.is_read = True

    async def _heads(self, notebook_id: str, cell_ids: Sequence[str]) -> dict[str, SessionHead]:
        """Return the heads of the sessions of these cells, by cell id.

        Cells without a session are left out.
        """
        summaries, _ = await self._store.list_sessions(notebook_id, owner=self._owner)
        existing = {summary.cell_id for summary in summaries}
        keys = [SessionKey(notebook_id, id_, self._owner) for id_ in cell_ids if id_ in existing]
        # For a change without events, ``_write_cell`` writes nothing, but returns the head.
        results = await self._write_cells(map(CellChange, keys))
        return {cell_id: head for cell_id, (head, _) in results.items() if head}

    def _view(self, notebook_id: str) -> LogView:
        view = self._views.get(notebook_id)
        if view is None:
            self._views.put(notebook_id, view := LogView())
        return view


def _is_new(cell: CellChange) -> bool:
    """Return whether the cell was created from other cells, by a split, a copy or a merge."""
    return cell.fork_of is not None or bool(cell.parents)


def _is_observation(event: NewEvent) -> bool:
    """Return whether the event only reports the source of a cell, which may not have changed."""
    data = event.data or {}
    return event.type == "edit" and (data.get("trigger") == "first" or data.get("again") is True)


def _is_redundant(
    batch: Batch,
    heads: Mapping[str, SessionHead],
    order: object,
    view: LogView,
    changed_by_others: Sequence[str] | None,
) -> bool:
    """Return whether a batch changed nothing, so that it needs no log entry.

    A batch that only reports a save is redundant if the last log entry already reports a save by
    the same page. It is also redundant if other pages changed cells, because the saved state then
    doesn't match the records.
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
    """Return whether an event reports the source that the session already has.

    Sources that differ only in their line breaks are the same: pages send ``\\n``, but other
    programs and earlier versions may have recorded ``\\r\\n`` or ``\\r``.
    """
    # An event that is already recorded isn't redundant: it is passed to the store again, which
    # returns the recorded event with its seq.
    ids = {recorded.id for recorded in session.events or []}
    if event.id is not None and event.id in ids:
        return False
    source = _observed_source(event) if event.source is None else redact(event.source)
    return source is not None and _normalized(_last_source(session)) == _normalized(source)


def _normalized(source: str | int | None) -> str | int | None:
    """Return a source with ``\\n`` as line breaks."""
    if not isinstance(source, str):
        return source
    return source.replace("\r\n", "\n").replace("\r", "\n")


def _observed_source(event: Event | NewEvent) -> str | int | None:
    """Return an event's source, or its length in characters if it was too large to record."""
    too_long = (event.data or {}).get("too_long")
    return too_long if event.source is None and type(too_long) is int else event.source


def _last_source(session: Session) -> str | int | None:
    """Return the source in the last record that has a source.

    If that source was too large to record, return its length in characters. Return None if no
    record has a source, or if the cell was removed after that record.
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
    """Return whether the event removed the cell from the notebook, or merged it into another."""
    return event.type == "delete" or (event.type == "merge" and "into" in (event.data or {}))
