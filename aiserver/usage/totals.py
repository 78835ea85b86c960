"""Sums of the tokens, times and costs of turns. Pure.

Invariant: what isn't stored isn't guessed (P47). The sums say how many requests they lack.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from datetime import datetime, timezone
from typing import Any

from pydantic.alias_generators import to_camel

from ..models import Interaction
from ..replay.receipts import receipt_of


@dataclass
class UsageTotals:
    """The sums of some turns. ``cost`` is in US dollars, ``milliseconds`` the time of all answers.

    ``input_tokens`` includes ``cached_tokens``, which the provider read from its cache.
    """

    requests: int = 0
    input_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    milliseconds: int = 0
    cost: float = 0.0
    priced: int = 0
    """The number of requests that have a cost."""
    uncounted: int = 0
    """The number of requests whose tokens weren't counted, such as stopped ones."""

    def add(self, turn: Interaction) -> None:
        """Add a turn."""
        receipt = receipt_of(turn) or {}
        tokens_in, tokens_out = receipt.get("inputTokens", 0), receipt.get("outputTokens", 0)
        self.requests += 1
        self.input_tokens += tokens_in
        self.cached_tokens += receipt.get("cachedTokens", 0)
        self.output_tokens += tokens_out
        self.milliseconds += receipt.get("totalMs", 0)
        self.uncounted += not (tokens_in and tokens_out)
        if "cost" in receipt:
            self.cost += receipt["cost"]
            self.priced += 1

    def to_wire(self) -> dict[str, Any]:
        """Return the sums as sent; ``cost`` is null if no request has a cost."""
        values = {to_camel(name): value for name, value in asdict(self).items()}
        return values | {"cost": round(self.cost, 9) if self.priced else None}


def totals_of(turns: Iterable[Interaction], since: datetime | None = None) -> UsageTotals:
    """Return the sums of the turns that were requested at ``since`` or later."""
    totals = UsageTotals()
    for turn in turns:
        if since is None or time_of(turn.timestamp) >= since:
            totals.add(turn)
    return totals


def time_of(timestamp: str) -> datetime:
    """Return a stored time to the second. A time without a valid offset is in UTC."""
    time, offset = timestamp[:19].upper(), timestamp[19:].lstrip(".0123456789").upper()
    offset = "+00:00" if offset in ("", "Z") else offset
    try:
        return datetime.fromisoformat(f"{time}{offset}").astimezone(timezone.utc)
    except (ValueError, OverflowError):
        return datetime.fromisoformat(time).replace(tzinfo=timezone.utc)
