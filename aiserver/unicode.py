"""Unicode normalization in bounded time.

``unicodedata.normalize`` and Python's parser take quadratic time to order the combining marks of a
letter. No text of a person has more than a few.
"""

from __future__ import annotations

import ast
import functools
import re
import unicodedata
from typing import Literal

Form = Literal["NFC", "NFKC", "NFKD"]
# Pieces end before an ASCII character, so that no letter is cut from its marks.
_PIECES = re.compile(r".{1,1000}(?![^\x00-\x7f])|.{1,1000}", re.DOTALL)
_MAX_MARKS = 100


def normalize(form: Form, text: str) -> str:
    """Return the text in a normal form, such as ``NFKC``."""
    return "".join(unicodedata.normalize(form, piece) for piece in _PIECES.findall(text))


def parse_python(code: str) -> ast.Module | None:
    """Return the syntax tree; None if the code isn't valid Python, or too deep or slow to parse."""
    if not code.isascii() and _many_marks().search(code):
        return None
    try:
        return ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


@functools.cache
def _many_marks() -> re.Pattern[str]:
    marks = "".join(filter(unicodedata.combining, map(chr, range(0x20000))))
    return re.compile(f"[{re.escape(marks)}]{{{_MAX_MARKS}}}")
