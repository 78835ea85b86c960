"""The results of a search, built from the sessions of the matching turns. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from ..models import Session
from ..replay import replay
from .documents import Field, fields_of, turns_of
from .query import Term
from .snippet import Piece, snippet


class Row(NamedTuple):
    """A matching turn: its ids, its best field, its score and its time."""

    notebook_id: str
    cell_id: str
    turn_id: int
    where: Field
    score: float
    time: float
    """Orders turns with equal scores."""


@dataclass(frozen=True)
class Hit:
    """A matching turn, as it is displayed."""

    notebook_id: str
    cell_id: str
    turn_id: int
    seq: int
    step: int
    timestamp: str
    model: str | None
    intent: str
    where: Field
    snippet: list[Piece]
    score: float


@dataclass(frozen=True)
class SearchResult:
    """One page of hits."""

    hits: list[Hit] = field(default_factory=list)
    total: int = 0
    unread: int = 0
    """The number of sessions that have not been read and searched yet."""


def hits_of(rows: Sequence[Row], session: Session, terms: Sequence[Term]) -> dict[Row, Hit]:
    """The hits of one session's rows; omits those of turns that it no longer has."""
    turns = {turn.turn_id: (turn, errors) for turn, errors in reversed(turns_of(session))}
    steps = {step.turn_id: step for step in reversed(replay(session)) if step.kind == "turn"}
    hits: dict[Row, Hit] = {}
    for row in rows:
        if row.turn_id in turns:
            turn, errors = turns[row.turn_id]
            step = steps[row.turn_id]
            hits[row] = Hit(
                notebook_id=row.notebook_id,
                cell_id=row.cell_id,
                turn_id=row.turn_id,
                seq=step.seq,
                step=step.index,
                timestamp=turn.timestamp,
                model=turn.model,
                intent=turn.user_request.intent,
                where=row.where,
                snippet=snippet(fields_of(turn, errors)[row.where], terms),
                score=row.score,
            )
    return hits
