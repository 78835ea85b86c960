"""Score and sort the turns that match a query by words. Pure.

Invariants:

- A match in the intent of a turn counts most. A match in the errors or the code counts less, and a
  match in the explanation counts least.
- A term counts most if it is a complete word of the text. It counts less if it is a word in a name
  such as ``read_csv``, and still less if a longer word begins with it. It counts least in the
  middle or at the end of a longer word.
- A term that matches few turns counts more than a term that matches many turns.
- If any turn matches all terms, only turns that match all terms are returned. Otherwise, turns that
  match much less than the best turn are dropped (see ``_MIN_COVERAGE``).
- A turn often contains the code of the previous turn again. If this is the only reason why several
  turns in a row match, only the first of them is a hit.
- Among turns with the same score, the newest comes first.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import compress

from .documents import FIELDS, Field, SessionText, TurnId
from .hits import ScoredTurn
from .query import UNSPACED, Term

_FIELD_WEIGHTS: dict[Field, float] = {
    "intent": 3.0,
    "code": 1.5,
    "explanation": 1.0,
    "error": 1.5,
}
_CODE = FIELDS.index("code")

# The coverage of a turn is the sum of the rarities of the terms that it matches. If no turn matches
# all terms, a turn is dropped if its coverage is below this fraction of the highest coverage.
_MIN_COVERAGE = 0.6
_PHRASE_FACTOR = 1.25  # multiplies the score of a turn if ``Candidate.has_phrase``

# The degree to which a text matches a term, by how the term occurs in the text.
_WHOLE_WORD = 1.0
_WORD_IN_NAME = 0.85  # "csv" in "read_csv"
_WORD_START = 0.7  # "read" in "reading"
_INSIDE_WORD = 0.4  # "ding" in "reading"
_SUBTERMS_ONLY = 0.4  # multiplied by the fraction of the term's subterms that occur

# At either end of an occurrence, there are three cases: the word ends ("csv" in "a csv"), the name
# continues with another word ("csv" in "csv_file"), or the word continues ("csv" in "csvs"). The
# character next to the occurrence decides the case.
_WORD_ENDS, _NAME_CONTINUES, _WORD_CONTINUES = range(3)

_MAX_OCCURRENCES = 8  # further occurrences of a term in a text are ignored, to save time


@dataclass(frozen=True)
class Candidate:
    """A turn that matches at least one term of the query."""

    session_text: SessionText
    turn: TurnId
    degrees: tuple[float, ...]
    """A number for each term: how well a field matches the term, times the field's weight. Of all
    fields, the one with the highest product counts."""
    where: Field
    """The field that matches the query best."""
    has_phrase: bool
    """Whether a field contains all terms, adjacent and in the order of the query."""


def candidates(session_text: SessionText, terms: Sequence[Term]) -> list[Candidate]:
    """Return the turns of one session that match any of the terms."""
    matches: list[Candidate] = []
    phrase = " ".join(term.text for term in terms) if len(terms) > 1 else ""
    # For each term: how well it matches the code of the previous turn that had code.
    previous_code_degrees: tuple[float, ...] = ()
    for turn, fields in session_text.fields_by_turn():
        # A list for each term: how well each of the fields matches the term.
        degrees = [[degree(term, text) for text in fields] for term in terms]
        code_degrees = tuple(by_field[_CODE] for by_field in degrees)
        matches_outside_code = any(
            any(by_field[:_CODE] + by_field[_CODE + 1 :]) for by_field in degrees
        )
        # A turn that matches only because it contains the previous turn's code again isn't a hit.
        only_repeats_code = (
            any(code_degrees)
            and not matches_outside_code
            and bool(previous_code_degrees)
            and all(map(operator.le, code_degrees, previous_code_degrees))
        )
        if any(code_degrees) or fields[_CODE]:
            previous_code_degrees = code_degrees
        if only_repeats_code or not any(any(by_field) for by_field in degrees):
            continue
        weighted = [
            [value * _FIELD_WEIGHTS[name] for value, name in zip(by_field, FIELDS, strict=True)]
            for by_field in degrees
        ]
        field_totals = [
            sum(by_field[index] for by_field in weighted) for index in range(len(FIELDS))
        ]
        matches.append(
            Candidate(
                session_text,
                turn,
                tuple(max(by_field) for by_field in weighted),
                FIELDS[field_totals.index(max(field_totals))],
                bool(phrase) and any(phrase in text for text in fields),
            )
        )
    return matches


def rank(
    matches: Sequence[Candidate], terms: Sequence[Term], searched_turn_count: int
) -> list[ScoredTurn]:
    """Score the matches and return them sorted, best first."""
    match_counts = [
        sum(candidate.degrees[index] > 0 for candidate in matches) for index in range(len(terms))
    ]
    # A term is rarer if fewer of the searched turns match it.
    rarities = [math.log(1 + (searched_turn_count + 1) / (1 + count)) for count in match_counts]
    coverages = [sum(compress(rarities, candidate.degrees)) for candidate in matches]
    best_coverage = max(coverages, default=0.0)
    has_full_match = any(all(candidate.degrees) for candidate in matches)
    min_coverage = best_coverage if has_full_match else best_coverage * _MIN_COVERAGE
    scored_turns = []
    for candidate, coverage in zip(matches, coverages, strict=True):
        if coverage >= min_coverage - 1e-9:  # the tolerance is for rounding errors
            score = sum(map(operator.mul, rarities, candidate.degrees))
            score *= _PHRASE_FACTOR if candidate.has_phrase else 1
            scored_turns.append(
                scored_turn(candidate.session_text, candidate.turn, candidate.where, score)
            )
    return sorted(scored_turns, key=sort_key)


def scored_turn(session_text: SessionText, turn: TurnId, where: Field, score: float) -> ScoredTurn:
    """Build a ``ScoredTurn``; ``where`` is the field that matches best."""
    return ScoredTurn(
        session_text.notebook_id,
        session_text.cell_id,
        turn.turn_id,
        where,
        round(score, 2),
        turn.time,
    )


def sort_key(turn: ScoredTurn) -> tuple[float, float, str, str, int]:
    """Return a key that sorts turns by score, the highest first.

    Turns with equal scores are sorted by time, the newest first; with equal times, by their ids.
    """
    return (-turn.score, -turn.time, turn.notebook_id, turn.cell_id, -turn.turn_id)


def degree(term: Term, text: str) -> float:
    """Return the degree to which a folded text matches a term, from 0 to 1."""
    complete = _complete_degree(term.text, text) if term.text in text else 0.0
    if complete or not term.subterms:
        return complete
    return _SUBTERMS_ONLY * term.matched_fraction(text)


def _complete_degree(word: str, text: str) -> float:
    """Return how well a text matches a word, judged by the word's best occurrence in the text.

    Only the first ``_MAX_OCCURRENCES`` occurrences are examined.
    """
    index, best = text.find(word), 0.0
    for _ in range(_MAX_OCCURRENCES):
        if index < 0 or best == _WHOLE_WORD:
            break
        end = index + len(word)
        before = _boundary(text[index - 1 : index], word[:1]) if index else _WORD_ENDS
        after = _boundary(text[end : end + 1], word[-1:])
        if before == _WORD_CONTINUES:
            best = max(best, _INSIDE_WORD)
        elif after == _WORD_CONTINUES:
            best = max(best, _WORD_START)
        elif _NAME_CONTINUES in (before, after):
            best = max(best, _WORD_IN_NAME)
        else:
            best = _WHOLE_WORD
        index = text.find(word, end)
    return best


def _boundary(adjacent: str, edge: str) -> int:
    """Return one of the three cases, such as ``_WORD_ENDS``, for one end of an occurrence.

    ``edge`` is the first or last character of the occurrence. ``adjacent`` is the character before
    or after the occurrence; it is empty at the end of the text.
    """
    if adjacent == "_":
        return _NAME_CONTINUES
    if not adjacent.isalnum() or not edge.isalnum():
        return _WORD_ENDS
    if UNSPACED.match(adjacent) or UNSPACED.match(edge):
        return _WORD_ENDS  # without spaces, a word can begin or end at any character
    # "df2" is a name of two words: a letter next to a digit begins another word.
    return _NAME_CONTINUES if adjacent.isdigit() != edge.isdigit() else _WORD_CONTINUES
