"""Sessions in Redis.

Invariants:

- Each read or write of a session is a single script or command, so it is atomic.
- The script that appends turns and events also numbers them, so that writers of a session neither
  wait for each other nor retry. This script reads no existing records, except events that are
  sent again, so its cost doesn't depend on the session's length.
- Long texts are processed in threads, not on the event loop.
"""

from __future__ import annotations

import asyncio
import json
import random
import secrets
from collections.abc import AsyncIterator, Collection, Sequence
from typing import Any, NamedTuple, TypeVar

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
from ..record.encoding import META_DEPTH, to_text
from ..record.lru_cache import LRUCache
from ..record.merge.sessions import merge_into
from ..record.mutations import check_writable, fork_session, number_events, number_turn
from ..record.splice import SEPARATOR
from ..record.summaries import summarise
from .connection import LARGE, RedisConnection, run_in_thread_if_large
from .keys import cell_name, encode_owner, lex_range
from .layout import Item, StoredSession, event_item, json_chunks, split, turn_item

R = TypeVar("R", Interaction, Event)

NO_WRITE_ID = "-"  # in place of a write id: the session isn't stored yet (see ``replace.lua``)
_MAJOR_VERSION = SCHEMA_VERSION.split(".", maxsplit=1)[0]
_SUMMARIES_PER_CALL = 1_000
_TURNS = TypeAdapter(list[Interaction])
_EVENTS = TypeAdapter(list[Event])
_SUMMARIES = TypeAdapter(list[SessionSummary])


class LoadedSession(NamedTuple):
    """A loaded session, which can be changed and passed to ``_put``."""

    session: Session
    write_id: str
    """The id of the last write before the session was loaded.

    ``_put`` compares it with the stored write id, and so detects a later write.
    """


class RedisSessions(RedisConnection):
    """The store's methods that read and write sessions."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._intact_write_ids: LRUCache[SessionKey, bytes] = LRUCache(1000)
        """Maps a session's key to the session's write id when it was last parsed without errors."""

    async def load_if_exists(self, key: SessionKey) -> Session | None:
        """Return the stored session, or None if no session is stored.

        If the session is damaged, return only its readable records. Raises SessionCorrupt if no
        record is readable.
        """
        loaded = await self._load(key)
        return loaded and loaded.session

    async def load_raw(self, key: SessionKey) -> tuple[bytes, int] | None:
        """Return the stored session as bytes, and its revision, or None if there is no session.

        The session is parsed to find damage, unless it was parsed before and hasn't changed since.
        """
        stored = await self._fetch(key)
        if stored is None:
            return None
        if stored.write_id and self._intact_write_ids.get(key) == stored.write_id:
            return await run_in_thread_if_large(stored.size, stored.to_bytes), int(stored.revision)
        data, session = await self._parse_or_recover(key, stored)
        return data, session.revision

    async def save_interaction(
        self, key: SessionKey, turn: NewTurn, *, if_revision: int | None = None
    ) -> tuple[Interaction, int]:
        """Append one turn; return the saved turn and the new revision."""

        def prepare() -> tuple[Interaction, Item]:
            saved = number_turn(turn, 1, 1)  # the script replaces these numbers
            return saved, turn_item(saved)

        saved, item = await asyncio.to_thread(prepare)
        [turn_id, seq], revision = await self._append(key, [item], if_revision)
        saved.turn_id, saved.seq = turn_id, seq
        return saved, revision

    async def record_events(
        self, key: SessionKey, events: Sequence[NewEvent], *, if_revision: int | None = None
    ) -> tuple[list[Event], int]:
        """Append events in one write; return the saved events and the new revision."""

        def prepare() -> list[tuple[Event, Item]]:
            # Each event gets the number 1, which the script replaces.
            numbered = [number_events([event], 1, {})[0][0] for event in events]
            return [(event, event_item(event)) for event in numbered]

        prepared = await asyncio.to_thread(prepare) if events else []
        results, revision = await self._append(key, [item for _, item in prepared], if_revision)
        saved = []
        for (event, _), result in zip(prepared, results, strict=True):
            if isinstance(result, bytes):  # the stored text of an event that was sent before
                saved.append(Event.model_validate(json.loads(result)))
            else:
                event.seq = result
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
        """Return at most ``limit`` summaries from ``offset`` on, and the total number."""
        if notebook_id is not None:
            check_id("notebookId", notebook_id)
        indexes = [self.keyspace.owner_key(kind, owner) for kind in ("cells", "rows")]
        first, last = lex_range(notebook_id)
        summaries: list[SessionSummary] = []
        start, remaining = first, limit
        while True:
            count = (
                _SUMMARIES_PER_CALL if remaining is None else min(remaining, _SUMMARIES_PER_CALL)
            )
            result = await self.client.run("list", indexes, first, last, start, offset, count)
            total, cell_count, last_cell, text = result
            summaries += await run_in_thread_if_large(len(text), self._parse_summaries, text)
            remaining = None if remaining is None else remaining - cell_count
            if cell_count < _SUMMARIES_PER_CALL or remaining == 0:
                return summaries, total
            start, offset = f"({last_cell.decode()}", 0  # the next call begins after this cell

    async def exists(self, key: SessionKey) -> bool:
        """Return whether anything is stored under the key."""
        head_key = self.keyspace.session_keys(key)[3]
        return bool(await self.client.command("EXISTS", head_key))

    async def delete(self, key: SessionKey, *, if_revision: int | None = None) -> bool:
        """Permanently delete a session; return False if there was none."""
        owner_keys = [self.keyspace.owner_key(kind, key.owner) for kind in ("notebooks", "blobs")]
        revision = _revision_argument(if_revision)
        result = await self._write(
            "delete", key, secrets.token_hex(12), revision, _MAJOR_VERSION, more_keys=owner_keys
        )
        _raise_if_refused(result, if_revision)
        return bool(result[1])

    async def fork(self, source: SessionKey, target: SessionKey) -> Session:
        """Copy a session to another cell; if that cell already has a session, return it instead."""
        async for current in self._attempts(target):
            if current:
                return current.session
            original = await self.load_if_exists(source)
            copy = await asyncio.to_thread(fork_session, original, target)
            if await self._put(target, copy, NO_WRITE_ID):
                return copy
        raise StorageBusy

    async def merge_copy(
        self, key: SessionKey, other: Session, *, merged_digests: Collection[str] = ()
    ) -> bool:
        """Merge ``other``, another copy of the session, into the stored session."""
        check_writable(other.meta, None)
        async for current in self._attempts(key):
            session = current.session if current else new_session(key)
            check_writable(session.meta, None)
            if not await asyncio.to_thread(merge_into, session, other, merged_digests):
                return False
            if await self._put(key, session, current.write_id if current else NO_WRITE_ID):
                return True
        raise StorageBusy

    async def _attempts(self, key: SessionKey) -> AsyncIterator[LoadedSession | None]:
        """Yield the stored session, or None if none is stored, until the caller has replaced it.

        Replacing fails if another writer wrote to the session after it was loaded. Each iteration
        loads the session again. The generator ends after ``lock_timeout`` seconds.
        """
        loop = asyncio.get_running_loop()
        deadline = loop.time() + self.lock_timeout
        while loop.time() < deadline:
            yield await self._load(key)
            await asyncio.sleep(random.uniform(0, 0.02))  # noqa: S311

    async def _load(self, key: SessionKey) -> LoadedSession | None:
        stored = await self._fetch(key)
        if stored is None:
            return None
        return LoadedSession(
            (await self._parse_or_recover(key, stored))[1], stored.write_id.decode()
        )

    async def _append(
        self, key: SessionKey, items: Sequence[Item], if_revision: int | None
    ) -> tuple[list[Any], int]:
        """Append records; return a list of the script's results, and the new revision.

        The list contains the ``turn_id`` and the ``seq`` of a turn, the ``seq`` of a new event, and
        the stored text of an event that was stored already. Raises the same errors as
        ``save_interaction``.
        """
        write_id, now = secrets.token_hex(12), utc_now()
        empty_session = new_session(key, now)
        empty_session.meta.revision = 0  # the script stores the revision in a field of the head
        result = await self._write(
            "append",
            key,
            write_id,
            *(now, _revision_argument(if_revision), _MAJOR_VERSION),
            summarise(empty_session).model_dump_json(),
            *(to_text(empty_session.meta, META_DEPTH), write_id),
            *(argument for item in items for argument in item),
        )
        _raise_if_refused(result, if_revision)
        return result[2:], result[1]

    async def _put(self, key: SessionKey, session: Session, expected_write_id: str) -> bool:
        """Store a complete session; return False if the stored write id isn't the expected one."""
        write_id = secrets.token_hex(12)
        arguments = await asyncio.to_thread(lambda: split(session, write_id).arguments())
        result = await self._write("replace", key, write_id, expected_write_id, *arguments)
        return bool(result[0] == b"ok")

    async def _write(
        self, script: str, key: SessionKey, write_id: str, *args: Any, more_keys: Sequence[str] = ()
    ) -> Any:
        """Run a script that writes a session."""
        session_keys = self.keyspace.session_keys(key)
        keys = [self.keyspace.write_result_key(write_id), *session_keys, *more_keys]
        return await self.client.run(script, keys, encode_owner(key.owner), cell_name(key), *args)

    async def _newest_turns(
        self, key: SessionKey, limit: int | None
    ) -> tuple[list[Interaction], bool]:
        """Return the newest turns since the last context reset, oldest first.

        Also return whether turns since the reset were left out because of ``limit``.
        """
        head_key, turns_key = self.keyspace.session_keys(key)[3:5]
        count = -1 if limit is None else limit  # -1 means all turns
        result = await self.client.run("history", [head_key, turns_key], count, _MAJOR_VERSION)
        if result is not None:
            text, has_older = result
            try:
                turns = await run_in_thread_if_large(
                    len(text), lambda: _TURNS.validate_json(b"[" + text + b"]")
                )
                return turns, bool(has_older)
            except ValidationError:
                pass  # the turns are damaged or in an old format, so read the complete session
        return (await self.load_session(key)).history(), False

    async def _fetch(self, key: SessionKey) -> StoredSession | None:
        head_turns_and_events = self.keyspace.session_keys(key)[3:6]
        result = await self.client.run("load", head_turns_and_events, SEPARATOR)
        return None if result is None else StoredSession(*result)

    async def _parse_or_recover(
        self, key: SessionKey, stored: StoredSession
    ) -> tuple[bytes, Session]:
        """Return a stored session, both as bytes and parsed.

        If the session is damaged, return only its readable records. Raises SessionCorrupt if no
        record is readable.
        """
        data = await run_in_thread_if_large(stored.size, stored.to_bytes)
        try:
            session = await run_in_thread_if_large(stored.size, _parse, stored, data, key)
        except codec.DamagedData:
            self.log.warning("The history of %s in Redis is damaged.", cell_name(key))
            session = await asyncio.to_thread(recover, data, key)
            if is_empty(session):
                raise SessionCorrupt from None
            return codec.encode(session), session
        self._intact_write_ids.put(key, stored.write_id)
        return data, session

    def _parse_summaries(self, text: bytes) -> list[SessionSummary]:
        """Parse summaries, one on each line. Skip damaged summaries, and report them in the log."""
        try:
            return _SUMMARIES.validate_json(b"[" + text.replace(b"\n", b",") + b"]")
        except ValidationError:
            summaries = []
            for line in text.split(b"\n"):
                try:
                    summaries.append(SessionSummary.model_validate_json(line))
                except ValidationError:
                    self.log.warning("A summary in Redis is damaged; “verify --repair” fixes it.")
            return summaries


def _parse(stored: StoredSession, data: bytes, key: SessionKey) -> Session:
    """Parse a stored session. ``data`` is the result of ``stored.to_bytes``. Raises DamagedData.

    A long session is parsed in chunks, because parsing it in one call would block all threads.
    """
    if stored.size > LARGE:
        try:
            session = codec.parse(stored._replace(turns=b"", events=b"").to_bytes(), key)
            if session.meta.version.startswith(f"{_MAJOR_VERSION}."):
                session.interactions = _parse_records(_TURNS, stored.turns)
                if stored.events:
                    session.events = _parse_records(_EVENTS, stored.events)
                return session
        except ValueError:
            pass  # the session is damaged, or so old that only ``codec.parse`` can read it
    return codec.parse(data, key)


def _parse_records(records: TypeAdapter[list[R]], texts: bytes) -> list[R]:
    return [record for chunk in json_chunks(texts) for record in records.validate_json(chunk)]


def _revision_argument(if_revision: int | None) -> str | int:
    """Return the expected revision as an argument for a script."""
    return "" if if_revision is None else if_revision


def _raise_if_refused(result: list[Any], if_revision: int | None) -> None:
    """Raise SessionTooNew or StaleRevision if ``result`` says that the script wrote nothing."""
    if result[0] == b"too new":
        raise SessionTooNew
    if result[0] == b"stale":
        assert if_revision is not None
        raise StaleRevision(if_revision, result[1])
