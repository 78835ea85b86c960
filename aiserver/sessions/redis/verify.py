"""Verify and repair the data in Redis.

Invariants: a repair loses no byte: an unreadable log entry, and a session with an unreadable
record, are quarantined under ``damaged:``. Counters and indexes are rebuilt from the records. A
repair changes nothing that was written meanwhile, nor the sessions of a newer AI Server.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Any, NamedTuple

from pydantic import ValidationError

from ...errors import SessionTooNew
from ...models import Event, Interaction, NotebookLogEntry, Session, SessionKey, SessionSummary
from ..base import VerifyResult
from ..record import codec
from ..record.damage.recovery import recover
from ..record.mutations import bump_revision, check_writable, find_problems
from ..record.splice import SEPARATOR
from .client import Client
from .keys import Keyspace, cell_name, encode_owner, parse_cell_name
from .layout import StoredSession, split
from .sessions import NO_STAMP

_SCAN = 1_000  # keys per SCAN command
_OUTDATED = "counters or index entries are out of date"
Put = Callable[[SessionKey, Session, str], Awaitable[bool]]
"""Replaces a session that has the given stamp; returns False if it has another one."""
_COUNTERS = ("version", "turn_id", "seq", "events", "since")


class _StoredRecords(NamedTuple):
    """All stored data of a session, read at once."""

    head: dict[str, bytes]
    turns: list[bytes]
    events: list[bytes]
    ids: dict[str, bytes]
    row: bytes
    is_indexed: bool

    @property
    def stamp(self) -> str:
        return self.head.get("stamp", b"").decode() if self.head else NO_STAMP

    def to_bytes(self) -> bytes:
        """The session's bytes, which may be damaged."""
        meta, updated, revision, events, rest, stamp = (
            self.head.get(name, b"")
            for name in ("meta", "updated", "revision", "events", "rest", "stamp")
        )
        events = events or (b"list" if self.events else b"")
        turns = SEPARATOR.join(self.turns)
        joined = SEPARATOR.join(self.events)
        return StoredSession(meta, updated, revision, events, rest, stamp, turns, joined).to_bytes()

    def damaged(self) -> int:
        """The number of unreadable records."""
        kinds = ((Interaction, self.turns), (Event, self.events))
        return sum(not _is_valid(kind, text) for kind, texts in kinds for text in texts)

    def is_outdated(self, session: Session) -> bool:
        """Whether a counter or an index differs from the session."""
        parts = split(session, "")
        expected = {name: str(value).encode() for name, value in parts.head.items()}
        if any(self.head.get(name) != expected.get(name) for name in _COUNTERS):
            return True
        if {id_: str(index).encode() for id_, index in parts.ids.items()} != self.ids:
            return True
        try:
            row = SessionSummary.model_validate_json(self.row)
        except ValidationError:
            return True
        return not self.is_indexed or row != SessionSummary.model_validate_json(parts.row)


class Verifier:
    """Verifies one owner's records."""

    def __init__(self, client: Client, keyspace: Keyspace, put: Put, owner: str) -> None:
        self._client, self._keyspace, self._put, self._owner = client, keyspace, put, owner

    async def run(self, repair: bool) -> AsyncIterator[VerifyResult]:
        """Verify, and with ``repair`` repair, each record in turn."""
        for name in await self._cell_names():
            key = parse_cell_name(name, self._owner)
            problem, repaired = await self._session(key, repair)
            yield VerifyResult(f"{key.notebook_id}/{key.cell_id}", problem, repaired)
        for notebook_id in await self._notebooks():
            problem, repaired = await self._log(notebook_id, repair)
            yield VerifyResult(f"log of {notebook_id}", problem, repaired)
        blobs = self._keyspace.of("blobs", self._owner)
        for digest in sorted(await self._client.command("HKEYS", blobs)):
            data = await self._client.command("HGET", blobs, digest)
            problem = await asyncio.to_thread(_blob_problem, digest, data)
            yield VerifyResult(f"blob {digest.decode(errors='replace')}", problem)

    async def _session(self, key: SessionKey, repair: bool) -> tuple[str | None, bool]:
        keys = self._keyspace.session(key)
        cell, owner = cell_name(key), encode_owner(self._owner)
        answer = await self._client.run("examine", keys, owner, cell)
        head, turns, events, ids, row, is_indexed = answer
        records = _StoredRecords(_pairs(head), turns, events, _pairs(ids), row, bool(is_indexed))
        if not (head or turns or events):
            removed = repair and await self._client.run("unindex", keys[:6], cell)
            return "in the index, but has no data", bool(removed)
        problem, session = await asyncio.to_thread(_diagnose, records, key)
        if session is None or not repair:
            return problem, False
        if problem != _OUTDATED:
            damaged = self._damaged_key(key.notebook_id, key.cell_id)
            await self._client.command("RPUSH", damaged, records.to_bytes())
        return problem, await self._put(key, session, records.stamp)

    async def _log(self, notebook_id: str, repair: bool) -> tuple[str | None, bool]:
        marks, log = self._keyspace.of("notebooks", self._owner), self._log_key(notebook_id)
        mark = (await self._client.command("HGET", marks, notebook_id) or b"").decode()
        lines = await self._client.command("LRANGE", log, 0, -1)
        damaged = [line for line in lines if not _is_valid(NotebookLogEntry, line)]
        seqs = [json.loads(line)["seq"] for line in lines if line not in damaged]
        last, _, stamp = mark.partition(" ")
        last_seq = max(seqs, default=0)
        expected_mark = f"{last_seq} {stamp}" if lines else ""
        problem = None
        if damaged:
            problem = f"{len(damaged)} unreadable lines"
        elif not lines:
            problem = "in the index, but has no data"
        elif not last.isdigit() or int(last) < last_seq:
            problem = "index entry is out of date"
        if problem is None or not repair:
            return problem, False
        keys = [self._keyspace.owners, marks, log, self._damaged_key(notebook_id)]
        owner = encode_owner(self._owner)
        return problem, bool(
            await self._client.run(
                "repair_log", keys, owner, notebook_id, mark, expected_mark, *damaged
            )
        )

    async def _cell_names(self) -> list[str]:
        """The names of all sessions, from the indexes and the keys."""
        indexes = [self._keyspace.of(kind, self._owner) for kind in ("cells", "rows")]
        indexed = set(await self._client.command("ZRANGE", indexes[0], 0, -1))
        indexed |= set(await self._client.command("HKEYS", indexes[1]))
        names = {name.decode(errors="replace") for name in indexed}
        for kind in ("head", "turns", "events"):
            names |= {" ".join(ids) for ids in await self._scan(kind, 2)}
        return sorted(names)

    async def _notebooks(self) -> list[str]:
        answer = await self._client.command("HKEYS", self._keyspace.of("notebooks", self._owner))
        notebook_ids = {name.decode(errors="replace") for name in answer}
        return sorted(notebook_ids | {ids[0] for ids in await self._scan("log", 1)})

    async def _scan(self, kind: str, count: int) -> list[list[str]]:
        """The ids in all keys of a kind. The indexes are not used, because they may be wrong."""
        start = self._keyspace.of(kind, self._owner) + ":"
        pattern = re.sub(r"([\\*?\[\]^])", r"\\\1", start) + "*"
        keys: set[str] = set()
        cursor = b"0"
        while True:
            cursor, batch = await self._client.command(
                "SCAN", cursor, "MATCH", pattern, "COUNT", _SCAN
            )
            keys |= {key.decode(errors="replace") for key in batch}
            if cursor == b"0":
                break
        all_ids = [key.removeprefix(start).split(":") for key in keys]
        return [ids for ids in all_ids if len(ids) == count]

    def _damaged_key(self, *ids: str) -> str:
        return self._keyspace.of("damaged", self._owner, *ids)

    def _log_key(self, notebook_id: str) -> str:
        return self._keyspace.of("log", self._owner, notebook_id)


def _diagnose(records: _StoredRecords, key: SessionKey) -> tuple[str | None, Session | None]:
    """The problem of a session, and the repaired session if it can be repaired."""
    data = records.to_bytes()
    try:
        session = codec.parse(data, key)
        check_writable(session.meta, None)
    except SessionTooNew:
        return None, None
    except codec.DamagedData:
        session = recover(data, key)
        bump_revision(session)
        count = records.damaged()
        return f"{count} unreadable records" if count else "metadata is damaged", session
    if records.is_outdated(session):
        return _OUTDATED, session
    return "; ".join(find_problems(session, key)) or None, None


def _is_valid(kind: Any, text: bytes) -> bool:
    try:
        kind.model_validate(json.loads(text))
    except (ValueError, RecursionError):
        return False
    return True


def _pairs(flat: Sequence[bytes]) -> dict[str, bytes]:
    texts = [text.decode(errors="replace") for text in flat[::2]]
    return dict(zip(texts, flat[1::2], strict=True))


def _blob_problem(digest: bytes, data: bytes | None) -> str | None:
    if data is None or hashlib.sha256(data).hexdigest().encode() == digest:
        return None
    return "content does not match its hash"
