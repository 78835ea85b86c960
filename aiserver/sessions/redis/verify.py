"""Looks at what is kept in Redis, and mends what can be mended.

What must hold: a repair loses no byte. A line that is none, and a session with a text that is none,
is put aside under ``damaged:``. What counters and indexes say is made anew from the records, which
are the truth. Where somebody wrote in between, nothing is changed; what a newer AI Server wrote is
left alone.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
from collections.abc import AsyncIterator, Sequence
from typing import Any, NamedTuple

from pydantic import ValidationError

from ...errors import SessionTooNew
from ...models import Event, Interaction, NotebookLogEntry, Session, SessionKey, SessionSummary
from ..base import VerifyResult
from ..record import codec
from ..record.damage.recovery import recover
from ..record.mutations import bump_revision, check_writable, find_problems
from .cells import NOT_STORED, Cells
from .client import Wire
from .keys import Names, cell_key, cell_name, owner_text
from .layout import BETWEEN, Kept, parts_of

_SCAN = 1_000  # names that one command looks at
_LAGS = "counters or index entries are out of date"
_COUNTERS = ("version", "turn_id", "seq", "events", "since")


class _Look(NamedTuple):
    """All that is kept of a session, as it was in one moment."""

    head: dict[str, bytes]
    turns: list[bytes]
    events: list[bytes]
    ids: dict[str, bytes]
    row: bytes
    listed: bool

    @property
    def stamp(self) -> str:
        return self.head.get("stamp", b"").decode() if self.head else NOT_STORED

    def whole(self) -> bytes:
        """The session's bytes, such as they are."""
        meta, updated, revision, events, rest, stamp = (
            self.head.get(name, b"")
            for name in ("meta", "updated", "revision", "events", "rest", "stamp")
        )
        events = events or (b"list" if self.events else b"")
        turns = BETWEEN.join(self.turns)
        joined = BETWEEN.join(self.events)
        return Kept(meta, updated, revision, events, rest, stamp, turns, joined).whole()

    def damaged(self) -> int:
        """How many of the texts are none."""
        kinds = ((Interaction, self.turns), (Event, self.events))
        return sum(not _is(kind, text) for kind, texts in kinds for text in texts)

    def lags(self, session: Session) -> bool:
        """Whether a counter or an index says something else than the session."""
        parts = parts_of(session, "")
        told = {name: str(value).encode() for name, value in parts.head.items()}
        if any(self.head.get(name) != told.get(name) for name in _COUNTERS):
            return True
        if {id_: str(place).encode() for id_, place in parts.ids.items()} != self.ids:
            return True
        try:
            row = SessionSummary.model_validate_json(self.row)
        except ValidationError:
            return True
        return not self.listed or row != SessionSummary.model_validate_json(parts.row)


class Check:
    """A look at one owner's records."""

    def __init__(self, wire: Wire, names: Names, cells: Cells, owner: str) -> None:
        self._wire, self._names, self._cells, self._owner = wire, names, cells, owner

    async def run(self, repair: bool) -> AsyncIterator[VerifyResult]:
        """Each record in turn."""
        for name in await self._cell_names():
            key = cell_key(name, self._owner)
            problem, mended = await self._session(key, repair)
            yield VerifyResult(f"{key.notebook_id}/{key.cell_id}", problem, mended)
        for notebook_id in await self._notebooks():
            problem, mended = await self._log(notebook_id, repair)
            yield VerifyResult(f"the log of {notebook_id}", problem, mended)
        blobs = self._names.of("blobs", self._owner)
        for digest in sorted(await self._wire.command("HKEYS", blobs)):
            data = await self._wire.command("HGET", blobs, digest)
            problem = await asyncio.to_thread(_flaw_of_blob, digest, data)
            yield VerifyResult(f"blob {digest.decode(errors='replace')}", problem)

    async def _session(self, key: SessionKey, repair: bool) -> tuple[str | None, bool]:
        names = self._names.session(key)
        cell, owner = cell_name(key), owner_text(self._owner)
        found = await self._wire.run("look", names, owner, cell)
        head, turns, events, ids, row, listed = found
        look = _Look(_pairs(head), turns, events, _pairs(ids), row, bool(listed))
        if not (head or turns or events):
            gone = repair and await self._wire.run("unlist", names[:6], cell)
            return "in the index, but has no data", bool(gone)
        problem, session = await asyncio.to_thread(_judged, look, key)
        if session is None or not repair:
            return problem, False
        if problem != _LAGS:
            damaged = self._damaged(key.notebook_id, key.cell_id)
            await self._wire.command("RPUSH", damaged, look.whole())
        return problem, await self._cells.put(key, session, look.stamp)

    async def _log(self, notebook_id: str, repair: bool) -> tuple[str | None, bool]:
        marks, log = self._names.of("notebooks", self._owner), self._log_name(notebook_id)
        mark = (await self._wire.command("HGET", marks, notebook_id) or b"").decode()
        lines = await self._wire.command("LRANGE", log, 0, -1)
        damaged = [line for line in lines if not _is(NotebookLogEntry, line)]
        seqs = [json.loads(line)["seq"] for line in lines if line not in damaged]
        last, _, stamp = mark.partition(" ")
        wanted = max(seqs, default=0)
        right = f"{wanted} {stamp}" if lines else ""
        problem = None
        if damaged:
            problem = f"{len(damaged)} unreadable lines"
        elif not lines:
            problem = "in the index, but has no data"
        elif not last.isdigit() or int(last) < wanted:
            problem = "index entry is out of date"
        if problem is None or not repair:
            return problem, False
        names = [self._names.owners, marks, log, self._damaged(notebook_id)]
        who = owner_text(self._owner)
        return problem, bool(
            await self._wire.run("mendlog", names, who, notebook_id, mark, right, *damaged)
        )

    async def _cell_names(self) -> list[str]:
        """Of all sessions, in whatever place they are named."""
        indexes = [self._names.of(kind, self._owner) for kind in ("cells", "rows")]
        found = set(await self._wire.command("ZRANGE", indexes[0], 0, -1))
        found |= set(await self._wire.command("HKEYS", indexes[1]))
        names = {name.decode(errors="replace") for name in found}
        for kind in ("head", "turns", "events"):
            names |= {" ".join(ids) for ids in await self._scan(kind, 2)}
        return sorted(names)

    async def _notebooks(self) -> list[str]:
        found = await self._wire.command("HKEYS", self._names.of("notebooks", self._owner))
        names = {name.decode(errors="replace") for name in found}
        return sorted(names | {ids[0] for ids in await self._scan("log", 1)})

    async def _scan(self, kind: str, count: int) -> list[list[str]]:
        """The ids in all names of a kind. No index is asked, for it may be what is wrong."""
        start = self._names.of(kind, self._owner) + ":"
        pattern = re.sub(r"([\\*?\[\]^])", r"\\\1", start) + "*"
        names: set[str] = set()
        cursor = b"0"
        while True:
            cursor, some = await self._wire.command(
                "SCAN", cursor, "MATCH", pattern, "COUNT", _SCAN
            )
            names |= {name.decode(errors="replace") for name in some}
            if cursor == b"0":
                break
        all_ids = [name.removeprefix(start).split(":") for name in names]
        return [ids for ids in all_ids if len(ids) == count]

    def _damaged(self, *ids: str) -> str:
        return self._names.of("damaged", self._owner, *ids)

    def _log_name(self, notebook_id: str) -> str:
        return self._names.of("log", self._owner, notebook_id)


def _judged(look: _Look, key: SessionKey) -> tuple[str | None, Session | None]:
    """What is wrong with a session, and what it should be, if that can be mended."""
    data = look.whole()
    try:
        session = codec.parse(data, key)
        check_writable(session.meta, None)
    except SessionTooNew:
        return None, None
    except codec.DamagedData:
        session = recover(data, key)
        bump_revision(session)
        count = look.damaged()
        return f"{count} unreadable records" if count else "metadata is damaged", session
    if look.lags(session):
        return _LAGS, session
    return "; ".join(find_problems(session, key)) or None, None


def _is(kind: Any, text: bytes) -> bool:
    try:
        kind.model_validate(json.loads(text))
    except (ValueError, RecursionError):
        return False
    return True


def _pairs(flat: Sequence[bytes]) -> dict[str, bytes]:
    texts = [text.decode(errors="replace") for text in flat[::2]]
    return dict(zip(texts, flat[1::2], strict=True))


def _flaw_of_blob(digest: bytes, data: bytes | None) -> str | None:
    if data is None or hashlib.sha256(data).hexdigest().encode() == digest:
        return None
    return "content does not match its hash"
