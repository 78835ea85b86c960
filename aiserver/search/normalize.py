"""Normalise texts, so that spelling variants match. Pure.

Case, width and composition make no difference (``Ｃｓｖ``, ``CSV`` and ``csv``), nor do accents on
Latin, Greek and Cyrillic letters. In other scripts marks make different letters and stay: か is
not が.

Invariants: ``fold`` returns no control characters, so ``documents`` can use them as separators of
turns and fields; ``find`` returns positions in the original text.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

_ACCENTS = re.compile("[\u0300-\u036f]")
_CONTROLS = dict.fromkeys((*range(9), *range(11, 32), 127), " ")  # all but \t and \n


def fold(text: str) -> str:
    """Normalise a text for comparison."""
    text = text.translate(_CONTROLS)
    if text.isascii():
        return text.lower()
    decomposed = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold())
    return unicodedata.normalize("NFC", _ACCENTS.sub("", decomposed))


def find(text: str, words: Iterable[str]) -> list[tuple[int, int]]:
    """The ranges of a text that contain one of the folded words, in order and disjoint."""
    flat, origin = _with_origin(text)
    ranges = []
    for word in words:
        position = flat.find(word) if word else -1
        while position >= 0:
            ranges.append((origin[position], origin[position + len(word)]))
            position = flat.find(word, position + len(word))
    merged: list[tuple[int, int]] = []
    for start, end in sorted(ranges):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        elif end > start:
            merged.append((start, end))
    return merged


def _with_origin(text: str) -> tuple[str, list[int]]:
    """The folded text, and for each of its characters and its end the original position."""
    parts, origin, position = [], [], 0
    while position < len(text):
        end = position + 1
        while end < len(text) and unicodedata.combining(text[end]):
            end += 1
        flat = fold(text[position:end])
        parts.append(flat)
        origin += [position] * len(flat)
        position = end
    return "".join(parts), [*origin, len(text)]
