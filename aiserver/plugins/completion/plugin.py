"""The plugin that completes code while a person types."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...plugin import Host, Plugin

if TYPE_CHECKING:
    from .completer import Completer


class CompletionPlugin(Plugin):
    """Completes code with an embedded model."""

    name = "completion"
    completer: Completer

    def start(self, host: Host) -> None:
        from .completer import Completer

        self.completer = Completer()

    def routes(self) -> dict[str, str]:
        return {"/aiserver/complete": "aiserver.plugins.completion.handler.CompleteHandler"}
