"""The index of the searched texts, and the search itself. Synchronous.

Runs in a process of its own (``worker.py``). Long work is split into slices, so that the caller can
stop after any of them.

Invariants:

- Memory is bounded: the texts are in a private SQLite database, which caches some in memory and
  stores the others in a temporary file that no other process can open and that ends with ours.
- A search covers one owner's sessions only.
- An unreadable session doesn't affect others.
"""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..models import SessionKey
from ..sessions.record.damage.recovery import parse_or_recover
from .documents import FIELDS, Entry, TurnId, to_entry, turns_in
from .embeddings import similarity, vectors
from .hits import Hit, Row, hits_of
from .query import Term, parse
from .rank import Candidate, candidates, rank, row_of, sort_key

CACHE = 32 * 1024 * 1024  # bytes of texts in memory
SLICE = 0.05  # seconds

# By meaning: hits need this similarity and this share of the best one.
_MIN_SIMILARITY, _MIN_SHARE, _MAX_HITS = 0.2, 0.6, 100
_EMBED = 256  # turns that are embedded at once

_TABLES = """
CREATE TABLE cell (
    id INTEGER PRIMARY KEY,
    owner BLOB, notebook TEXT, cell TEXT,
    turns TEXT, vectors BLOB, text BLOB,
    UNIQUE (owner, notebook, cell)
);
CREATE INDEX not_embedded ON cell (owner, notebook) WHERE vectors IS NULL;
"""
_PUT = """
INSERT INTO cell (owner, notebook, cell, turns, text) VALUES (?, ?, ?, ?, ?)
ON CONFLICT DO UPDATE SET turns = excluded.turns, text = excluded.text, vectors = NULL
"""
_DELETE = "DELETE FROM cell WHERE owner = ? AND notebook = ? AND cell = ?"
# (These read only an index: finding the pages of the texts costs as much as reading them.)
_IDS = """
SELECT id FROM cell WHERE owner = :owner AND (:notebook IS NULL OR notebook = :notebook)
"""
_MISSING_IDS = f"{_IDS} AND vectors IS NULL"
_ROW = "SELECT notebook, cell, turns, text, vectors FROM cell WHERE id = ?"
_TEXT, _VECTORS = 3, 4  # its columns

Cell = tuple[str, str]  # the notebook's id and the cell's


@dataclass
class _Search:
    """A search in progress."""

    terms: Sequence[Term]
    ids: list[int]  # of the cells that are still to be searched
    query_vector: Any = None  # the vector of a query by meaning
    turns: int = 0
    candidates: list[Candidate] = field(default_factory=list)  # by words
    rows: list[Row] = field(default_factory=list)  # by meaning


class TextIndex:
    """The texts of sessions, and one search at a time."""

    def __init__(self, cache: int = CACHE) -> None:
        self._db = sqlite3.connect("", isolation_level=None)
        self._db.execute(f"PRAGMA cache_size = {-cache // 1024}")
        self._db.execute("PRAGMA journal_mode = OFF")
        self._db.execute("PRAGMA synchronous = OFF")
        self._db.executescript(_TABLES)
        self._search = _Search((), [])

    def put(self, owner: str, sessions: Iterable[tuple[Cell, bytes | None]]) -> None:
        """Index sessions, given as stored bytes; removes missing and unreadable ones."""
        self._db.execute("BEGIN")
        for (notebook_id, cell_id), data in sessions:
            key = SessionKey(notebook_id, cell_id, owner)
            session = parse_or_recover(data, key) if data else None
            entry = to_entry(session) if session else None
            if not entry or not entry.turns:
                self._db.execute(_DELETE, (_bytes(owner), notebook_id, cell_id))
                continue
            turns = json.dumps(entry.turns)
            text = entry.text.encode("utf-8", "replace")
            self._db.execute(_PUT, (_bytes(owner), notebook_id, cell_id, turns, text))
        self._db.execute("COMMIT")

    def remove(self, owner: str, cells: Iterable[Cell]) -> None:
        """Remove sessions from the index."""
        self._db.execute("BEGIN")
        self._db.executemany(_DELETE, ((_bytes(owner), *cell) for cell in cells))
        self._db.execute("COMMIT")

    def embed(self, owner: str, notebook_id: str | None) -> int:
        """Embed one slice of the cells; return how many cells are still missing."""
        missing = self._ids(_MISSING_IDS, owner, notebook_id)
        selected: list[tuple[int, int]] = []
        texts: list[str] = []
        for number in missing:
            entry = _entry(self._fetch(number))
            selected.append((number, len(entry.turns)))
            texts += [_embedded_text(fields) for _, fields in entry.texts()]
            if len(texts) >= _EMBED:
                break
        rows, start = vectors(texts), 0
        self._db.execute("BEGIN")
        for number, turns in selected:
            vector = rows[start : start + turns].tobytes()
            self._db.execute("UPDATE cell SET vectors = ? WHERE id = ?", (vector, number))
            start += turns
        self._db.execute("COMMIT")
        return len(missing) - len(selected)

    def begin(self, query: str, owner: str, notebook_id: str | None, by: str) -> None:
        """Begin a search, dropping an unfinished one."""
        self._search = _Search(parse(query), self._ids(_IDS, owner, notebook_id))
        if by == "meaning":
            self._search.query_vector = vectors([query])

    def advance(self) -> bool:
        """Search one slice of the texts; whether there is more to search."""
        search, end = self._search, time.monotonic() + SLICE
        while search.ids and time.monotonic() < end:
            row = self._fetch(search.ids.pop())
            if row is None:
                continue  # deleted meanwhile
            if search.query_vector is None:
                self._match_words(row)
            else:
                self._match_vectors(row)
        return bool(search.ids)

    def page(self, offset: int, limit: int) -> tuple[list[Row], int]:
        """A page of the matches, best first, and their total number."""
        search, self._search = self._search, _Search((), [])
        if search.query_vector is None:
            rows = rank(search.candidates, search.terms, search.turns)
        else:
            threshold = max(
                _MIN_SIMILARITY, _MIN_SHARE * max((row.score for row in search.rows), default=0.0)
            )
            similar = [row for row in search.rows if row.score >= threshold]
            rows = sorted(similar, key=sort_key)[:_MAX_HITS]
        return rows[offset : offset + limit], len(rows)

    def hits(
        self, query: str, owner: str, rows: Sequence[Row], stored: Mapping[Cell, bytes | None]
    ) -> list[Hit]:
        """The hits of the rows, from their sessions; omits those deleted meanwhile."""
        result: dict[Row, Hit] = {}
        for cell, data in stored.items():  # one session in memory at a time
            session = parse_or_recover(data, SessionKey(*cell, owner)) if data else None
            if session is not None:
                selected = [row for row in rows if row[:2] == cell]
                result |= hits_of(selected, session, parse(query))
        return [result[row] for row in rows if row in result]

    def _ids(self, query: str, owner: str, notebook_id: str | None) -> list[int]:
        parameters = {"owner": _bytes(owner), "notebook": notebook_id}
        return [number for (number,) in self._db.execute(query, parameters)]

    def _fetch(self, number: int) -> Any:
        return self._db.execute(_ROW, (number,)).fetchone()

    def _match_words(self, row: Any) -> None:
        search, text = self._search, row[_TEXT].decode("utf-8")
        search.turns += turns_in(text)
        if any(term.may_be_in(text) for term in search.terms):  # most cells don't match
            search.candidates += candidates(_entry(row), search.terms)

    def _match_vectors(self, row: Any) -> None:
        if row[_VECTORS]:
            entry = _entry(row)
            scores = similarity(self._search.query_vector, row[_VECTORS])
            self._search.rows += [
                row_of(entry, turn, "intent", score)
                for turn, score in zip(entry.turns, scores, strict=True)
                if score >= _MIN_SIMILARITY
            ]


def _entry(row: Any) -> Entry:
    notebook_id, cell_id, turns, text, _ = row
    names = tuple(TurnId(*turn) for turn in json.loads(turns))
    return Entry(notebook_id, cell_id, names, text.decode("utf-8"))


def _bytes(owner: str) -> bytes:
    # An owner's name can be any text, even with lone surrogates, and is compared byte by byte.
    return owner.encode("utf-8", "surrogatepass")


def _embedded_text(fields: Sequence[str]) -> str:
    return f"{fields[FIELDS.index('intent')]}\n{fields[FIELDS.index('explanation')]}"
