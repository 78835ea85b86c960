"""How many tokens a text takes, where no model is at hand to ask. Pure."""

from __future__ import annotations

import math


def estimate_tokens(text: str) -> int:
    """Tokens of a text where the model's own tokenizer isn't at hand; rather too many than too few.

    Three ASCII characters, or one other (Chinese above all), to a token.
    """
    ascii_count = sum(map(str.isascii, text))
    return math.ceil(ascii_count / 3 + (len(text) - ascii_count) * 1.2)
