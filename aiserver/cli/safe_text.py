"""Make text safe to print at a terminal. Pure."""

from __future__ import annotations

import re

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def safe(text: str) -> str:
    """Replace control characters, and characters that change the direction of text."""
    return _CONTROL.sub("\N{REPLACEMENT CHARACTER}", text)
