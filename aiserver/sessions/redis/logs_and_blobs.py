"""Notebook logs, and blobs by their hash.

Invariants: the script that appends log entries numbers them; a notebook's mark changes with each
write, even if its log was deleted in between.
"""

from __future__ import annotations

import asyncio
import hashlib
import secrets
from collections.abc import Sequence

from ...models import NewLogEntry, NotebookLogEntry
from ..record import codec
from ..record.mutations import number_entries
from .client import Client
from .keys import Keyspace, encode_owner
from .layout import entry_parts
from .sessions import run_by_size


class LogsAndBlobs:
    """The logs and blobs under one prefix."""

    def __init__(self, client: Client, keyspace: Keyspace) -> None:
        self._client, self._keyspace = client, keyspace

    async def append(
        self, notebook_id: str, entries: Sequence[NewLogEntry], owner: str
    ) -> list[NotebookLogEntry]:
        """Append entries to a log; return them with their numbers."""
        if not entries:
            return []
        saved = [number_entries([], [entry])[0] for entry in entries]
        stamp = secrets.token_hex(12)
        keys = [
            self._keyspace.of("notebooks", owner),
            self._keyspace.of("log", owner, notebook_id),
        ]
        [first] = await self._client.run(
            "log",
            [self._keyspace.once(stamp), self._keyspace.owners, *keys],
            *(encode_owner(owner), notebook_id, stamp),
            *(part for entry in saved for part in entry_parts(entry)),
        )
        for seq, entry in enumerate(saved, first):
            entry.seq = seq
        return saved

    async def read(self, notebook_id: str, owner: str) -> codec.Log:
        """The readable entries of a notebook's log."""
        text = await self._client.run("join", [self._keyspace.of("log", owner, notebook_id)], "\n")
        return await run_by_size(len(text), codec.parse_log, text + b"\n")

    async def marks(self, owner: str) -> dict[str, str]:
        """For each notebook with a log, its last seq and the stamp of the last write."""
        answer = await self._client.command("HGETALL", self._keyspace.of("notebooks", owner))
        texts = [text.decode() for text in answer]
        return dict(zip(texts[::2], texts[1::2], strict=True))

    async def delete_log(self, notebook_id: str, owner: str) -> bool:
        """Permanently delete a log."""
        log = self._keyspace.of("log", owner, notebook_id)
        return await self._delete("notebooks", "blobs", notebook_id, owner, log)

    async def put(self, data: bytes, owner: str) -> str:
        """Store bytes under their hash."""
        digest = await asyncio.to_thread(lambda: hashlib.sha256(data).hexdigest())
        keys = [self._keyspace.owners, self._keyspace.of("blobs", owner)]
        await self._client.run("blob", keys, encode_owner(owner), digest, data)
        return digest

    async def get(self, digest: str, owner: str) -> bytes | None:
        """The bytes under a hash."""
        blobs = self._keyspace.of("blobs", owner)
        data: bytes | None = await self._client.command("HGET", blobs, digest)
        return data

    async def digests(self, owner: str) -> list[str]:
        """The hashes of all blobs, sorted."""
        digests = await self._client.command("HKEYS", self._keyspace.of("blobs", owner))
        return sorted(digest.decode() for digest in digests)

    async def delete_blob(self, digest: str, owner: str) -> bool:
        """Permanently delete a blob."""
        return await self._delete("blobs", "notebooks", digest, owner)

    async def _delete(self, kind: str, other: str, name: str, owner: str, *log: str) -> bool:
        owner_keys = [self._keyspace.of(item, owner) for item in (kind, other, "cells")]
        once = self._keyspace.once(secrets.token_hex(12))
        keys = [once, self._keyspace.owners, *owner_keys, *log]
        [count] = await self._client.run("delete_log_or_blob", keys, encode_owner(owner), name)
        return bool(count)
