"""The receipt of a turn in the replay: its tokens, its cost, its times, and its prompt."""

from __future__ import annotations

from typing import Any

from ..models import Interaction

_COUNTS = {
    "input_tokens": "inputTokens",
    "cached_tokens": "cachedTokens",
    "output_tokens": "outputTokens",
}
_TIMES = {"first_token": "firstTokenMs", "total": "totalMs"}


def receipt_of(turn: Interaction) -> dict[str, Any] | None:
    """Return the receipt as sent, without what isn't stored; None if nothing is stored."""
    usage, timing = turn.usage or {}, turn.timing or {}
    receipt: dict[str, Any] = {
        name: usage[key] for key, name in _COUNTS.items() if isinstance(usage.get(key), int)
    }
    receipt |= {name: timing[key] for key, name in _TIMES.items() if key in timing}
    if turn.cost is not None:
        receipt["cost"] = turn.cost
    if turn.prompt or turn.context:
        receipt["hasPrompt"] = bool(turn.prompt)
    return receipt or None
