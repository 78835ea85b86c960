"""Estimate token counts without a tokenizer. Pure."""

from __future__ import annotations

import math


def estimate_tokens(text: str) -> int:
    """Estimate tokens, more often too high than too low.

    Three ASCII characters count as one token, any other character as 1.2, which is high for a
    Chinese one.
    """
    ascii_count = sum(map(str.isascii, text))
    return math.ceil(ascii_count / 3 + (len(text) - ascii_count) * 1.2)
