"""Estimate token counts without a tokenizer. Pure functions."""

from __future__ import annotations

import math


def estimate_tokens(text: str) -> int:
    """Return an estimate of the number of tokens in ``text``, rather too high than too low.

    Three ASCII characters are one token; other characters (mostly Chinese) are 1.2 tokens each.
    """
    ascii_count = sum(map(str.isascii, text))
    return math.ceil(ascii_count / 3 + (len(text) - ascii_count) * 1.2)
