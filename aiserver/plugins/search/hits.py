"""Define the results of a search, and build hits from the sessions of matching turns. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from ...models import Session
from ...payload import Payload, nullable
from ...replay import replay
from .documents import FIELD_WEIGHTS, Field, fields_of, turns_of
from .normalize import find, fold
from .query import Term

_MAX_CHARS = 160  # of the line that is displayed
_CHARS_BEFORE_MATCH = 40  # displayed before the first match if the line's beginning is cut off


@dataclass(frozen=True)
class Piece(Payload):
    """A piece of the displayed line. ``is_hit``: it matches a term."""

    text: str
    is_hit: bool


class ScoredTurn(NamedTuple):
    """A matching turn with its score, from which ``hits_of`` builds a hit."""

    notebook_id: str
    cell_id: str
    turn_id: int
    score: float


@dataclass(frozen=True)
class Hit(Payload):
    """A matching turn, with everything that the interface displays about it."""

    notebook_id: str
    cell_id: str
    turn_id: int
    seq: int
    step: int
    """The index of the turn's step in the cell's replay."""
    timestamp: str
    model: str | None
    intent: str
    where: Field
    """The field that matches best; the intent if none contains a term. The snippet is a line of it.
    """
    snippet: list[Piece]
    score: float
    path: str | None = nullable()
    """The notebook's current path; null if it is unknown."""


@dataclass(frozen=True)
class SearchResult:
    """The requested range of the hits of a search."""

    hits: list[Hit] = field(default_factory=list)
    total: int = 0
    """The number of hits, including the hits outside of the requested range."""
    unread: int = 0
    """The number of sessions that weren't searched, because they haven't been read yet or, in a
    search by meaning, the number of turns without embeddings."""


def hits_of(
    scored_turns: Sequence[ScoredTurn], session: Session, terms: Sequence[Term]
) -> dict[ScoredTurn, Hit]:
    """Build the hits for the matching turns of one session; return a dict from turns to hits.

    The dict lacks the turns that the session no longer contains.
    """
    # Of several turns with the same id, the first one is used: it is assigned last.
    turn_by_id = {turn.turn_id: (turn, errors) for turn, errors in reversed(turns_of(session))}
    steps = [step for step in reversed(replay(session)) if step.kind == "turn"]
    step_by_turn = {turn_id: step for step in steps for turn_id in step.turn_ids}
    hits: dict[ScoredTurn, Hit] = {}
    for scored in scored_turns:
        if scored.turn_id in turn_by_id:
            turn, errors = turn_by_id[scored.turn_id]
            step = step_by_turn[scored.turn_id]
            fields = fields_of(turn, errors)
            weights = {
                name: weight * coverage(fold(fields[name]), terms)
                for name, weight in FIELD_WEIGHTS.items()
            }
            where = max(weights, key=lambda name: weights[name])
            hits[scored] = Hit(
                notebook_id=scored.notebook_id,
                cell_id=scored.cell_id,
                turn_id=scored.turn_id,
                seq=step.seq,
                step=step.index,
                timestamp=turn.timestamp,
                model=turn.model,
                intent=turn.user_request.intent,
                where=where,
                snippet=snippet(fields[where], terms),
                score=scored.score,
            )
    return hits


def snippet(text: str, terms: Sequence[Term]) -> list[Piece]:
    """Return the line of a text that matches the terms best, split into pieces.

    A line of more than ``_MAX_CHARS`` characters is truncated. If the text has no line with
    content, return no pieces.
    """
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if not lines:
        return []
    line = max(lines, key=lambda line: coverage(fold(line), terms))
    folded = fold(line)
    parts = ([term.text] if term.text in folded else term.parts for term in terms)
    matches = find(line, [text for texts in parts for text in texts])
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
