"""The plugin with the rules files and recipes of a project."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from ...plugin import ContextRequest, Host, Plugin

if TYPE_CHECKING:
    from ...prompts.prompt_input import RulesText


class RulesPlugin(Plugin):
    """Finds rules files, such as ``AGENTS.md``, and keeps recipes."""

    name = "rules"
    _folder: str | None = None

    def start(self, host: Host) -> None:
        self._folder = host.folder

    def routes(self) -> dict[str, str]:
        return {
            "/aiserver/rules-files": "aiserver.plugins.rules.handler.RulesFilesHandler",
            "/aiserver/recipes": "aiserver.plugins.rules.handler.RecipesHandler",
        }

    async def context(self, request: ContextRequest) -> Sequence[RulesText]:
        used = request.body.context.rules_files
        if not used or request.body.notebook_path is None:
            return ()
        from ...prompts.prompt_input import RulesText
        from ..data_files.disk_threads import read_in_thread
        from .rules_files import TIMEOUT, read_used

        read = partial(read_used, self._folder, request.body.notebook_path, used)
        files = await read_in_thread(read, TIMEOUT, "rules") or []
        return [RulesText(file.path, file.text) for file in files]
