"""Check that the configured store is available. ``storage.py`` checks a file store's folder."""

from __future__ import annotations

from pathlib import Path

from ...errors import AIServerError
from ...sessions.base import SessionManager
from ...sessions.factory import hide_password
from ...sessions.file.manager import FileSessionManager
from .base import Finding, note, ok, problem
from .storage import check_storage

_STORE_FIX = "Check AIServer.session_manager, the login, and that the database is running."


async def check_store(store: SessionManager) -> list[Finding]:
    """Check the configured store, and close it. Passwords in URLs are hidden in the findings."""
    try:
        if isinstance(store, FileSessionManager):
            return check_storage(Path(store.root))
        location = f"Histories are saved in {hide_password(store.url) or type(store).__name__}"
        try:
            notices = await store.start()
            is_writable = await store.writable()
        except AIServerError as error:
            return [problem(f"{location}, which is not available: {error.message}", _STORE_FIX)]
        findings = [ok(location), *(note(notice) for notice in notices)]
        if not is_writable:
            findings.append(problem("The store is read-only.", _STORE_FIX))
        return findings
    finally:
        await store.close()
