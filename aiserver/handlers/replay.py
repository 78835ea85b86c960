"""``sessions/…/replay``, ``…/blame``, ``notebooks/…``: the past of a cell and of a notebook."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

from ..errors import NotFound
from ..models import Session
from ..notebooks.history import Histories, History
from ..replay import blame, replay, report
from ..requests import BlameBody
from ..surrogates import json_bytes
from .base import AIServerHandler, guarded

_PIECE = 1000  # moments: some milliseconds


class _PastHandler(AIServerHandler):
    """What reads of the past share."""

    @property
    def histories(self) -> Histories:
        """Whole notebooks' histories."""
        found: Histories = self.settings["aiserver_histories"]
        return found

    async def answer(self, make: Callable[[], Any]) -> None:
        """Answer with what is made in a thread: a long life has many steps."""
        await self.finish(await asyncio.to_thread(lambda: json_bytes(make())))


class ReplayHandler(_PastHandler):
    """How a cell came to be."""

    @guarded("read")
    async def get(self, notebook_id: str, cell_id: str) -> None:
        """Answer with the steps; none for a cell of which nothing is kept.

        (Most cells have no history: to look at one is no mistake, and a browser would write a
        404 for each into its console.)
        """
        key = self.key(notebook_id, cell_id)
        session = await self.sessions.load_session(key)
        self.set_revision(session.revision)
        await self.answer(
            lambda: {
                "notebookId": key.notebook_id,
                "cellId": key.cell_id,
                "revision": session.revision,
                "steps": [step.to_wire() for step in replay(session)],
            }
        )


class BlameHandler(_PastHandler):
    """Who wrote each line of a cell."""

    @guarded("read")
    async def post(self, notebook_id: str, cell_id: str) -> None:
        """Answer with the origin of each line (a POST, for the cell's source may be long)."""
        key = self.key(notebook_id, cell_id)
        body = self.body(BlameBody)
        session = await self.sessions.load_session(key)
        others: Mapping[str, Session] = {}
        if any(
            event.type == "merge" or "from_cell" in (event.data or {})
            for event in session.events or []
        ):
            others = (await self.histories.of(notebook_id)).sessions
        self.set_revision(session.revision)

        def make() -> dict[str, Any]:
            try:
                lines = blame(session, step=body.step, source=body.source, others=others)
            except IndexError as reason:
                raise NotFound("This point is not in the history.") from reason
            return {"lines": [line.to_wire() for line in lines], "revision": session.revision}

        await self.answer(make)


class _NotebookHandler(_PastHandler):
    """What reads of a whole notebook share."""

    async def history(self, notebook_id: str, version: str | None = None) -> History:
        """The notebook's history, whose version is sent as ``ETag``."""
        history = await self.histories.of(notebook_id, version=version)
        self.set_header("ETag", f'"{history.version}"')
        return history


class TimelineHandler(_NotebookHandler):
    """A notebook through time."""

    @guarded("read")
    async def get(self, notebook_id: str) -> None:
        """Answer with the moments and the cells."""
        history = await self.history(notebook_id)
        if self.request.headers.get("If-None-Match") == f'"{history.version}"':
            self.set_status(304)
            await self.finish()
            return
        await self.finish(await asyncio.to_thread(_timeline, history))


class MomentHandler(_NotebookHandler):
    """A notebook as it was."""

    @guarded("read")
    async def get(self, notebook_id: str, index: str) -> None:
        """Answer with the notebook after a moment."""
        version = self.get_query_argument("version", None)
        history = await self.history(notebook_id, version)
        number = int(index)
        if number >= len(history.timeline.moments):
            raise NotFound("This point is not in the history.")
        await self.answer(
            lambda: {"version": history.version, **history.timeline.at(number).to_wire()}
        )


class ReportHandler(_NotebookHandler):
    """How much of a notebook the model wrote."""

    @guarded("read")
    async def get(self, notebook_id: str) -> None:
        """Answer with the lines by hand and by model, per cell and in all."""
        history = await self.history(notebook_id)
        await self.answer(lambda: report(history.timeline, history.sessions))


def _timeline(history: History) -> bytes:
    """The ``Timeline``, moments in pieces: while JSON is written nothing else can run."""
    timeline = history.timeline
    head = json_bytes({"version": history.version, "cells": timeline.cells()})
    pieces = [
        json_bytes([moment.to_wire() for moment in timeline.moments[n : n + _PIECE]])[1:-1]
        for n in range(0, len(timeline.moments), _PIECE)
    ]
    return head[:-1] + b', "moments": [' + b", ".join(pieces) + b"]}"
