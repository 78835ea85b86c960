"""What a search answers with."""

from __future__ import annotations

from dataclasses import dataclass, field

from .documents import Where
from .snippet import Piece


@dataclass(frozen=True)
class Hit:
    """A turn that was found."""

    notebook_id: str
    cell_id: str
    turn_id: int
    seq: int
    step: int | None
    timestamp: str
    model: str | None
    intent: str
    where: Where
    snippet: list[Piece]
    score: float


@dataclass(frozen=True)
class Found:
    """One page of hits."""

    hits: list[Hit] = field(default_factory=list)
    total: int = 0
    unread: int = 0
    """How many sessions are still being read, and not searched yet."""
