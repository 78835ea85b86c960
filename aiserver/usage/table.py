"""The table of turns with their tokens, times and costs, as CSV. Pure.

Invariant: the table contains no text of people or models, and no value that a spreadsheet would
take for a formula.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable

from ..models import Interaction, SessionKey
from ..replay.receipts import receipt_of

COLUMNS = (
    "time",
    "notebook_id",
    "cell_id",
    "turn",
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


def to_csv(turns: Iterable[tuple[SessionKey, Interaction]]) -> str:
    """Return the table, with a row for each turn. A value that isn't stored is empty."""
    file = io.StringIO()
    writer = csv.writer(file)
    writer.writerow(COLUMNS)
    for key, turn in turns:
        receipt = receipt_of(turn) or {}
        writer.writerow(
            [
                turn.timestamp,
                key.notebook_id,
                key.cell_id,
                turn.turn_id,
                _inert(turn.mode or ""),
                _inert(turn.model or ""),
                turn.ai_response.status,
                *(receipt.get(name, "") for name in _NUMBERS),
                f"{receipt['cost']:.9f}" if "cost" in receipt else "",
            ]
        )
    return file.getvalue()


def _inert(text: str) -> str:
    return f"'{text}" if text[:1] in {*"=+-@\t\r"} else text
