"""The plugin that lets git merge histories, or ignore them."""

from __future__ import annotations

from typing import Any

from ...plugin import Plugin


class GitPlugin(Plugin):
    """Sets up a repository with histories, and merges their files."""

    name = "git"

    def routes(self) -> dict[str, str]:
        return {"/aiserver/git": "aiserver.plugins.git.handler.GitHandler"}

    def add_commands(self, groups: Any) -> None:
        from .cli import add_commands

        add_commands(groups)
