"""The texts of all sessions that are searched, and the search itself. Synchronous.

It lives in a process of its own (``worker.py``), so it may take its time: what is long is done in
slices, and whoever asks for the next one may do without it.

What must hold:

- Memory is bounded: texts lie in a private database of SQLite's, which keeps some in memory and
  the others in a temporary file that nobody else can open and that vanishes with the process.
- Owners' sessions are never looked through together.
- A session that can't be read hides no other.
"""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from ..models import Interaction, Session, SessionKey
from ..replay import Step, replay
from ..sessions.record.damage.recovery import parse_or_recover
from .documents import FIELDS, Entry, TurnName, Where, entry_of, fields_of, turns_in, turns_of
from .embeddings import Meaning
from .hits import Hit
from .query import Term, parsed
from .rank import Candidate, Ranked, candidates, order, ranked
from .snippet import snippet

CACHE = 32 * 1024 * 1024  # bytes of texts that are kept in memory
SLICE = 0.05  # seconds

# By meaning: what is less like the query than this, or than this share of the best, is no hit.
_LEAST, _SHARE, _MOST = 0.2, 0.6, 100
_EMBED = 256  # turns whose vectors are made at once

_TABLES = """
CREATE TABLE cell (
    id INTEGER PRIMARY KEY,
    owner BLOB, notebook TEXT, cell TEXT,
    turns TEXT, text BLOB,
    UNIQUE (owner, notebook, cell)
);
CREATE TABLE vector (id INTEGER PRIMARY KEY, made BLOB);
"""
_PUT = """
INSERT INTO cell (owner, notebook, cell, turns, text) VALUES (?, ?, ?, ?, ?)
ON CONFLICT DO UPDATE SET turns = excluded.turns, text = excluded.text RETURNING id
"""
_ID = "SELECT id FROM cell WHERE owner = ? AND notebook = ? AND cell = ?"
# (Of these the index alone is read: to find the texts' own pages costs as much as to read them.)
_IDS = """
SELECT id FROM cell WHERE owner = :owner AND (:notebook IS NULL OR notebook = :notebook)
"""
_LACKING = """
SELECT id FROM cell WHERE owner = :owner AND (:notebook IS NULL OR notebook = :notebook)
AND id NOT IN (SELECT id FROM vector)
"""
_ROW = """
SELECT notebook, cell, turns, text, made FROM cell LEFT JOIN vector USING (id) WHERE id = ?
"""
_TEXT, _VECTORS = 3, 4  # its columns

Cell = tuple[str, str]  # the notebook's id and the cell's


class Row(NamedTuple):
    """A turn that was found, by name."""

    notebook_id: str
    cell_id: str
    turn_id: int
    where: Where
    score: float


@dataclass
class _Search:
    """One that is on its way."""

    terms: Sequence[Term]
    ids: list[int]  # of the cells that are still to be looked at
    asked: Any = None  # the vector of a query by meaning
    turns: int = 0

    def __post_init__(self) -> None:
        self.candidates: list[Candidate] = []
        self.rows: list[Ranked] = []


class Shelf:
    """The texts of sessions, and one search at a time."""

    def __init__(self, cache: int = CACHE, meaning: Meaning | None = None) -> None:
        self._meaning = meaning or Meaning()
        self._db = sqlite3.connect("", isolation_level=None)
        self._db.execute(f"PRAGMA cache_size = {-cache // 1024}")
        self._db.execute("PRAGMA journal_mode = OFF")
        self._db.execute("PRAGMA synchronous = OFF")
        self._db.executescript(_TABLES)
        self._search = _Search((), [])

    def take(self, owner: str, sessions: Iterable[tuple[Cell, bytes | None]]) -> None:
        """Keep the texts of sessions, given as stored; none of one that is gone or unreadable."""
        self._db.execute("BEGIN")
        for (notebook_id, cell_id), data in sessions:
            session = (
                parse_or_recover(data, SessionKey(notebook_id, cell_id, owner)) if data else None
            )
            entry = entry_of(session) if session else None
            if not entry or not entry.turns:
                self._remove(owner, notebook_id, cell_id)
                continue
            turns = json.dumps([[turn.turn_id, turn.time] for turn in entry.turns])
            text = entry.text.encode("utf-8", "replace")
            row = (_bytes(owner), notebook_id, cell_id, turns, text)
            self._db.execute(
                "DELETE FROM vector WHERE id = ?", self._db.execute(_PUT, row).fetchone()
            )
        self._db.execute("COMMIT")

    def forget(self, owner: str, cells: Iterable[Cell]) -> None:
        """Keep nothing of these any more."""
        self._db.execute("BEGIN")
        for cell in cells:
            self._remove(owner, *cell)
        self._db.execute("COMMIT")

    def embed(self, owner: str, notebook_id: str | None) -> int:
        """Make a slice of the vectors for a search by meaning; say how many cells lack theirs."""
        lacking = self._ids(_LACKING, owner, notebook_id)
        wanted: list[tuple[int, int]] = []
        texts: list[str] = []
        for number in lacking:
            entry = self._entry(self._row(number))
            wanted.append((number, len(entry.turns)))
            texts += [_meant(fields) for _, fields in entry.texts()]
            if len(texts) >= _EMBED:
                break
        vectors, at = self._meaning.vectors(texts), 0
        self._db.execute("BEGIN")
        for number, turns in wanted:
            made = vectors[at : at + turns].tobytes()
            self._db.execute("INSERT INTO vector VALUES (?, ?)", (number, made))
            at += turns
        self._db.execute("COMMIT")
        return len(lacking) - len(wanted)

    def begin(self, query: str, owner: str, notebook_id: str | None, by: str) -> None:
        """Begin a search; what is left of the one before is dropped."""
        self._search = _Search(parsed(query), self._ids(_IDS, owner, notebook_id))
        if by == "meaning":
            self._search.asked = self._meaning.vectors([query])

    def go_on(self) -> bool:
        """Look through one slice of the texts; whether there may be more."""
        search, end = self._search, time.monotonic() + SLICE
        while search.ids and time.monotonic() < end:
            number = search.ids.pop()
            if search.asked is None:
                self._look_at(number)
            else:
                self._compare(number)
        return bool(search.ids)

    def page(self, offset: int, limit: int) -> tuple[list[Row], int]:
        """A page of what was found, best first, and how much that is in all."""
        search, self._search = self._search, _Search((), [])
        if search.asked is None:
            rows = ranked(search.candidates, search.terms, search.turns)
        else:
            least = max(_LEAST, _SHARE * max((row.score for row in search.rows), default=0.0))
            rows = sorted((row for row in search.rows if row.score >= least), key=order)[:_MOST]
        found = [
            Row(r.entry.notebook_id, r.entry.cell_id, r.turn.turn_id, r.where, r.score)
            for r in rows[offset : offset + limit]
        ]
        return found, len(rows)

    def hits(
        self, query: str, owner: str, rows: Sequence[Row], stored: Mapping[Cell, bytes | None]
    ) -> list[Hit]:
        """The rows as they are shown, from their sessions; without those deleted meanwhile."""
        terms = parsed(query)
        found: dict[Row, Hit] = {}
        for cell, data in stored.items():  # one session in memory at a time
            session = parse_or_recover(data, SessionKey(*cell, owner)) if data else None
            if session is not None:
                wanted = [row for row in rows if row[:2] == cell]
                found |= _hits(wanted, session, terms)
        return [found[row] for row in rows if row in found]

    def _ids(self, query: str, owner: str, notebook_id: str | None) -> list[int]:
        of = {"owner": _bytes(owner), "notebook": notebook_id}
        return [number for (number,) in self._db.execute(query, of)]

    def _look_at(self, number: int) -> None:
        search = self._search
        if row := self._row(number):
            text: str = row[_TEXT].decode("utf-8")
            search.turns += turns_in(text)
            if any(term.may_be_in(text) for term in search.terms):  # of many cells most are not
                search.candidates += candidates(self._entry(row), search.terms)

    def _compare(self, number: int) -> None:
        row = self._row(number)
        if row and row[_VECTORS]:
            entry = self._entry(row)
            scores = self._meaning.likeness(self._search.asked, row[_VECTORS])
            self._search.rows += [
                Ranked(entry, turn, round(score, 2), "intent")
                for turn, score in zip(entry.turns, scores, strict=True)
                if score >= _LEAST
            ]

    def _row(self, number: int) -> tuple[Any, ...] | None:
        """A cell; None of one that is gone meanwhile."""
        found: tuple[Any, ...] | None = self._db.execute(_ROW, (number,)).fetchone()
        return found

    def _entry(self, row: tuple[Any, ...] | None) -> Entry:
        if row is None:
            return Entry("", "")
        notebook_id, cell_id, turns, text, _ = row
        names = tuple(TurnName(turn_id, when) for turn_id, when in json.loads(turns))
        return Entry(notebook_id, cell_id, names, text.decode("utf-8"))

    def _remove(self, owner: str, notebook_id: str, cell_id: str) -> None:
        found = self._db.execute(_ID, (_bytes(owner), notebook_id, cell_id)).fetchone()
        if found:
            self._db.execute("DELETE FROM cell WHERE id = ?", found)
            self._db.execute("DELETE FROM vector WHERE id = ?", found)


def _bytes(owner: str) -> bytes:
    # Any text may name an owner, also one that is no UTF-8; and it is compared byte by byte.
    return owner.encode("utf-8", "surrogatepass")


def _meant(fields: Sequence[str]) -> str:
    return f"{fields[FIELDS.index('intent')]}\n{fields[FIELDS.index('explanation')]}"


def _hits(rows: Sequence[Row], session: Session, terms: Sequence[Term]) -> dict[Row, Hit]:
    """The rows of one cell."""
    turns = {turn.turn_id: (turn, errors) for turn, errors in reversed(list(turns_of(session)))}
    steps = {step.turn_id: step for step in reversed(replay(session)) if step.kind == "turn"}
    return {
        row: _hit(row, *turns[row.turn_id], steps.get(row.turn_id), terms)
        for row in rows
        if row.turn_id in turns
    }


def _hit(
    row: Row, turn: Interaction, errors: list[str], step: Step | None, terms: Sequence[Term]
) -> Hit:
    return Hit(
        notebook_id=row.notebook_id,
        cell_id=row.cell_id,
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
