"""The results of a search."""

from __future__ import annotations

from dataclasses import dataclass, field

from .documents import Field
from .snippet import Piece


@dataclass(frozen=True)
class Hit:
    """A matching turn."""

    notebook_id: str
    cell_id: str
    turn_id: int
    seq: int
    step: int | None
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
