"""``notebooks/{id}/changes``: record what happened to the cells of a notebook."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Sequence
from typing import Any

from ..models import NewEvent, SessionKey, check_id, utc_now
from ..notebooks.change_log import Batch, CellChange
from ..requests import CellChangeBody, ChangesBody
from ..surrogates import json_bytes
from .base import AIServerHandler, guarded

# The namespace of the ids that this module gives to events without an id. It must never change.
_EVENT_NAMESPACE = uuid.UUID("8b0f4a52-0c35-4c0e-9d6d-1f3a4c2b7e90")


class ChangesHandler(AIServerHandler):
    """Records the changes that a page observed."""

    @guarded("write")
    async def post(self, notebook_id: str) -> None:
        """Record a batch, and answer with the revision and newest seq of each changed session."""
        check_id("notebookId", notebook_id)
        batch = self._batch(notebook_id, self.body(ChangesBody))
        result = await self.services.changes.record(notebook_id, batch)
        self.set_status(201)
        cells = {
            cell_id: {"revision": head.revision, "seq": head.seq}
            for cell_id, head in result.heads.items()
        }
        answer: dict[str, Any] = {"cells": cells, "seq": result.seq}
        if result.changed_by_others is not None:
            answer["others"] = result.changed_by_others
        await self.finish(json_bytes(answer))

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
    """Set the id of an event that has none, and return the event.

    The id is derived from ``name``. If a page sends a batch again, each event gets the same id as
    before, and is therefore recorded only once.
    """
    if event.id is None:
        event.id = str(uuid.uuid5(_EVENT_NAMESPACE, name))
    return event
