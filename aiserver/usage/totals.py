"""Sums of the tokens, times and costs of requests, and of summaries of older turns. Pure.

Invariant: what isn't stored isn't guessed (P47). The sums say how many they lack.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from datetime import datetime, timezone
from typing import Any

from pydantic.alias_generators import to_camel

from .records import UsageRecord


@dataclass
class UsageTotals:
    """The sums of some requests and summaries. ``requests`` counts several answers to one as one.

    ``cost`` is in US dollars, or None if nothing has a cost; ``milliseconds`` is the time of all
    answers.

    ``input_tokens`` includes ``cached_tokens``, which the provider read from its cache.
    """

    requests: int = 0
    input_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    milliseconds: int = 0
    cost: float | None = None
    unpriced: int = 0
    """The number of answers and summaries without a known cost."""
    uncounted: int = 0
    """The number of answers and summaries without counted tokens, such as stopped ones."""
    summaries: int = 0
    """The number of summaries. They aren't requests, but they cost tokens."""

    def add(self, record: UsageRecord) -> None:
        """Add an answer or a summary."""
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

    def to_wire(self) -> dict[str, Any]:
        """Return the sums as sent."""
        return {to_camel(name): value for name, value in asdict(self).items()}


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
