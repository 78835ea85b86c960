"""Read from a session the code that the person made of accepted suggestions. Pure.

Only changes by the person count: as soon as another contributor, another request or a restore has
changed the cell, the code is no longer the person's correction of this answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timezone

from ...models import Session
from ...replay import replay
from ...replay.step import Step

MAX_RECORDS = 2000  # of a session; a longer one is ignored
_MAX_TURNS = 20  # of a session, the newest ones
_UNCHANGED = ("run", "context_reset")


@dataclass(frozen=True)
class CorrectedTurn:
    """A turn, its suggestion, and the code that the person made of it. ``at`` is in seconds."""

    turn_id: int
    at: float
    suggestion: str
    code: str


def corrected_turns(session: Session, user: str = "") -> list[CorrectedTurn]:
    """Return the newest accepted turns of a cell with Python, also those without changes.

    ``user`` is the name of the person, which may be empty. Requests with the name of somebody else
    are left out.
    """
    if len(session.interactions) + len(session.events or []) > MAX_RECORDS:
        return []
    own_turns = {
        turn.turn_id
        for turn in session.interactions
        if turn.user_request.language.lower() in ("python", "ipython")
        and turn.user in (None, "", user)
    }
    if not own_turns:
        return []
    steps = replay(session)
    turns = [
        CorrectedTurn(step.turn_id, _seconds(step.timestamp), *codes)
        for step in steps
        if step.kind == "turn" and step.outcome == "accepted" and step.turn_id in own_turns
        if step.turn_id is not None and (codes := _codes(steps, step)) is not None
    ]
    return turns[-_MAX_TURNS:]


def _codes(steps: Sequence[Step], turn: Step) -> tuple[str, str] | None:
    """Return the suggestion with AI Server's corrections, and the person's code.

    None if only some changes of the suggestion were accepted.
    """
    accept = turn
    if not turn.applied:
        accepts = [step for step in steps if step.kind == "accept" and step.from_step == turn.index]
        if not accepts or _is_partial(accepts[0]):
            return None
        accept = accepts[0]
    suggestion = code = turn.code
    for step in steps[accept.index + 1 :]:
        if step.is_correction and code == suggestion:
            suggestion = code = step.code
        elif step.kind == "edit" and step.event == "accept" and _is_partial(step):
            return None
        elif step.kind == "edit" and step.author == "person" and step.name is None:
            code = step.code
        elif step.kind not in _UNCHANGED and (step.kind != "turn" or step.applied):
            break
    return suggestion, code


def _is_partial(step: Step) -> bool:
    return bool({"part", "hunks"} & (step.data or {}).keys())


def _seconds(timestamp: str) -> float:
    """Return a stored time in seconds since 1970, without its fraction and its offset."""
    try:
        return datetime.fromisoformat(timestamp[:19]).replace(tzinfo=timezone.utc).timestamp()
    except ValueError:
        return 0.0
