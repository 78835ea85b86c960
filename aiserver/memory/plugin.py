"""The plugin with what holds beyond one cell: memories, notes of notebooks, past answers."""

from __future__ import annotations

from ..plugin import Plugin

_HANDLERS = {
    "memory": "MemoryHandler",
    "memory/review": "MemoryReviewHandler",
    "memory/search": "MemorySearchHandler",
    "memory/past-answer": "PastAnswerHandler",
    "memory/pending": "ProposalsHandler",
    "memory/pending/([0-9a-f]{12})/confirm": "MemoryConfirmHandler",
    "memory/pending/([0-9a-f]{12})/reject": "MemoryRejectHandler",
    "memory/(project|person)/([0-9a-f]{12})": "MemoryEntryHandler",
}


class MemoryPlugin(Plugin):
    """Remembers entries and notes, and offers past answers."""

    name = "memory"

    def routes(self) -> dict[str, str]:
        """Return the routes of memories, proposals and notes."""
        module = "aiserver.handlers.project"
        routes = {f"/aiserver/{path}": f"{module}.memory.{h}" for path, h in _HANDLERS.items()}
        return routes | {"/aiserver/notebooks/([^/]+)/note": f"{module}.notes.NoteHandler"}
