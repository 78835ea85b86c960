"""Make text safe to print at a terminal."""

from __future__ import annotations

import json
import re

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def make_safe(text: str) -> str:
    """Replace control characters, and characters that change the direction of text, with �.

    Tabs and line feeds are not replaced.
    """
    return _CONTROL.sub("\N{REPLACEMENT CHARACTER}", text)


def to_safe_json(data: object) -> str:
    """Return data as JSON in which the characters that ``make_safe`` replaces are escaped."""
    text = json.dumps(data, ensure_ascii=False, indent=2)
    return _CONTROL.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
