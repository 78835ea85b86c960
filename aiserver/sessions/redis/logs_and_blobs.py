"""Change logs, and blobs by their hash.

Invariants: the script that appends log entries numbers them; a notebook's mark changes with each
write, even if its log was deleted in between.
"""

from __future__ import annotations

import asyncio
import hashlib
import secrets
from collections.abc import Mapping, Sequence

from ...models import NewLogEntry, NotebookLogEntry, check_id
from ..record import codec
from ..record.filenames import check_sha256
from ..record.mutations import number_entries
from .connection import RedisConnection, run_by_size
from .keys import encode_owner
from .layout import entry_parts


class RedisLogsAndBlobs(RedisConnection):
    """The part of the store for change logs and blobs."""

    async def append_notebook_log(
        self, notebook_id: str, entries: Sequence[NewLogEntry], *, owner: str = ""
    ) -> list[NotebookLogEntry]:
        """Append entries to a notebook's log."""
        check_id("notebookId", notebook_id)
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

    async def read_notebook_log(
        self, notebook_id: str, *, owner: str = ""
    ) -> list[NotebookLogEntry]:
        """A notebook's log, oldest first."""
        log = self._keyspace.of("log", owner, check_id("notebookId", notebook_id))
        text = await self._client.run("join", [log], "\n")
        return (await run_by_size(len(text), codec.parse_log, text + b"\n")).entries

    async def list_notebooks(self, *, owner: str = "") -> list[str]:
        """The ids of the notebooks that have a log, sorted."""
        return sorted(await self.notebook_marks(owner=owner))

    async def notebook_marks(self, *, owner: str = "") -> Mapping[str, str]:
        """For each notebook with a log, its last seq and the stamp of the last write."""
        answer = await self._client.command("HGETALL", self._keyspace.of("notebooks", owner))
        texts = [text.decode() for text in answer]
        return dict(zip(texts[::2], texts[1::2], strict=True))

    async def delete_notebook_log(self, notebook_id: str, *, owner: str = "") -> bool:
        """Permanently delete a notebook's log."""
        log = self._keyspace.of("log", owner, check_id("notebookId", notebook_id))
        return await self._delete("notebooks", "blobs", notebook_id, owner, log)

    async def put_blob(self, data: bytes, *, owner: str = "") -> str:
        """Store bytes under their SHA-256."""
        digest = await asyncio.to_thread(lambda: hashlib.sha256(data).hexdigest())
        keys = [self._keyspace.owners, self._keyspace.of("blobs", owner)]
        await self._client.run("blob", keys, encode_owner(owner), digest, data)
        return digest

    async def get_blob(self, sha256: str, *, owner: str = "") -> bytes | None:
        """The bytes under a hash, or None."""
        blobs = self._keyspace.of("blobs", owner)
        data: bytes | None = await self._client.command("HGET", blobs, check_sha256(sha256))
        return data

    async def list_blobs(self, *, owner: str = "") -> list[str]:
        """The hashes of all blobs, sorted."""
        digests = await self._client.command("HKEYS", self._keyspace.of("blobs", owner))
        return sorted(digest.decode() for digest in digests)

    async def delete_blob(self, sha256: str, *, owner: str = "") -> bool:
        """Permanently delete a blob."""
        return await self._delete("blobs", "notebooks", check_sha256(sha256), owner)

    async def _delete(self, kind: str, other: str, name: str, owner: str, *log: str) -> bool:
        owner_keys = [self._keyspace.of(item, owner) for item in (kind, other, "cells")]
        once = self._keyspace.once(secrets.token_hex(12))
        keys = [once, self._keyspace.owners, *owner_keys, *log]
        [count] = await self._client.run("delete_log_or_blob", keys, encode_owner(owner), name)
        return bool(count)
