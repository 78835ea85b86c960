"""The table of requests and summaries with their tokens, times and costs, as CSV. Pure.

Invariant: the table contains no text of people or models, and no value that a spreadsheet would
take for a formula.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable

from .records import UsageRecord

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


def to_csv(records: Iterable[UsageRecord]) -> str:
    """Return the table, with a row for each answer or summary. What isn't stored is empty.

    ``request`` is the first turn that answered the same request.
    """
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
