"""Condensed turns: a model's summary of older turns, stored as an event of the cell. Pure.

The event ``condensed_turns`` of the model has the data ``{"text": …, "turns": 40, "last": …,
"covers": …}``: the summary, the number of turns that it covers, and digests of the last of them and
of all.

Invariants:

- A summary is valid only if the turns that it covers are consecutive past turns of the request. The
  digests depend on complete texts, but not on numbers. So a summary of another branch, or from
  before a new conversation, is never valid, and a merge of git branches or a copy of the cell
  changes nothing.
- An event that another tool wrote differently counts as missing.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ..models import CONDENSED_TURNS, Contributor, Event, Interaction, NewEvent, utc_now

_DIGEST_LENGTH = 32  # hex digits


@dataclass(frozen=True)
class CondensedTurns:
    """A summary of the past turns from the index ``start`` to ``end`` - 1."""

    text: str
    start: int
    end: int


def answered_count(turns: Sequence[Interaction]) -> int:
    """Count the turns that were answered."""
    return sum(map(is_answered, turns))


def is_answered(turn: Interaction) -> bool:
    """Return whether a turn was answered. Models get only answered turns."""
    return turn.ai_response.status == "success"


def to_event(condensed: CondensedTurns, turns: Sequence[Interaction], model: str) -> NewEvent:
    """Return the event to store. ``turns`` are all past turns of the request."""
    digests = [_digest(turn) for turn in turns[condensed.start : condensed.end]]
    return NewEvent(
        type=CONDENSED_TURNS,
        timestamp=utc_now(),
        data={
            "text": condensed.text,
            "turns": len(digests),
            "last": digests[-1],
            "covers": _joint_digest(digests),
        },
        contributor=Contributor(kind="model", name=model),
    )


def newest_valid(events: Iterable[Event], turns: Sequence[Interaction]) -> CondensedTurns | None:
    """Return the newest summary that is valid for a request with these past turns."""
    condensing = [event for event in events if event.type == CONDENSED_TURNS]
    if not condensing:
        return None
    digests = [_digest(turn) for turn in turns]
    ends: dict[str, list[int]] = {}
    for end, digest in enumerate(digests, 1):
        ends.setdefault(digest, []).append(end)
    for event in sorted(condensing, key=lambda event: event.seq, reverse=True):
        data = event.data or {}
        text, count, last = data.get("text"), data.get("turns"), data.get("last")
        if not (isinstance(text, str) and text.strip() and isinstance(last, str)):
            continue
        if not (isinstance(count, int) and count > 0):
            continue
        for end in ends.get(last, []):
            covered = digests[max(end - count, 0) : end]
            if data.get("covers") == _joint_digest(covered) and len(covered) == count:
                return CondensedTurns(text, end - count, end)
    return None


def _digest(turn: Interaction) -> str:
    request, answer = turn.user_request, turn.ai_response
    content = (
        turn.timestamp,
        request.intent,
        request.current_code,
        answer.suggestion,
        answer.explanation,
        answer.status,
    )
    lengths = " ".join(str(len(text)) for text in content)
    return _hash("".join([*content, lengths]))


def _joint_digest(digests: Sequence[str]) -> str:
    return _hash("".join(digests))


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:_DIGEST_LENGTH]
