"""Sessions in Redis. Each operation is one script, so it is atomic.

Invariants: the script numbers the turns and events, so the writers of a session neither wait for
each other nor retry; an append reads no existing text, so its cost is independent of the session's
length; long texts are processed in threads, not on the event loop.
"""

from __future__ import annotations

import asyncio
import json
import random
import secrets
from collections.abc import AsyncIterator, Collection, Sequence
from typing import Any, NamedTuple

from pydantic import TypeAdapter, ValidationError

from ...errors import SessionCorrupt, SessionTooNew, StaleRevision, StorageBusy
from ...models import (
    SCHEMA_VERSION,
    Event,
    Interaction,
    NewEvent,
    NewTurn,
    Session,
    SessionKey,
    SessionSummary,
    check_id,
    new_session,
    utc_now,
)
from ..record import codec
from ..record.damage.recovery import is_empty, recover
from ..record.lru_cache import LRUCache
from ..record.merge.sessions import merge_into
from ..record.mutations import check_writable, fork_session, number_events, number_turn
from ..record.splice import META_DEPTH, SEPARATOR, to_text
from ..record.summaries import summarise
from .connection import LARGE, RedisConnection, run_by_size
from .keys import cell_name, encode_owner, lex_range
from .layout import Item, StoredSession, event_item, json_chunks, split, turn_item

NO_STAMP = "-"
_MAJOR = SCHEMA_VERSION.split(".", maxsplit=1)[0]
_PAGE = 1_000  # rows per script call
_TURNS = TypeAdapter(list[Interaction])
_EVENTS = TypeAdapter(list[Event])
_ROWS = TypeAdapter(list[SessionSummary])


class Loaded(NamedTuple):
    """A loaded session."""

    session: Session
    stamp: str
    """The stamp of the last write. ``_put`` refuses to replace a session with another stamp."""


class RedisSessions(RedisConnection):
    """The part of the store for sessions."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._intact: LRUCache[SessionKey, bytes] = LRUCache(1000)

    async def load_if_exists(self, key: SessionKey) -> Session | None:
        """The stored session or None. Recovers a damaged one; raises SessionCorrupt if it can't."""
        loaded = await self._load(key)
        return loaded and loaded.session

    async def load_raw(self, key: SessionKey) -> tuple[bytes, int] | None:
        """The stored session as bytes and its revision, or None. Parses each version only once."""
        stored = await self._fetch(key)
        if stored is None:
            return None
        if stored.stamp and self._intact.get(key) == stored.stamp:
            return await run_by_size(stored.size, stored.to_bytes), int(stored.revision)
        data, session = await self._parse_or_recover(key, stored)
        return data, session.revision

    async def save_interaction(
        self, key: SessionKey, turn: NewTurn, *, if_revision: int | None = None
    ) -> tuple[Interaction, int]:
        """Append one AI turn."""

        def work() -> tuple[Interaction, Item]:
            saved = number_turn(turn, 1, 1)
            return saved, turn_item(saved)

        saved, item = await asyncio.to_thread(work)
        [turn_id, seq], revision = await self._append(key, [item], if_revision)
        saved.turn_id, saved.seq = turn_id, seq
        return saved, revision

    async def record_events(
        self, key: SessionKey, events: Sequence[NewEvent], *, if_revision: int | None = None
    ) -> tuple[list[Event], int]:
        """Append events in one write."""

        def work() -> list[tuple[Event, Item]]:
            saved = [number_events([event], 1, {})[0][0] for event in events]
            return [(event, event_item(event)) for event in saved]

        prepared = await asyncio.to_thread(work) if events else []
        answers, revision = await self._append(key, [item for _, item in prepared], if_revision)
        saved = []
        for (event, _), answer in zip(prepared, answers, strict=True):
            if isinstance(answer, bytes):  # it was stored already
                saved.append(Event.model_validate(json.loads(answer)))
            else:
                event.seq = answer
                saved.append(event)
        return saved, revision

    async def list_sessions(
        self,
        notebook_id: str | None = None,
        *,
        owner: str = "",
        offset: int = 0,
        limit: int | None = None,
    ) -> tuple[list[SessionSummary], int]:
        """One page of summaries."""
        if notebook_id is not None:
            check_id("notebookId", notebook_id)
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

    async def exists(self, key: SessionKey) -> bool:
        """Whether anything is stored under the key."""
        return bool(await self._client.command("EXISTS", self._keyspace.session(key)[3]))

    async def delete(self, key: SessionKey, *, if_revision: int | None = None) -> bool:
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

    async def fork(self, source: SessionKey, target: SessionKey) -> Session:
        """Copy a session to another cell."""
        async for current in self._attempts(target):
            if current:
                return current.session
            original = await self.load_if_exists(source)
            copy = await asyncio.to_thread(fork_session, original, target)
            if await self._put(target, copy, NO_STAMP):
                return copy
        raise StorageBusy

    async def merge_copy(
        self, key: SessionKey, other: Session, *, merged_digests: Collection[str] = ()
    ) -> bool:
        """Merge another copy of the session into the stored one."""
        check_writable(other.meta, None)
        async for current in self._attempts(key):
            session = current.session if current else new_session(key)
            check_writable(session.meta, None)
            if not await asyncio.to_thread(merge_into, session, other, merged_digests):
                return False
            if await self._put(key, session, current.stamp if current else NO_STAMP):
                return True
        raise StorageBusy

    async def _attempts(self, key: SessionKey) -> AsyncIterator[Loaded | None]:
        """Load the session for each attempt of an optimistic write, until ``lock_timeout``."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + self.lock_timeout
        while loop.time() < deadline:
            yield await self._load(key)
            await asyncio.sleep(random.uniform(0, 0.02))  # noqa: S311

    async def _load(self, key: SessionKey) -> Loaded | None:
        stored = await self._fetch(key)
        if stored is None:
            return None
        return Loaded((await self._parse_or_recover(key, stored))[1], stored.stamp.decode())

    async def _append(
        self, key: SessionKey, items: Sequence[Item], if_revision: int | None
    ) -> tuple[list[Any], int]:
        """Append items; return their numbers and the revision. Raises as ``save_interaction``."""
        stamp, now = secrets.token_hex(12), utc_now()
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

    async def _put(self, key: SessionKey, session: Session, expected: str) -> bool:
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

    async def _newest_turns(
        self, key: SessionKey, limit: int | None
    ) -> tuple[list[Interaction], bool]:
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
        return (await self.load_session(key)).history(), False

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
            self.log.warning("The history of %s in Redis is damaged.", cell_name(key))
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
                    self.log.warning("A summary in Redis is damaged; “verify --repair” fixes it.")
            return rows


def _parse(stored: StoredSession, data: bytes, key: SessionKey) -> Session:
    """Parse a session. A long one is parsed in chunks, because one call would block all threads."""
    if stored.size > LARGE:
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
