"""The contract of plugins: parts of AI Server that the core doesn't need.

A plugin is a subclass of ``Plugin`` that overrides what it adds to the server. AI Server's own are
in ``OWN``; other packages register theirs as entry points in the group ``aiserver.plugins``
(``docs/plugins.md``).

Invariants:

- The core imports no plugin. It finds them here by name, and calls the methods of ``Plugin``.
- A plugin that can't be loaded or started, or whose hook fails or takes too long, is logged and
  left out; everything else works.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from traitlets.utils.importstring import import_item

from .errors import SettingError

if TYPE_CHECKING:
    from .extension import AIServer
    from .handlers.base import AIServerHandler, Services
    from .llm.base import ModelInfo

    Checks = Sequence[tuple[str, Callable[[], list[Any]]]]

ENTRY_POINT_GROUP = "aiserver.plugins"
CONTEXT_TIMEOUT = 2.0  # seconds; if a plugin is slower, the request is sent without its texts

# Registered here instead of as entry points, so that no other package can replace them.
OWN = {
    "ask": "aiserver.cli.ask.plugin.AskPlugin",
    "data-files": "aiserver.data_files.plugin.DataFilesPlugin",
    "export": "aiserver.sharing.plugin.ExportPlugin",
    "git": "aiserver.git.plugin.GitPlugin",
    "memory": "aiserver.memory.plugin.MemoryPlugin",
    "rules": "aiserver.project_files.plugin.RulesPlugin",
    "search": "aiserver.search.plugin.SearchPlugin",
    "usage": "aiserver.usage.plugin.UsagePlugin",
}
AnyPlugin = TypeVar("AnyPlugin", bound="Plugin")


@dataclass(frozen=True)
class ContextRequest:
    """The part of a request that plugins may know, to add texts to its prompt.

    ``intent`` is empty while the person is still typing. If the model isn't ``on_this_machine``,
    only what the person has agreed to send may be in the texts.
    """

    intent: str
    source: str
    language: str
    notebook_id: str
    notebook_path: str | None
    on_this_machine: bool


@dataclass(frozen=True)
class ContextText:
    """A text for the prompt. ``name`` is what the receipt calls it, such as ``our-terms.csv``.

    Secrets in it are hidden. If it doesn't fit, it is left out, and the receipt says so.
    """

    name: str
    text: str


class Plugin:
    """A part of AI Server that can be left out. Every method may be overridden; none has to be."""

    name: ClassVar[str] = ""
    """The name by which ``AIServer.disabled_plugins`` turns it off: that of the entry point."""

    def __init__(self, settings: AIServer | None = None) -> None:
        """Read the settings: the traits of the extension; None on the command line.

        Raises SettingError if one of them is invalid.
        """

    def start(self, services: Services) -> None:
        """Create the plugin's objects. Called once, before the first request of the API."""

    async def stop(self) -> None:
        """Close the plugin's objects. Called when the server stops."""

    def routes(self) -> Mapping[str, str]:
        """Return routes: for a pattern such as ``/aiserver/words``, the path of its handler class.

        The module of a handler is imported at the first request of the API.
        """
        return {}

    async def context(self, request: ContextRequest) -> Sequence[ContextText]:
        """Return texts for the prompt of a request, and of its preview."""
        return ()

    async def cost(self, model: ModelInfo, usage: Mapping[str, Any] | None) -> float | None:
        """Return what an answer cost, in US dollars; None if that isn't certain."""
        return None

    def add_commands(self, groups: Any) -> None:
        """Add commands to ``jupyter aiserver``. ``groups`` are subparsers of ``argparse``."""

    def checks(self) -> Checks:
        """Return checks for ``jupyter aiserver doctor``: headings, and functions that look."""
        return ()


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
        """Return the plugin of this class, for its own handlers: without it, there are none."""
        plugin = self.find(kind)
        assert plugin is not None
        return plugin

    def routes(self) -> list[tuple[str, type[AIServerHandler]]]:
        """Return the patterns and handlers of all plugins."""
        routes = []
        for plugin in self._plugins:
            try:
                own = plugin.routes().items()
                routes += [(pattern, import_item(handler)) for pattern, handler in own]
            except Exception as error:
                self._failed(plugin, "add its routes", error)
        return routes

    def start(self, services: Services) -> None:
        """Start all plugins."""
        for plugin in self._plugins:
            plugin.start(services)

    async def stop(self) -> None:
        """Stop all plugins."""
        for plugin in self._plugins:
            try:
                await plugin.stop()
            except Exception as error:
                self._failed(plugin, "be stopped", error)

    async def context(self, request: ContextRequest) -> list[ContextText]:
        """Return the texts of all plugins for a prompt."""
        return [
            text
            for texts in await asyncio.gather(
                *(self._context(plugin, request) for plugin in self._plugins)
            )
            for text in texts
        ]

    async def _context(self, plugin: Plugin, request: ContextRequest) -> Sequence[ContextText]:
        if type(plugin).context is Plugin.context:
            return ()
        try:
            return await asyncio.wait_for(plugin.context(request), CONTEXT_TIMEOUT)
        except Exception as error:
            self._failed(plugin, "add to a prompt", error)
            return ()

    async def cost(self, model: ModelInfo, usage: Mapping[str, Any] | None) -> float | None:
        """Return the cost that the first plugin knows that knows any."""
        for plugin in self._plugins:
            cost = await plugin.cost(model, usage)
            if cost is not None:
                return cost
        return None

    def _failed(self, plugin: Plugin, what: str, error: Exception) -> None:
        self._log.error("The plugin “%s” can't %s: %s", plugin.name, what, type(error).__name__)


def load_plugins(settings: AIServer | None = None) -> Plugins:
    """Return all plugins but those that are disabled or can't be loaded.

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
