"""The plugin that exports histories as a page, Markdown or a notebook."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...plugin import Host, Plugin

if TYPE_CHECKING:
    from .process import Exporter


class ExportPlugin(Plugin):
    """Exports histories."""

    name = "export"
    exporter: Exporter

    def start(self, host: Host) -> None:
        """Create the exporter, which starts its process for each export."""
        from .process import Exporter

        self.exporter = Exporter(host.sessions, owner=host.session_owner)

    def add_commands(self, groups: Any) -> None:
        from .cli.parser import add_commands

        add_commands(groups)

    def routes(self) -> dict[str, str]:
        return {
            "/aiserver/notebooks/([^/]+)/export": "aiserver.plugins.export.handler.ExportHandler"
        }
