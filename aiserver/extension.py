"""The server extension: traits and wiring, nothing else."""

from __future__ import annotations

from jupyter_server.extension.application import ExtensionApp


class AIServer(ExtensionApp):
    """Every code cell remembers how it was made."""

    name = "aiserver"
