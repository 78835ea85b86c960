"""Text that a terminal can show, whatever it holds. Pure."""

from __future__ import annotations

import re

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def safe(text: str) -> str:
    """Replace the control characters, which a terminal would obey."""
    return _CONTROL.sub("\N{REPLACEMENT CHARACTER}", text)
