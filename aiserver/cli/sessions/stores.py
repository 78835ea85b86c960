"""Open the store of a command, with its owners.

Invariants: by default it is the store and owner that a server started in the same folder would use.
A store given by its URL is used whatever folder is configured.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

from ...durable import translate_os_errors
from ...errors import SettingError, StorageError
from ...sessions.base import SessionManager
from ...sessions.factory import hide_password
from ...sessions.file.manager import FileSessionManager
from ...sessions.file.root import FOLDER, path_from_url
from ..config import configured_extension, configured_server, start_folder

_PATH = re.compile(r"[/\\]|^[.~]")  # in a path, but not in the name of a store or class


@dataclass
class StoreContext:
    """An open store, and the owners whose sessions are selected."""

    store: SessionManager
    owners: list[str]
    start: Path
    """The folder that the server serves."""

    @property
    def owner(self) -> str:
        """The only selected owner. Raises SettingError if there are several."""
        if len(self.owners) != 1:
            raise SettingError("This works for one owner only. Choose one with --owner.")
        return self.owners[0]

    @property
    def name(self) -> str:
        """The name of the store, without passwords."""
        if isinstance(self.store, FileSessionManager):
            return str(Path(self.store.root) / FOLDER)
        return hide_password(self.store.url) or type(self.store).__name__

    @property
    def root(self) -> Path:
        """The folder that paths of notebooks in logs are relative to."""
        return Path(self.store.root) if isinstance(self.store, FileSessionManager) else self.start


class Configuration:
    """The server's configuration. ``start`` is the folder that the server would serve."""

    def __init__(self) -> None:
        try:
            server = configured_server()
        except SystemExit as error:  # Jupyter has printed the reason
            raise SettingError(
                "Jupyter can't start with this configuration. See the error above."
            ) from error
        self._extension = configured_extension(server)
        self.start = Path(start_folder(server))

    def create(self, choice: str) -> SessionManager:
        """Create the chosen store, or the configured one."""
        folder = folder_of(choice)
        if folder is not None:
            # Not by its URL, because a configured folder would override it.
            return FileSessionManager(parent=self._extension, root=str(folder))
        store: SessionManager = self._extension.make_sessions(str(self.start), choice)
        return store

    def owner_in(self, store: SessionManager) -> str:
        """Return the owner whose sessions a server would show."""
        return str(self._extension.session_owner) if store.shared else ""


def folder_of(choice: str) -> Path | None:
    """Return the folder of a choice that is a file URL or path; else None."""
    if choice.lower().startswith("file:"):
        folder = path_from_url(choice)
    elif "://" not in choice and (_PATH.search(choice) or (choice and Path(choice).is_dir())):
        folder = Path(choice).expanduser().resolve()
    else:
        return None
    return folder.parent if folder.name == FOLDER else folder


@contextlib.asynccontextmanager
async def open_store(
    choice: str | None,
    owner: str | None,
    all_owners: bool,
    configuration: Configuration | None = None,
) -> AsyncIterator[StoreContext]:
    """Open a store, and close it afterwards."""
    configuration = configuration or Configuration()
    store = configuration.create(choice or "")
    try:
        if all_owners:
            owners = await store.list_owners()
        else:
            owners = [configuration.owner_in(store) if owner is None else owner]
        yield StoreContext(store, owners, configuration.start)
    finally:
        await store.close()


def run_with_store(
    work: Callable[[argparse.Namespace, StoreContext], Awaitable[int]],
    arguments: argparse.Namespace,
) -> int:
    """Run a command with its store."""

    async def run() -> int:
        async with open_store(arguments.store, arguments.owner, arguments.all_owners) as context:
            return await work(arguments, context)

    return asyncio.run(run())


async def require_histories(context: StoreContext) -> None:
    """Raise StorageError if the store is empty, probably because of a mistyped name."""
    if not await context.store.list_owners():
        raise StorageError(f"No histories in {context.name}.")


def create_folder(context: StoreContext) -> None:
    """Create the folder of a new file store."""
    if isinstance(context.store, FileSessionManager):
        with translate_os_errors():
            Path(context.store.root).mkdir(parents=True, exist_ok=True)
