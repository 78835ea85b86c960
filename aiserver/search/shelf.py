"""The texts of all sessions that are searched, and the search itself. Synchronous.

It lives in a process of its own (``child.py``), so it may take its time: what is long is done in
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
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from ..models import Session, SessionKey
from ..replay import replay
from ..sessions import codec
from ..sessions.recovery import recovered
from .hits import Hit
from .meaning import Meaning
from .query import Term, parsed
from .rank import Candidate, Ranked, candidates, order, ranked
from .snippet import snippet
from .texts import FIELDS, Entry, TurnName, Where, entry_of, fields_of, turns_of

CACHE = 32 * 1024 * 1024  # bytes of texts that are kept in memory
SLICE = 0.05  # seconds

# By meaning: what is less like the query than this, or than this share of the best, is no hit.
_LEAST, _SHARE, _MOST = 0.2, 0.6, 100
_EMBED = 256  # turns whose vectors are made at once

_TABLE = """
CREATE TABLE cell (
    id INTEGER PRIMARY KEY,
    owner BLOB, notebook TEXT, cell TEXT,
    turns TEXT, text BLOB, vectors BLOB,
    UNIQUE (owner, notebook, cell)
);
CREATE INDEX lacking ON cell (owner, notebook) WHERE vectors IS NULL;
"""
_PUT = """
INSERT INTO cell (owner, notebook, cell, turns, text) VALUES (?, ?, ?, ?, ?)
ON CONFLICT DO UPDATE SET turns = excluded.turns, text = excluded.text, vectors = NULL
"""
_REST = """
SELECT * FROM cell
WHERE owner = :owner AND (:notebook IS NULL OR notebook = :notebook) AND id > :at ORDER BY id
"""
_LACKING = """
FROM cell WHERE owner = :owner AND (:notebook IS NULL OR notebook = :notebook) AND vectors IS NULL
"""

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

    owner: str
    notebook_id: str | None
    terms: Sequence[Term]
    asked: Any = None  # the vector of a query by meaning
    at: int = 0
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
        self._db.executescript(_TABLE)
        self._search = _Search("", None, ())

    def take(self, owner: str, sessions: Iterable[tuple[Cell, bytes | None]]) -> None:
        """Keep the texts of sessions, given as stored; none of one that is gone or unreadable."""
        self._db.execute("BEGIN")
        for (notebook_id, cell_id), data in sessions:
            session = _read(data, SessionKey(notebook_id, cell_id, owner))
            entry = session and entry_of(session)
            if not entry or not entry.turns:
                self._remove(owner, notebook_id, cell_id)
                continue
            turns = json.dumps([[turn.turn_id, turn.time] for turn in entry.turns])
            text = entry.text.encode("utf-8", "replace")
            row = (_bytes(owner), notebook_id, cell_id, turns, text)
            self._db.execute(_PUT, row)
        self._db.execute("COMMIT")

    def forget(self, owner: str, cells: Iterable[Cell]) -> None:
        """Keep nothing of these any more."""
        self._db.execute("BEGIN")
        for cell in cells:
            self._remove(owner, *cell)
        self._db.execute("COMMIT")

    def embed(self, owner: str, notebook_id: str | None) -> int:
        """Make a slice of the vectors for a search by meaning; say how many cells lack theirs."""
        of = {"owner": _bytes(owner), "notebook": notebook_id}
        missing = self._db.execute(f"SELECT * {_LACKING}", of)
        wanted, texts = [], []
        for row in missing:
            entry = _entry(row)
            wanted.append((row[0], len(entry.turns)))
            texts += [_meant(fields) for _, fields in entry.texts()]
            if len(texts) >= _EMBED:
                break
        missing.close()
        vectors, at = self._meaning.vectors(texts), 0
        self._db.execute("BEGIN")
        for number, turns in wanted:
            made = vectors[at : at + turns].tobytes()
            self._db.execute("UPDATE cell SET vectors = ? WHERE id = ?", (made, number))
            at += turns
        self._db.execute("COMMIT")
        left = self._db.execute(f"SELECT count(*) {_LACKING}", of)
        return int(left.fetchone()[0])

    def begin(self, query: str, owner: str, notebook_id: str | None, by: str) -> None:
        """Begin a search; what is left of the one before is dropped."""
        self._search = _Search(owner, notebook_id, parsed(query))
        if by == "meaning":
            self._search.asked = self._meaning.vectors([query])

    def go_on(self) -> bool:
        """Look through one slice of the texts; whether there may be more."""
        search, end = self._search, time.monotonic() + SLICE
        of = {"owner": _bytes(search.owner), "notebook": search.notebook_id, "at": search.at}
        rows = self._db.execute(_REST, of)
        for row in rows:
            search.at = row[0]
            entry = _entry(row)
            search.turns += len(entry.turns)
            if search.asked is None:
                search.candidates += candidates(entry, search.terms)
            else:
                search.rows += self._like(entry, row[6])
            if time.monotonic() >= end:
                rows.close()
                return True
        return False

    def page(self, offset: int, limit: int) -> tuple[list[Row], int]:
        """A page of what was found, best first, and how much that is in all."""
        search, self._search = self._search, _Search("", None, ())
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
        self, query: str, owner: str, rows: Sequence[Row], stored: Sequence[bytes | None]
    ) -> list[Hit]:
        """The rows as they are shown, from their sessions; without those deleted meanwhile."""
        terms = parsed(query)
        made = (
            _hit(row, session, terms)
            for row, data in zip(rows, stored, strict=True)
            if (session := _read(data, SessionKey(row.notebook_id, row.cell_id, owner)))
        )
        return [hit for hit in made if hit]

    def _remove(self, owner: str, notebook_id: str, cell_id: str) -> None:
        key = (_bytes(owner), notebook_id, cell_id)
        self._db.execute("DELETE FROM cell WHERE owner = ? AND notebook = ? AND cell = ?", key)

    def _like(self, entry: Entry, vectors: bytes | None) -> list[Ranked]:
        if vectors is None:
            return []
        scores = self._meaning.likeness(self._search.asked, vectors)
        return [
            Ranked(entry, turn, round(score, 2), "intent")
            for turn, score in zip(entry.turns, scores, strict=True)
            if score >= _LEAST
        ]


def _bytes(owner: str) -> bytes:
    # Any text may name an owner, also one that is no UTF-8; and it is compared byte by byte.
    return owner.encode("utf-8", "surrogatepass")


def _entry(row: Sequence[Any]) -> Entry:
    turns = tuple(TurnName(turn_id, when) for turn_id, when in json.loads(row[4]))
    return Entry(row[2], row[3], turns, row[5].decode("utf-8"))


def _meant(fields: Sequence[str]) -> str:
    return f"{fields[FIELDS.index('intent')]}\n{fields[FIELDS.index('explanation')]}"


def _read(data: bytes | None, key: SessionKey) -> Session | None:
    """A session of its stored bytes: of damaged ones what is whole, and None of another cell's."""
    if data is None:
        return None
    try:
        return codec.parse(data, key)
    except codec.Damaged:
        return recovered(data, key)


def _hit(row: Row, session: Session, terms: Sequence[Term]) -> Hit | None:
    found = next((t for t in turns_of(session) if t[0].turn_id == row.turn_id), None)
    if found is None:
        return None
    turn, errors = found
    steps = (s for s in replay(session) if s.kind == "turn" and s.turn_id == turn.turn_id)
    step = next(steps, None)
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
