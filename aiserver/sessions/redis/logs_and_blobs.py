"""Change logs and blobs in Redis.

Invariants: a script appends entries to a change log and numbers them, so that writers don't wait
for each other. The mark of a change log changes with each write. If a log is deleted and created
again, the mark of the new log differs from the mark of the old log.
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
from .connection import RedisConnection, run_in_thread_if_large
from .keys import encode_owner
from .layout import split_entry


class RedisLogsAndBlobs(RedisConnection):
    """The methods of the store for change logs and blobs."""

    async def append_notebook_log(
        self, notebook_id: str, entries: Sequence[NewLogEntry], *, owner: str = ""
    ) -> list[NotebookLogEntry]:
        """Append entries to a notebook's change log; return the saved entries."""
        check_id("notebookId", notebook_id)
        if not entries:
            return []
        # Each entry gets the number 1, which the script replaces.
        saved = [number_entries([], [entry])[0] for entry in entries]
        write_id = secrets.token_hex(12)
        keys = [
            self.keyspace.owner_key("notebooks", owner),
            self.keyspace.owner_key("log", owner, notebook_id),
        ]
        [first_seq] = await self.client.run(
            "log",
            [self.keyspace.write_result_key(write_id), self.keyspace.owners, *keys],
            *(encode_owner(owner), notebook_id, write_id),
            *(text for entry in saved for text in split_entry(entry)),
        )
        for seq, entry in enumerate(saved, first_seq):
            entry.seq = seq
        return saved

    async def read_notebook_log(
        self, notebook_id: str, *, owner: str = ""
    ) -> list[NotebookLogEntry]:
        """Return a notebook's change log, oldest entry first."""
        log = self.keyspace.owner_key("log", owner, check_id("notebookId", notebook_id))
        text = await self.client.run("join", [log], "\n")
        return (await run_in_thread_if_large(len(text), codec.parse_log, text + b"\n")).entries

    async def list_notebooks(self, *, owner: str = "") -> list[str]:
        """Return the ids of the notebooks that have a change log, sorted."""
        return sorted(await self.notebook_marks(owner=owner))

    async def notebook_marks(self, *, owner: str = "") -> Mapping[str, str]:
        """Return a mark for each change log, by notebook id: a text that each write changes.

        The text contains the last ``seq`` and the id of the last write.
        """
        result = await self.client.command("HGETALL", self.keyspace.owner_key("notebooks", owner))
        texts = [text.decode() for text in result]
        return dict(zip(texts[::2], texts[1::2], strict=True))

    async def delete_notebook_log(self, notebook_id: str, *, owner: str = "") -> bool:
        """Permanently delete a notebook's change log; return False if there was none."""
        log = self.keyspace.owner_key("log", owner, check_id("notebookId", notebook_id))
        return await self._delete("notebooks", "blobs", notebook_id, owner, log)

    async def put_blob(self, data: bytes, *, owner: str = "") -> str:
        """Store bytes under their SHA-256; return the hash in hex."""
        digest = await asyncio.to_thread(lambda: hashlib.sha256(data).hexdigest())
        keys = [self.keyspace.owners, self.keyspace.owner_key("blobs", owner)]
        await self.client.run("blob", keys, encode_owner(owner), digest, data)
        return digest

    async def get_blob(self, sha256: str, *, owner: str = "") -> bytes | None:
        """Return the bytes with this hash, or None if the store doesn't contain the blob."""
        blobs = self.keyspace.owner_key("blobs", owner)
        data: bytes | None = await self.client.command("HGET", blobs, check_sha256(sha256))
        return data

    async def list_blobs(self, *, owner: str = "") -> list[str]:
        """Return the hashes of all blobs, sorted."""
        digests = await self.client.command("HKEYS", self.keyspace.owner_key("blobs", owner))
        return sorted(digest.decode() for digest in digests)

    async def delete_blob(self, sha256: str, *, owner: str = "") -> bool:
        """Permanently delete a blob; return False if there was none."""
        return await self._delete("blobs", "notebooks", check_sha256(sha256), owner)

    async def _delete(
        self, kind: str, other_kind: str, name: str, owner: str, *log_keys: str
    ) -> bool:
        """Delete a change log or a blob; return False if there was none.

        To delete a log, ``kind`` is ``notebooks``, ``other_kind`` is ``blobs``, and ``log_keys``
        contains the key of the log's entries. To delete a blob, ``kind`` is ``blobs`` and
        ``other_kind`` is ``notebooks``. An owner who has no data any more is removed from the set
        of owners.
        """
        owner_keys = [
            self.keyspace.owner_key(index, owner) for index in (kind, other_kind, "cells")
        ]
        write_result_key = self.keyspace.write_result_key(secrets.token_hex(12))
        keys = [write_result_key, self.keyspace.owners, *owner_keys, *log_keys]
        [count] = await self.client.run("delete_log_or_blob", keys, encode_owner(owner), name)
        return bool(count)
