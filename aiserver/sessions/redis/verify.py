"""Verify and repair the data in Redis.

Invariants: a repair loses no byte. It moves an unreadable entry of a change log to a list whose key
begins with ``damaged:``. Before it repairs a damaged session, it copies the session's bytes to such
a list. It rebuilds counters and indexes from the records. A session or log isn't repaired if
another process has written to it since it was read. A session in a newer format isn't repaired,
either.
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
from ..record.mutations import check_writable, find_problems, next_revision
from ..record.splice import SEPARATOR
from .client import Client
from .keys import Keyspace, cell_name, encode_owner, parse_cell_name
from .layout import StoredSession, split
from .sessions import NO_WRITE_ID

_KEYS_PER_SCAN = 1_000
_OUTDATED = "counters or index entries are out of date"
Put = Callable[[SessionKey, Session, str], Awaitable[bool]]
"""A function that stores a complete session: ``RedisSessions._put``."""
_COUNTERS = ("version", "turn_id", "seq", "events", "since")
"""The fields of a session's head that must match the session's records."""


class _StoredRecords(NamedTuple):
    """All stored data of a session, as ``examine.lua`` returns it."""

    head: dict[str, bytes]
    turns: list[bytes]
    events: list[bytes]
    ids: dict[str, bytes]
    """The index of each event that has an id. The keys are ``=`` followed by the event's id."""
    row: bytes
    """The session's summary as JSON."""
    is_indexed: bool
    """Whether the session is in the set of sessions, and its owner is in the set of owners."""

    @property
    def write_id(self) -> str:
        """The id of the last write, in the form that ``_put`` expects."""
        return self.head.get("stamp", b"").decode() if self.head else NO_WRITE_ID

    def to_bytes(self) -> bytes:
        """Return the session as JSON. If the stored data is damaged, the JSON is damaged, too."""
        meta, updated, revision, events_key, unknown_keys, write_id = (
            self.head.get(name, b"")
            for name in ("meta", "updated", "revision", "events", "rest", "stamp")
        )
        events_key = events_key or (b"list" if self.events else b"")
        texts = SEPARATOR.join(self.turns), SEPARATOR.join(self.events)
        stored = StoredSession(meta, updated, revision, events_key, unknown_keys, write_id, *texts)
        return stored.to_bytes()

    def count_damaged(self) -> int:
        """Return the number of unreadable records."""
        texts_by_model = ((Interaction, self.turns), (Event, self.events))
        return sum(not _is_valid(model, text) for model, texts in texts_by_model for text in texts)

    def is_outdated(self, session: Session) -> bool:
        """Return whether a stored counter, id, summary or index doesn't match the session."""
        expected = split(session, "")
        expected_head = {name: str(value).encode() for name, value in expected.head.items()}
        if any(self.head.get(name) != expected_head.get(name) for name in _COUNTERS):
            return True
        if {id_: str(index).encode() for id_, index in expected.ids.items()} != self.ids:
            return True
        try:
            row = SessionSummary.model_validate_json(self.row)
        except ValidationError:
            return True
        return not self.is_indexed or row != SessionSummary.model_validate_json(expected.row)


class Verifier:
    """Verifies one owner's sessions, change logs and blobs."""

    def __init__(self, client: Client, keyspace: Keyspace, put: Put, owner: str) -> None:
        self._client, self._keyspace, self._put, self._owner = client, keyspace, put, owner

    async def run(self, repair: bool) -> AsyncIterator[VerifyResult]:
        """Verify each session, change log and blob.

        If ``repair`` is true, repair damaged sessions and change logs. Blobs can't be repaired.
        """
        for name in await self._cell_names():
            key = parse_cell_name(name, self._owner)
            problem, repaired = await self._verify_session(key, repair)
            yield VerifyResult(f"{key.notebook_id}/{key.cell_id}", problem, repaired)
        for notebook_id in await self._notebook_ids():
            problem, repaired = await self._verify_log(notebook_id, repair)
            yield VerifyResult(f"log of {notebook_id}", problem, repaired)
        blobs = self._key("blobs")
        for digest in sorted(await self._client.command("HKEYS", blobs)):
            data = await self._client.command("HGET", blobs, digest)
            problem = await asyncio.to_thread(_blob_problem, digest, data)
            yield VerifyResult(f"blob {digest.decode(errors='replace')}", problem)

    async def _verify_session(self, key: SessionKey, repair: bool) -> tuple[str | None, bool]:
        """Return the session's problem (None if it has none), and whether it was repaired."""
        keys = self._keyspace.session_keys(key)
        cell, owner = cell_name(key), encode_owner(self._owner)
        result = await self._client.run("examine", keys, owner, cell)
        head, turns, events, ids, row, is_indexed = result
        records = _StoredRecords(
            _to_dict(head), turns, events, _to_dict(ids), row, bool(is_indexed)
        )
        if not (head or turns or events):
            was_removed = repair and await self._client.run("unindex", keys[:6], cell)
            return "in the index, but has no data", bool(was_removed)
        problem, session = await asyncio.to_thread(_diagnose, records, key)
        if session is None or not repair:
            return problem, False
        if problem != _OUTDATED:  # the session itself is damaged
            damaged_key = self._key("damaged", key.notebook_id, key.cell_id)
            await self._client.command("RPUSH", damaged_key, records.to_bytes())
        return problem, await self._put(key, session, records.write_id)

    async def _verify_log(self, notebook_id: str, repair: bool) -> tuple[str | None, bool]:
        """Return the change log's problem (None if it has none), and whether it was repaired."""
        marks, log = self._key("notebooks"), self._key("log", notebook_id)
        mark = (await self._client.command("HGET", marks, notebook_id) or b"").decode()
        entries = await self._client.command("LRANGE", log, 0, -1)
        damaged_entries = [entry for entry in entries if not _is_valid(NotebookLogEntry, entry)]
        seqs = [json.loads(entry)["seq"] for entry in entries if entry not in damaged_entries]
        marked_seq, _, write_id = mark.partition(" ")
        last_seq = max(seqs, default=0)
        expected_mark = f"{last_seq} {write_id}" if entries else ""
        problem = None
        if damaged_entries:
            problem = f"{len(damaged_entries)} unreadable entries"
        elif not entries:
            problem = "in the index, but has no data"
        elif not marked_seq.isdigit() or int(marked_seq) < last_seq:
            problem = "index entry is out of date"
        if problem is None or not repair:
            return problem, False
        keys = [self._keyspace.owners, marks, log, self._key("damaged", notebook_id)]
        owner = encode_owner(self._owner)
        return problem, bool(
            await self._client.run(
                "repair_log", keys, owner, notebook_id, mark, expected_mark, *damaged_entries
            )
        )

    async def _cell_names(self) -> list[str]:
        """Return all cell names (see ``keys.py``) that an index or a key contains, sorted."""
        indexed = set(await self._client.command("ZRANGE", self._key("cells"), 0, -1))
        indexed |= set(await self._client.command("HKEYS", self._key("rows")))
        names = {name.decode(errors="replace") for name in indexed}
        for kind in ("head", "turns", "events"):
            names |= {" ".join(ids) for ids in await self._scan(kind, 2)}
        return sorted(names)

    async def _notebook_ids(self) -> list[str]:
        """Return the notebook ids in the index of change logs or in the key of a log, sorted."""
        result = await self._client.command("HKEYS", self._key("notebooks"))
        notebook_ids = {name.decode(errors="replace") for name in result}
        return sorted(notebook_ids | {ids[0] for ids in await self._scan("log", 1)})

    async def _scan(self, kind: str, id_count: int) -> list[list[str]]:
        """Return the ids in each of the owner's keys of this kind, such as ``head`` or ``log``.

        Keys that don't contain ``id_count`` ids are left out. This method searches all keys of the
        database, because the indexes may be wrong.
        """
        start = self._key(kind) + ":"
        pattern = re.sub(r"([\\*?\[\]^])", r"\\\1", start) + "*"
        keys: set[str] = set()
        cursor = b"0"
        while True:
            cursor, batch = await self._client.command(
                "SCAN", cursor, "MATCH", pattern, "COUNT", _KEYS_PER_SCAN
            )
            keys |= {key.decode(errors="replace") for key in batch}
            if cursor == b"0":
                break
        all_ids = [key.removeprefix(start).split(":") for key in keys]
        return [ids for ids in all_ids if len(ids) == id_count]

    def _key(self, kind: str, *ids: str) -> str:
        return self._keyspace.owner_key(kind, self._owner, *ids)


def _diagnose(records: _StoredRecords, key: SessionKey) -> tuple[str | None, Session | None]:
    """Return a session's problem (None if it has none), and the repaired session.

    The repaired session is None if there is no problem, or if the problem can't be repaired.
    """
    data = records.to_bytes()
    try:
        session = codec.parse(data, key)
        check_writable(session.meta, None)
    except SessionTooNew:
        return None, None
    except codec.DamagedData:
        session = recover(data, key)
        session.meta = next_revision(session.meta)
        count = records.count_damaged()
        return f"{count} unreadable records" if count else "metadata is damaged", session
    if records.is_outdated(session):
        return _OUTDATED, session
    return "; ".join(find_problems(session, key)) or None, None


def _is_valid(model: Any, text: bytes) -> bool:
    try:
        model.model_validate(json.loads(text))
    except (ValueError, RecursionError):
        return False
    return True


def _to_dict(names_and_values: Sequence[bytes]) -> dict[str, bytes]:
    names = [name.decode(errors="replace") for name in names_and_values[::2]]
    return dict(zip(names, names_and_values[1::2], strict=True))


def _blob_problem(digest: bytes, data: bytes | None) -> str | None:
    if data is None or hashlib.sha256(data).hexdigest().encode() == digest:
        return None
    return "content does not match its hash"
