"""Sessions in Redis. Each operation is one script, so it is atomic.

Invariants: the script numbers the turns and events, so the writers of a session neither wait for
each other nor retry; an append reads no existing text, so its cost is independent of the session's
length.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeVar

from pydantic import TypeAdapter, ValidationError

from ...errors import SessionCorrupt, SessionTooNew, StaleRevision
from ...models import (
    SCHEMA_VERSION,
    Event,
    Interaction,
    Session,
    SessionKey,
    SessionSummary,
    new_session,
)
from ..record import codec
from ..record.damage.recovery import is_empty, recover
from ..record.lru_cache import LRUCache
from ..record.splice import META_DEPTH, SEPARATOR, to_text
from ..record.summaries import summarise
from .client import Client
from .keys import Keyspace, cell_name, encode_owner, lex_range
from .layout import Item, StoredSession, json_chunks, split

T = TypeVar("T")
Logger = logging.Logger | logging.LoggerAdapter[Any]

NO_STAMP = "-"
_MAJOR = SCHEMA_VERSION.split(".", maxsplit=1)[0]
_LARGE = 50_000  # bytes; parsing them takes about a millisecond
_PAGE = 1_000  # rows per script call
_TURNS = TypeAdapter(list[Interaction])
_EVENTS = TypeAdapter(list[Event])
_ROWS = TypeAdapter(list[SessionSummary])


class Loaded(NamedTuple):
    """A loaded session."""

    session: Session
    stamp: str
    """The stamp of the last write. ``put`` refuses to replace a session with another stamp."""


class Sessions:
    """The sessions under one prefix."""

    def __init__(self, client: Client, keyspace: Keyspace, log: Logger) -> None:
        self._client, self._keyspace, self._log = client, keyspace, log
        self._intact: LRUCache[SessionKey, bytes] = LRUCache(1000)

    async def load(self, key: SessionKey) -> Loaded | None:
        """The stored session or None. Recovers a damaged one; raises SessionCorrupt if it can't."""
        stored = await self._fetch(key)
        if stored is None:
            return None
        return Loaded((await self._parse_or_recover(key, stored))[1], stored.stamp.decode())

    async def raw(self, key: SessionKey) -> tuple[bytes, int] | None:
        """A session's bytes and its revision, or None. Parses a version of a session only once."""
        stored = await self._fetch(key)
        if stored is None:
            return None
        if stored.stamp and self._intact.get(key) == stored.stamp:
            return await run_by_size(stored.size, stored.to_bytes), int(stored.revision)
        data, session = await self._parse_or_recover(key, stored)
        return data, session.revision

    async def append(
        self, key: SessionKey, items: Sequence[Item], now: str, if_revision: int | None
    ) -> tuple[list[Any], int]:
        """Append items; return their numbers and the revision. Raises as ``save_interaction``."""
        stamp = secrets.token_hex(12)
        blank = new_session(key, now)
        blank.meta.revision = 0  # so that the script can replace it
        answer = await self._client.run(
            "append",
            [self._keyspace.once(stamp), *self._keyspace.session(key)],
            *(encode_owner(key.owner), cell_name(key), now, _revision(if_revision), _MAJOR),
            *(summarise(blank).model_dump_json(), to_text(blank.meta, META_DEPTH), stamp),
            *(part for item in items for part in item),
        )
        _raise_refusal(answer, if_revision)
        return answer[2:], answer[1]

    async def put(self, key: SessionKey, session: Session, expected: str) -> bool:
        """Store a complete session; False if there was a write since that stamp."""
        stamp = secrets.token_hex(12)
        arguments = await asyncio.to_thread(lambda: _arguments(session, stamp))
        answer = await self._client.run(
            "replace",
            [self._keyspace.once(stamp), *self._keyspace.session(key)],
            *(encode_owner(key.owner), cell_name(key), expected),
            *arguments,
        )
        return bool(answer[0] == b"ok")

    async def delete(self, key: SessionKey, if_revision: int | None) -> bool:
        """Permanently delete a session."""
        keys = [*self._keyspace.session(key), self._keyspace.of("notebooks", key.owner)]
        answer = await self._client.run(
            "delete",
            [
                self._keyspace.once(secrets.token_hex(12)),
                *keys,
                self._keyspace.of("blobs", key.owner),
            ],
            *(encode_owner(key.owner), cell_name(key), _revision(if_revision), _MAJOR),
        )
        _raise_refusal(answer, if_revision)
        return bool(answer[1])

    async def exists(self, key: SessionKey) -> bool:
        """Whether the session is stored."""
        return bool(await self._client.command("EXISTS", self._keyspace.session(key)[3]))

    async def newest(self, key: SessionKey, limit: int | None) -> tuple[list[Interaction], bool]:
        """The newest turns since the last context reset, and whether there are older ones."""
        keys = self._keyspace.session(key)
        count = -1 if limit is None else limit
        answer = await self._client.run("history", [keys[3], keys[4]], count, _MAJOR)
        if answer is not None:
            text, older = answer
            try:
                turns = await run_by_size(
                    len(text), lambda: _TURNS.validate_json(b"[" + text + b"]")
                )
                return turns, bool(older)
            except ValidationError:
                pass  # damaged, or readable only for the slower parser
        loaded = await self.load(key)
        return (loaded.session.history() if loaded else []), False

    async def page(
        self, notebook_id: str | None, owner: str, offset: int, limit: int | None
    ) -> tuple[list[SessionSummary], int]:
        """One page of summaries and the total number of sessions."""
        indexes = [self._keyspace.of(kind, owner) for kind in ("cells", "rows")]
        first, last = lex_range(notebook_id)
        rows: list[SessionSummary] = []
        start, remaining = first, limit
        while True:
            count = _PAGE if remaining is None else min(remaining, _PAGE)
            answer = await self._client.run("list", indexes, first, last, start, offset, count)
            total, read, name, text = answer
            rows += await run_by_size(len(text), self._rows, text)
            remaining = None if remaining is None else remaining - read
            if read < _PAGE or remaining == 0:
                return rows, total
            start, offset = f"({name.decode()}", 0

    async def _fetch(self, key: SessionKey) -> StoredSession | None:
        answer = await self._client.run("load", self._keyspace.session(key)[3:6], SEPARATOR)
        return None if answer is None else StoredSession(*answer)

    async def _parse_or_recover(
        self, key: SessionKey, stored: StoredSession
    ) -> tuple[bytes, Session]:
        data = await run_by_size(stored.size, stored.to_bytes)
        try:
            session = await run_by_size(stored.size, _parse, stored, data, key)
        except codec.DamagedData:
            self._log.warning("The history of %s in Redis is damaged.", cell_name(key))
            session = await asyncio.to_thread(recover, data, key)
            if is_empty(session):
                raise SessionCorrupt from None
            return codec.encode(session), session
        self._intact.put(key, stored.stamp)
        return data, session

    def _rows(self, text: bytes) -> list[SessionSummary]:
        try:
            return _ROWS.validate_json(b"[" + text.replace(b"\n", b",") + b"]")
        except ValidationError:
            rows = []
            for line in text.split(b"\n"):
                try:
                    rows.append(SessionSummary.model_validate_json(line))
                except ValidationError:
                    self._log.warning("A summary in Redis is damaged; “verify --repair” fixes it.")
            return rows


async def run_by_size(size: int, function: Callable[..., T], *args: Any) -> T:
    """Run a function on ``size`` bytes: in a thread if it would block the loop for long."""
    return await asyncio.to_thread(function, *args) if size > _LARGE else function(*args)


def _parse(stored: StoredSession, data: bytes, key: SessionKey) -> Session:
    """Parse a session. A long one is parsed in chunks, because one call would block all threads."""
    if stored.size > _LARGE:
        try:
            session = codec.parse(stored._replace(turns=b"", events=b"").to_bytes(), key)
            if session.meta.version.startswith(f"{_MAJOR}."):
                session.interactions = [
                    turn
                    for chunk in json_chunks(stored.turns)
                    for turn in _TURNS.validate_json(chunk)
                ]
                if stored.events:
                    events = [
                        item
                        for chunk in json_chunks(stored.events)
                        for item in _EVENTS.validate_json(chunk)
                    ]
                    session.events = events
                return session
        except ValueError:
            pass  # damaged, or readable only for the slower parser
    return codec.parse(data, key)


def _arguments(session: Session, stamp: str) -> list[Any]:
    parts = split(session, stamp)
    return [parts.row, *parts.arguments()]


def _revision(if_revision: int | None) -> str | int:
    return "" if if_revision is None else if_revision


def _raise_refusal(answer: list[Any], if_revision: int | None) -> None:
    if answer[0] == b"too new":
        raise SessionTooNew
    if answer[0] == b"stale":
        assert if_revision is not None
        raise StaleRevision(if_revision, answer[1])
