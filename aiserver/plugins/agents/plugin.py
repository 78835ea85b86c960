"""The plugin through which agents work with notebooks, and are recorded, limited and undone."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from ...plugin import Host, Plugin

if TYPE_CHECKING:
    from ...extension import AIServer
    from ...handlers.base import Services
    from .service import AgentService

_RUN = "/aiserver/agents/runs/([^/]+)/([0-9a-f]{32})/([a-z_]{1,64})"


class AgentsPlugin(Plugin):
    """A server for agents, on Jupyter's address and with its login."""

    name = "agents"
    service: AgentService

    def __init__(self, settings: AIServer | None = None) -> None:
        self._settings = settings

    def start(self, host: Host) -> None:
        """Create the service."""
        from jupyter_core.paths import jupyter_data_dir

        from ...handlers.notebooks import NotebookContents
        from .permissions import Level, Permissions
        from .service import AgentService

        services = cast("Services", host)
        server: Any = self._settings.serverapp if self._settings else None
        contents = getattr(server, "contents_manager", None)
        if contents is None:  # a command without a server
            return
        setting = services.features.agents
        cap: Level = "all" if setting == "allowed" else "off" if setting == "forbidden" else setting
        file = Path(jupyter_data_dir()) / "aiserver" / "agents.json"
        permissions = Permissions(file, host.folder or host.session_owner, cap)
        self.service = AgentService(services, NotebookContents(contents), permissions)

    def routes(self) -> dict[str, str]:
        """Return the routes: for agents, and for the page."""
        path = "aiserver.plugins.agents"
        return {
            "/aiserver/mcp": f"{path}.handler.McpHandler",
            "/aiserver/agents/hook": f"{path}.handler.HookHandler",
            "/aiserver/agents/channel": f"{path}.handler.ChannelHandler",
            "/aiserver/agents/notebooks/([^/]+)": f"{path}.handler.RunsHandler",
            "/aiserver/agents/notebooks/([^/]+)/permission": f"{path}.handler.PermissionHandler",
            _RUN: f"{path}.handler.UndoHandler",
        }

    def add_commands(self, groups: Any) -> None:
        """Add ``mcp`` and the group ``agents``."""
        from .cli.parser import add_commands

        add_commands(groups)
