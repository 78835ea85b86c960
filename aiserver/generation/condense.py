"""Let models summarise the older turns of cells, in the background.

A summary is made after an answer whose prompt left out past turns that no valid summary covers, by
the same model. So no other model gets the turns, and it gets only turns of the person's request.

Invariants:

- A summary delays no request (``background.py``).
- There is at most one task per cell, with one request of as many turns as fit.
- Secrets are redacted before any model gets the texts, and again before they are stored.
- A summary is stored only if the turns that it covers are still past turns of the request.
- After a failure, the next answer in the cell starts another try.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Sequence
from dataclasses import dataclass

from ..errors import BadAnswer, StaleRevision
from ..models import PROSE_LANGUAGES, Event, Interaction, NewEvent
from ..prompts.receipt import ContextItem
from ..prompts.summary import MAX_SUMMARY, clean_summary, condense_messages
from ..redact import redact
from ..sessions.base import SessionManager
from ..surrogates import fix_surrogates
from .allowed_parts import Cost
from .background import BackgroundTasks
from .condensed_turns import (
    CondensedTurns,
    answered_count,
    is_answered,
    newest_valid,
    to_event,
)
from .generation import Generation
from .past_turns import PastTurns

REACH = 200  # a first summary begins at most this many turns before the oldest that was sent
MAX_TURNS = 100  # turns in one request
_SAVE_ATTEMPTS = 3


@dataclass(frozen=True)
class Plan:
    """The turns to summarise: from the index ``next`` to ``end`` - 1.

    ``previous`` is the summary so far, which begins at ``start``.
    """

    previous: str
    start: int
    next: int
    end: int


def plan_summary(past: PastTurns, receipt: Sequence[ContextItem]) -> Plan | None:
    """Return which turns to summarise; None if none were left out.

    The older half of those that were sent is covered, too, so that this is rarely needed.
    """
    first_sent = past.recent_start + _first_sent(past.all[past.recent_start :], receipt)
    earliest = max(first_sent - REACH, 0)
    condensed = past.condensed
    if condensed is None or condensed.end < earliest:
        condensed = CondensedTurns("", earliest, earliest)
    if not answered_count(past.all[condensed.end : first_sent]):
        return None
    end = first_sent + (len(past.all) - first_sent) // 2
    return Plan(condensed.text, condensed.start, condensed.end, end)


def _first_sent(turns: Sequence[Interaction], receipt: Sequence[ContextItem]) -> int:
    """Return the index of the oldest turn that was sent; if none was, the number of all."""
    items = [item for item in receipt if item.kind == "turn"]
    if not items:
        return 0
    index = len(turns)
    sent_ids = [id_ for item in items if item.is_included for id_ in item.turn_ids]
    for turn_id in reversed(sent_ids):
        earlier = (i for i in range(index - 1, -1, -1) if turns[i].turn_id == turn_id)
        index = next(earlier, index)
    return index


class Condenser:
    """Summarises older turns in background tasks."""

    def __init__(
        self,
        sessions: SessionManager,
        cost: Cost,
        tasks: BackgroundTasks,
        log: logging.Logger,
    ) -> None:
        self._sessions, self._cost = sessions, cost
        self._tasks, self._log = tasks, log

    def start(self, generation: Generation) -> None:
        plan = plan_summary(generation.past, generation.receipt)
        if plan is not None:
            work, info = self._condense(generation, plan), generation.model.info
            self._tasks.start(generation.key, info, work, "Older turns could not be summarised")

    async def _condense(self, generation: Generation, plan: Plan) -> None:
        started_at = time.monotonic()
        model, past = generation.model, generation.past
        indexes = range(plan.next, plan.end)
        answered = [i for i in indexes if is_answered(past.all[i])]
        chosen = [past.all[i] for i in answered[:MAX_TURNS]]
        turns = await asyncio.to_thread(lambda: [_redacted(turn) for turn in chosen])
        # Another tool may have stored the previous summary.
        previous = redact(fix_surrogates(plan.previous), is_prose=True)
        messages, count = await condense_messages(
            previous, turns, model.style, model.prompt_tokens, model.count_tokens
        )
        text, usage = await self._tasks.answer(model, messages, 2 * MAX_SUMMARY[model.style])
        summary = clean_summary(redact(text, is_prose=True), model.style)
        if not summary:
            raise BadAnswer
        # The summary ends before the first remaining turn.
        end = answered[count] if count < len(answered) else plan.end
        condensed = CondensedTurns(summary, plan.start, end)
        event = await asyncio.to_thread(to_event, condensed, past.all, model.info.id)
        if usage and event.data is not None:
            cost = await self._cost(model.info, usage)
            event.data |= {"usage": usage} | ({} if cost is None else {"cost": cost})
            event.data |= {"user": generation.user} if generation.user else {}
        await self._save(generation, event)
        milliseconds = round((time.monotonic() - started_at) * 1000)
        text = "older turns summarised: model=%s turns=%d ms=%d"
        self._log.info(text, model.info.loggable_id, count, milliseconds)

    async def _save(self, generation: Generation, event: NewEvent) -> None:
        """Store a summary, unless the turns that it covers aren't past turns any more."""
        for attempt in range(1, _SAVE_ATTEMPTS + 1):
            session = await self._sessions.load_if_exists(generation.key)
            if session is None:
                return
            past = await generation.past_turns_of(session)
            saved = Event(seq=1, **event.to_dict())
            if await asyncio.to_thread(newest_valid, [saved], past.all) is None:
                return
            try:
                revision = session.revision
                await self._sessions.record_events(generation.key, [event], if_revision=revision)
                return
            except StaleRevision:  # another write came first
                if attempt == _SAVE_ATTEMPTS:
                    raise


def _redacted(turn: Interaction) -> Interaction:
    request, answer = turn.user_request, turn.ai_response
    return turn.model_copy(
        update={
            "user_request": request.model_copy(
                update={"intent": redact(request.intent, is_prose=True)}
            ),
            "ai_response": answer.model_copy(
                update={
                    "suggestion": redact(
                        answer.suggestion, is_prose=request.language in PROSE_LANGUAGES
                    ),
                    "explanation": redact(answer.explanation, is_prose=True),
                }
            ),
        }
    )
