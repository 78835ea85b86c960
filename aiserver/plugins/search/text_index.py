"""Store the texts of sessions in SQLite's full-text index, and search them.

A ``TextIndex`` runs in a process of its own (``worker``), so its methods may block.

The index is FTS5 with the tokenizer ``trigram``, which finds any sequence of at least three
characters. Shorter terms, such as most Chinese words, are looked for in the texts themselves, and
so is everything if SQLite lacks this index.

Invariants:

- Memory is bounded: the database is private. It caches some of its pages in memory and stores the
  others in a temporary file, which no other process can open, and which disappears with this one.
- A search covers one owner's sessions only.
- An unreadable session doesn't affect the search in other sessions.
"""

# ruff: noqa: S608 - the queries consist of constants and names of parameters

from __future__ import annotations

import math
import operator
import re
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from ...models import SessionKey
from ...sessions.record.recovery import parse_or_recover
from ...surrogates import fix_surrogates
from .embeddings import similarities, vectors
from .entry_index import EntryIndex
from .hits import FIELD_WEIGHTS, Hit, ScoredTurn, hits_of, texts_of, without_mode
from .query import (
    MIN_SIMILARITY,
    Filters,
    fold,
    is_by,
    parse,
    request_parts,
    similarity,
    split_filters,
)

_NO_FILTERS = Filters()
CACHE = 32 * 1024 * 1024  # bytes of the database that are cached in memory
MAX_HITS = 1000  # by words; further ones are left out

# In a search by meaning, a hit needs at least this similarity to the query, and at least this
# fraction of the best hit's similarity.
_MIN_SIMILARITY, _MIN_FRACTION_OF_BEST = 0.2, 0.6
_MAX_HITS_BY_MEANING = 100
_EMBEDDED_TURNS = 256  # in a call of ``embed``
# If no turn has all terms, a turn needs this fraction of the best turn's terms, by their rarities.
_MIN_COVERAGE = 0.6
_MAX_PARTS = 64  # of the terms of a query
_TOKENIZER = "trigram"
_MIN_CHARS = 3  # of a term that the full-text index finds

_COLUMNS = ", ".join(FIELD_WEIGHTS)
_TABLES = """
CREATE TABLE turn (
    id INTEGER PRIMARY KEY, owner BLOB, notebook TEXT, cell TEXT, turn INTEGER, time REAL,
    authors TEXT, run TEXT, vector BLOB
);
CREATE INDEX cell ON turn (owner, notebook, cell);
CREATE INDEX not_embedded ON turn (owner, notebook) WHERE vector IS NULL;
"""
_IN_SCOPE = """
owner = :owner AND (:notebook IS NULL OR notebook = :notebook) AND notebook IS NOT :excluded
AND (:by = '' OR is_by(authors, :by)) AND instr(run, :run) = 1
"""
_BY_PERSON = "instr(authors, '=person') = 1"
# A cross join looks into the full-text index first, and not once for each turn.
_TEXTS = f"text CROSS JOIN turn ON turn.id = text.rowid WHERE {_IN_SCOPE}"
_INSERT_TURN = """
INSERT INTO turn (owner, notebook, cell, turn, time, authors, run) VALUES (?, ?, ?, ?, ?, ?, ?)
"""
_INSERT_TEXT = f"INSERT INTO text (rowid, {_COLUMNS}) VALUES (?, ?, ?, ?, ?)"
_TURN = "SELECT notebook, cell, turn, time FROM turn WHERE id = ?"

CellIds = tuple[str, str]  # the id of a notebook and the id of a cell
_Scope = dict[str, Any]  # the parameters of ``_IN_SCOPE``


class TextIndex:
    """The searched texts of sessions, and the ``entries`` of memories."""

    def __init__(self, cache: int = CACHE) -> None:
        self.entries = EntryIndex()
        self._db = sqlite3.connect("", isolation_level=None)
        self._db.executescript(_TABLES)
        self._db.create_function("is_by", 2, is_by, deterministic=True)
        self._has_trigrams = True
        try:
            # The texts are folded already.
            options = f"tokenize = '{_TOKENIZER} case_sensitive 1'"
            self._db.execute(f"CREATE VIRTUAL TABLE text USING fts5({_COLUMNS}, {options})")
        except sqlite3.OperationalError:
            self._has_trigrams = False
            self._db.execute(f"CREATE TABLE text ({_COLUMNS})")
        # The database isn't protected against crashes, because each new process builds a new one.
        self._db.execute(f"PRAGMA cache_size = {-cache // 1024}")
        self._db.execute("PRAGMA journal_mode = OFF")
        self._db.execute("PRAGMA synchronous = OFF")

    def put(self, owner: str, sessions: Iterable[tuple[CellIds, bytes | None]]) -> None:
        """Index sessions, which are given as stored bytes.

        Sessions that are missing, unreadable or without turns are removed from the index.
        """
        with self._transaction():
            for cell, data in sessions:
                self._delete(owner, cell)
                try:
                    self._insert(owner, cell, data)
                except sqlite3.DatabaseError:  # the disk is full
                    raise
                except Exception:  # whatever is in it, as with a number that SQLite can't store
                    self._delete(owner, cell)

    def remove(self, owner: str, cells: Iterable[CellIds]) -> None:
        """Remove sessions from the index."""
        with self._transaction():
            for cell in cells:
                self._delete(owner, cell)

    def embed(self, owner: str, notebook_id: str | None) -> int:
        """Compute missing embeddings of some turns; return how many turns still lack them."""
        scope = _scope(owner, notebook_id)
        query = f"SELECT id FROM turn WHERE {_IN_SCOPE} AND vector IS NULL"
        missing = [row_id for (row_id,) in self._db.execute(query, scope)]
        selected = missing[:_EMBEDDED_TURNS]
        marks = ", ".join("?" * len(selected))
        query = f"SELECT rowid, intent, explanation FROM text WHERE rowid IN ({marks})"
        rows = self._db.execute(query, selected).fetchall()
        matrix = vectors([f"{intent}\n{explanation}" for _, intent, explanation in rows])
        updates = [(vector.tobytes(), row[0]) for vector, row in zip(matrix, rows, strict=True)]
        with self._transaction():
            self._db.executemany("UPDATE turn SET vector = ? WHERE id = ?", updates)
        return len(missing) - len(selected)

    def search(
        self,
        query: str,
        owner: str,
        notebook_id: str | None,
        by: str,
        except_notebook_id: str | None = None,
        offset: int = 0,
        limit: int = 20,
    ) -> tuple[list[ScoredTurn], int]:
        """Return a range of the matches, best first, and the number of all matches.

        The range begins at ``offset`` and has at most ``limit`` matches. The search covers one
        notebook if ``notebook_id`` isn't None, and no turns of ``except_notebook_id``.
        """
        words, filters = (query, _NO_FILTERS) if by == "request" else split_filters(query)
        scope = _scope(owner, notebook_id, except_notebook_id, filters)
        searches = {"meaning": self._by_meaning, "request": self._by_request}
        search = searches.get(by, self._by_words)
        scores = (self._all if any(filters) and not parse(words) else search)(words, scope)
        turns: list[tuple[float, ScoredTurn]] = []
        for row_id in sorted(scores, key=lambda row_id: -scores[row_id])[:MAX_HITS]:
            notebook, cell, turn, time = self._db.execute(_TURN, (row_id,)).fetchone()
            turns.append((time, ScoredTurn(notebook, cell, turn, round(scores[row_id], 4))))
        turns.sort(key=lambda pair: (-pair[1].score, -pair[0], *pair[1][:2], -pair[1].turn_id))
        return [turn for _, turn in turns[offset : offset + limit]], len(turns)

    def hits(
        self,
        query: str,
        owner: str,
        scored_turns: Sequence[ScoredTurn],
        stored: Mapping[CellIds, bytes | None],
    ) -> list[Hit]:
        """Build the hits of matching turns from the stored bytes of their sessions.

        If a turn was deleted after the search had matched it, there is no hit for it.
        """
        hit_by_turn: dict[ScoredTurn, Hit] = {}
        for cell, data in stored.items():  # only one parsed session is in memory at a time
            session = parse_or_recover(data, SessionKey(*cell, owner)) if data else None
            if session is not None:
                selected = [turn for turn in scored_turns if turn[:2] == cell]
                hit_by_turn |= hits_of(selected, session, parse(split_filters(query)[0]))
        return [hit_by_turn[turn] for turn in scored_turns if turn in hit_by_turn]

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._db.execute("BEGIN")
        try:
            yield
        finally:
            self._db.execute("COMMIT")

    def _insert(self, owner: str, cell: CellIds, data: bytes | None) -> None:
        session = parse_or_recover(data, SessionKey(*cell, owner)) if data else None
        for *texts, fields in texts_of(session) if session else ():
            row_id = self._db.execute(_INSERT_TURN, (_bytes(owner), *cell, *texts)).lastrowid
            self._db.execute(_INSERT_TEXT, (row_id, *map(fix_surrogates, fields)))

    def _delete(self, owner: str, cell: CellIds) -> None:
        parameters = (_bytes(owner), *cell)
        rows = "FROM turn WHERE owner = ? AND notebook = ? AND cell = ?"
        self._db.execute(f"DELETE FROM text WHERE rowid IN (SELECT id {rows})", parameters)
        self._db.execute(f"DELETE {rows}", parameters)

    def _all(self, _words: str, scope: _Scope) -> dict[int, float]:
        """Return the newest turns that the filters let through, all with the same score."""
        newest = f"SELECT id FROM turn WHERE {_IN_SCOPE} ORDER BY time DESC LIMIT {MAX_HITS}"
        return {row_id: 1.0 for (row_id,) in self._db.execute(newest, scope)}

    def _by_words(self, query: str, scope: _Scope) -> dict[int, float]:
        terms = parse(query)
        complete = self._with_all([term.text for term in terms], scope) if terms else {}
        parts = list(dict.fromkeys(part for term in terms for part in term.subterms))
        return complete or (self._with_most(parts[:_MAX_PARTS], scope) if len(parts) > 1 else {})

    def _with_all(self, texts: Sequence[str], scope: _Scope) -> dict[int, float]:
        """Return the scores of the turns that contain all texts: the sums of the fields' weights.

        Complete words count double.
        """
        indexed = [text for text in texts if self._is_indexed(text)]
        names = {f"t{index}": text for index, text in enumerate(texts)}
        conditions = [f"{_weight(name)} > 0" for name in names if names[name] not in indexed]
        conditions += ["text MATCH :match"] if indexed else []
        rows = self._db.execute(
            f"SELECT turn.id, {' + '.join(map(_weight, names))} AS score, {_COLUMNS} FROM {_TEXTS}"
            f" AND {' AND '.join(conditions)} ORDER BY score DESC, time DESC LIMIT {MAX_HITS}",
            scope | names | {"match": _match(indexed, "AND")},
        )
        words = [re.compile(rf"(?<![^\W_]){re.escape(text)}(?![^\W_])") for text in texts]
        return {
            row_id: score * (1 + sum(any(map(word.search, fields)) for word in words) / len(words))
            for row_id, score, *fields in rows
        }

    def _with_most(self, parts: Sequence[str], scope: _Scope) -> dict[int, float]:
        """Return the scores of the turns that contain most of the parts, by their rarities."""
        names = {f"t{index}": part for index, part in enumerate(parts)}
        weights = [_weight(name) for name in names]
        is_indexed = all(map(self._is_indexed, parts))
        condition = "text MATCH :match" if is_indexed else f"({' + '.join(weights)}) > 0"
        rows = self._db.execute(
            f"SELECT turn.id, {', '.join(weights)} FROM {_TEXTS} AND {condition}",
            scope | names | {"match": _match(parts, "OR")},
        ).fetchall()
        counts = [sum(row[index] > 0 for row in rows) for index in range(1, len(parts) + 1)]
        rarities = [math.log(1 + (len(rows) + 1) / (1 + count)) for count in counts]
        coverages = {
            row_id: sum(rarity for rarity, weight in zip(rarities, row, strict=True) if weight)
            for row_id, *row in rows
        }
        minimum = _MIN_COVERAGE * max(coverages.values(), default=0.0)
        return {
            row_id: sum(map(operator.mul, rarities, row))
            for row_id, *row in rows
            if coverages[row_id] >= minimum
        }

    def _by_request(self, query: str, scope: _Scope) -> dict[int, float]:
        """Return the similarities of similar requests of people."""
        parts = request_parts(fold(fix_surrogates(query)))
        if not parts:
            return {}
        names = {f"t{index}": part for index, part in enumerate(sorted(parts)[:_MAX_PARTS])}
        # A similar request has at least a quarter of the parts.
        least = len(parts) / 4 - (len(parts) - len(names))
        shared = " + ".join(f"(instr(intent, :{name}) > 0)" for name in names)
        rows = self._db.execute(
            f"SELECT turn.id, intent FROM {_TEXTS} AND {_BY_PERSON} AND ({shared}) >= {least}",
            scope | names,
        )
        scores = {
            row_id: similarity(parts, request_parts(without_mode(intent)))
            for row_id, intent in rows
        }
        return {row_id: score for row_id, score in scores.items() if score >= MIN_SIMILARITY}

    def _by_meaning(self, query: str, scope: _Scope) -> dict[int, float]:
        """Return the similarities of the embeddings."""
        rows = self._db.execute(
            f"SELECT id, vector FROM turn WHERE {_IN_SCOPE} AND vector IS NOT NULL", scope
        ).fetchall()
        if not rows:
            return {}
        scores = similarities(vectors([query]), b"".join(vector for _, vector in rows))
        threshold = max(_MIN_SIMILARITY, _MIN_FRACTION_OF_BEST * max(scores))
        pairs = [(score, row[0]) for score, row in zip(scores, rows, strict=True)]
        best = sorted((pair for pair in pairs if pair[0] >= threshold), reverse=True)
        return {row_id: score for score, row_id in best[:_MAX_HITS_BY_MEANING]}

    def _is_indexed(self, text: str) -> bool:
        return self._has_trigrams and len(text) >= _MIN_CHARS


def _scope(
    owner: str, notebook_id: str | None, excluded: str | None = None, filters: Filters = _NO_FILTERS
) -> _Scope:
    notebooks = {"notebook": notebook_id, "excluded": excluded}
    return {"owner": _bytes(owner), **notebooks, **filters._asdict()}


def _bytes(owner: str) -> bytes:
    # An owner's name can be any text. SQLite can't store a text with lone surrogates.
    return owner.encode("utf-8", "surrogatepass")


def _match(texts: Sequence[str], connective: str) -> str:
    """Return a query of the full-text index."""
    quoted = ('"' + text.replace('"', '""') + '"' for text in texts)
    return f" {connective} ".join(quoted)


def _weight(name: str) -> str:
    """Return the expression of the sum of the weights of the fields with a text."""
    fields = FIELD_WEIGHTS.items()
    return "(" + " + ".join(f"{w} * (instr({field}, :{name}) > 0)" for field, w in fields) + ")"
