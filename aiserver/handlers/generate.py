"""``generate``: generate a cell's code, preview a prompt, and stop a generation."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Any

from ..generation.generation import Generation, Waiting
from ..i18n import current_locale
from ..payload import to_wire
from ..requests import AnalyzeBody, GenerateBody, PreviewBody
from ..surrogates import json_bytes
from .base import AIServerHandler, error_fields, guarded
from .models import model_fields
from .sse import HEARTBEAT, Event, send_events


class GenerateHandler(AIServerHandler):
    """Generates a cell's code. If the client disconnects, the generation is stopped."""

    body_type: type[GenerateBody] = GenerateBody
    _generation: Generation | None = None
    _is_disconnected = False

    @guarded("execute")
    async def post(self) -> None:
        """Answer with server-sent events if the client accepts them, else with the saved turn."""
        self.check_owner()
        body = await self.request_body(self.body_type)
        key = self.key(body.notebook_id, body.cell_id)
        self._generation = await self.services.assistant.generate(key, body, user=self.user_name)
        if self._is_disconnected:  # the client disconnected before the generation existed
            self._generation.stop()
        if "text/event-stream" in self.request.headers.get("Accept", ""):
            await self._stream(self._generation)
        else:
            await self._answer(self._generation)

    async def _stream(self, generation: Generation) -> None:
        try:
            await send_events(self, generation_events(generation))
        finally:
            generation.stop()
            await generation.outcome

    async def _answer(self, generation: Generation) -> None:
        async for _ in generation.tokens():
            pass
        outcome = await generation.outcome
        if self._is_disconnected:
            return
        if outcome.interaction is None:
            self.unsaved = outcome.unsaved
            assert outcome.error is not None
            raise outcome.error  # the turn could not be saved
        self.set_revision(outcome.revision or 0)
        await self.finish(json_bytes(outcome.interaction.to_dict()))

    def on_connection_close(self) -> None:
        """Stop the generation. If it doesn't exist yet, ``post`` stops it once it exists."""
        self._is_disconnected = True
        if self._generation is not None:
            self._generation.stop()
        super().on_connection_close()


class AnalyzeDataFrameHandler(GenerateHandler):
    """Generates code for a request that contains profiles of the kernel's DataFrames."""

    body_type = AnalyzeBody


class PreviewHandler(AIServerHandler):
    """Previews the prompt of a request."""

    @guarded("execute")
    async def post(self) -> dict[str, Any]:
        """Answer with the exact messages that the model would get. Nothing is sent or recorded."""
        self.check_owner()
        body = await self.request_body(PreviewBody)
        preview = await self.services.assistant.preview(
            self.key(body.notebook_id, body.cell_id), body
        )
        return {
            "model": model_fields(preview.model),
            "messages": to_wire(preview.prompt.messages),
            "hidden": preview.prompt.redaction_count,
            "items": to_wire(preview.items),
        }


class StopHandler(AIServerHandler):
    """Stops a running generation."""

    @guarded("execute")
    async def delete(self, generation_id: str) -> None:
        """Stop the generation. The client that started it gets the status ``cancelled``."""
        self.services.assistant.stop(generation_id, user=self.user_name)


async def generation_events(generation: Generation) -> AsyncGenerator[Event | None, None]:
    """Yield the events of a generation, and None after ``HEARTBEAT`` seconds without one."""
    ids = {"generationId": generation.id, "turnId": generation.turn_id}
    model = model_fields(generation.model.info)
    yield "start", ids | {"model": model, "locale": current_locale()}
    async for token in generation.tokens(idle=HEARTBEAT):
        if token is None:
            yield None
        elif isinstance(token, Waiting):
            yield "waiting", {"seconds": token.seconds}
        else:
            replaces = {"replaces": True} if token.replaces else {}
            yield "token", {"part": token.part, "text": token.text} | replaces
    outcome = await generation.outcome
    data = error_fields(outcome.error) if outcome.error else {}
    if outcome.interaction is not None:
        data |= {"interaction": outcome.interaction.to_dict(), "revision": outcome.revision}
    if outcome.unsaved is not None:
        data["unsaved"] = outcome.unsaved.to_dict()
    yield "done" if outcome.status == "success" else outcome.status, data
