"""Normalize texts, so that a search also finds other spellings of a word. Pure.

Folding removes differences of case and width, so that ``CSV``, ``Ｃｓｖ`` and ``csv`` become equal.
It also removes the accents of Latin, Greek and Cyrillic letters. In other scripts, a letter with a
mark is a different letter: か is not が. Traditional Chinese characters become Simplified ones.

Invariants:

- A folded text contains no ASCII control characters except tabs and line breaks. So ``documents``
  can separate turns and fields with control characters.
- ``find`` returns positions in the original text, not in the folded text.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from ...unicode import normalize
from .simplified import simplify

_ACCENTS = re.compile("[\u0300-\u036f]")  # combining marks of Latin, Greek and Cyrillic letters
# Translates all ASCII control characters except \t and \n to spaces.
_CONTROLS = dict.fromkeys((*range(9), *range(11, 32), 127), " ")


def fold(text: str) -> str:
    """Return a text in which words that differ only in case, width or accents are equal."""
    text = text.translate(_CONTROLS)
    if text.isascii():
        return text.lower()
    decomposed = normalize("NFKD", normalize("NFKD", text).casefold())
    return simplify(normalize("NFC", _ACCENTS.sub("", decomposed)))


def find(text: str, words: Iterable[str]) -> list[tuple[int, int]]:
    """Return the ranges of a text at which one of the words occurs. The words must be folded.

    The ranges are sorted. Ranges that overlap or touch are merged into one range.
    """
    folded, original_positions = _fold_with_positions(text)
    ranges = []
    for word in words:
        position = folded.find(word) if word else -1
        while position >= 0:
            end = position + len(word)
            ranges.append((original_positions[position], original_positions[end]))
            position = folded.find(word, end)
    merged: list[tuple[int, int]] = []
    for start, end in sorted(ranges):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        elif end > start:
            merged.append((start, end))
    return merged


def _fold_with_positions(text: str) -> tuple[str, list[int]]:
    """Return the folded text, and for each of its characters the position in the original text.

    The list of positions has one more item at its end: the length of the original text.
    """
    folded_letters: list[str] = []
    original_positions: list[int] = []
    position = 0
    while position < len(text):
        end = position + 1  # becomes the end of the letter and its combining marks
        while end < len(text) and unicodedata.combining(text[end]):
            end += 1
        folded_letter = fold(text[position:end])  # may have several characters: "ß" becomes "ss"
        folded_letters.append(folded_letter)
        original_positions += [position] * len(folded_letter)
        position = end
    return "".join(folded_letters), [*original_positions, len(text)]
