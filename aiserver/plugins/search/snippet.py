"""Select the line of text that a hit displays, and split it at its matches. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...payload import Payload
from .normalize import find, fold
from .query import Term

_MAX_CHARS = 160
_CHARS_BEFORE_MATCH = 40  # displayed before the first match if the line's beginning is cut off


@dataclass(frozen=True)
class Piece(Payload):
    """A piece of the displayed line. ``is_hit``: it matches a term."""

    text: str
    is_hit: bool


def snippet(text: str, terms: Sequence[Term]) -> list[Piece]:
    """Return the line of a text that matches the terms best, split into pieces.

    A line of more than ``_MAX_CHARS`` characters is truncated. If the text has no line with
    content, return no pieces.
    """
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if not lines:
        return []
    line = max(lines, key=lambda line: coverage(fold(line), terms))
    matches = _matching_ranges(line, terms)
    start = (
        max(0, matches[0][0] - _CHARS_BEFORE_MATCH) if matches and matches[0][1] > _MAX_CHARS else 0
    )
    end = min(len(line), start + _MAX_CHARS)
    pieces: list[Piece] = [Piece("…", False)] if start else []
    position = start
    for match_start, match_end in matches:
        match_start, match_end = max(match_start, position), min(match_end, end)
        if match_start >= match_end:
            continue  # the match is in a part of the line that isn't displayed
        if match_start > position:
            pieces.append(Piece(line[position:match_start], False))
        pieces.append(Piece(line[match_start:match_end], True))
        position = match_end
    if position < end or end < len(line):
        pieces.append(Piece(line[position:end] + ("…" if end < len(line) else ""), False))
    return pieces


def coverage(text: str, terms: Sequence[Term]) -> float:
    """Return how many terms a folded text contains. Parts of a term count half."""
    return sum(
        1.0
        if term.text in text
        else 0.5 * sum(part in text for part in term.parts) / max(len(term.parts), 1)
        for term in terms
    )


def _matching_ranges(line: str, terms: Sequence[Term]) -> list[tuple[int, int]]:
    """Return the ranges of a line that match a term.

    For a term that the line doesn't contain, the ranges that match its parts are returned.
    """
    folded = fold(line)
    texts: list[str] = []
    for term in terms:
        texts += [term.text] if term.text in folded else term.parts
    return find(line, texts)
