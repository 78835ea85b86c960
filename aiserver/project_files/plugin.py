"""The plugin with the rules files and recipes of a project."""

from __future__ import annotations

from ..plugin import Plugin


class RulesPlugin(Plugin):
    """Finds rules files, such as ``AGENTS.md``, and keeps recipes."""

    name = "rules"

    def routes(self) -> dict[str, str]:
        """Return the routes of rules files and recipes."""
        return {
            "/aiserver/rules-files": "aiserver.handlers.project.files.RulesFilesHandler",
            "/aiserver/recipes": "aiserver.handlers.project.recipes.RecipesHandler",
        }
