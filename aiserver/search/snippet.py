"""The line of a turn that is shown for a hit, with what was found in it. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict

from .normalize import find, folded
from .query import Term

_CHARS = 160
_BEFORE = 40  # of the line, in front of the first hit


class Piece(TypedDict):
    """A stretch of text, and whether it is what was looked for."""

    text: str
    hit: bool


def snippet(text: str, terms: Sequence[Term]) -> list[Piece]:
    """The line that holds most of the terms, cut where it is long."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if not lines:
        return []
    line = max(lines, key=lambda line: _holds(folded(line), terms))
    hits = _ranges(line, terms)
    start = max(0, hits[0][0] - _BEFORE) if hits and hits[0][1] > _CHARS else 0
    end = min(len(line), start + _CHARS)
    pieces: list[Piece] = [{"text": "…", "hit": False}] if start else []
    at = start
    for low, high in hits:
        low, high = max(low, at), min(high, end)
        if low >= high:
            continue
        if low > at:
            pieces.append({"text": line[at:low], "hit": False})
        pieces.append({"text": line[low:high], "hit": True})
        at = high
    if at < end or end < len(line):
        pieces.append({"text": line[at:end] + ("…" if end < len(line) else ""), "hit": False})
    return pieces


def _holds(line: str, terms: Sequence[Term]) -> float:
    score = 0.0
    for term in terms:
        if term.text in line:
            score += 1
        elif term.parts:
            score += 0.5 * sum(part in line for part in term.parts) / len(term.parts)
    return score


def _ranges(line: str, terms: Sequence[Term]) -> list[tuple[int, int]]:
    flat = folded(line)
    words: list[str] = []
    for term in terms:
        words += [term.text] if term.text in flat else term.parts
    return find(line, words)
