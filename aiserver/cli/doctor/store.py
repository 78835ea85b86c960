"""Is there a store of histories, and does it answer? A folder is looked at more closely."""

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
    """The store that the server would use. An address is told without its password."""
    try:
        if isinstance(store, FileSessionManager):
            return check_storage(Path(store.root))
        where = f"Histories are saved in {hide_password(store.url) or type(store).__name__}"
        try:
            said = await store.start()
            writable = await store.writable()
        except AIServerError as error:
            return [problem(f"{where}, which is not available: {error.message}", _MEND)]
        found = [ok(where), *(note(sentence) for sentence in said)]
        return found if writable else [*found, problem("The store is read-only.", _MEND)]
    finally:
        await store.close()
