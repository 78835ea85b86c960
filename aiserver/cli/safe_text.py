"""Make text safe to print at a terminal."""

from __future__ import annotations

import re

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def make_safe(text: str) -> str:
    """Replace each control character, and each character that changes the direction of text, by �.

    Tabs and line feeds are not replaced.
    """
    return _CONTROL.sub("\N{REPLACEMENT CHARACTER}", text)
