"""Which store and whose sessions a command is about.

What must hold: without being told, it is the very store that a server started in the same folder
would use, with the sessions of the same owner. A store that is named by its address is that one,
whatever the configuration says of folders.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from ...durable import translate_os_errors
from ...errors import SettingError, StorageError
from ...sessions.base import SessionManager
from ...sessions.factory import hide_password
from ...sessions.file.manager import FileSessionManager
from ...sessions.file.root import FOLDER, path_from_url

_PATH = re.compile(r"[/\\]|^[.~]")  # in no name of a store, nor of a class


@dataclass
class Place:
    """An open store, and the owners of the selected sessions."""

    store: SessionManager
    owners: list[str]
    start: Path
    """The folder that the server serves, which names of notebooks in the logs begin from …"""

    @property
    def owner(self) -> str:
        """The one owner that is selected, where a command is about one."""
        if len(self.owners) != 1:
            raise SettingError("This works for one owner only. Choose one with --owner.")
        return self.owners[0]

    @property
    def name(self) -> str:
        """The store, as it may be told."""
        if isinstance(self.store, FileSessionManager):
            return str(Path(self.store.root) / FOLDER)
        return hide_password(self.store.url) or type(self.store).__name__

    @property
    def root(self) -> Path:
        """… or the folder that holds the sessions, where they are files."""
        return Path(self.store.root) if isinstance(self.store, FileSessionManager) else self.start


class Configuration:
    """What the server's configuration says, read when it is first needed."""

    @cached_property
    def _server(self) -> Any:
        from ..config import configured_server

        try:
            return configured_server()
        except SystemExit as error:  # it has said why
            raise SettingError(
                "Jupyter can't start with this configuration. See the error above."
            ) from error

    @cached_property
    def _extension(self) -> Any:
        from ..config import configured_extension

        return configured_extension(self._server)

    @cached_property
    def start(self) -> Path:
        """The folder that the server would serve."""
        from ..config import start_folder

        return Path(start_folder(self._server))

    def make(self, choice: str) -> SessionManager:
        """The store of a choice; of none, the configured one."""
        folder = folder_of(choice)
        if folder is not None:
            # Not by its address: a folder in the configuration would count for more.
            return FileSessionManager(parent=self._extension, root=str(folder))
        store: SessionManager = self._extension.make_sessions(str(self.start), choice)
        return store

    def owner_in(self, store: SessionManager) -> str:
        """Whose sessions a server would show there."""
        return str(self._extension.session_owner) if store.shared else ""


def folder_of(choice: str) -> Path | None:
    """The folder that a choice names: by an address, or as it is."""
    if choice.lower().startswith("file:"):
        folder = path_from_url(choice)
    elif "://" not in choice and (_PATH.search(choice) or (choice and Path(choice).is_dir())):
        folder = Path(choice).expanduser().resolve()
    else:
        return None
    return folder.parent if folder.name == FOLDER else folder


@contextlib.asynccontextmanager
async def open_store(
    choice: str | None, owner: str | None, all_owners: bool, known: Configuration | None = None
) -> AsyncIterator[Place]:
    """The store of a choice, ready, and closed again."""
    known = known or Configuration()
    store = known.make(choice or "")
    try:
        if all_owners:
            owners = await store.list_owners()
        else:
            owners = [known.owner_in(store) if owner is None else owner]
        yield Place(store, owners, known.start)
    finally:
        await store.close()


def run_with_place(
    work: Callable[[argparse.Namespace, Place], Awaitable[int]], arguments: argparse.Namespace
) -> int:
    """Do a command's work with the one store that it is about."""

    async def all_of_it() -> int:
        async with open_store(arguments.store, arguments.owner, arguments.all_owners) as place:
            return await work(arguments, place)

    return asyncio.run(all_of_it())


async def require_histories(place: Place) -> None:
    """Raise StorageError if nothing was ever kept there: a mistyped name, most likely."""
    if not await place.store.list_owners():
        raise StorageError(f"No histories in {place.name}.")


def create_folder(place: Place) -> None:
    """Make the folder that is to hold the sessions, where a person has named a new one."""
    if isinstance(place.store, FileSessionManager):
        with translate_os_errors():
            Path(place.store.root).mkdir(parents=True, exist_ok=True)
