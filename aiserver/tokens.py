"""Estimate token counts without a tokenizer. Pure functions."""

from __future__ import annotations

import math


def estimate_tokens(text: str) -> int:
    """Return an estimate of the number of tokens in ``text``, more often too high than too low.

    Three ASCII characters count as one token. Any other character counts as 1.2 tokens, which is a
    high estimate for a Chinese character.
    """
    ascii_count = sum(map(str.isascii, text))
    return math.ceil(ascii_count / 3 + (len(text) - ascii_count) * 1.2)
