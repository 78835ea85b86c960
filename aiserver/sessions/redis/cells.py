"""The sessions themselves: each call is one script, and so one step on the server.

What must hold: turns and events get their numbers in the script, so writers of one cell don't wait
for one another and none has to try again; and an append reads no text that is there, so it costs
the same however long the session is.
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
from ..record.summaries import summarise
from .client import Wire
from .keys import Names, cell_name, cells_of, owner_text
from .layout import BETWEEN, META, Item, Kept, parts_of, piece, pieces

T = TypeVar("T")
Logger = logging.Logger | logging.LoggerAdapter[Any]

NOT_STORED = "-"
_MAJOR = SCHEMA_VERSION.split(".", maxsplit=1)[0]
_LARGE = 50_000  # bytes, which take about a millisecond to parse
_PAGE = 1_000  # rows that one script reads
_TURNS = TypeAdapter(list[Interaction])
_EVENTS = TypeAdapter(list[Event])
_ROWS = TypeAdapter(list[SessionSummary])


class Loaded(NamedTuple):
    """A session as it was found."""

    session: Session
    stamp: str
    """Of the last write. A write that names it is refused once there was another."""


class Cells:
    """The sessions under one prefix."""

    def __init__(self, wire: Wire, names: Names, log: Logger) -> None:
        self._wire, self._names, self._log = wire, names, log
        self._sound: LRUCache[SessionKey, bytes] = LRUCache(1000)

    async def load(self, key: SessionKey) -> Loaded | None:
        """The stored session; of a damaged one what is whole. Raises SessionCorrupt."""
        kept = await self._kept(key)
        if kept is None:
            return None
        return Loaded((await self._parsed(key, kept))[1], kept.stamp.decode())

    async def raw(self, key: SessionKey) -> tuple[bytes, int] | None:
        """The stored texts, joined. They are parsed only if this process never did that."""
        kept = await self._kept(key)
        if kept is None:
            return None
        if kept.stamp and self._sound.get(key) == kept.stamp:
            return await aside(kept.size, kept.whole), int(kept.revision)
        data, session = await self._parsed(key, kept)
        return data, session.revision

    async def append(
        self, key: SessionKey, items: Sequence[Item], now: str, if_revision: int | None
    ) -> tuple[list[Any], int]:
        """Put items behind; return what each got, and the revision. Raises as the contract says."""
        stamp = secrets.token_hex(12)
        blank = new_session(key, now)
        blank.meta.revision = 0  # so that it stands in its place
        answer = await self._wire.run(
            "append",
            [self._names.once(stamp), *self._names.session(key)],
            *(owner_text(key.owner), cell_name(key), now, _revision(if_revision), _MAJOR),
            *(summarise(blank).model_dump_json(), piece(blank.meta, META), stamp),
            *(part for item in items for part in item),
        )
        _refuse(answer, if_revision)
        return answer[2:], answer[1]

    async def put(self, key: SessionKey, session: Session, expected: str) -> bool:
        """Keep a whole session; False if there was a write since that stamp."""
        stamp = secrets.token_hex(12)
        arguments = await asyncio.to_thread(lambda: _arguments(session, stamp))
        answer = await self._wire.run(
            "put",
            [self._names.once(stamp), *self._names.session(key)],
            *(owner_text(key.owner), cell_name(key), expected),
            *arguments,
        )
        return bool(answer[0] == b"ok")

    async def delete(self, key: SessionKey, if_revision: int | None) -> bool:
        """Remove a session for good."""
        names = [*self._names.session(key), self._names.of("notebooks", key.owner)]
        answer = await self._wire.run(
            "delete",
            [self._names.once(secrets.token_hex(12)), *names, self._names.of("blobs", key.owner)],
            *(owner_text(key.owner), cell_name(key), _revision(if_revision), _MAJOR),
        )
        _refuse(answer, if_revision)
        return bool(answer[1])

    async def exists(self, key: SessionKey) -> bool:
        """Whether anything is stored."""
        return bool(await self._wire.command("EXISTS", self._names.session(key)[3]))

    async def newest(self, key: SessionKey, most: int | None) -> tuple[list[Interaction], bool]:
        """The newest turns since the last “start afresh”, and whether there are older ones."""
        names = self._names.session(key)
        count = -1 if most is None else most
        found = await self._wire.run("history", [names[3], names[4]], count, _MAJOR)
        if found is not None:
            text, older = found
            try:
                turns = await aside(len(text), lambda: _TURNS.validate_json(b"[" + text + b"]"))
                return turns, bool(older)
            except ValidationError:
                pass  # damaged, or what only the slower parser reads
        loaded = await self.load(key)
        return (loaded.session.history() if loaded else []), False

    async def page(
        self, notebook_id: str | None, owner: str, offset: int, limit: int | None
    ) -> tuple[list[SessionSummary], int]:
        """One page of summaries, and how many there are in all."""
        indexes = [self._names.of(kind, owner) for kind in ("cells", "rows")]
        first, last = cells_of(notebook_id)
        rows: list[SessionSummary] = []
        begin, left = first, limit
        while True:
            count = _PAGE if left is None else min(left, _PAGE)
            answer = await self._wire.run("list", indexes, first, last, begin, offset, count)
            total, read, name, text = answer
            rows += await aside(len(text), self._rows, text)
            left = None if left is None else left - read
            if read < _PAGE or left == 0:
                return rows, total
            begin, offset = f"({name.decode()}", 0

    async def _kept(self, key: SessionKey) -> Kept | None:
        found = await self._wire.run("load", self._names.session(key)[3:6], BETWEEN)
        return None if found is None else Kept(*found)

    async def _parsed(self, key: SessionKey, kept: Kept) -> tuple[bytes, Session]:
        data = await aside(kept.size, kept.whole)
        try:
            session = await aside(kept.size, _read, kept, data, key)
        except codec.DamagedData:
            self._log.warning("The history of %s in Redis is damaged.", cell_name(key))
            session = await asyncio.to_thread(recover, data, key)
            if is_empty(session):
                raise SessionCorrupt from None
            return codec.encode(session), session
        self._sound.put(key, kept.stamp)
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
                    self._log.warning("A line of a list in Redis is damaged: repair mends it.")
            return rows


async def aside(size: int, work: Callable[..., T], *args: Any) -> T:
    """Do work on so many bytes: in a thread, if they would hold up the loop."""
    return await asyncio.to_thread(work, *args) if size > _LARGE else work(*args)


def _read(kept: Kept, data: bytes, key: SessionKey) -> Session:
    """The session. A long one in pieces: one call would hold up all other threads."""
    if kept.size > _LARGE:
        try:
            session = codec.parse(kept._replace(turns=b"", events=b"").whole(), key)
            if session.meta.version.startswith(f"{_MAJOR}."):
                session.interactions = [
                    turn for some in pieces(kept.turns) for turn in _TURNS.validate_json(some)
                ]
                if kept.events:
                    events = [
                        each for some in pieces(kept.events) for each in _EVENTS.validate_json(some)
                    ]
                    session.events = events
                return session
        except ValueError:
            pass  # damaged, or what only the slower parser reads
    return codec.parse(data, key)


def _arguments(session: Session, stamp: str) -> list[Any]:
    parts = parts_of(session, stamp)
    return [parts.row, *parts.arguments()]


def _revision(if_revision: int | None) -> str | int:
    return "" if if_revision is None else if_revision


def _refuse(answer: list[Any], if_revision: int | None) -> None:
    if answer[0] == b"too new":
        raise SessionTooNew
    if answer[0] == b"stale":
        assert if_revision is not None
        raise StaleRevision(if_revision, answer[1])
