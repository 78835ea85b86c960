"""Texts made alike, so that what a person means is found however it was written. Pure.

Case, width and composition make no difference (``Ｃｓｖ``, ``CSV`` and ``csv``), nor do accents on
Latin, Greek and Cyrillic letters. In other scripts marks are letters of their own and stay: か is
not が.

What must hold: ``folded`` takes no control character through, so that ``texts`` can part turns and
fields by them; what ``find`` says is where a person sees it in the text as it was written.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

_ACCENTS = re.compile("[\u0300-\u036f]")
_CONTROLS = dict.fromkeys((*range(9), *range(11, 32), 127), " ")  # all but \t and \n


def folded(text: str) -> str:
    """The text as it is compared."""
    text = text.translate(_CONTROLS)
    if text.isascii():
        return text.lower()
    decomposed = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold())
    return unicodedata.normalize("NFC", _ACCENTS.sub("", decomposed))


def find(text: str, wanted: Iterable[str]) -> list[tuple[int, int]]:
    """Where ``wanted`` (folded) is in a text: ranges of it, in order, none over another."""
    flat, origin = _with_origin(text)
    ranges = []
    for word in wanted:
        at = flat.find(word) if word else -1
        while at >= 0:
            ranges.append((origin[at], origin[at + len(word)]))
            at = flat.find(word, at + len(word))
    joined: list[tuple[int, int]] = []
    for start, end in sorted(ranges):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        elif end > start:
            joined.append((start, end))
    return joined


def _with_origin(text: str) -> tuple[str, list[int]]:
    """The folded text, and for each of its characters (and its end) the place it came from."""
    parts, origin, at = [], [], 0
    while at < len(text):
        end = at + 1
        while end < len(text) and unicodedata.combining(text[end]):
            end += 1
        flat = folded(text[at:end])
        parts.append(flat)
        origin += [at] * len(flat)
        at = end
    return "".join(parts), [*origin, len(text)]
