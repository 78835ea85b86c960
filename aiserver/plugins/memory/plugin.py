"""The plugin for memories, notes of notebooks and past answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ...plugin import ContextRequest, Host, Plugin

if TYPE_CHECKING:
    from ...models import SessionKey
    from ...prompts.prompt_input import Remembered
    from ...sessions.base import SessionManager
    from .manager import MemoryManager
    from .notes.wording import NoteWriter
    from .recall import Recall

_ROUTES = {
    "notebooks/([^/]+)/note": "NoteHandler",
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
    manager: MemoryManager
    recall: Recall
    writer: NoteWriter
    _sessions: SessionManager

    def __init__(self, settings: Any = None) -> None:
        self._settings = settings

    def start(self, host: Host) -> None:
        """Create the manager of the memories. Raises SettingError."""
        from ..search.plugin import SearchPlugin
        from .manager import create_memory
        from .notes.wording import NoteWriter
        from .recall import Recall

        search = host.plugins.find(SearchPlugin)
        self.manager = create_memory(self._settings, host.sessions, host.folder, host.session_owner)
        self.recall = Recall(search.process if search else None)
        self.writer = NoteWriter(self.manager.notes, host.log)
        self._sessions = host.sessions

    async def stop(self) -> None:
        await self.recall.close()
        await self.manager.close()

    async def clean_up(self, deleted: Sequence[SessionKey]) -> None:
        if deleted:
            await self.manager.forget_histories(self._sessions, deleted)
            return
        try:
            await self.manager.sweep()
        finally:
            await self.manager.notes.sweep()

    def add_commands(self, groups: Any) -> None:
        from .cli.parser import add_commands

        add_commands(groups)

    def routes(self) -> dict[str, str]:
        module = "aiserver.plugins.memory.handler"
        return {f"/aiserver/{path}": f"{module}.{name}" for path, name in _ROUTES.items()}

    async def context(self, request: ContextRequest) -> Sequence[Remembered]:
        from .remembered import remember

        return [await remember(self.manager, self.recall, request)]
