"""The handler of every path while the configuration is invalid: it reports the error."""

from __future__ import annotations

from typing import Any

from ..errors import AIServerError
from .base import AIServerHandler, guarded


class MisconfiguredHandler(AIServerHandler):
    """Answers every request with the configuration error, after a login."""

    def initialize(self, name: str, error: AIServerError) -> None:
        """Store the error to report."""
        super().initialize(name=name)
        self._error = error

    @guarded("read")
    async def get(self, *_: Any) -> None:
        """Raise the configuration error."""
        raise self._error

    post = put = patch = delete = get
