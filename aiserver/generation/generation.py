"""Run one generation: from the request to the saved turn.

Invariants:

- A started generation has exactly one ``Outcome``. Unless the store fails, a turn is recorded with
  its status and the text that was received.
- ``Generation.stop`` closes the model's stream, so that the model stops.
- A slow client receives every token. While ``QUEUE_SIZE`` tokens wait for it, no more of the answer
  is read.
- An answer without code is a success if it contains an explanation.
- The prompt is stored while the model answers.
- The log gets one summary line, and more after failures, without anything from the request or the
  answer.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from typing import Any

from ..errors import AIServerError, AnswerCut, BadAnswer, UserText
from ..llm.base import ChatModel
from ..models import (
    AIResponse,
    Interaction,
    NewTurn,
    Session,
    SessionKey,
    Status,
    UserRequest,
    utc_now,
)
from ..prompts.answers.reader import Answer, AnswerReader, Change, changes_of
from ..prompts.answers.thoughts import MAX_STORED, stored_thoughts
from ..prompts.parsed_request import ParsedRequest
from ..prompts.receipt import ContextItem
from ..redact import Vault
from ..requests import ANALYZE_MODE, DETECT_MODE, RETRY_MODE, AnalyzeBody, GenerateBody
from ..safe_traceback import outline_of
from ..sessions.base import SessionManager
from ..sessions.record.mutations import check_writable
from ..surrogates import fix_surrogates
from .allowed_parts import Options, allows_values, attached_frames
from .compose import compose, parse_body
from .hidden_data import schema_only, stored_frame
from .past_turns import PastTurns, load_or_new, load_past_turns
from .receipts import store_prompt

QUEUE_SIZE = 256  # tokens that wait for a slow client


@dataclass(frozen=True)
class Waiting:
    """The provider can't answer now. The request is retried after ``seconds``."""

    seconds: float


@dataclass(frozen=True)
class Outcome:
    """The end of a generation, with the status of its turn.

    ``unsaved`` is the turn if saving failed. ``error`` is why the generation or saving failed.
    """

    status: Status
    interaction: Interaction | None = None
    revision: int | None = None
    error: AIServerError | None = None
    unsaved: Interaction | None = None


class Generation:
    """One generation: ``prepare``, ``start``, iterate over ``tokens``, and await ``outcome``."""

    def __init__(
        self,
        id: str,
        key: SessionKey,
        body: GenerateBody,
        model: ChatModel,
        sessions: SessionManager,
        log: logging.Logger,
        user: str = "",
        options: Options | None = None,
    ) -> None:
        self.id, self.user = id, user
        self.key, self.body, self.model = key, body, model
        self.turn_id = 1  # the expected id; the turn may get another one when it is saved
        self._sessions, self._log = sessions, log
        self._options = options or Options()
        self._stores_prompt = self._options.stores_prompt(body.stores_prompt)
        self._queue: asyncio.Queue[Change | Waiting | None] = asyncio.Queue()  # None marks the end
        self._free_slots = asyncio.Semaphore(QUEUE_SIZE)  # for tokens that can still be queued
        self._is_retry = body.mode == RETRY_MODE
        self._request = parse_body(body)
        self._selection = self._request.selection
        self._streamed_code = ""  # the cell's source so far, if lines are selected
        self._thoughts = ""  # those that the server sent in a field of their own
        is_small = model.style == "compact"
        self._in_words = self._request.is_question if is_small else self._request.demands_words
        self._reader = AnswerReader(self._request.language, in_words=self._in_words)
        self._vault = Vault()
        self.past = PastTurns()
        self.receipt: list[ContextItem] = []
        self._prompt_task: asyncio.Task[str | None] | None = None
        self._usage: dict[str, object] | None = None
        self._requested_at = utc_now()
        self._started_at = time.monotonic()
        self._first_token_at: float | None = None
        self._is_stopped = self._is_querying = False
        self._task: asyncio.Task[None] | None = None
        self.outcome: asyncio.Future[Outcome] = asyncio.get_running_loop().create_future()

    async def prepare(self) -> None:
        """Load the cell's history. Raises StorageError if no turn can be added to it."""
        session = await load_or_new(self._sessions, self.key)
        # Fail before the model is queried in vain.
        check_writable(session)
        self.turn_id = session.next_turn_id
        self.past = await self.past_turns_of(session)

    async def past_turns_of(self, session: Session) -> PastTurns:
        body = self.body
        return await load_past_turns(
            self._sessions,
            self.key,
            body.parent_turn_id,
            session=session,
            begins_branch=body.repeats_turn_id is not None and body.parent_turn_id is None,
            condenses=body.condenses_turns,
            # A small model would copy its answer; others must know what to do differently.
            before=(body.intent, body.source)
            if self._is_retry and self.model.style == "compact"
            else None,
        )

    def start(self) -> None:
        self._task = asyncio.create_task(self._run())

    def stop(self) -> None:
        """Stop the model. May be called at any time, and more than once."""
        self._is_stopped = True
        if self._task and self._is_querying:
            self._task.cancel()

    async def tokens(self, idle: float | None = None) -> AsyncIterator[Change | Waiting | None]:
        """Yield the tokens, and None after each ``idle`` seconds without one."""
        while True:
            try:
                # `wait_for` starts a timer, which is slow.
                token = (
                    await asyncio.wait_for(self._queue.get(), idle)
                    if self._queue.empty()
                    else self._queue.get_nowait()
                )
            except (TimeoutError, asyncio.TimeoutError):
                yield None
                continue
            if token is None:
                return
            self._free_slots.release()
            yield token

    async def _run(self) -> None:
        """Query the model, save the turn and set the outcome, whatever happens."""
        outcome = Outcome("error", error=AIServerError())
        try:
            outcome = await self._query_and_save()
        except Exception as fault:  # a bug after the model's answer
            self._log.error("generation %s could not end: %s", self.id, outline_of(fault))
        finally:
            self._log_end(outcome)
            self.outcome.set_result(outcome)
            self._queue.put_nowait(None)

    async def _query_and_save(self) -> Outcome:
        error: AIServerError | None = None
        status: Status = "cancelled"
        try:
            if not self._is_stopped:
                self._is_querying = True
                await self._query()
                status = "success"
        except asyncio.CancelledError:
            pass  # the generation was stopped; its turn is recorded below
        except AIServerError as reason:
            status, error = "error", reason
        except Exception as fault:
            # This is a bug: the user gets a general error, and the turn is recorded.
            self._log.error("generation %s failed: %s", self.id, outline_of(fault))
            status, error = "error", AIServerError()
        self._is_querying = False  # `stop` has no effect any more
        changes = self._reader.feed(self._vault.finish())
        changes += await asyncio.to_thread(self._reader.finish)
        for change in self._shown(changes, ended=True):
            self._queue.put_nowait(change)
        answer = self._answer()
        if not (answer.code or answer.explanation.strip()) and (
            status == "success" or isinstance(error, AnswerCut)
        ):
            status = "error"
            only_thought = BadAnswer(BadAnswer.only_thoughts) if answer.thoughts else None
            error = only_thought or error or BadAnswer()
        return await self._save(status, error, answer)

    async def _query(self) -> None:
        composed = await compose(self.model, self.body, self.past, self._options, self._request)
        self._vault, self.receipt = composed.vault, composed.items
        if self._stores_prompt:
            storing = store_prompt(self._sessions, self.key, composed, self._log)
            self._prompt_task = asyncio.create_task(storing)
        async with contextlib.aclosing(
            self.model.stream(
                composed.messages,
                language="" if self._in_words else self._request.language.name,
                is_retry=self._is_retry,
                additions=composed.additions,
            )
        ) as deltas:
            async for delta in deltas:
                if self._is_stopped:
                    # Before Python 3.12, asyncio.wait_for can swallow the cancellation.
                    raise asyncio.CancelledError
                self._usage = delta.usage or self._usage
                if delta.waiting is not None:
                    await self._free_slots.acquire()
                    self._queue.put_nowait(Waiting(delta.waiting))
                if delta.text and self._first_token_at is None:
                    self._first_token_at = time.monotonic()
                # Collect more than is stored, because secrets get shorter.
                self._thoughts = (self._thoughts + delta.thoughts)[: 2 * MAX_STORED]
                for change in self._shown(await self._read(self._vault.feed(delta.text))):
                    await self._free_slots.acquire()
                    self._queue.put_nowait(change)

    async def _read(self, text: str) -> list[Change]:
        """Read the next piece of the answer, without blocking the event loop."""
        if self._reader.is_long:
            return await asyncio.to_thread(self._reader.feed, text)
        return self._reader.feed(text)

    def _shown(self, changes: list[Change], *, ended: bool = False) -> list[Change]:
        """Return the changes with the lines that aren't selected."""
        if self._selection is None:
            return changes
        source = ""
        if code := self._reader.answer.code:
            source = self._selection.insert(code) if ended else self._selection.begin(code)
        before, self._streamed_code = self._streamed_code, source
        others = [change for change in changes if change.part != "code"]
        return [*changes_of("code", before, source), *others]

    def _answer(self) -> Answer:
        answer = self._reader.answer
        code = answer.code if answer.code.strip() else ""
        if code and self._selection:
            code = self._selection.insert(code)
        thoughts = "\n\n".join(filter(None, (self._thoughts, answer.thoughts)))
        return replace(answer, code=code, thoughts=thoughts)

    async def _save(self, status: Status, error: AIServerError | None, answer: Answer) -> Outcome:
        fields: dict[str, Any] = {"model": self.model.info.id}
        if self.user:
            fields["user"] = self.user
        text = f"{answer.code}\n{answer.explanation}"
        await asyncio.to_thread(self._vault.register_unrecognised, text)
        # Thoughts repeat much of the prompt, so they aren't stored if it isn't.
        (thoughts,), _ = self._vault.redact([fix_surrogates(answer.thoughts)])
        answer = replace(answer, thoughts=stored_thoughts(thoughts) if self._stores_prompt else "")
        fields["timing"] = self._timing()
        if self._usage:
            fields["usage"] = self._usage
            cost = await self._options.cost(self.model.info, self._usage)
            if cost is not None:
                fields["cost"] = cost
        turn = _build_turn(
            self.body,
            self._request,
            self._requested_at,
            _build_answer(answer, status, error),
            self.receipt,
            explains=self._in_words and self.model.style == "compact",
            gets_values=allows_values(
                self._options.features, on_this_machine=self.model.info.on_this_machine
            ),
            **fields,
        )
        if self._prompt_task and (sha256 := await self._prompt_task):
            turn.prompt = sha256
        try:
            saved, revision = await self._sessions.save_interaction(self.key, turn)
        except Exception as fault:
            if isinstance(fault, AIServerError):
                self._log.warning("A turn could not be saved: %s", fault.code)
                error = fault
            else:
                self._log.error("A turn could not be saved: %s", outline_of(fault))
                error = AIServerError(UserText("This answer could not be saved to the history."))
            unsaved = Interaction.model_validate(turn.to_dict() | {"turn_id": self.turn_id})
            return Outcome("error", error=error, unsaved=unsaved)
        # The stored texts are redacted; the user gets the original ones.
        saved = saved.model_copy(
            update={"user_request": turn.user_request, "ai_response": turn.ai_response}
        )
        return Outcome(status, saved, revision, error)

    def _timing(self) -> dict[str, int]:
        moments = {"first_token": self._first_token_at, "total": time.monotonic()}
        return {
            name: round((moment - self._started_at) * 1000)
            for name, moment in moments.items()
            if moment is not None
        }

    def _log_end(self, outcome: Outcome) -> None:
        timing = self._timing()
        fields: dict[str, Any] = {
            "id": self.id,
            "model": self.model.info.loggable_id,
            "status": outcome.status,
            "code": outcome.error and outcome.error.code,
            "ms": timing["total"],
            "first_ms": timing.get("first_token"),
            "tokens_in": (self._usage or {}).get("input_tokens"),
            "tokens_out": (self._usage or {}).get("output_tokens"),
        }
        fields = {name: value for name, value in fields.items() if value is not None}
        text = " ".join(f"{name}={value}" for name, value in fields.items())
        self._log.info("generation %s", text, extra={"aiserver": fields})


def _build_turn(
    body: GenerateBody,
    request: ParsedRequest,
    timestamp: str,
    answer: AIResponse,
    receipt: list[ContextItem],
    *,
    explains: bool,
    gets_values: bool,
    **fields: Any,
) -> NewTurn:
    """Return the turn. A small model that ``explains`` gets no DataFrames, so none are stored."""
    language = request.language
    turn = NewTurn(
        timestamp=timestamp,
        user_request=UserRequest(
            intent=body.intent,
            current_code=body.source,
            # Store the request's name for the kernel's language.
            language=body.language if language.name == language.kernel else language.name,
        ),
        ai_response=answer,
        mode=_stored_mode(body, request),
        **fields,
    )
    if selection := body.context.selection:
        turn.selection = selection.model_dump()
    if body.parent_turn_id is not None:
        turn.parent_turn_id = body.parent_turn_id
    if body.repeats_turn_id is not None:
        turn.repeats_turn_id = body.repeats_turn_id
    if not explains and (frames := attached_frames(body)):
        turn.dataframes = [
            stored_frame(frame if gets_values else schema_only(frame)) for frame in frames
        ]
    if receipt:
        turn.context = [item.to_dict() for item in receipt]
    return turn


def _build_answer(answer: Answer, status: Status, error: AIServerError | None) -> AIResponse:
    response = AIResponse(
        suggestion=answer.code,
        explanation=answer.explanation,
        status=status,
        error=error.message if error else None,
    )
    if answer.code and answer.replaced:
        response.replaced_characters = list(answer.replaced)
    if answer.thoughts:
        response.thoughts = answer.thoughts
    return response


def _stored_mode(body: GenerateBody, request: ParsedRequest) -> str:
    if body.mode not in (DETECT_MODE, ANALYZE_MODE, RETRY_MODE):
        return body.mode
    if isinstance(body, AnalyzeBody) and request.slash_mode is None:
        return ANALYZE_MODE
    return request.mode
