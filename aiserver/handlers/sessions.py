"""``sessions``: list, read and delete the sessions of cells; record events."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field, TypeAdapter
from pydantic.alias_generators import to_camel

from ..errors import NotFound, UserText
from ..generation.receipts import read_prompt
from ..models import Id, SessionSummary
from ..notebooks.other_roots import blobs_in
from ..notebooks.unused_blobs import delete_unused_blobs
from ..payload import to_wire
from ..prompts.receipt import stored_items
from ..replay import with_requests
from ..requests import Body
from ..safe_traceback import outline_of
from ..surrogates import json_bytes, without_nan
from .base import AIServerHandler, Encoded, guarded
from .changes import EventBody

# At most 100 events per request. A person can't cause more between two requests.
_EVENTS = TypeAdapter(Annotated[list[EventBody], Field(min_length=1, max_length=100)])
_CAMEL_CASE_NAMES = {name: to_camel(name) for name in SessionSummary.model_fields}


class SessionListQuery(Body):
    """The notebook whose sessions are listed; ``offset`` and ``limit`` select part of the list."""

    notebook_id: Id
    offset: Annotated[int, Field(ge=0, le=999_999_999)] = 0
    limit: Annotated[int, Field(ge=1, le=5000)] = 1000


class SessionListHandler(AIServerHandler):
    """Lists the sessions of a notebook."""

    @guarded("read")
    async def get(self) -> Encoded[dict[str, Any]]:
        query = self.query(SessionListQuery)
        summaries, total = await self.services.sessions.list_sessions(
            query.notebook_id,
            owner=self.services.session_owner,
            offset=query.offset,
            limit=query.limit,
        )

        history = await self.services.histories.load(query.notebook_id)

        def encode(summary: SessionSummary) -> dict[str, Any]:
            counted = with_requests(summary, history.timeline.steps(summary.cell_id))
            return {_CAMEL_CASE_NAMES[name]: value for name, value in counted.model_dump().items()}

        # In a thread, because encoding a thousand summaries takes some 20 ms.
        return await self.encode_in_thread(
            lambda: {"sessions": [encode(summary) for summary in summaries], "total": total}
        )


class SessionHandler(AIServerHandler):
    """Reads and deletes a session."""

    @guarded("read")
    async def get(self, notebook_id: str, cell_id: str) -> None:
        """Answer with the session's stored bytes, in which NaN and infinity become null.

        Never 304 (not modified): other programs edit the file without changing the revision.
        """
        stored = await self.services.sessions.load_raw(self.key(notebook_id, cell_id))
        if stored is None:
            raise NotFound(UserText("This cell has no history."))
        raw, revision = stored
        self.set_revision(revision)
        await self.finish(without_nan(raw))

    @guarded("write")
    async def delete(self, notebook_id: str, cell_id: str) -> None:
        """Delete the session permanently, with what was kept only for it."""
        self.check_can_delete()
        key = self.key(notebook_id, cell_id)
        sessions = self.services.sessions
        stored = await sessions.load_raw(key)
        if not await sessions.delete(key, if_revision=self.if_match()):
            raise NotFound(UserText("This cell has no history."))
        await self.services.plugins.clean_up([key])
        try:
            blobs = blobs_in(stored[0]) if stored else ()
            await delete_unused_blobs(sessions, blobs, owner=key.owner)
        except Exception as fault:  # the history is gone; ``prune`` deletes the blobs
            self.log.error("Something of a deleted history stays: %s", outline_of(fault))


class EventsHandler(AIServerHandler):
    """Records events of a cell."""

    @guarded("write")
    async def post(self, notebook_id: str, cell_id: str) -> None:
        key, if_revision = self.key(notebook_id, cell_id), self.if_match()
        bodies = _EVENTS.validate_python(self.json_body())
        events = [body.to_event() for body in bodies]
        saved, revision = await self.services.sessions.record_events(
            key, events, if_revision=if_revision
        )
        self.set_revision(revision)
        self.set_status(201)
        await self.finish(json_bytes([event.to_dict() for event in saved]))


class TurnPromptHandler(AIServerHandler):
    """Returns the prompt of a turn."""

    @guarded("read")
    async def get(self, notebook_id: str, cell_id: str, turn_id: str) -> Encoded[dict[str, Any]]:
        """Answer with the receipt of the turn and, if stored, its messages and its thoughts."""
        key = self.key(notebook_id, cell_id)
        session = await self.services.sessions.load_session(key)
        turn = next((turn for turn in session.interactions if turn.turn_id == int(turn_id)), None)
        if turn is None:
            raise NotFound(UserText("This request is not in the history."))
        prompt = await read_prompt(self.services.sessions, key, turn.prompt)
        answer = {
            "turnId": turn.turn_id,
            "model": turn.model,
            "thoughts": turn.ai_response.thoughts or "",
            "messages": prompt and to_wire(prompt.messages),
            "hidden": prompt.redaction_count if prompt else 0,
            "masked": prompt.masked_count if prompt else 0,
            "items": to_wire(stored_items(turn.context or [])),
        }
        return await self.encode_in_thread(lambda: answer)
