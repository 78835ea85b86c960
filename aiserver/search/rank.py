"""How well a turn fits a query. Pure.

What must hold:

- What was asked for counts most, then errors and code, then words around the code. A whole word
  counts more than the part of a name, that more than the beginning of a word, that more than
  letters inside of one. Rare words count more than common ones.
- Turns with all the words come alone; where none has all, those that have most of them.
- Code that later turns keep is one hit, at the turn where it came in.
- Of turns that fit alike the newest comes first.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from .documents import FIELDS, Entry, TurnName, Where
from .query import UNSPACED, Term

_WEIGHTS: dict[Where, float] = {"intent": 3.0, "code": 1.5, "explanation": 1.0, "error": 1.5}
_CODE = FIELDS.index("code")
_PARTS = 0.4  # what a term counts of which only parts are there, beside a whole one
_ENOUGH = 0.6  # of the weight of all words that were found anywhere
_TOGETHER = 1.25  # for words that stand beside each other as they were typed


@dataclass(frozen=True)
class Ranked:
    """A turn that fits."""

    entry: Entry
    turn: TurnName
    score: float
    where: Where


@dataclass(frozen=True)
class Candidate:
    """A turn that holds something of the query: per term how well, and where best."""

    entry: Entry
    turn: TurnName
    degrees: tuple[float, ...]
    where: Where
    together: bool


def candidates(entry: Entry, terms: Sequence[Term]) -> list[Candidate]:
    """The turns of one session that hold any of the terms."""
    found: list[Candidate] = []
    phrase = " ".join(term.text for term in terms) if len(terms) > 1 else ""
    kept: tuple[float, ...] = ()  # what the code of the turn before held
    for turn, fields in entry.texts():
        table = [[degree(term, text) for text in fields] for term in terms]
        code = tuple(row[_CODE] for row in table)
        others = [max(row[:_CODE] + row[_CODE + 1 :]) for row in table]
        # Code that was there before, and nothing else that speaks of it: no hit of its own.
        is_old = any(code) and not any(others) and bool(kept)
        is_old = is_old and all(now <= then for now, then in zip(code, kept, strict=True))
        kept = code if any(code) or fields[_CODE] else kept
        if is_old or not any(any(row) for row in table):
            continue
        weighted = [[d * _WEIGHTS[f] for d, f in zip(row, FIELDS, strict=True)] for row in table]
        best = [sum(row[at] for row in weighted) for at in range(len(FIELDS))]
        found.append(
            Candidate(
                entry,
                turn,
                tuple(max(row) for row in weighted),
                FIELDS[best.index(max(best))],
                bool(phrase) and any(phrase in text for text in fields),
            )
        )
    return found


def ranked(found: Iterable[Candidate], terms: Sequence[Term], turns: int) -> list[Ranked]:
    """The best first; ``turns`` is how many were looked through."""
    found = list(found)
    rare = [
        math.log(1 + (turns + 1) / (1 + sum(c.degrees[at] > 0 for c in found)))
        for at in range(len(terms))
    ]
    covers = [sum(r for r, d in zip(rare, c.degrees, strict=True) if d) for c in found]
    most = max(covers, default=0.0)
    least = most if any(all(c.degrees) for c in found) else most * _ENOUGH
    rows = []
    for candidate, covered in zip(found, covers, strict=True):
        if covered >= least - 1e-9:
            score = sum(r * d for r, d in zip(rare, candidate.degrees, strict=True))
            score *= _TOGETHER if candidate.together else 1
            rows.append(Ranked(candidate.entry, candidate.turn, round(score, 2), candidate.where))
    return sorted(rows, key=order)


def order(row: Ranked) -> tuple[float, float, str, str, int]:
    """Best first, among equals the newest; the rest makes it the same each time."""
    entry, turn = row.entry, row.turn
    return (-row.score, -turn.time, entry.notebook_id, entry.cell_id, -turn.turn_id)


def degree(term: Term, text: str) -> float:
    """How well a text holds a term, from 0 to 1."""
    whole = _whole(term.text, text) if term.text in text else 0.0
    if whole or not term.parts:
        return whole
    return _PARTS * term.share(text)


def _whole(word: str, text: str) -> float:
    at, best = text.find(word), 0.0
    for _ in range(8):  # the first few places tell
        if at < 0 or best == 1.0:
            break
        end = at + len(word)
        before = _joins(text[at - 1 : at], word[:1]) if at else 0
        after = _joins(text[end : end + 1], word[-1:])
        if before == 2:
            best = max(best, 0.4)
        elif after == 2:
            best = max(best, 0.7)
        else:
            best = max(best, 0.85 if before or after else 1.0)
        at = text.find(word, end)
    return best


def _joins(beside: str, edge: str) -> int:
    """Whether a character goes on with the word: 0 no · 1 as another part of a name · 2 yes."""
    if beside == "_":
        return 1
    if not beside.isalnum() or not edge.isalnum():
        return 0
    if UNSPACED.match(beside) or UNSPACED.match(edge):
        return 0
    return 1 if beside.isdigit() != edge.isdigit() else 2
