"""The plugin with the models that run in processes of this server."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...plugin import Plugin

if TYPE_CHECKING:
    from ...llm.local_models import LocalModels


class LocalModelsPlugin(Plugin):
    """Installs, lists, runs and removes the models of a catalogue."""

    name = "local-models"

    def local_models(self) -> type[LocalModels]:
        from .models import CatalogueModels

        return CatalogueModels

    def routes(self) -> dict[str, str]:
        module = "aiserver.plugins.local_models.handler"
        return {
            "/aiserver/models/local/install": f"{module}.InstallHandler",
            "/aiserver/models/local/([^/]+)": f"{module}.LocalModelHandler",
        }

    def add_commands(self, groups: Any) -> None:
        from .commands import add_commands

        add_commands(groups)
