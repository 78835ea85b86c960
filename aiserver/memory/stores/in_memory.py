"""Memories in memory, for tests and for sessions that are only in memory."""

from __future__ import annotations

from typing import Any

from .base import DocumentName, MemoryStore, check_size


class InMemoryMemoryStore(MemoryStore):
    """Stores documents in memory. **Not durable**: they are lost with the process."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._documents: dict[tuple[str, DocumentName], bytes] = {}

    async def read(self, name: DocumentName, *, owner: str = "") -> bytes | None:
        """Return a document, or None if it doesn't exist."""
        return self._documents.get((owner, name))

    async def replace(
        self,
        name: DocumentName,
        expected: bytes | None,
        new: bytes | None,
        *,
        owner: str = "",
    ) -> bool:
        """Write a document if it is still ``expected``. Never awaits, so it is atomic."""
        check_size(name, expected, new)
        if self._documents.get((owner, name)) != expected:
            return False
        if new is None:
            self._documents.pop((owner, name), None)
        else:
            self._documents[owner, name] = new
        return True
