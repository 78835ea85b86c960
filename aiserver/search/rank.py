"""Score and sort the turns that match a query. Pure.

Invariants:

- The intent counts most, then errors and code, then the explanation. A complete word counts more
  than a part of a name, that more than the beginning of a word, that more than letters inside a
  word. Rare words count more than common ones.
- If any turn has all the words, only such turns are returned; otherwise those with most of them.
- Code that later turns keep is one hit, at the turn that introduced it.
- Among turns with the same score the newest comes first.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from .documents import FIELDS, Entry, Field, TurnId
from .hits import Row
from .query import UNSPACED, Term

_WEIGHTS: dict[Field, float] = {"intent": 3.0, "code": 1.5, "explanation": 1.0, "error": 1.5}
_CODE = FIELDS.index("code")
_PARTS_FACTOR = 0.4  # the weight of a term of which only parts match
_MIN_COVERAGE = 0.6  # of the weight of all words that match anywhere
_PHRASE_FACTOR = 1.25  # for words that are adjacent as in the query


@dataclass(frozen=True)
class Candidate:
    """A turn that matches a part of the query, with its degree for each term and best field."""

    entry: Entry
    turn: TurnId
    degrees: tuple[float, ...]
    where: Field
    has_phrase: bool


def candidates(entry: Entry, terms: Sequence[Term]) -> list[Candidate]:
    """The turns of one session that contain any of the terms."""
    matches: list[Candidate] = []
    phrase = " ".join(term.text for term in terms) if len(terms) > 1 else ""
    previous_code: tuple[float, ...] = ()  # the degrees of the previous turn's code
    for turn, fields in entry.texts():
        table = [[degree(term, text) for text in fields] for term in terms]
        code = tuple(row[_CODE] for row in table)
        others = [max(row[:_CODE] + row[_CODE + 1 :]) for row in table]
        # A turn that matches only by code of the previous turn is no hit of its own.
        is_old = any(code) and not any(others) and bool(previous_code)
        is_old = is_old and all(
            current <= previous for current, previous in zip(code, previous_code, strict=True)
        )
        previous_code = code if any(code) or fields[_CODE] else previous_code
        if is_old or not any(any(row) for row in table):
            continue
        weighted = [[d * _WEIGHTS[f] for d, f in zip(row, FIELDS, strict=True)] for row in table]
        best = [sum(row[index] for row in weighted) for index in range(len(FIELDS))]
        matches.append(
            Candidate(
                entry,
                turn,
                tuple(max(row) for row in weighted),
                FIELDS[best.index(max(best))],
                bool(phrase) and any(phrase in text for text in fields),
            )
        )
    return matches


def rank(matches: Iterable[Candidate], terms: Sequence[Term], turns: int) -> list[Row]:
    """Sort matches, best first; ``turns`` is the number of searched turns."""
    matches = list(matches)
    rarity = [
        math.log(1 + (turns + 1) / (1 + sum(c.degrees[index] > 0 for c in matches)))
        for index in range(len(terms))
    ]
    coverage = [sum(r for r, d in zip(rarity, c.degrees, strict=True) if d) for c in matches]
    max_cover = max(coverage, default=0.0)
    min_cover = max_cover if any(all(c.degrees) for c in matches) else max_cover * _MIN_COVERAGE
    rows = []
    for candidate, covered in zip(matches, coverage, strict=True):
        if covered >= min_cover - 1e-9:
            score = sum(r * d for r, d in zip(rarity, candidate.degrees, strict=True))
            score *= _PHRASE_FACTOR if candidate.has_phrase else 1
            rows.append(row_of(candidate.entry, candidate.turn, candidate.where, score))
    return sorted(rows, key=sort_key)


def row_of(entry: Entry, turn: TurnId, where: Field, score: float) -> Row:
    """The row of a turn."""
    return Row(entry.notebook_id, entry.cell_id, turn.turn_id, where, round(score, 2), turn.time)


def sort_key(row: Row) -> tuple[float, float, str, str, int]:
    """Best first, then newest first; the ids make the order deterministic."""
    return (-row.score, -row.time, row.notebook_id, row.cell_id, -row.turn_id)


def degree(term: Term, text: str) -> float:
    """The degree to which a text matches a term, from 0 to 1."""
    complete = _complete_match(term.text, text) if term.text in text else 0.0
    if complete or not term.parts:
        return complete
    return _PARTS_FACTOR * term.share(text)


def _complete_match(word: str, text: str) -> float:
    index, best = text.find(word), 0.0
    for _ in range(8):  # the first few occurrences are enough
        if index < 0 or best == 1.0:
            break
        end = index + len(word)
        before = _continuation(text[index - 1 : index], word[:1]) if index else 0
        after = _continuation(text[end : end + 1], word[-1:])
        if before == 2:
            best = max(best, 0.4)
        elif after == 2:
            best = max(best, 0.7)
        else:
            best = max(best, 0.85 if before or after else 1.0)
        index = text.find(word, end)
    return best


def _continuation(adjacent: str, edge: str) -> int:
    """Whether an adjacent character continues the word: 0 no, 1 as part of a name, 2 yes."""
    if adjacent == "_":
        return 1
    if not adjacent.isalnum() or not edge.isalnum():
        return 0
    if UNSPACED.match(adjacent) or UNSPACED.match(edge):
        return 0
    return 1 if adjacent.isdigit() != edge.isdigit() else 2
