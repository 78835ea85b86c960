"""What every address answers while a setting is wrong: which one, in a sentence."""

from __future__ import annotations

from typing import Any

from ..errors import AIServerError
from .base import AIServerHandler, guarded


class MisconfiguredHandler(AIServerHandler):
    """Refuses all, and says why; only who is logged in is told."""

    def initialize(self, name: str, error: AIServerError) -> None:
        """Take the fault that is to be told."""
        super().initialize(name=name)
        self._error = error

    @guarded("read")
    async def get(self, *_: Any) -> None:
        """Raise what is wrong."""
        raise self._error

    post = put = patch = delete = get
