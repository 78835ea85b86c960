"""Find accepted answers in the person's other notebooks to requests like the present one.

Invariants:

- Only clean answers are returned: the person accepted the suggestion, didn't edit it afterwards,
  and its next run, if there is one, succeeded.
- Nothing is sent to a model: the page offers the answer, and the person decides.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass

from ..models import Session, SessionKey
from ..prompts.language import CellLanguage, fence_name
from ..replay import Step, replay
from ..search import Hit, SearchEngine
from ..search.embeddings import is_installed
from ..search.engine import SearchMode
from ..sessions.base import SessionManager

MIN_MEANING = 0.7  # the similarity of the embeddings, if the package for them is installed
_MAX_HITS = 16
_SEARCHES: list[tuple[SearchMode, float]] = [("request", 0.0), ("meaning", MIN_MEANING)]


@dataclass(frozen=True)
class PastAnswer:
    """An accepted answer, and the request that it answered."""

    notebook_id: str
    cell_id: str
    turn_id: int
    timestamp: str
    model: str | None
    intent: str
    code: str


async def find_past_answer(
    engine: SearchEngine,
    store: SessionManager,
    intent: str,
    language: CellLanguage,
    *,
    owner: str = "",
    except_notebook_id: str | None = None,
) -> PastAnswer | None:
    """Return the best past answer to a request like ``intent`` in this language, or None.

    Answers in the notebook ``except_notebook_id`` are left out, because the model knows its cells.
    Raises StorageError, SearchFailed.
    """
    async for hit in _similar_hits(engine, intent, owner):
        if hit.notebook_id == except_notebook_id:
            continue
        session = await store.load_if_exists(SessionKey(hit.notebook_id, hit.cell_id, owner))
        if session is None or _language_of(session, hit.turn_id) != language.name:
            continue
        step = await asyncio.to_thread(_clean_step, session, hit.turn_id)
        if step is not None:
            return PastAnswer(
                hit.notebook_id,
                hit.cell_id,
                hit.turn_id,
                hit.timestamp,
                step.model,
                hit.intent,
                step.code,
            )
    return None


async def _similar_hits(engine: SearchEngine, intent: str, owner: str) -> AsyncIterator[Hit]:
    """Yield the turns with requests like ``intent``: by their words, then by their meaning."""
    seen: set[tuple[str, str, int]] = set()
    for by, minimum in _SEARCHES:
        if by == "meaning" and not is_installed():
            return
        result = await engine.search(intent, owner=owner, by=by, limit=_MAX_HITS)
        for hit in result.hits:
            turn = (hit.notebook_id, hit.cell_id, hit.turn_id)
            if hit.score >= minimum and turn not in seen:
                seen.add(turn)
                yield hit


def _language_of(session: Session, turn_id: int) -> str | None:
    """Return the language of a turn's cell; None if the session has no such turn."""
    for turn in session.interactions:
        if turn.turn_id == turn_id:
            return fence_name(turn.user_request.language)
    return None


def _clean_step(session: Session, turn_id: int) -> Step | None:
    """Return the step of a turn that the person accepted and didn't have to change, else None."""
    steps = replay(session)
    for index, step in enumerate(steps):
        if step.kind != "turn" or step.turn_id != turn_id:
            continue
        following = steps[index + 1] if index + 1 < len(steps) else None
        is_clean = following is None or following.kind not in ("edit", "restore")
        if following is not None and following.kind == "run":
            is_clean = following.outcome != "error"
        return step if step.outcome == "accepted" and is_clean and step.code else None
    return None
