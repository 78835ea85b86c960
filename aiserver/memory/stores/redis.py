"""Memories in the Redis of the sessions."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Any

from .base import DocumentName, MemoryStore, check_size

if TYPE_CHECKING:
    from ...sessions.redis import RedisSessionManager


class RedisMemoryStore(MemoryStore):
    """Stores documents in the Redis of a RedisSessionManager, which closes its connections."""

    def __init__(self, sessions: RedisSessionManager, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._client, self._keyspace = sessions.client, sessions.keyspace

    async def read(self, name: DocumentName, *, owner: str = "") -> bytes | None:
        """Return a document, or None if it doesn't exist."""
        key = self._keyspace.owner_key("memory", owner)
        document: bytes | None = await self._client.command("HGET", key, name)
        return document

    async def replace(
        self,
        name: DocumentName,
        expected: bytes | None,
        new: bytes | None,
        *,
        owner: str = "",
    ) -> bool:
        """Write a document if it is still ``expected``."""
        check_size(name, expected, new)
        keys = [
            self._keyspace.write_result_key(secrets.token_hex(12)),
            self._keyspace.owner_key("memory", owner),
        ]
        documents = _argument(expected), _argument(new)
        [is_written] = await self._client.run("replace_document", keys, name, *documents)
        return bool(is_written)


def _argument(document: bytes | None) -> bytes:
    """Return a document as ``replace_document.lua`` expects it."""
    return b"-" if document is None else b"=" + document
