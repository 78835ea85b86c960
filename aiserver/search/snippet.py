"""The displayed line of a hit, with the matches marked. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict

from .normalize import find, fold
from .query import Term

_CHARS = 160
_BEFORE = 40  # characters before the first match in a long line


class Piece(TypedDict):
    """A piece of text, and whether it is a match."""

    text: str
    hit: bool


def snippet(text: str, terms: Sequence[Term]) -> list[Piece]:
    """The line that matches best, truncated if it is long."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if not lines:
        return []
    line = max(lines, key=lambda line: _score(fold(line), terms))
    hits = _ranges(line, terms)
    start = max(0, hits[0][0] - _BEFORE) if hits and hits[0][1] > _CHARS else 0
    end = min(len(line), start + _CHARS)
    pieces: list[Piece] = [{"text": "…", "hit": False}] if start else []
    position = start
    for low, high in hits:
        low, high = max(low, position), min(high, end)
        if low >= high:
            continue
        if low > position:
            pieces.append({"text": line[position:low], "hit": False})
        pieces.append({"text": line[low:high], "hit": True})
        position = high
    if position < end or end < len(line):
        pieces.append({"text": line[position:end] + ("…" if end < len(line) else ""), "hit": False})
    return pieces


def _score(line: str, terms: Sequence[Term]) -> float:
    score = 0.0
    for term in terms:
        if term.text in line:
            score += 1
        elif term.parts:
            score += 0.5 * sum(part in line for part in term.parts) / len(term.parts)
    return score


def _ranges(line: str, terms: Sequence[Term]) -> list[tuple[int, int]]:
    flat = fold(line)
    words: list[str] = []
    for term in terms:
        words += [term.text] if term.text in flat else term.parts
    return find(line, words)
