"""What is kept beside the sessions: the notebooks' logs, and blobs by their hash.

What must hold: a log's lines get their numbers in the script that puts them behind it; a notebook's
mark is another one after each write, also where its log was deleted and begun anew.
"""

from __future__ import annotations

import asyncio
import hashlib
import secrets
from collections.abc import Sequence

from ...models import NewLogEntry, NotebookLogEntry
from ..record import codec
from ..record.mutations import number_entries
from .cells import aside
from .client import Wire
from .keys import Names, owner_text
from .layout import line_parts


class Side:
    """The logs and blobs under one prefix."""

    def __init__(self, wire: Wire, names: Names) -> None:
        self._wire, self._names = wire, names

    async def append(
        self, notebook_id: str, entries: Sequence[NewLogEntry], owner: str
    ) -> list[NotebookLogEntry]:
        """Put entries behind a log; return them with their numbers."""
        if not entries:
            return []
        saved = [number_entries([], [entry])[0] for entry in entries]
        stamp = secrets.token_hex(12)
        names = [self._names.of("notebooks", owner), self._names.of("log", owner, notebook_id)]
        [first] = await self._wire.run(
            "log",
            [self._names.once(stamp), self._names.owners, *names],
            *(owner_text(owner), notebook_id, stamp),
            *(part for entry in saved for part in line_parts(entry)),
        )
        for seq, entry in enumerate(saved, first):
            entry.seq = seq
        return saved

    async def read(self, notebook_id: str, owner: str) -> codec.Log:
        """A notebook's log as far as it is whole."""
        text = await self._wire.run("joined", [self._names.of("log", owner, notebook_id)], "\n")
        return await aside(len(text), codec.parse_log, text + b"\n")

    async def marks(self, owner: str) -> dict[str, str]:
        """For each notebook with a log its last number, and a stamp of the last write."""
        found = await self._wire.command("HGETALL", self._names.of("notebooks", owner))
        texts = [text.decode() for text in found]
        return dict(zip(texts[::2], texts[1::2], strict=True))

    async def delete_log(self, notebook_id: str, owner: str) -> bool:
        """Remove a log for good."""
        log = self._names.of("log", owner, notebook_id)
        return await self._forget("notebooks", "blobs", notebook_id, owner, log)

    async def put(self, data: bytes, owner: str) -> str:
        """Keep bytes under their hash."""
        digest = await asyncio.to_thread(lambda: hashlib.sha256(data).hexdigest())
        names = [self._names.owners, self._names.of("blobs", owner)]
        await self._wire.run("blob", names, owner_text(owner), digest, data)
        return digest

    async def get(self, digest: str, owner: str) -> bytes | None:
        """The bytes under a hash."""
        found: bytes | None = await self._wire.command(
            "HGET", self._names.of("blobs", owner), digest
        )
        return found

    async def digests(self, owner: str) -> list[str]:
        """The hashes of all blobs, sorted."""
        found = await self._wire.command("HKEYS", self._names.of("blobs", owner))
        return sorted(digest.decode() for digest in found)

    async def delete_blob(self, digest: str, owner: str) -> bool:
        """Remove a blob for good."""
        return await self._forget("blobs", "notebooks", digest, owner)

    async def _forget(self, kind: str, other: str, what: str, owner: str, *more: str) -> bool:
        names = [self._names.of(each, owner) for each in (kind, other, "cells")]
        once = self._names.once(secrets.token_hex(12))
        keys = [once, self._names.owners, *names, *more]
        [count] = await self._wire.run("forget", keys, owner_text(owner), what)
        return bool(count)
