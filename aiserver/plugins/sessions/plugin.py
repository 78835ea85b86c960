"""The plugin with the commands that list, import, export, repair and delete histories."""

from __future__ import annotations

from typing import Any

from ...plugin import Plugin


class SessionsPlugin(Plugin):
    """Manages histories on the command line, and reads those of other programs."""

    name = "sessions"

    def add_commands(self, groups: Any) -> None:
        from .cli.parser import add_commands

        add_commands(groups)
