"""Check that the store of histories is available; ``storage.py`` checks folders in detail."""

from __future__ import annotations

from pathlib import Path

from ...errors import AIServerError
from ...sessions.base import SessionManager
from ...sessions.factory import hide_password
from ...sessions.file.manager import FileSessionManager
from .base import Finding, note, ok, problem
from .storage import check_storage

_MEND = "Check AIServer.session_manager, the login, and that the database is running."


async def check_store(store: SessionManager) -> list[Finding]:
    """Check the configured store. URLs are printed without their passwords."""
    try:
        if isinstance(store, FileSessionManager):
            return check_storage(Path(store.root))
        where = f"Histories are saved in {hide_password(store.url) or type(store).__name__}"
        try:
            notices = await store.start()
            writable = await store.writable()
        except AIServerError as error:
            return [problem(f"{where}, which is not available: {error.message}", _MEND)]
        findings = [ok(where), *(note(notice) for notice in notices)]
        return findings if writable else [*findings, problem("The store is read-only.", _MEND)]
    finally:
        await store.close()
