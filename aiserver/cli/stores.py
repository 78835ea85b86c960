"""Open the store of a command.

Invariants: by default, store and owner are those of a Jupyter server in the current folder. A
``file:`` URL or a path in the command overrides the configuration.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import logging
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from ..durable import translate_os_errors
from ..errors import SettingError
from ..loaded_plugins import Plugins, load_plugins
from ..plugin import Host
from ..sessions.base import SessionManager
from ..sessions.factory import hide_password
from ..sessions.file.directory import FOLDER, home_folder, path_from_url
from ..sessions.file.manager import FileSessionManager

if TYPE_CHECKING:
    from ..extension import AIServer
    from ..notebooks.identity import NotebookRegistry

# Paths match this. Anything else is the name of a store, unless a folder has that name.
_PATH_PATTERN = re.compile(r"[/\\]|^[.~]")


class Configuration:
    """The configuration of a Jupyter server in the current folder, which isn't started.

    Raises SettingError if Jupyter rejects it, and has printed the reason.
    """

    def __init__(self) -> None:
        from jupyter_server.serverapp import ServerApp

        self._server = ServerApp()
        try:
            self._server.load_config_file()
            self._server.find_server_extensions()
        except SystemExit as error:
            raise SettingError(
                "Jupyter can't start with this configuration. See the error above."
            ) from error
        root = self._server.config.ServerApp.get("root_dir") or Path.cwd()
        self.root_dir = Path(root).expanduser()
        """The folder that the server would serve: it contains the notebooks."""

    @property
    def is_enabled(self) -> bool:
        return bool(self._server.jpserver_extensions.get("aiserver"))

    @cached_property
    def extension(self) -> AIServer:
        from ..extension import AIServer

        return AIServer(config=self._server.config)

    def create_store(self, choice: str = "") -> SessionManager:
        """Create the store for a URL, name or folder, or else the configured one."""
        folder = _folder_from(choice)
        if folder is not None:
            # A configured `root` would override the folder in a URL.
            return FileSessionManager(parent=self.extension, root=str(folder))
        store: SessionManager = self.extension.make_sessions(str(self.root_dir), choice)
        return store

    def owner_in(self, store: SessionManager) -> str:
        """Return the owner whose sessions the server would show."""
        return str(self.extension.session_owner) if store.shared else ""


def _folder_from(choice: str) -> Path | None:
    """Return the root that a ``file:`` URL or path names, itself or by ``.aiserver_sessions``."""
    if choice.lower().startswith("file:"):
        folder = path_from_url(choice)
    elif "://" not in choice and (
        _PATH_PATTERN.search(choice) or (choice and Path(choice).is_dir())
    ):
        folder = Path(choice).expanduser().resolve()
    else:
        return None
    return folder.parent if folder.name == FOLDER else folder


@dataclass
class StoreContext:
    """An open store, and the owners whose sessions the command handles."""

    store: SessionManager
    owners: list[str]
    configuration: Configuration

    @property
    def owner(self) -> str:
        """The owner, if there is only one. Raises SettingError otherwise."""
        if len(self.owners) != 1:
            raise SettingError("This works for one owner only. Choose one with --owner.")
        return self.owners[0]

    def start_plugins(self, owner: str) -> Plugins:
        """Start the plugins; the caller stops them."""
        plugins, folder = load_plugins(self.configuration.extension), self.configuration.root_dir
        log = logging.getLogger(__name__)
        plugins.start(Host(self.store, owner, str(folder), plugins, log))
        return plugins

    @property
    def name(self) -> str:
        """The store's name, without passwords."""
        if isinstance(self.store, FileSessionManager):
            return str(Path(self.store.root) / FOLDER)
        return hide_password(self.store.url) or type(self.store).__name__

    @property
    def root(self) -> Path:
        """The root of a file store, otherwise the folder that Jupyter serves."""
        if isinstance(self.store, FileSessionManager):
            return Path(self.store.root)
        return self.configuration.root_dir

    @property
    def names_root(self) -> Path:
        """The folder to which paths of notebooks in change logs are relative."""
        is_file_store = isinstance(self.store, FileSessionManager)
        return self.root if is_file_store else home_folder() or self.root

    def create_root(self) -> None:
        """Create the root of a file store, unless it exists."""
        if isinstance(self.store, FileSessionManager):
            with translate_os_errors():
                self.root.mkdir(parents=True, exist_ok=True)

    def notebooks(self, owner: str | None = None) -> NotebookRegistry:
        """Return an owner's registry for the folder that Jupyter serves."""
        # Most commands don't need Jupyter's server.
        from jupyter_server.services.contents.filemanager import FileContentsManager

        from ..handlers.notebooks import notebook_registry

        contents = FileContentsManager(root_dir=str(self.configuration.root_dir))
        owner = self.owner if owner is None else owner
        return notebook_registry(self.store, contents, logging.getLogger(__name__), owner)


@contextlib.asynccontextmanager
async def open_store(
    choice: str | None = None,
    owner: str | None = None,
    all_owners: bool = False,
    configuration: Configuration | None = None,
) -> AsyncIterator[StoreContext]:
    """Open a store by URL, name or folder, or else the configured one.

    By default, the sessions are those that a server would show.
    """
    configuration = configuration or Configuration()
    store = configuration.create_store(choice or "")
    try:
        if all_owners:
            owners = await store.list_owners()
        else:
            owners = [configuration.owner_in(store) if owner is None else owner]
        yield StoreContext(store, owners, configuration)
    finally:
        await store.close()


def run_with_store(
    run_command: Callable[[argparse.Namespace, StoreContext], Awaitable[int]],
    arguments: argparse.Namespace,
) -> int:
    """Run a command with the store that its arguments name."""

    async def run() -> int:
        async with open_store(arguments.store, arguments.owner, arguments.all_owners) as context:
            return await run_command(arguments, context)

    return asyncio.run(run())
