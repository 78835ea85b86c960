"""The contract of plugins: parts of AI Server that the core doesn't need.

``loaded_plugins.py`` loads them (``docs/plugins.md``).

Invariant: the core imports no plugin, and only calls the methods of ``Plugin``.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

if TYPE_CHECKING:
    from .extension import AIServer
    from .llm.base import ChatModel, ModelInfo
    from .llm.local_models import LocalModels
    from .loaded_plugins import Plugins
    from .models import SessionKey
    from .prompts.prompt_input import FileProfile, FileText, Remembered, RulesText
    from .prompts.receipt import ContextItem
    from .requests import WarmUpBody
    from .sessions.base import SessionManager

    Checks = Sequence[tuple[str, Callable[[], list[Any]]]]


@dataclass(frozen=True)
class Host:
    """The objects that plugins get when they start.

    ``session_owner`` is empty if the store belongs to one person. ``folder`` is what Jupyter
    serves; None if notebooks aren't files.
    """

    sessions: SessionManager
    session_owner: str
    folder: str | None
    plugins: Plugins
    log: logging.Logger


@dataclass(frozen=True)
class ContextRequest:
    """A request to which plugins may add texts.

    ``intent`` is empty while the person is typing. If the model isn't ``on_this_machine``, texts
    may only contain what the person has agreed to send. ``body`` is without what the administrator
    forbids; ``forbids_files`` if that is files.
    """

    intent: str
    source: str
    on_this_machine: bool
    forbids_files: bool
    body: WarmUpBody
    model: ChatModel


@dataclass(frozen=True)
class ContextText:
    """A text for the prompt. ``name`` is what the receipt calls it, such as ``our-terms.csv``.

    Secrets in it are hidden. If it doesn't fit, it is left out, and the receipt says so.
    """

    name: str
    text: str

    def __post_init__(self) -> None:
        if not (isinstance(self.name, str) and isinstance(self.text, str)):
            raise TypeError("name and text must be strings")


ContextPart: TypeAlias = (
    "ContextText | FileText | FileProfile | RulesText | Remembered | ContextItem"
)
"""A part of a prompt. A ``ContextItem`` is only for the receipt: it was left out."""


class Plugin:
    """A part of AI Server that can be left out. Every method is optional."""

    name: ClassVar[str] = ""
    """The name by which ``AIServer.disabled_plugins`` turns it off: that of the entry point."""

    def __init__(self, settings: AIServer | None = None) -> None:
        """Read the extension's traits, or None on the command line. Raises SettingError."""

    def start(self, host: Host) -> None:
        """Create the plugin's objects, once, before the first request of the API."""

    async def clean_up(self, deleted: Sequence[SessionKey]) -> None:
        """Remove what the plugin keeps of deleted histories.

        Also called after the server's start, without histories, to remove what has expired.
        """

    async def stop(self) -> None:
        """Close the plugin's objects. Called when the server stops."""

    def routes(self) -> Mapping[str, str]:
        """Return routes: for a pattern such as ``/aiserver/words``, the path of its handler class.

        The module of a handler is imported at the first request of the API.
        """
        return {}

    async def context(self, request: ContextRequest) -> Sequence[ContextPart]:
        """Return texts for the prompt of a request, and of its preview."""
        return ()

    async def cost(self, model: ModelInfo, usage: Mapping[str, Any] | None) -> float | None:
        """Return what an answer cost, in US dollars; None if that isn't certain."""
        return None

    def local_models(self) -> type[LocalModels] | None:
        """Return the class of models that run in processes of this server."""
        return None

    def add_commands(self, groups: Any) -> None:
        """Add commands to ``jupyter aiserver``. ``groups`` are subparsers of ``argparse``."""

    def checks(self) -> Checks:
        """Return checks for ``jupyter aiserver doctor``: headings, and functions that look."""
        return ()
