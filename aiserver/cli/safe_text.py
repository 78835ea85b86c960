"""Make text safe to print at a terminal."""

from __future__ import annotations

import re

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def make_safe(text: str) -> str:
    """Replace control characters, and characters that change the direction of text.

    Keeps tabs and line feeds.
    """
    return _CONTROL.sub("\N{REPLACEMENT CHARACTER}", text)
