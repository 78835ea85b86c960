"""``complete``: complete a cell's code while a person types."""

from __future__ import annotations

import asyncio

from ...errors import FeatureForbidden
from ...handlers.base import AIServerHandler, guarded
from .gap import CompletionBody
from .plugin import CompletionPlugin


class CompleteHandler(AIServerHandler):
    """Completes a cell's code. If the client disconnects, the model is stopped."""

    _completion: asyncio.Task[str] | None = None

    @guarded("execute")
    async def post(self) -> dict[str, str] | None:
        """Answer with the code to insert at the cursor. Nothing is recorded."""
        self.check_owner()
        services, body = self.services, self.body(CompletionBody)
        if services.features.completion == "forbidden":
            raise FeatureForbidden(FeatureForbidden.completion)
        plugin = services.plugins.get(CompletionPlugin)
        self._completion = asyncio.create_task(
            plugin.completer.complete(body, services.models, services.assistant)
        )
        await asyncio.wait({self._completion})
        return None if self._completion.cancelled() else {"text": self._completion.result()}

    def on_connection_close(self) -> None:
        if self._completion is not None:
            self._completion.cancel()
        super().on_connection_close()
