"""The usage of requests, and of the summaries that models make of older turns: sums, and CSV. Pure.

Invariants: what isn't stored isn't guessed (P47); the sums say how many they lack. The table has no
text of people or models, and no value that a spreadsheet would take for a formula.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any, NamedTuple

from ...models import Session, SessionKey
from ...payload import Payload, nullable
from ...replay.receipts import receipt_of, summary_receipts
from ...replay.steps import replay

SUMMARY_MODE = "summary"  # in the table of all requests, the mode of a summary
COLUMNS = (
    "time",
    "notebook_id",
    "cell_id",
    "turn",
    "request",
    "mode",
    "model",
    "status",
    "input_tokens",
    "cached_tokens",
    "output_tokens",
    "first_token_ms",
    "total_ms",
    "cost_usd",
)

_NUMBERS = ("inputTokens", "cachedTokens", "outputTokens", "firstTokenMs", "totalMs")


class UsageRecord(NamedTuple):
    """The usage of one request or summary. ``receipt`` lacks what isn't stored.

    ``text_hash`` is that of the intent or the summary, by which copies of a record are recognised.
    ``turn_id`` is None for a summary, and ``request_id`` the first turn that answered the same
    request.
    """

    notebook_id: str
    cell_id: str
    time: str
    text_hash: int
    model: str
    mode: str
    status: str
    user: str | None
    turn_id: int | None
    request_id: int | None
    receipt: dict[str, Any]

    @property
    def is_request(self) -> bool:
        """Whether this is a request. Further answers to a request don't count as requests."""
        return self.turn_id is not None and self.turn_id == self.request_id

    @property
    def is_summary(self) -> bool:
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


@dataclass
class UsageTotals(Payload):
    """The sums of some requests and summaries. ``requests`` counts several answers to one as one.

    ``cost`` is in US dollars, or None if nothing has a cost. ``input_tokens`` includes
    ``cached_tokens``. ``unpriced`` and ``uncounted`` are the numbers of answers and summaries
    without a known cost and without counted tokens, such as stopped ones.
    """

    requests: int = 0
    input_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    milliseconds: int = 0
    cost: float | None = nullable()
    unpriced: int = 0
    uncounted: int = 0
    summaries: int = 0

    def add(self, record: UsageRecord) -> None:
        receipt = record.receipt
        tokens_in, tokens_out = receipt.get("inputTokens", 0), receipt.get("outputTokens", 0)
        self.requests += record.is_request
        self.summaries += record.is_summary
        self.input_tokens += tokens_in
        self.cached_tokens += receipt.get("cachedTokens", 0)
        self.output_tokens += tokens_out
        self.milliseconds += receipt.get("totalMs", 0)
        self.uncounted += not (tokens_in and tokens_out)
        if "cost" in receipt:
            self.cost = round((self.cost or 0) + receipt["cost"], 9)
        else:
            self.unpriced += 1


def totals_of(records: Iterable[UsageRecord], since: datetime | None = None) -> UsageTotals:
    """Return the sums of the requests and summaries of ``since`` or later."""
    totals = UsageTotals()
    for record in records:
        if since is None or time_of(record.time) >= since:
            totals.add(record)
    return totals


def time_of(timestamp: str) -> datetime:
    """Return a stored time to the second. A time without a valid offset is in UTC."""
    time, offset = timestamp[:19].upper(), timestamp[19:].lstrip(".0123456789").upper()
    offset = "+00:00" if offset in ("", "Z") else offset
    try:
        return datetime.fromisoformat(f"{time}{offset}").astimezone(timezone.utc)
    except (ValueError, OverflowError):
        return datetime.fromisoformat(time).replace(tzinfo=timezone.utc)


def to_csv(records: Iterable[UsageRecord]) -> str:
    """Return a row for each answer or summary. What isn't stored is empty."""
    file = io.StringIO()
    writer = csv.writer(file)
    writer.writerow(COLUMNS)
    for record in records:
        receipt = record.receipt
        writer.writerow(
            [
                record.time,
                record.notebook_id,
                record.cell_id,
                "" if record.turn_id is None else record.turn_id,
                "" if record.request_id is None else record.request_id,
                _inert(record.mode),
                _inert(record.model),
                record.status,
                *(receipt.get(name, "") for name in _NUMBERS),
                f"{receipt['cost']:.9f}" if "cost" in receipt else "",
            ]
        )
    return file.getvalue()


def _inert(text: str) -> str:
    return f"'{text}" if text[:1] in {*"=+-@\t\r"} else text
