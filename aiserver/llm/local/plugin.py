"""The plugin with the models that run in processes of this server."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...plugin import Plugin

if TYPE_CHECKING:
    from ..local_models import LocalModels


class LocalModelsPlugin(Plugin):
    """Installs, lists, runs and removes the models of a catalogue."""

    name = "local-models"

    def local_models(self) -> type[LocalModels]:
        """Return the class of the models."""
        from .models import CatalogueModels

        return CatalogueModels

    def routes(self) -> dict[str, str]:
        """Return the routes of installations."""
        return {
            "/aiserver/models/local/install": "aiserver.llm.local.handler.InstallHandler",
            "/aiserver/models/local/([^/]+)": "aiserver.llm.local.handler.LocalModelHandler",
        }

    def add_commands(self, groups: Any) -> None:
        """Add the group ``model``."""
        from ...cli.model import add_commands

        add_commands(groups)
