"""Handle lone surrogates, which JSON can represent and UTF-8 can't. Pure.

Software that counts characters in UTF-16 may split an emoji, ``\\ud83d\\ude00``, and write only one
half into JSON.

Invariants: the result of ``fix_surrogates`` can be encoded in UTF-8, and the result of
``json_bytes`` is valid UTF-8.
"""

from __future__ import annotations

import json
import re
from typing import Any

_SURROGATE = re.compile("[\ud800-\udfff]")
# A text, or a number that only Python's parsers accept.
_TEXT_OR_NAN = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"|(-?Infinity|NaN)')


def fix_surrogates(text: str) -> str:
    """Join surrogate pairs, and replace lone surrogates by U+FFFD."""
    if text.isascii() or not _SURROGATE.search(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def ends_in_high_surrogate(text: str) -> bool:
    """Return whether ``text`` ends with the first half of a surrogate pair."""
    return "\ud800" <= text[-1:] <= "\udbff"


def json_bytes(data: Any) -> bytes:
    """Encode JSON in UTF-8; escape only surrogates.

    JSON has no infinity and no NaN, so these become null.
    """
    try:
        text = json.dumps(data, ensure_ascii=False, allow_nan=False)
    except ValueError:
        data = json.loads(json.dumps(data), parse_constant=lambda _: None)
        text = json.dumps(data, ensure_ascii=False)
    return text.encode("utf-8", "backslashreplace")


def without_nan(data: bytes) -> bytes:
    """In encoded JSON, replace infinity and NaN, which a browser's parser refuses, by null."""
    if b"NaN" not in data and b"Infinity" not in data:
        return data
    return _TEXT_OR_NAN.sub(lambda match: b"null" if match[1] else match[0], data)
