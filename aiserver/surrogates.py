"""Halves of characters: what JSON can name and UTF-8 can't hold. Pure.

Software that counts in UTF-16 cuts an emoji into two surrogates, ``\\ud83d`` and ``\\ude00``, and
JSON carries each alone. What must hold: such a text never keeps anything from being sent or read.
"""

from __future__ import annotations

import json
import re
from typing import Any

_HALF = re.compile("[\ud800-\udfff]")


def fix_surrogates(text: str) -> str:
    """``text`` with halves that belong together joined, and each lone one as U+FFFD."""
    if text.isascii() or not _HALF.search(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def ends_in_high_surrogate(text: str) -> bool:
    """Whether the text may end inside a character."""
    return "\ud800" <= text[-1:] <= "\udbff"


def json_bytes(data: Any) -> bytes:
    """JSON as it is sent: non-ASCII left readable, a lone half escaped."""
    return json.dumps(data, ensure_ascii=False).encode("utf-8", "backslashreplace")
