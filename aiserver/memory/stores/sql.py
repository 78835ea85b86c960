"""Memories in the database of the sessions: PostgreSQL, MySQL, MariaDB or SQLite."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .base import DocumentName, MemoryStore, check_size

if TYPE_CHECKING:
    from ...sessions.sql import SQLSessionManager
    from ...sessions.sql.database import Database


class SQLMemoryStore(MemoryStore):
    """Stores documents in the database of an SQLSessionManager, which closes its connections."""

    def __init__(self, sessions: SQLSessionManager, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._sessions = sessions

    async def read(self, name: DocumentName, *, owner: str = "") -> bytes | None:
        """Return a document, or None if it doesn't exist."""

        def work(database: Database) -> bytes | None:
            from . import sql_documents  # imports SQLAlchemy, which is slow

            return sql_documents.read(database, owner, name)

        return await self._sessions.run(work)

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

        def work(database: Database) -> bool:
            from . import sql_documents

            return sql_documents.replace(database, owner, name, expected, new)

        return await self._sessions.run(work)
