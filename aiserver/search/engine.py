"""The use case: a query becomes hits, each at the step of its cell.

What must hold: it works on any store; the event loop never waits for a search; owners' sessions are
never looked through together; one scan at a time, so that typing doesn't pile them up.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from logging import Logger
from typing import Any, Literal

from ..models import Session
from ..replay import replay
from ..sessions.base import SessionManager
from .index import BATCH, Cell, OwnerIndex
from .meaning import Meaning
from .query import Term, parsed
from .rank import Candidate, Ranked, candidates, order, ranked
from .snippet import Piece, snippet
from .texts import FIELDS, Entry, Where, entry_of, fields_of, turns_of

ROOM = 96 * 1024 * 1024  # bytes of texts in memory: of more than 20,000 cells
AT_ONCE = 1000  # sessions that are looked through before somebody else may
PATIENCE = 2.0  # seconds that a search waits for sessions that were not read yet

# By meaning: what is less like the query than this, or than this share of the best, is no hit.
_LEAST, _SHARE, _MOST = 0.2, 0.6, 100


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


class SearchEngine:
    """Searches the sessions of a store."""

    def __init__(
        self,
        store: SessionManager,
        log: Logger,
        *,
        meaning: Meaning | None = None,
        room: int = ROOM,
    ) -> None:
        self._store, self._log, self._room = store, log, room
        self.meaning = meaning or Meaning()
        self._indexes: dict[str, OwnerIndex] = {}
        self._vectors: dict[tuple[str, Cell], tuple[object, Any]] = {}
        self._one_at_a_time = asyncio.Lock()

    async def search(
        self,
        query: str,
        *,
        owner: str = "",
        notebook_id: str | None = None,
        by: Literal["words", "meaning"] = "words",
        offset: int = 0,
        limit: int = 20,
        patience: float = PATIENCE,
    ) -> Found:
        """The turns that fit, best first; by words if meaning is not to be had.

        Raises StorageError.
        """
        terms = parsed(query)
        if not terms:
            return Found()
        index = self._indexes.get(owner)
        if index is None:
            index = self._indexes[owner] = OwnerIndex(self._store, owner, self._room, self._log)
        unread = await index.refresh(notebook_id, patience)
        async with self._one_at_a_time:
            if by == "meaning" and self.meaning.available:
                rows = await self._by_meaning(index, owner, notebook_id, query)
            else:
                rows = await self._by_words(index, notebook_id, terms)
        page = rows[offset : offset + limit]
        sessions = await index.load({(r.entry.notebook_id, r.entry.cell_id): r for r in page})
        hits = await asyncio.to_thread(_hits, page, sessions, terms)
        return Found(hits, len(rows), unread)

    async def close(self) -> None:
        """Stop what goes on in the background."""
        await asyncio.gather(*(index.close() for index in self._indexes.values()))

    async def _by_words(
        self, index: OwnerIndex, notebook_id: str | None, terms: Sequence[Term]
    ) -> list[Ranked]:
        found: list[Candidate] = []
        turns = 0
        async for entries in self._entries(index, index.of(notebook_id)):
            turns += sum(len(entry.turns) for entry in entries)
            found += await asyncio.to_thread(_scan, entries, terms)
        return await asyncio.to_thread(ranked, found, terms, turns)

    async def _by_meaning(
        self, index: OwnerIndex, owner: str, notebook_id: str | None, query: str
    ) -> list[Ranked]:
        known = index.of(notebook_id)
        missing = [e for e in known if e.turns and self._vector(owner, e) is None]
        async for entries in self._entries(index, missing):
            for entry, vectors in await asyncio.to_thread(self._embed, entries):
                self._vectors[owner, (entry.notebook_id, entry.cell_id)] = (entry.mark, vectors)
        for key in [k for k in self._vectors if k[0] == owner and k[1] not in index.entries]:
            del self._vectors[key]
        pairs = [(e, v) for e in known if e.turns and (v := self._vector(owner, e)) is not None]
        return await asyncio.to_thread(self._likest, query, pairs)

    async def _entries(self, index: OwnerIndex, entries: list[Entry]) -> Any:
        """The entries with their texts, some at a time: first those kept, then those read anew."""
        kept = [entry for entry in entries if entry.kept is not None]
        for at in range(0, len(kept), AT_ONCE):
            yield kept[at : at + AT_ONCE]
        without = [entry for entry in entries if entry.kept is None]
        for at in range(0, len(without), BATCH):
            batch = without[at : at + BATCH]
            marks = {(e.notebook_id, e.cell_id): e.mark for e in batch}
            sessions = await index.load(marks)
            yield await asyncio.to_thread(_read, sessions, marks)

    def _vector(self, owner: str, entry: Entry) -> Any:
        mark, vectors = self._vectors.get((owner, (entry.notebook_id, entry.cell_id)), (None, None))
        return vectors if mark == entry.mark else None

    def _embed(self, entries: Iterable[Entry]) -> list[tuple[Entry, Any]]:
        wanted = [(entry, list(entry.texts())) for entry in entries]
        intent, explanation = FIELDS.index("intent"), FIELDS.index("explanation")
        texts = [f"{t[intent]}\n{t[explanation]}" for _, rows in wanted for _, t in rows]
        vectors, made, at = self.meaning.vectors(texts), [], 0
        for entry, rows in wanted:
            made.append((entry, vectors[at : at + len(rows)]))
            at += len(rows)
        return made

    def _likest(self, query: str, pairs: list[tuple[Entry, Any]]) -> list[Ranked]:
        asked = self.meaning.vectors([query])
        rows = [
            Ranked(entry, turn, round(score, 2), "intent")
            for entry, vectors in pairs
            for turn, score in zip(entry.turns, self.meaning.likeness(asked, vectors), strict=False)
        ]
        least = max(_LEAST, _SHARE * max((row.score for row in rows), default=0.0))
        return sorted((row for row in rows if row.score >= least), key=order)[:_MOST]


def _scan(entries: Iterable[Entry], terms: Sequence[Term]) -> list[Candidate]:
    return [found for entry in entries for found in candidates(entry, terms)]


def _read(sessions: Iterable[Session], marks: dict[Cell, Any]) -> list[Entry]:
    return [entry_of(s, marks[s.meta.notebook_id, s.meta.cell_id]) for s in sessions]


def _hits(page: Sequence[Ranked], sessions: Iterable[Session], terms: Sequence[Term]) -> list[Hit]:
    known = {(session.meta.notebook_id, session.meta.cell_id): session for session in sessions}
    hits = []
    for row in page:
        session = known.get((row.entry.notebook_id, row.entry.cell_id))
        if session is not None and (hit := _hit(row, session, terms)) is not None:
            hits.append(hit)
    return hits


def _hit(row: Ranked, session: Session, terms: Sequence[Term]) -> Hit | None:
    found = next((t for t in turns_of(session) if t[0].turn_id == row.turn.turn_id), None)
    if found is None:  # deleted meanwhile
        return None
    turn, errors = found
    steps = (s for s in replay(session) if s.kind == "turn" and s.turn_id == turn.turn_id)
    step = next(steps, None)
    return Hit(
        notebook_id=row.entry.notebook_id,
        cell_id=row.entry.cell_id,
        turn_id=turn.turn_id,
        seq=step.seq if step else turn.seq or turn.turn_id,
        step=step.index if step else None,
        timestamp=turn.timestamp,
        model=turn.model,
        intent=turn.user_request.intent,
        where=row.where,
        snippet=snippet(fields_of(turn, errors)[row.where], terms),
        score=row.score,
    )
