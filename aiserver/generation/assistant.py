"""The use case: somebody asks for code in a cell.

What must hold: one generation at a time per cell, and a second one is told which is running; a
generation belongs to who asked for it, and nobody else stops it (P9). How one goes and ends is
``generation.py``.
"""

from __future__ import annotations

import asyncio
import logging
import uuid
from dataclasses import dataclass
from typing import Protocol

from ..errors import AIServerError, GenerationRunning, NotFound, NotYours, TooManyGenerations
from ..llm.base import ChatModel, ModelInfo
from ..models import SessionKey
from ..prompts.context import as_text, is_example
from ..requests import GenerateBody, PreviewBody, WarmUpBody
from ..sessions.base import SessionManager
from .compose import compose
from .generation import Generation
from .past_turns import load_past_turns


class ModelSource(Protocol):
    """Where models come from."""

    async def get(self, model_id: str | None) -> ChatModel:
        """The model of that id, or the default one. Raises NoModel and its siblings."""


@dataclass(frozen=True)
class Preview:
    """What a model would get: who speaks, the text, and whether it is an example of ours, of
    each message; how many secrets were taken out of them."""

    model: ModelInfo
    messages: list[tuple[str, str, bool]]
    hidden: int


class Assistant:
    """Answers requests for code, at most one at a time for each cell."""

    def __init__(
        self,
        sessions: SessionManager,
        models: ModelSource,
        log: logging.Logger | None = None,
        most: int = 100,
    ) -> None:
        self._sessions, self._models, self._most = sessions, models, most
        self._log = log or logging.getLogger(__name__)
        self._reserved: dict[SessionKey, str] = {}
        self._running: dict[str, Generation] = {}
        self._warming: asyncio.Task[None] | None = None

    async def generate(self, key: SessionKey, body: GenerateBody, *, user: str = "") -> Generation:
        """Begin an answer. ``user`` is who asked, or empty on a server of one person.

        Raises GenerationRunning if the cell is being written already; TooManyGenerations if
        ``most`` answers are being written at once (P17); NoModel and its siblings if there is no
        model to ask; StorageError if the cell's history can't be read, or is of a newer version.
        In these cases no turn has begun, and none is recorded.
        """
        if key in self._reserved:
            raise GenerationRunning(self._reserved[key])
        if len(self._reserved) >= self._most:
            raise TooManyGenerations
        self._reserved[key] = id = uuid.uuid4().hex  # taken before the first await
        try:
            model = await self._models.get(body.model)
            generation = Generation(id, key, body, model, self._sessions, self._log, user)
            await generation.prepare()
        except BaseException:
            del self._reserved[key]
            raise
        self._stop_warming()
        self._running[generation.id] = generation
        generation.outcome.add_done_callback(lambda _: self._release(generation))
        generation.start()
        return generation

    def _release(self, generation: Generation) -> None:
        self._running.pop(generation.id, None)
        self._reserved.pop(generation.key, None)

    async def preview(self, key: SessionKey, body: PreviewBody) -> Preview:
        """What would be sent now, to the letter. Nothing is sent, and nothing is recorded.

        Raises as ``generate``.
        """
        model = await self._models.get(body.model)
        history = await load_past_turns(self._sessions, key, body.parent_turn_id)
        messages, vault = await compose(model, body, history)
        texts = [
            (role, text, is_example(message))
            for (role, text), message in zip(as_text(messages), messages, strict=True)
        ]
        return Preview(model.info, texts, len(vault))

    def stop(self, generation_id: str, *, user: str = "") -> None:
        """Stop a running generation.

        Raises NotFound if it isn't running, NotYours if somebody else asked for it.
        """
        generation = self._running.get(generation_id)
        if generation is None:
            raise NotFound("This request is no longer running.")
        if generation.user != user:
            raise NotYours
        generation.stop()

    def warm_up(self, key: SessionKey, body: WarmUpBody) -> None:
        """Make a model ready for a request about this cell, in the background. Nothing is sent to
        one that is not on this machine.

        Only the newest wish counts, and none stands in the way of a real request.
        """
        self._stop_warming()
        if not self._running:
            self._warming = asyncio.create_task(self._warm_up(key, body))

    def _stop_warming(self) -> None:
        if self._warming is not None:
            self._warming.cancel()
            self._warming = None

    async def _warm_up(self, key: SessionKey, body: WarmUpBody) -> None:
        try:
            model = await self._models.get(body.model)
            messages, _ = await compose(model, body, await load_past_turns(self._sessions, key))
            await model.warm_up(messages)
        except AIServerError as reason:
            # The request itself will say it, if there ever is one.
            self._log.debug("Not warmed up: %s", reason.code)

    async def close(self) -> None:
        """Stop all that runs, and wait until it is recorded."""
        self._stop_warming()
        running = list(self._running.values())
        for generation in running:
            generation.stop()
        if running:
            await asyncio.wait([generation.outcome for generation in running], timeout=10)
