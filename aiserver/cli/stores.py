"""Open a command's store, and determine the owners whose histories the command handles.

Invariants: by default, a command uses the store and the owner that a Jupyter server would use if it
were started in the current folder. A ``file:`` URL or a path in the command overrides the folder in
the configuration.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ..durable import translate_os_errors
from ..errors import SettingError
from ..plugin import Host
from ..plugins import Plugins, load_plugins
from ..sessions.base import SessionManager
from ..sessions.factory import hide_password
from ..sessions.file.manager import FileSessionManager
from ..sessions.file.root import FOLDER
from .config import Configuration

if TYPE_CHECKING:
    from ..notebooks.identity import NotebookRegistry


@dataclass
class StoreContext:
    """An open store, and the owners whose sessions the command handles."""

    store: SessionManager
    owners: list[str]
    configuration: Configuration

    @property
    def owner(self) -> str:
        """The owner, if there is exactly one. Otherwise, SettingError is raised."""
        if len(self.owners) != 1:
            raise SettingError("This works for one owner only. Choose one with --owner.")
        return self.owners[0]

    def start_plugins(self, owner: str) -> Plugins:
        """Start the plugins as a server with this store does. The caller stops them."""
        plugins, folder = load_plugins(self.configuration.extension), self.configuration.root_dir
        log = logging.getLogger(__name__)
        plugins.start(Host(self.store, owner, str(folder), plugins, log))
        return plugins

    @property
    def name(self) -> str:
        """The name of the store, without passwords."""
        if isinstance(self.store, FileSessionManager):
            return str(Path(self.store.root) / FOLDER)
        return hide_password(self.store.url) or type(self.store).__name__

    @property
    def root(self) -> Path:
        """The folder to which the paths of notebooks in change logs are relative."""
        if isinstance(self.store, FileSessionManager):
            return Path(self.store.root)
        return self.configuration.root_dir


@contextlib.asynccontextmanager
async def open_store(
    choice: str | None,
    owner: str | None,
    all_owners: bool,
    configuration: Configuration | None = None,
) -> AsyncIterator[StoreContext]:
    """Open a store, and close it afterwards.

    ``choice`` is the store's URL, its name or its folder. If ``choice`` is None, the configured
    store is opened. If ``owner`` is None and ``all_owners`` is not set, the command handles the
    sessions that a server with this configuration would show.
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
    """Run a command with the store that its arguments name; return the exit status."""

    async def run() -> int:
        async with open_store(arguments.store, arguments.owner, arguments.all_owners) as context:
            return await run_command(arguments, context)

    return asyncio.run(run())


def create_root(context: StoreContext) -> None:
    """Create the root of a file store, unless it exists."""
    if isinstance(context.store, FileSessionManager):
        with translate_os_errors():
            Path(context.store.root).mkdir(parents=True, exist_ok=True)


def registry_of(context: StoreContext) -> NotebookRegistry:
    """Return the registry of the notebooks in the folder that Jupyter serves."""
    # Imported here, because most commands don't need Jupyter's server.
    from jupyter_server.services.contents.filemanager import FileContentsManager

    from ..handlers.notebooks import notebook_registry

    contents = FileContentsManager(root_dir=str(context.configuration.root_dir))
    log = logging.getLogger(__name__)
    return notebook_registry(context.store, contents, log, context.owner)
