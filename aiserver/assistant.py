"""The use case: somebody asks for code in a cell.

Context, past turns and the request become a prompt; the model's answer becomes a stream of
tokens; at the end, however it ends, the turn is saved.

What must hold:

- One generation at a time per cell; a second one is told which is running.
- Each generation ends in exactly one of Done, Cancelled, Failed, and (unless the store itself
  fails) its turn is recorded as such, with the text that had come.
- Stopping is one mechanism, ``Generation.stop``, for the person's Stop, a client that went away
  and the server's end alike. It closes the model's stream, which stops the model.
- A reader that is slow slows the model down, and misses nothing: the queue between them is
  bounded while the model writes, and the end is always put behind the last token.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import uuid
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Literal, Protocol

from pydantic import ValidationError

from .errors import AIServerError, BadAnswer, GenerationRunning, NotFound
from .llm.base import ChatModel, ModelInfo
from .models import AIResponse, Interaction, NewTurn, SessionKey, UserRequest, utc_now
from .prompts.answer import answer_parser
from .prompts.context import PromptInput, build_messages
from .prompts.language import cell_language
from .requests import AnalyzeBody, DataFrameProfile, GenerateBody, WarmUpBody
from .sessions.base import SessionManager, check_writable

QUEUE_SIZE = 256  # tokens that may wait for a slow reader
HISTORY_TURNS = 50  # more than any budget holds; the budget decides


class ModelSource(Protocol):
    """Where models come from."""

    async def get(self, model_id: str | None) -> ChatModel:
        """The model of that id, or the default one. Raises NoModel and its siblings."""


@dataclass(frozen=True)
class Token:
    """A piece of the answer as it comes."""

    part: Literal["code", "explanation"]
    text: str


@dataclass(frozen=True)
class Done:
    """The answer is whole and saved."""

    interaction: Interaction
    revision: int


@dataclass(frozen=True)
class Cancelled:
    """It was stopped; what had come is saved."""

    interaction: Interaction
    revision: int


@dataclass(frozen=True)
class Failed:
    """It failed; the turn is saved, unless saving is what failed."""

    error: AIServerError
    interaction: Interaction | None = None
    revision: int | None = None


Outcome = Done | Cancelled | Failed


class Generation:
    """One answer on its way. Iterate over ``tokens()``, then await ``outcome``."""

    def __init__(
        self,
        id: str,
        key: SessionKey,
        body: GenerateBody,
        model: ChatModel,
        sessions: SessionManager,
        log: logging.Logger,
    ) -> None:
        self.id = id
        self.key, self.body, self.model = key, body, model
        self.turn_id = 1  # the id the turn will most likely get; the saved turn's is true
        self._sessions, self._log = sessions, log
        self._queue: asyncio.Queue[Token | None] = asyncio.Queue()
        self._room = asyncio.Semaphore(QUEUE_SIZE)
        self._language = cell_language(body.language, body.source, body.cell_type)
        self._parser = answer_parser(self._language)
        self._usage: dict[str, object] | None = None
        self._asked_at = utc_now()
        self._stopped = False
        self._asking = False
        self._task: asyncio.Task[None] | None = None
        self.outcome: asyncio.Future[Outcome] = asyncio.get_running_loop().create_future()

    @property
    def info(self) -> ModelInfo:
        """The model that answers."""
        return self.model.info

    async def prepare(self) -> None:
        """Read what is known of the cell. Raises StorageError, also where no turn can be added."""
        session = await self._sessions.load_session(self.key)
        check_writable(session, None)  # before a model is asked for what could not be kept
        self.turn_id = session.next_turn_id
        self._history = session.history()[-HISTORY_TURNS:]

    def start(self) -> None:
        """Begin to ask the model."""
        self._task = asyncio.create_task(self._run())

    def stop(self) -> None:
        """Stop the model. May be called at any time, any number of times."""
        self._stopped = True
        if self._task and self._asking:
            self._task.cancel()

    async def tokens(self, idle: float | None = None) -> AsyncIterator[Token | None]:
        """The tokens as they come; None each time nothing came for ``idle`` seconds."""
        while True:
            try:
                token = await asyncio.wait_for(self._queue.get(), idle)
            except (TimeoutError, asyncio.TimeoutError):
                yield None
                continue
            if token is None:
                return
            self._room.release()
            yield token

    async def _run(self) -> None:
        error: AIServerError | None = None
        status: Literal["success", "error", "cancelled"] = "cancelled"
        try:
            if not self._stopped:
                self._asking = True
                await self._ask()
                status = "success"
        except asyncio.CancelledError:
            pass  # stopped: recorded below, like any other end
        except AIServerError as reason:
            status, error = "error", reason
        except Exception:
            # A fault of ours. The person gets a sentence, the log the traceback, and the
            # turn is recorded all the same.
            self._log.exception("A generation failed")
            status, error = "error", AIServerError()
        self._asking = False  # from here on a stop comes too late: the answer is here
        for part, text in self._parser.finish():
            self._queue.put_nowait(Token(part, text))
        if status == "success" and not self._parser.suggestion.strip():
            status, error = "error", BadAnswer()
        self.outcome.set_result(await self._save(status, error))
        self._queue.put_nowait(None)

    async def _ask(self) -> None:
        messages = await build_messages(
            prompt_input(self.body, self._history),
            style=self.model.style,
            budget=self.model.prompt_tokens,
            count=self.model.count_tokens,
        )
        async with contextlib.aclosing(
            self.model.stream(messages, language=self._language.name)
        ) as deltas:
            async for delta in deltas:
                if self._stopped:
                    # Before Python 3.12 asyncio.wait_for can swallow a cancellation.
                    raise asyncio.CancelledError
                self._usage = delta.usage or self._usage
                for part, text in self._parser.feed(delta.text):
                    await self._room.acquire()
                    self._queue.put_nowait(Token(part, text))

    @property
    def _stored_language(self) -> str:
        """As the kernel calls it, unless the cell is written in another."""
        own = self._language
        return self.body.language if own.name == own.kernel else own.name

    async def _save(
        self, status: Literal["success", "error", "cancelled"], error: AIServerError | None
    ) -> Outcome:
        turn = NewTurn(
            timestamp=self._asked_at,
            user_request=UserRequest(
                intent=self.body.intent,
                current_code=self.body.source,
                language=self._stored_language,
            ),
            ai_response=AIResponse(
                suggestion=self._parser.suggestion,
                explanation=self._parser.explanation,
                status=status,
                error=error.message if error else None,
            ),
            mode=self.body.mode,
            model=self.info.id,
        )
        if self._usage:
            turn.usage = self._usage
        if self.body.parent_turn_id is not None:
            turn.parent_turn_id = self.body.parent_turn_id
        if isinstance(self.body, AnalyzeBody):
            turn.dataframes = [frame.model_dump() for frame in self.body.dataframes]
        try:
            saved, revision = await self._sessions.save_interaction(self.key, turn)
        except AIServerError as reason:
            self._log.warning("A turn could not be saved: %s", reason.code)
            return Failed(reason)
        except Exception:
            self._log.exception("A turn could not be saved")
            return Failed(AIServerError("This turn could not be saved."))
        if error:
            return Failed(error, saved, revision)
        return Done(saved, revision) if status == "success" else Cancelled(saved, revision)


def prompt_input(body: WarmUpBody, history: list[Interaction]) -> PromptInput:
    """What a prompt is made of. A refinement keeps the DataFrames of the turn it refines."""
    frames = list(body.dataframes) if isinstance(body, AnalyzeBody) else _last_frames(history)
    return PromptInput(
        intent=body.intent if isinstance(body, GenerateBody) else "",
        source=body.source,
        language=body.language,
        cell_type=body.cell_type,
        cells=list(body.context.cells),
        history=history,
        dataframes=frames,
    )


def _last_frames(history: list[Interaction]) -> list[DataFrameProfile]:
    for turn in reversed(history):
        if turn.dataframes:
            # Another tool, or a later version, may have stored more of them, or something else:
            # that must not make the cell unusable.
            try:
                known = DataFrameProfile.model_fields
                return [
                    DataFrameProfile.model_validate({k: v for k, v in frame.items() if k in known})
                    for frame in turn.dataframes
                ]
            except ValidationError:
                return []
    return []


class Assistant:
    """Answers requests for code, at most one at a time for each cell."""

    def __init__(
        self,
        sessions: SessionManager,
        models: ModelSource,
        log: logging.Logger | None = None,
    ) -> None:
        self._sessions, self._models = sessions, models
        self._log = log or logging.getLogger(__name__)
        self._reserved: dict[SessionKey, str] = {}
        self._running: dict[str, Generation] = {}
        self._warming: asyncio.Task[None] | None = None

    async def generate(self, key: SessionKey, body: GenerateBody) -> Generation:
        """Begin an answer.

        Raises GenerationRunning if the cell is being written already; NoModel and its siblings
        if there is no model to ask; StorageError if the cell's history can't be read, or is of a
        newer version. In these cases no turn has begun, and none is recorded.
        """
        if key in self._reserved:
            raise GenerationRunning(self._reserved[key])
        self._reserved[key] = id = uuid.uuid4().hex  # taken before the first await
        try:
            model = await self._models.get(body.model)
            generation = Generation(id, key, body, model, self._sessions, self._log)
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

    def stop(self, generation_id: str) -> None:
        """Stop a running generation. Raises NotFound if it isn't running."""
        generation = self._running.get(generation_id)
        if generation is None:
            raise NotFound("That answer is not being written any more.")
        generation.stop()

    def warm_up(self, key: SessionKey, body: WarmUpBody) -> None:
        """Make a model on this machine ready for a request about this cell, in the background.

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
            if not model.info.on_this_machine:
                return
            session = await self._sessions.load_session(key)
            messages = await build_messages(
                prompt_input(body, session.history()[-HISTORY_TURNS:]),
                style=model.style,
                budget=model.prompt_tokens,
                count=model.count_tokens,
            )
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
