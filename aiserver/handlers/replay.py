"""``sessions/…/replay``, ``…/blame`` and ``notebooks/…``: the history of cells and notebooks."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any

from pydantic import Field

from ..errors import NotFound, UserText
from ..gc_pause import free_items, pause_gc
from ..models import Session, SessionKey
from ..notebooks.history import History
from ..payload import to_wire
from ..replay import Moment, NotebookSnapshot, Step, blame, replay, report
from ..replay.receipts import summary_receipts
from ..requests import Body, Source
from ..surrogates import json_bytes
from .base import AIServerHandler, Encoded, guarded

_CHUNK = 200  # the number of steps or moments that are encoded at once, within two milliseconds


class BlameBody(Body):
    """A request for the contributor of each line of a text.

    The text is ``source`` (the cell's current source) or the version after step ``step``. If
    neither is given, it is the version after the last step.
    """

    source: Source | None = None
    step: Annotated[int, Field(ge=0)] | None = None


class MomentQuery(Body):
    """The timeline to which the index of a moment refers."""

    version: Annotated[str, Field(max_length=64)] | None = None
    """The timeline's ``version``. If the notebook has changed since then, the server uses that
    timeline if it is still in the cache, and otherwise the current timeline."""


class ReplayHandler(AIServerHandler):
    """Replays a cell."""

    @guarded("read")
    async def get(self, notebook_id: str, cell_id: str) -> None:
        """Answer with the steps; without a history with none, because browsers log each 404."""
        key = self.key(notebook_id, cell_id)
        with pause_gc():
            session = await self.services.sessions.load_session(key)
            self.set_revision(session.revision)
            answer = await asyncio.to_thread(encode_replay, key, session)
        await self.finish(answer)


class BlameHandler(AIServerHandler):
    """Reports the author of each line of a cell."""

    @guarded("read")
    async def post(self, notebook_id: str, cell_id: str) -> Encoded[dict[str, Any]]:
        """Answer with the origin of each line. A POST, because the source may be long."""
        key = self.key(notebook_id, cell_id)
        body = self.body(BlameBody)
        session = await self.services.sessions.load_session(key)
        session_by_cell: Mapping[str, Session] = {}
        if any(  # lines may come from other cells, whose sessions contain the lines' origins
            event.type == "merge" or "from_cell" in (event.data or {})
            for event in session.events or []
        ):
            session_by_cell = (await self.services.histories.load(notebook_id)).sessions
        self.set_revision(session.revision)

        def build() -> dict[str, Any]:
            try:
                lines = blame(
                    session, step=body.step, source=body.source, session_by_cell=session_by_cell
                )
            except IndexError as reason:
                raise NotFound(UserText("This point is not in the history.")) from reason
            return {"lines": to_wire(lines), "revision": session.revision}

        return await self.encode_in_thread(build)


class _NotebookHandler(AIServerHandler):
    async def history(self, notebook_id: str, version: str | None = None) -> History:
        """Load the history, or the cached one of this ``version``, and send its ``ETag``."""
        history = await self.services.histories.load(notebook_id, version=version)
        self.set_header("ETag", f'"{history.version}"')
        return history


class TimelineHandler(_NotebookHandler):
    """Lists the changes of a notebook."""

    @guarded("read")
    async def get(self, notebook_id: str) -> None:
        history = await self.history(notebook_id)
        if self.request.headers.get("If-None-Match") == f'"{history.version}"':
            self.set_status(304)
            return
        await self.finish(await asyncio.to_thread(_timeline, history))


class MomentHandler(_NotebookHandler):
    """Returns a snapshot of a notebook."""

    @guarded("read")
    async def get(self, notebook_id: str, index: str) -> Encoded[NotebookSnapshot]:
        history = await self.history(notebook_id, self.query(MomentQuery).version)
        number = int(index)
        if number >= len(history.timeline.moments):
            raise NotFound(UserText("This point is not in the history."))
        return await self.encode_in_thread(
            lambda: replace(history.timeline.at(number), version=history.version)
        )


class ReportHandler(_NotebookHandler):
    """Reports how much of a notebook each contributor wrote."""

    @guarded("read")
    async def get(self, notebook_id: str) -> Encoded[dict[str, Any]]:
        history = await self.history(notebook_id)
        return await self.encode_in_thread(
            lambda: report(history.timeline, history.sessions, history.counts)
        )


def encode_replay(key: SessionKey, session: Session) -> bytes:
    """Encode the steps of a session, and free its records."""
    steps = replay(session)
    head = {
        "notebookId": key.notebook_id,
        "cellId": key.cell_id,
        "revision": session.revision,
        "summaries": [receipt for _, receipt in summary_receipts(session)],
    }
    answer = _encode(head, "steps", steps)
    free_items(steps, session.interactions, session.events or [])
    return answer


def _timeline(history: History) -> bytes:
    timeline = history.timeline
    head = {"version": history.version, "cells": timeline.cells()}
    return _encode(head, "moments", timeline.moments)


def _encode(head: dict[str, Any], name: str, items: Sequence[Step] | Sequence[Moment]) -> bytes:
    """Encode an object with a long list as its last value, one chunk of the list at a time.

    Encoding a chunk blocks all other threads, because it holds the GIL. Between two chunks, other
    threads can run. See ``benchmarks/replay.py``.
    """
    chunks = [  # each chunk is a JSON list without its brackets
        json_bytes([item.to_wire() for item in items[n : n + _CHUNK]])[1:-1]
        for n in range(0, len(items), _CHUNK)
    ]
    return json_bytes(head)[:-1] + b', "%s": [' % name.encode() + b", ".join(chunks) + b"]}"
