"""Load the plugins, and call their hooks.

AI Server's own are in ``OWN``; other packages register theirs as entry points in the group
``aiserver.plugins``.

Invariant: a plugin that can't be loaded or started, or whose hook fails or takes too long, is
logged and left out; everything else works.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Any, TypeVar

from traitlets.utils.importstring import import_item

from .errors import SettingError
from .plugin import ContextPart, ContextRequest, Host, Plugin

if TYPE_CHECKING:
    from .extension import AIServer
    from .handlers.base import AIServerHandler
    from .llm.base import ModelInfo
    from .llm.local_models import LocalModels
    from .models import SessionKey
    from .plugin import Checks

ENTRY_POINT_GROUP = "aiserver.plugins"
CONTEXT_TIMEOUT = 4.0  # seconds, after which the request is sent without a plugin's texts
_TIMEOUT = 10.0  # seconds for other hooks that a person waits for

# These aren't entry points, so that no other package can replace them.
OWN = {
    "agents": "aiserver.plugins.agents.plugin.AgentsPlugin",
    "ask": "aiserver.plugins.ask.plugin.AskPlugin",
    "completion": "aiserver.plugins.completion.plugin.CompletionPlugin",
    "data-files": "aiserver.plugins.data_files.plugin.DataFilesPlugin",
    "export": "aiserver.plugins.export.plugin.ExportPlugin",
    "git": "aiserver.plugins.git.plugin.GitPlugin",
    "local-models": "aiserver.plugins.local_models.plugin.LocalModelsPlugin",
    "memory": "aiserver.plugins.memory.plugin.MemoryPlugin",
    "rules": "aiserver.plugins.rules.plugin.RulesPlugin",
    "search": "aiserver.plugins.search.plugin.SearchPlugin",
    "sessions": "aiserver.plugins.sessions.plugin.SessionsPlugin",
    "usage": "aiserver.plugins.usage.plugin.UsagePlugin",
}
AnyPlugin = TypeVar("AnyPlugin", bound=Plugin)
T = TypeVar("T")


class Plugins:
    """The plugins of a server."""

    def __init__(self, plugins: Iterable[Plugin] = (), log: logging.Logger | None = None) -> None:
        self._plugins = list(plugins)
        self._log = log or logging.getLogger(__name__)

    def __iter__(self) -> Any:
        return iter(self._plugins)

    def find(self, kind: type[AnyPlugin]) -> AnyPlugin | None:
        """Return the plugin of this class; None if it is turned off."""
        return next((plugin for plugin in self._plugins if isinstance(plugin, kind)), None)

    def get(self, kind: type[AnyPlugin]) -> AnyPlugin:
        """Return the plugin of this class, for its own handlers, which exist only with it."""
        plugin = self.find(kind)
        assert plugin is not None
        return plugin

    def routes(self) -> list[tuple[str, type[AIServerHandler]]]:
        def own(plugin: Plugin) -> list[tuple[str, type[AIServerHandler]]]:
            routes = [(path, import_item(handler)) for path, handler in plugin.routes().items()]
            for pattern, _ in routes:
                re.compile(pattern)
            return routes

        return self._joined("add its routes", own)

    def checks(self) -> Checks:
        return self._joined("add its checks", lambda plugin: plugin.checks())

    def add_commands(self, groups: Any) -> None:
        def add(plugin: Plugin) -> tuple[()]:
            plugin.add_commands(groups)
            return ()

        self._joined("add its commands", add)

    def start(self, host: Host) -> None:
        """Start all plugins, and leave out those that fail. Raises SettingError."""
        for plugin in [*self._plugins]:
            try:
                plugin.start(host)
            except SettingError:
                raise
            except Exception as error:
                self._failed(plugin, "start", error)
                self._plugins.remove(plugin)

    def local_models(self) -> type[LocalModels] | None:
        """Return the first class of local models that a plugin has."""
        classes = self._joined("add its models", lambda plugin: [plugin.local_models()])
        return next(filter(None, classes), None)

    async def clean_up(self, deleted: Sequence[SessionKey] = ()) -> None:
        """Remove what plugins keep of deleted histories, or what has expired."""
        for plugin in self._plugins:
            await self._result(plugin, "remove what it keeps", plugin.clean_up(deleted))

    async def stop(self) -> None:
        for plugin in self._plugins:
            await self._result(plugin, "be stopped", plugin.stop(), _TIMEOUT)

    async def context(self, request: ContextRequest) -> list[ContextPart]:
        """Return the texts of all plugins for a prompt."""

        async def parts(plugin: Plugin) -> list[ContextPart]:
            return [*(await plugin.context(request))]

        texts = (
            self._result(plugin, "add to a prompt", parts(plugin), CONTEXT_TIMEOUT)
            for plugin in self._with_own("context")
        )
        return [part for each in await asyncio.gather(*texts) for part in each or ()]

    async def cost(self, model: ModelInfo, usage: Mapping[str, Any] | None) -> float | None:
        """Return the first cost that a plugin knows."""
        for plugin in self._with_own("cost"):
            cost = await self._result(plugin, "tell a cost", plugin.cost(model, usage), _TIMEOUT)
            if cost is not None:
                return cost
        return None

    def _with_own(self, hook: str) -> list[Plugin]:
        """Return the plugins that have a hook, so that no request waits for those without."""
        without = getattr(Plugin, hook)
        return [plugin for plugin in self._plugins if getattr(type(plugin), hook) is not without]

    def _joined(self, what: str, hook: Callable[[Plugin], Iterable[T]]) -> list[T]:
        joined: list[T] = []
        for plugin in self._plugins:
            try:
                joined += hook(plugin)
            except Exception as error:
                self._failed(plugin, what, error)
        return joined

    async def _result(
        self, plugin: Plugin, what: str, call: Coroutine[Any, Any, T], seconds: float | None = None
    ) -> T | None:
        task = asyncio.ensure_future(call)
        try:
            await asyncio.wait({task}, timeout=seconds)  # a hook may ignore its cancellation
            if task.done():
                return task.result()
            self._failed(plugin, what, TimeoutError())
        except asyncio.CancelledError as error:
            if not task.done():  # the request is cancelled
                raise
            self._failed(plugin, what, error)
        except Exception as error:
            self._failed(plugin, what, error)
        finally:
            task.cancel()
        return None

    def _failed(self, plugin: Plugin, what: str, error: BaseException) -> None:
        self._log.error("The plugin “%s” can't %s: %s", plugin.name, what, type(error).__name__)


def load_plugins(settings: AIServer | None = None) -> Plugins:
    """Return all plugins that aren't disabled and can be loaded.

    Raises SettingError if a setting of one is invalid.
    """
    log = settings.log if settings else logging.getLogger(__name__)
    disabled = settings.disabled_plugins if settings else []
    paths = dict(OWN)
    for entry in entry_points(group=ENTRY_POINT_GROUP):
        paths.setdefault(entry.name, entry.value)
    plugins = []
    for name, path in paths.items():
        if name in disabled:
            continue
        try:
            plugins.append(_create(path, settings))
        except SettingError:
            raise
        except Exception as error:
            log.error("The plugin “%s” can't be loaded: %s", name, type(error).__name__)
    return Plugins(plugins, log)


def _create(path: str, settings: AIServer | None) -> Plugin:
    plugin = import_item(path.replace(":", "."))(settings)
    if not isinstance(plugin, Plugin):
        raise TypeError("an entry point must name a subclass of Plugin")
    return plugin
