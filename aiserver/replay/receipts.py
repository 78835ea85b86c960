"""The receipt of a turn: tokens, cost, times, and which texts are stored. Pure.

A stored value that isn't a finite number from 0 counts as missing: other tools may have written it.
"""

from __future__ import annotations

from typing import Any

from ..models import CONDENSED_TURNS, Event, Interaction, Session

_COUNTS = {
    "input_tokens": "inputTokens",
    "cached_tokens": "cachedTokens",
    "output_tokens": "outputTokens",
}
_TIMES = {"first_token": "firstTokenMs", "total": "totalMs"}
_MAX_COUNT = 2**53  # larger numbers aren't exact in the page


def receipt_of(turn: Interaction) -> dict[str, Any] | None:
    """Return the receipt, or None if nothing is stored."""
    receipt = _counts(turn.usage, turn.cost)
    timing = turn.timing or {}
    receipt |= {name: timing[key] for key, name in _TIMES.items() if _is_count(timing.get(key))}
    if turn.prompt or turn.context:
        receipt["hasPrompt"] = isinstance(turn.prompt, str)
    if any(item.get("output") is True for item in turn.context or []):
        receipt["handsOutput"] = True
    if turn.ai_response.thoughts:
        receipt["hasThoughts"] = True
    if turn.ai_response.replaced_characters:
        receipt["replacedCharacters"] = turn.ai_response.replaced_characters
    return receipt or None


def summary_receipts(session: Session) -> list[tuple[Event, dict[str, Any]]]:
    """Return the summaries of older turns with their receipts."""
    return [
        (event, _counts((event.data or {}).get("usage"), (event.data or {}).get("cost")))
        for event in session.events or []
        if event.type == CONDENSED_TURNS
    ]


def _counts(usage: object, cost: object) -> dict[str, Any]:
    counts = usage if isinstance(usage, dict) else {}
    receipt = {name: counts[key] for key, name in _COUNTS.items() if _is_count(counts.get(key))}
    return receipt | ({"cost": cost} if _is_number(cost) else {})


def _is_number(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return 0 <= value < _MAX_COUNT  # also false for NaN and infinity


def _is_count(value: object) -> bool:
    return isinstance(value, int) and _is_number(value)
