"""``notebooks/{id}/changes``: record what happened to the cells of a notebook."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from ..models import Id, NewEvent, SessionKey, Timestamp, check_id, utc_now
from ..notebooks.change_log import Batch, CellChange
from ..notebooks.disk_writers import name_writer
from ..notebooks.tool_calls import UNNAMED, name_callers
from ..requests import MAX_CELLS, Body, CellType, ContributorKind, Source
from .base import AIServerHandler, guarded

# The namespace of the ids that this module gives to events without an id. It must never change.
_EVENT_NAMESPACE = uuid.UUID("8b0f4a52-0c35-4c0e-9d6d-1f3a4c2b7e90")


_Time = Annotated[Timestamp, Field(max_length=64, json_schema_extra={"format": "date-time"})]


class ContributorBody(Body):
    """The contributor of a change."""

    kind: ContributorKind
    name: Annotated[str, Field(min_length=1, max_length=256)] | None = None
    version: Annotated[str, Field(max_length=64)] | None = None


class EventBody(Body):
    """An event to record. The server adds ``seq``, and the timestamp if it is missing.

    The client creates the ``id``. If an event with this id is already stored, it isn't stored
    again, and the response contains it as it was stored. So the client can send an event again if
    the response was lost.
    """

    type: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,31}$")]
    timestamp: _Time | None = None
    source: Source | None = None
    turn_id: Annotated[int, Field(ge=1)] | None = None
    data: dict[str, Any] | None = None
    id: Id | None = None
    contributor: ContributorBody | None = None
    run: Id | None = None

    def to_event(self) -> NewEvent:
        fields = self.model_dump(exclude_none=True)
        return NewEvent.model_validate({"timestamp": utc_now()} | fields)


class ForkBody(Body):
    """The cell that a new cell was copied from or split off from."""

    notebook_id: Id
    cell_id: Id


class CellChangeBody(Body):
    """The events of one cell, oldest first, and the cells from which it was created, if any.

    ``fork_of`` is the cell that the new cell was copied from or split off from. ``parents`` are the
    cells of the notebook that were merged into the new cell.
    """

    cell_id: Id
    fork_of: ForkBody | None = None
    parents: list[Id] = Field([], max_length=1000)
    events: list[EventBody] = Field([], max_length=100)


class PlacedCell(Body):
    """The id and the type of one cell in a notebook's list of cells."""

    id: Id
    type: CellType


class ChangesBody(Body):
    """A batch of changes to the cells of a notebook.

    ``id`` identifies the batch; the page chooses it. If the order of the cells or a cell's type has
    changed, ``order`` lists all cells of the notebook. ``saved`` is true if the notebook was saved
    after these changes. ``page`` identifies the page. ``seen`` is the ``seq`` of the
    change log's last entry when the page opened the notebook or last recorded a save. If other
    pages have recorded changes since then, the batch isn't recorded as a save: ``others`` in the
    response names the changed cells, and the page must send these as they are in the file.
    """

    id: Id
    timestamp: _Time | None = None
    saved: bool = False
    page: Id | None = None
    seen: Annotated[int, Field(ge=0)] | None = None
    order: Annotated[list[PlacedCell], Field(max_length=MAX_CELLS)] | None = None
    cells: list[CellChangeBody] = Field([], max_length=200)


class ChangesHandler(AIServerHandler):
    """Records the changes that a page observed."""

    @guarded("write")
    async def post(self, notebook_id: str) -> dict[str, Any]:
        """Record a batch, and answer with the revision and newest seq of each changed session."""
        check_id("notebookId", notebook_id)
        batch = self._batch(notebook_id, self.body(ChangesBody))
        await self._name_writers(notebook_id, batch)
        result = await self.services.changes.record(notebook_id, batch)
        self.set_status(201)
        cells = {
            cell_id: {"revision": head.revision, "seq": head.seq}
            for cell_id, head in result.heads.items()
        }
        answer: dict[str, Any] = {"cells": cells, "seq": result.seq}
        if result.changed_by_others is not None:
            answer["others"] = result.changed_by_others
        return answer

    def _batch(self, notebook_id: str, body: ChangesBody) -> Batch:
        type_by_cell = {cell.id: cell.type for cell in body.order or []}  # drops duplicate ids
        timestamp = body.timestamp or utc_now()
        return Batch(
            id=body.id,
            timestamp=timestamp,
            cells=[
                self._cell_change(notebook_id, cell, body.id, timestamp)
                for cell in _merge_duplicates(body.cells)
            ],
            order=None if body.order is None else list(type_by_cell.items()),
            saved=body.saved,
            page=body.page,
            seen=body.seen,
        )

    async def _name_writers(self, notebook_id: str, batch: Batch) -> None:
        """Name the agent or program of changes where the page can't, if it is certain."""
        events = [
            (cell.key.cell_id, event)
            for cell in batch.cells
            for event in cell.events
            if event.run is None and event.contributor and event.contributor.name in UNNAMED
        ]
        folder = self.services.folder
        if events and folder is not None:
            path = (await self.services.notebooks.paths([notebook_id]))[notebook_id]
            if path is not None:
                name_callers(folder, path, events)
                changes = [event for _, event in events]
                await asyncio.to_thread(name_writer, Path(folder, path), changes)

    def _cell_change(
        self, notebook_id: str, cell: CellChangeBody, batch_id: str, timestamp: str
    ) -> CellChange:
        origin, key = cell.fork_of, self.key(notebook_id, cell.cell_id)
        fork_of = self.key(origin.notebook_id, origin.cell_id) if origin else None
        return CellChange(
            key=key,
            events=[
                _with_id(
                    event.model_copy(update={"timestamp": event.timestamp or timestamp}).to_event(),
                    f"{batch_id}/{cell.cell_id}/{number}",
                )
                for number, event in enumerate(cell.events)
            ],
            fork_of=None if fork_of == key else fork_of,  # a cell can't be a fork of itself
            parents=[SessionKey(notebook_id, parent, key.owner) for parent in cell.parents],
        )


def _merge_duplicates(cells: Sequence[CellChangeBody]) -> Iterable[CellChangeBody]:
    """Merge all changes of a cell into one change; its events stay in their order."""
    merged: dict[str, CellChangeBody] = {}
    for cell in cells:
        previous = merged.get(cell.cell_id)
        merged[cell.cell_id] = (
            previous.model_copy(
                update={
                    "fork_of": previous.fork_of or cell.fork_of,
                    "parents": previous.parents or cell.parents,
                    "events": [*previous.events, *cell.events],
                }
            )
            if previous
            else cell
        )
    return merged.values()


def _with_id(event: NewEvent, name: str) -> NewEvent:
    """Give an event without an id one derived from ``name``: the same if it is sent again."""
    if event.id is None:
        event.id = str(uuid.uuid5(_EVENT_NAMESPACE, name))
    return event
