"""The usage of requests, and of the summaries that models make of older turns. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from ..models import Session, SessionKey
from ..replay.receipts import receipt_of, summary_receipts
from ..replay.steps import replay


class UsageRecord(NamedTuple):
    """The usage of one request or summary. ``receipt`` lacks what isn't stored.

    The garbage collector doesn't traverse tuples and dicts of simple values, of which the reader
    caches many.
    """

    notebook_id: str
    cell_id: str
    time: str
    text_hash: int
    """A hash of the intent or the summary, by which copies of a record are recognised."""
    model: str
    mode: str
    status: str
    user: str | None
    turn_id: int | None
    """None for a summary."""
    request_id: int | None
    """The id of the first turn that answered the same request."""
    receipt: dict[str, Any]

    @property
    def is_request(self) -> bool:
        """Whether this is a request. Further answers to a request don't count as requests."""
        return self.turn_id is not None and self.turn_id == self.request_id

    @property
    def is_summary(self) -> bool:
        """Whether this is the usage of a summary."""
        return self.turn_id is None


def usage_of(key: SessionKey, session: Session) -> Iterator[UsageRecord]:
    """Yield the usage of each request and each summary in a session."""
    first_ids = _first_ids(session)
    for turn in session.interactions:
        yield UsageRecord(
            key.notebook_id,
            key.cell_id,
            turn.timestamp,
            hash(turn.user_request.intent),
            turn.model or "",
            turn.mode or "",
            turn.ai_response.status,
            turn.user,
            turn.turn_id,
            first_ids.get(turn.turn_id, turn.turn_id),
            receipt_of(turn) or {},
        )
    for event, receipt in summary_receipts(session):
        data = event.data or {}
        user = data.get("user")
        yield UsageRecord(
            key.notebook_id,
            key.cell_id,
            event.timestamp,
            hash(str(data.get("text"))),
            (event.contributor and event.contributor.name) or "",
            SUMMARY_MODE,
            "success",
            user if isinstance(user, str) else None,
            None,
            None,
            receipt,
        )


def _first_ids(session: Session) -> dict[int, int]:
    """Map each turn that is one of several answers to a request to the first of these turns."""
    requests = (step.attempts for step in replay(session) if step.attempts)
    return {attempt.turn_id: attempts[0].turn_id for attempts in requests for attempt in attempts}


SUMMARY_MODE = "summary"  # in the table of all requests, the mode of a summary
