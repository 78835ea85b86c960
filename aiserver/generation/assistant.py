"""Start and stop generations, preview prompts, and warm up models.

Invariants: each cell has at most one generation at a time; the error for a second one contains the
first one's id. Only the user who started a generation can stop it.
"""

from __future__ import annotations

import asyncio
import logging
import uuid
from dataclasses import dataclass

from ..errors import (
    AIServerError,
    GenerationRunning,
    NotFound,
    NotYours,
    TooManyGenerations,
    UserText,
)
from ..llm.base import ChatModel, ModelInfo
from ..llm.registry import ModelRegistry
from ..models import SessionKey
from ..prompts.receipt import ContextItem
from ..requests import GenerateBody, PreviewBody, WarmUpBody
from ..sessions.base import SessionManager
from .allowed_parts import Options
from .background import BackgroundTasks, competes
from .compose import compose
from .condense import Condenser
from .generation import Generation, Outcome
from .past_turns import load_past_turns
from .receipts import SentPrompt, sent_prompt


@dataclass(frozen=True)
class Preview:
    """A request's model, prompt and receipt."""

    model: ModelInfo
    prompt: SentPrompt
    items: list[ContextItem]


class Assistant:
    """Answers requests, at most one at a time per cell and ``limit`` in total."""

    def __init__(
        self,
        sessions: SessionManager,
        models: ModelRegistry,
        log: logging.Logger | None = None,
        limit: int = 100,
        options: Options | None = None,
    ) -> None:
        self._sessions, self._models, self._limit = sessions, models, limit
        self._options = options or Options()
        self._log = log or logging.getLogger(__name__)
        # The id of the generation in each cell, including generations that are being prepared.
        self._id_by_cell: dict[SessionKey, str] = {}
        self._running: dict[str, Generation] = {}  # the generations that have started, by id
        self._warm_up_task: asyncio.Task[None] | None = None
        self.background = BackgroundTasks(self._log)
        self._condenser = Condenser(sessions, self._options.cost, self.background, self._log)

    async def generate(self, key: SessionKey, body: GenerateBody, *, user: str = "") -> Generation:
        """Start a generation. ``user`` is empty if names don't identify people.

        Raises GenerationRunning if the cell has one already; TooManyGenerations; ModelError
        without a usable model; StorageError if the cell's history can't be read or is from a newer
        version. Then no turn is recorded.
        """
        if key in self._id_by_cell:
            raise GenerationRunning(self._id_by_cell[key])
        if len(self._id_by_cell) >= self._limit:
            raise TooManyGenerations
        # Set before the first await, so that no other call starts a generation in the cell.
        self._id_by_cell[key] = id = uuid.uuid4().hex
        try:
            model = await self._models.get(body.model)
            generation = Generation(
                id,
                key,
                body,
                model,
                self._sessions,
                self._log,
                user,
                self._options,
            )
            await generation.prepare()
        except BaseException:
            del self._id_by_cell[key]
            raise
        self._cancel_warm_up()
        self.background.cancel(model.info)
        self._running[generation.id] = generation
        generation.outcome.add_done_callback(
            lambda future: self._release(generation, future.result())
        )
        generation.start()
        return generation

    def _release(self, generation: Generation, outcome: Outcome) -> None:
        """Let another generation start in the cell. Turns that didn't fit are summarised now."""
        self._running.pop(generation.id, None)
        self._id_by_cell.pop(generation.key, None)
        info = generation.model.info
        is_model_free = not any(
            competes(info, other.model.info) for other in self._running.values()
        )
        if outcome.status == "success" and generation.body.condenses_turns and is_model_free:
            self._condenser.start(generation)

    async def preview(self, key: SessionKey, body: PreviewBody) -> Preview:
        """Return what ``generate`` would send. Raises ModelError, StorageError."""
        model = await self._models.get(body.model)
        past = await load_past_turns(
            self._sessions, key, body.parent_turn_id, condenses=body.condenses_turns
        )
        composed = await compose(model, body, past, self._options)
        return Preview(model.info, sent_prompt(composed), composed.items)

    def stop(self, generation_id: str, *, user: str = "") -> None:
        """Stop a generation. Raises NotFound, and NotYours if another user started it."""
        generation = self._running.get(generation_id)
        if generation is None:
            raise NotFound(UserText("This request is no longer running."))
        if generation.user != user:
            raise NotYours
        generation.stop()

    def warm_up(self, key: SessionKey, body: WarmUpBody) -> None:
        """Prepare a model, without sending anything to a remote one.

        A new warm-up, or a generation in any cell, cancels it.
        """
        self._cancel_warm_up()
        self.background.cancel_local()
        if not self._running:
            self._warm_up_task = asyncio.create_task(self._warm_up(key, body))

    def _cancel_warm_up(self) -> None:
        if self._warm_up_task is not None:
            self._warm_up_task.cancel()
            self._warm_up_task = None

    async def _warm_up(self, key: SessionKey, body: WarmUpBody) -> None:
        try:
            model = await self._models.get(body.model)
            past = await load_past_turns(self._sessions, key, condenses=body.condenses_turns)
            composed = await compose(model, body, past, self._options)
            await model.warm_up(composed.messages)
        except AIServerError as reason:
            # If the cause remains, the next request reports it.
            self._log.debug("Warm-up failed: %s", reason.code)

    @property
    def is_busy(self) -> bool:
        """Whether a person waits for a model or its warm-up."""
        is_warming_up = self._warm_up_task is not None and not self._warm_up_task.done()
        return bool(self._id_by_cell) or is_warming_up

    async def idle_model(self) -> ChatModel | None:
        """Return the default model, or None if the assistant is busy."""
        if self.is_busy:
            return None
        try:
            model = await self._models.get(None)
        except AIServerError as reason:
            self._log.debug("There is no model for a background task: %s", reason.code)
            return None
        return None if self._id_by_cell else model

    async def close(self) -> None:
        """Stop the generations, and wait up to 10 s until their turns are saved."""
        self._cancel_warm_up()
        running = list(self._running.values())
        for generation in running:
            generation.stop()
        await self.background.close()
        if running:
            await asyncio.wait([generation.outcome for generation in running], timeout=10)
