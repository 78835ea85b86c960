"""The plugin with the command ``ask``."""

from __future__ import annotations

from typing import Any

from ...plugin import Plugin


class AskPlugin(Plugin):
    """Asks for the code of a cell on the command line."""

    name = "ask"

    def add_commands(self, groups: Any) -> None:
        """Add the command ``ask``."""
        from .parser import add_commands

        add_commands(groups)
