"""Find accepted answers in the person's other notebooks to requests like the present one.

Invariants:

- Only clean answers to the person's own requests are returned: the person accepted the whole
  suggestion. Until another answer was accepted, nothing changed the cell's code, and its first run,
  if any, succeeded.
- Nothing is sent to a model: the page offers the answer, and the person decides.
- A look-up examines only the requests of ``_PAGES``.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass

from ...models import Session, SessionKey
from ...payload import SnakeCasePayload, nullable
from ...prompts.language import CellLanguage, fence_name
from ...replay import Step, replay
from ...sessions.base import SessionManager
from ..search import Hit, SearchEngine
from ..search.embeddings import is_installed
from ..search.engine import PATIENCE, SearchMode

MIN_MEANING = 0.7  # the similarity of embeddings, if there are any
# Offsets and limits of a search; usually, the first suffices.
_PAGES = ((0, 16), (16, 48))
_SEARCHES: list[tuple[SearchMode, float]] = [("request", 0.0), ("meaning", MIN_MEANING)]


@dataclass(frozen=True)
class PastAnswer(SnakeCasePayload):
    """An accepted answer, and the request that it answered."""

    notebook_id: str
    cell_id: str
    turn_id: int
    timestamp: str
    model: str | None
    """The model that wrote the code, as ``provider:name``."""
    intent: str
    code: str
    path: str | None = nullable()
    """The notebook's current path; null if it is unknown."""


async def find_past_answer(
    engine: SearchEngine,
    store: SessionManager,
    intent: str,
    language: CellLanguage,
    *,
    owner: str = "",
    owner_name: str = "",
    except_notebook_id: str | None = None,
) -> PastAnswer | None:
    """Return the best past answer to a request like ``intent``, or None.

    With ``owner_name``, requests of other people are left out. So is the notebook
    ``except_notebook_id``, because the model knows its cells. Raises StorageError, SearchFailed.
    """
    clean_steps: dict[SessionKey, dict[int, Step]] = {}
    async for hit in _similar_hits(engine, intent, owner, except_notebook_id):
        key = SessionKey(hit.notebook_id, hit.cell_id, owner)
        if key not in clean_steps:
            session = await store.load_if_exists(key)
            clean_steps[key] = (
                await asyncio.to_thread(_clean_steps, session, language.name, owner_name)
                if session
                else {}
            )
        step = clean_steps[key].get(hit.turn_id or 0)
        if step is not None and step.turn_id is not None:
            return PastAnswer(
                hit.notebook_id,
                hit.cell_id,
                step.turn_id,
                hit.timestamp,
                step.model,
                hit.intent,
                step.code,
            )
    return None


async def _similar_hits(
    engine: SearchEngine, intent: str, owner: str, except_notebook_id: str | None
) -> AsyncIterator[Hit]:
    """Yield the turns with requests like ``intent``: by their words, then by their meaning."""
    seen: set[tuple[str, str, int | None]] = set()
    for by, minimum in _SEARCHES:
        if by == "meaning" and not is_installed():
            return
        for offset, limit in _PAGES:
            result = await engine.search(
                intent,
                owner=owner,
                except_notebook_id=except_notebook_id,
                by=by,
                offset=offset,
                limit=limit,
                patience=0 if offset else PATIENCE,
            )
            similar = [hit for hit in result.hits if hit.score >= minimum]
            for hit in similar:
                turn = (hit.notebook_id, hit.cell_id, hit.turn_id)
                if turn not in seen:
                    seen.add(turn)
                    yield hit
            if len(similar) < len(result.hits) or offset + limit >= result.total:
                break


def _clean_steps(session: Session, language: str, owner_name: str) -> dict[int, Step]:
    own_turns = {
        turn.turn_id
        for turn in session.interactions
        if fence_name(turn.user_request.language) == language
        and turn.contributor is None
        and not (owner_name and turn.user and turn.user != owner_name)
    }
    if not own_turns:
        return {}
    steps = replay(session)
    return {
        step.turn_id: step
        for step in reversed(steps)  # of turns with the same id, the first is used
        if step.kind == "turn" and step.turn_id in own_turns and _is_clean(steps, step)
    }


def _is_clean(steps: Sequence[Step], turn: Step) -> bool:
    """Return whether the suggestion was accepted as it was, and not changed later."""
    if turn.outcome != "accepted" or not turn.code:
        return False
    accepts = (step for step in steps if step.kind == "accept" and step.from_step == turn.index)
    accept = turn if turn.applied else next(accepts, None)
    if accept is None or accept.code != turn.code:  # one of several changes
        return False
    has_run = False
    for step in steps[accept.index + 1 :]:
        if step.kind == "turn" and step.applied:
            break
        if step.kind == "accept":  # it accepts an older answer, which was better
            return step.from_step is not None and step.from_step > turn.index
        if step.after != turn.code or step.missing is not None:
            return False
        if step.kind == "run" and not has_run and step.outcome != "cancelled":
            if step.outcome == "error":
                return False
            has_run = True
    return True
