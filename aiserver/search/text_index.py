"""Store the searchable texts of sessions (see ``documents.py``), and search them.

A ``TextIndex`` runs in a process of its own, the search process (``worker.py``), so its methods may
block. A search takes several calls. Each call of ``advance`` searches one slice of the texts, so
the caller can stop after any slice. Embeddings are computed in slices, too.

Invariants:

- Memory is bounded: the texts are in a private SQLite database, which caches some texts in memory
  and stores all other texts in a temporary file. No other process can open this file, and it
  disappears when the search process ends.
- A search covers one owner's sessions only.
- An unreadable session doesn't affect the search in other sessions.
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
from .documents import FIELDS, SessionText, TurnId, count_turns, extract_text, without_mode
from .embeddings import similarities, vectors
from .hits import Hit, ScoredTurn, hits_of
from .normalize import fold
from .query import MIN_SIMILARITY, Term, parse, request_parts, similarity
from .rank import Candidate, candidates, rank, scored_turn, sort_key

CACHE = 32 * 1024 * 1024  # bytes of texts that are cached in memory
SLICE = 0.05  # seconds after which a slice of a search ends

# In a search by meaning, a hit needs at least this similarity to the query, and at least this
# fraction of the best hit's similarity.
_MIN_SIMILARITY, _MIN_FRACTION_OF_BEST = 0.2, 0.6
_MAX_HITS_BY_MEANING = 100
# A call of ``embed`` stops selecting cells when the selected cells have this many turns.
_EMBEDDED_TURNS = 256

_TABLES = """
CREATE TABLE cell (
    id INTEGER PRIMARY KEY,
    owner BLOB, notebook TEXT, cell TEXT,
    turns TEXT, requests BLOB, vectors BLOB, text BLOB,
    UNIQUE (owner, notebook, cell)
);
CREATE INDEX not_embedded ON cell (owner, notebook) WHERE vectors IS NULL;
"""
_PUT = """
INSERT INTO cell (owner, notebook, cell, turns, requests, text) VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT DO UPDATE
SET turns = excluded.turns, requests = excluded.requests, text = excluded.text, vectors = NULL
"""
_DELETE = "DELETE FROM cell WHERE owner = ? AND notebook = ? AND cell = ?"
# SQLite can answer the next two queries from an SQL index alone. If SQLite had to look up the rows
# of the table, the queries would take as long as reading all texts in these rows.
_IDS = """
SELECT id FROM cell
WHERE owner = :owner AND (:notebook IS NULL OR notebook = :notebook) AND notebook IS NOT :excluded
"""
_NOT_EMBEDDED_IDS = f"{_IDS} AND vectors IS NULL"
_ROW = "SELECT notebook, cell, turns, text, vectors FROM cell WHERE id = ?"
_TEXT, _VECTORS = 3, 4  # the positions of two columns in the result of _ROW
# A search for similar requests, at each pause in typing, reads no texts, but the parts of requests.
_REQUESTS = "SELECT notebook, cell, turns, requests FROM cell WHERE id = ?"
_REQUEST_SEPARATOR, _PART_SEPARATOR = "\x1e", "\x1f"  # in the column ``requests``

CellIds = tuple[str, str]  # the id of a notebook and the id of a cell


@dataclass
class _Search:
    """The state of a search in progress."""

    terms: Sequence[Term]
    remaining_ids: list[int]
    """The row ids of the cells that are still to be searched."""
    query_vector: Any = None
    """In a search by meaning, the embedding of the query; in any other search, None."""
    request: frozenset[str] | None = None
    """In a search for similar requests, the parts of the query; in any other search, None."""
    searched_turn_count: int = 0
    candidates: list[Candidate] = field(default_factory=list)
    """In a search by words, the matches so far."""
    scored_turns: list[ScoredTurn] = field(default_factory=list)
    """In a search by meaning or for similar requests, the matches so far."""


class TextIndex:
    """The searched texts of sessions, and at most one search in progress."""

    def __init__(self, cache: int = CACHE) -> None:
        # The database isn't protected against crashes, because each new process builds a new one.
        self._db = sqlite3.connect("", isolation_level=None)
        self._db.execute(f"PRAGMA cache_size = {-cache // 1024}")
        self._db.execute("PRAGMA journal_mode = OFF")
        self._db.execute("PRAGMA synchronous = OFF")
        self._db.executescript(_TABLES)
        self._search = _Search((), [])

    def put(self, owner: str, sessions: Iterable[tuple[CellIds, bytes | None]]) -> None:
        """Index sessions, which are given as stored bytes.

        Sessions that are missing, unreadable or without turns are removed from the index.
        """
        self._db.execute("BEGIN")
        for (notebook_id, cell_id), data in sessions:
            key = SessionKey(notebook_id, cell_id, owner)
            session = parse_or_recover(data, key) if data else None
            searched = extract_text(session) if session else None
            if not searched or not searched.turns:
                self._db.execute(_DELETE, (_bytes(owner), notebook_id, cell_id))
                continue
            turns = json.dumps(searched.turns)
            requests = _requests(searched).encode("utf-8", "replace")
            text = searched.text.encode("utf-8", "replace")
            self._db.execute(_PUT, (_bytes(owner), notebook_id, cell_id, turns, requests, text))
        self._db.execute("COMMIT")

    def remove(self, owner: str, cells: Iterable[CellIds]) -> None:
        """Remove sessions from the index."""
        self._db.execute("BEGIN")
        self._db.executemany(_DELETE, ((_bytes(owner), *cell) for cell in cells))
        self._db.execute("COMMIT")

    def embed(self, owner: str, notebook_id: str | None) -> int:
        """Compute missing embeddings of some cells; return how many cells still lack embeddings."""
        not_embedded = self._ids(_NOT_EMBEDDED_IDS, owner, notebook_id)
        selected: list[tuple[int, int]] = []  # the id and the number of turns of each cell
        texts: list[str] = []
        for row_id in not_embedded:
            searched = _session_text(self._fetch(row_id))
            selected.append((row_id, len(searched.turns)))
            texts += [_embedded_text(fields) for _, fields in searched.fields_by_turn()]
            if len(texts) >= _EMBEDDED_TURNS:
                break
        matrix, start = vectors(texts), 0
        self._db.execute("BEGIN")
        for row_id, turn_count in selected:
            stored = matrix[start : start + turn_count].tobytes()
            self._db.execute("UPDATE cell SET vectors = ? WHERE id = ?", (stored, row_id))
            start += turn_count
        self._db.execute("COMMIT")
        return len(not_embedded) - len(selected)

    def begin(
        self,
        query: str,
        owner: str,
        notebook_id: str | None,
        by: str,
        except_notebook_id: str | None = None,
    ) -> None:
        """Begin a search. If another search is in progress, discard it.

        The search covers one notebook if ``notebook_id`` isn't None, and no turns of the notebook
        ``except_notebook_id``.
        """
        ids = self._ids(_IDS, owner, notebook_id, except_notebook_id)
        self._search = _Search(parse(query), ids)
        if by == "meaning":
            self._search.query_vector = vectors([query])
        elif by == "request":
            self._search.request = request_parts(fold(query))

    def advance(self) -> bool:
        """Search one slice of the texts; return whether texts remain to be searched."""
        search, deadline = self._search, time.monotonic() + SLICE
        while search.remaining_ids and time.monotonic() < deadline:
            row_id = search.remaining_ids.pop()
            row = self._fetch(row_id, _ROW if search.request is None else _REQUESTS)
            if row is None:
                continue  # the session was deleted since the search began
            if search.query_vector is not None:
                self._match_vectors(row)
            elif search.request is not None:
                self._match_requests(row, search.request)
            else:
                self._match_words(row)
        return bool(search.remaining_ids)

    def results(self, offset: int, limit: int) -> tuple[list[ScoredTurn], int]:
        """End the search; return a range of its matches, best first, and the number of all matches.

        The range begins at ``offset`` and has at most ``limit`` matches.
        """
        search, self._search = self._search, _Search((), [])
        if search.request is not None:
            matches = sorted(search.scored_turns, key=sort_key)
        elif search.query_vector is None:
            matches = rank(search.candidates, search.terms, search.searched_turn_count)
        else:
            best_similarity = max((turn.score for turn in search.scored_turns), default=0.0)
            threshold = max(_MIN_SIMILARITY, _MIN_FRACTION_OF_BEST * best_similarity)
            similar = [turn for turn in search.scored_turns if turn.score >= threshold]
            matches = sorted(similar, key=sort_key)[:_MAX_HITS_BY_MEANING]
        return matches[offset : offset + limit], len(matches)

    def hits(
        self,
        query: str,
        owner: str,
        scored_turns: Sequence[ScoredTurn],
        stored: Mapping[CellIds, bytes | None],
    ) -> list[Hit]:
        """Build the hits of matching turns from the stored bytes of their sessions.

        If a turn was deleted after the search had found it, there is no hit for it.
        """
        hit_by_turn: dict[ScoredTurn, Hit] = {}
        for cell, data in stored.items():  # only one parsed session is in memory at a time
            session = parse_or_recover(data, SessionKey(*cell, owner)) if data else None
            if session is not None:
                selected = [turn for turn in scored_turns if turn[:2] == cell]
                hit_by_turn |= hits_of(selected, session, parse(query))
        return [hit_by_turn[turn] for turn in scored_turns if turn in hit_by_turn]

    def _ids(
        self, query: str, owner: str, notebook_id: str | None, excluded: str | None = None
    ) -> list[int]:
        parameters = {"owner": _bytes(owner), "notebook": notebook_id, "excluded": excluded}
        return [row_id for (row_id,) in self._db.execute(query, parameters)]

    def _fetch(self, row_id: int, query: str = _ROW) -> Any:
        return self._db.execute(query, (row_id,)).fetchone()

    def _match_words(self, row: Any) -> None:
        search, text = self._search, row[_TEXT].decode("utf-8")
        search.searched_turn_count += count_turns(text)
        if any(term.may_be_in(text) for term in search.terms):  # quickly skips most cells
            search.candidates += candidates(_session_text(row), search.terms)

    def _match_vectors(self, row: Any) -> None:
        if row[_VECTORS]:
            searched = _session_text(row)
            scores = similarities(self._search.query_vector, row[_VECTORS])
            self._search.scored_turns += [
                # An embedding doesn't tell which field matches, so the hit displays the intent.
                scored_turn(searched, turn, "intent", score)
                for turn, score in zip(searched.turns, scores, strict=True)
                if score >= _MIN_SIMILARITY
            ]

    def _match_requests(self, row: Any, request: frozenset[str]) -> None:
        notebook_id, cell_id, turns, requests = row
        scores = [
            similarity(request, frozenset(parts.split(_PART_SEPARATOR)))
            for parts in requests.decode("utf-8").split(_REQUEST_SEPARATOR)
        ]
        if max(scores) < MIN_SIMILARITY:
            return
        searched = SessionText(notebook_id, cell_id)
        for turn, score in zip(json.loads(turns), scores, strict=True):
            if score >= MIN_SIMILARITY:
                scored = scored_turn(searched, TurnId(*turn), "intent", score)
                self._search.scored_turns.append(scored)


def _requests(searched: SessionText) -> str:
    """Return the parts of all requests, joined with separators, which no part contains."""
    intents = (fields[FIELDS.index("intent")] for _, fields in searched.fields_by_turn())
    return _REQUEST_SEPARATOR.join(
        _PART_SEPARATOR.join(request_parts(without_mode(intent))) for intent in intents
    )


def _session_text(row: Any) -> SessionText:
    notebook_id, cell_id, turns, text, _ = row
    turn_ids = tuple(TurnId(*turn) for turn in json.loads(turns))
    return SessionText(notebook_id, cell_id, turn_ids, text.decode("utf-8"))


def _bytes(owner: str) -> bytes:
    # An owner's name can be any text. It is stored as bytes, because SQLite can't store a text with
    # lone surrogates.
    return owner.encode("utf-8", "surrogatepass")


def _embedded_text(fields: Sequence[str]) -> str:
    return f"{fields[FIELDS.index('intent')]}\n{fields[FIELDS.index('explanation')]}"
