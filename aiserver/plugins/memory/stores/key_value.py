"""Memories in the database, the Redis or the memory of the sessions."""

from __future__ import annotations

from typing import Any

from ....sessions.key_value import KeyValueSessionManager, Transaction
from ....sessions.values import MEMORY
from .base import DocumentName, MemoryStore, check_size


class KeyValueMemoryStore(MemoryStore):
    """Stores documents as values of a session store, which closes its connections."""

    def __init__(self, sessions: KeyValueSessionManager, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._sessions = sessions

    async def read(self, name: DocumentName, *, owner: str = "") -> bytes | None:
        """Return a document, or None if it doesn't exist."""
        return await self._sessions.read(lambda transaction: transaction.get(MEMORY, owner, name))

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

        def work(transaction: Transaction) -> bool:
            if transaction.get(MEMORY, owner, name) != expected:
                return False
            if new is None:
                transaction.delete(MEMORY, owner, name)
            else:
                transaction.put(MEMORY, owner, name, new)
            return True

        return await self._sessions.run(work)
