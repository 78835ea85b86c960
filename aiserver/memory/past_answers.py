"""Find accepted answers in the person's other notebooks to requests like the present one.

Invariants:

- Only clean answers are returned: the person accepted the suggestion, didn't edit it afterwards,
  and its next run, if there is one, succeeded.
- Nothing is sent to a model: the page offers the answer, and the person decides.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from ..models import Session, SessionKey
from ..replay import replay
from ..search import Hit, SearchEngine
from ..sessions.base import SessionManager
from .similar import similarity

MIN_SIMILARITY = 0.5  # of the words of the two requests
MIN_MEANING = 0.7  # of their embeddings, if the package for them is installed
_MAX_HITS = 8


@dataclass(frozen=True)
class PastAnswer:
    """An accepted answer, and the request that it answered."""

    notebook_id: str
    cell_id: str
    turn_id: int
    timestamp: str
    intent: str
    code: str


async def find_past_answer(
    engine: SearchEngine,
    store: SessionManager,
    intent: str,
    *,
    owner: str = "",
    except_notebook_id: str | None = None,
) -> PastAnswer | None:
    """Return the best past answer to a request like ``intent``, or None.

    Answers in the notebook ``except_notebook_id`` are left out, because the model knows its cells.
    Raises StorageError, SearchFailed.
    """
    for hit in await _similar_hits(engine, intent, owner):
        if hit.notebook_id == except_notebook_id:
            continue
        session = await store.load_if_exists(SessionKey(hit.notebook_id, hit.cell_id, owner))
        code = await asyncio.to_thread(clean_code, session, hit.turn_id) if session else None
        if code:
            return PastAnswer(
                hit.notebook_id, hit.cell_id, hit.turn_id, hit.timestamp, hit.intent, code
            )
    return None


async def _similar_hits(engine: SearchEngine, intent: str, owner: str) -> list[Hit]:
    """Return the turns whose requests are similar to ``intent``, the most similar ones first."""
    scores: dict[tuple[str, str, int], tuple[float, Hit]] = {}
    for by, minimum in (("words", None), ("meaning", MIN_MEANING)):
        result = await engine.search(
            intent, owner=owner, by="meaning" if by == "meaning" else "words", limit=_MAX_HITS
        )
        for hit in result.hits:
            score = similarity(intent, hit.intent)
            is_similar = score >= MIN_SIMILARITY or (minimum is not None and hit.score >= minimum)
            if is_similar:
                scores[hit.notebook_id, hit.cell_id, hit.turn_id] = (score, hit)
    ranked = sorted(scores.values(), key=lambda pair: -pair[0])
    return [hit for _, hit in ranked]


def clean_code(session: Session, turn_id: int) -> str | None:
    """Return the code of a turn that the person accepted and didn't have to change, else None."""
    steps = replay(session)
    for index, step in enumerate(steps):
        if step.kind != "turn" or step.turn_id != turn_id:
            continue
        following = steps[index + 1] if index + 1 < len(steps) else None
        is_clean = following is None or following.kind not in ("edit", "restore")
        if following is not None and following.kind == "run":
            is_clean = following.outcome != "error"
        return step.code if step.outcome == "accepted" and is_clean else None
    return None
