"""``notebooks/{id}/changes``: what happened to the cells of a notebook."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Sequence
from typing import Any

from ..models import NewEvent, NewLogEntry, SessionKey, check_id, utc_now
from ..notebooks.change_log import Batch, CellChange, Changes
from ..requests import CellChangeBody, ChangesBody
from ..surrogates import json_bytes
from .base import AIServerHandler, guarded

_NAMES = uuid.UUID("8b0f4a52-0c35-4c0e-9d6d-1f3a4c2b7e90")  # for events that came without a name


class ChangesHandler(AIServerHandler):
    """Takes note of what a page saw happen."""

    @guarded("write")
    async def post(self, notebook_id: str) -> None:
        """Record a batch, and answer where each session stands."""
        check_id("notebookId", notebook_id)
        batch = self._batch(notebook_id, self.body(ChangesBody))
        changes: Changes = self.settings["aiserver_changes"]
        recorded = await changes.record(notebook_id, batch)
        self.set_status(201)
        cells = {
            cell_id: {"revision": mark.revision, "seq": mark.seq}
            for cell_id, mark in recorded.marks.items()
        }
        answer: dict[str, Any] = {"cells": cells, "seq": recorded.seq}
        if recorded.others is not None:
            answer["others"] = recorded.others
        await self.finish(json_bytes(answer))

    def _batch(self, notebook_id: str, body: ChangesBody) -> Batch:
        """The batch as it is recorded. Raises InvalidRequest, or ValidationError on a bad time."""
        placed = {cell.id: cell.type for cell in body.order or []}
        now = body.timestamp or utc_now()
        NewLogEntry(type="changed", timestamp=now, data={})  # a time that is none is refused here
        return Batch(
            id=body.id,
            timestamp=now,
            cells=[self._cell(notebook_id, cell, body.id, now) for cell in _joined(body.cells)],
            order=None if body.order is None else list(placed.items()),
            saved=body.saved,
            page=body.page,
            seen=body.seen,
        )

    def _cell(self, notebook_id: str, cell: CellChangeBody, batch: str, now: str) -> CellChange:
        origin, key = cell.fork_of, self.key(notebook_id, cell.cell_id)
        fork_of = self.key(origin.notebook_id, origin.cell_id) if origin else None
        return CellChange(
            key=key,
            events=[
                _event(
                    body.model_copy(update={"timestamp": body.timestamp or now}).to_event(), name
                )
                for number, body in enumerate(cell.events)
                for name in [f"{batch}/{cell.cell_id}/{number}"]
            ],
            fork_of=None if fork_of == key else fork_of,
            parents=[SessionKey(notebook_id, parent, key.owner) for parent in cell.parents],
        )


def _joined(cells: Sequence[CellChangeBody]) -> Iterable[CellChangeBody]:
    """Each cell once: what is said of it in several places is one after the other."""
    joined: dict[str, CellChangeBody] = {}
    for cell in cells:
        known = joined.get(cell.cell_id)
        joined[cell.cell_id] = (
            known.model_copy(
                update={
                    "fork_of": known.fork_of or cell.fork_of,
                    "parents": known.parents or cell.parents,
                    "events": [*known.events, *cell.events],
                }
            )
            if known
            else cell
        )
    return joined.values()


def _event(event: NewEvent, name: str) -> NewEvent:
    """The event with a name, so that it is kept once though its batch be sent twice."""
    if event.id is None:
        event.id = str(uuid.uuid5(_NAMES, name))
    return event
