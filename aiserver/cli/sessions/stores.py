"""Open the store of a command, with its owners.

Invariants: by default it is the store and owner that a server started in the same folder would use.
A store given by its URL is used whatever folder is configured.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

from ...durable import translate_os_errors
from ...errors import SettingError
from ...sessions.base import SessionManager
from ...sessions.factory import hide_password
from ...sessions.file.manager import FileSessionManager
from ...sessions.file.root import FOLDER
from ..config import Configuration


@dataclass
class StoreContext:
    """An open store, and the owners whose sessions are selected."""

    store: SessionManager
    owners: list[str]
    configuration: Configuration

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
        if isinstance(self.store, FileSessionManager):
            return Path(self.store.root)
        return self.configuration.start


@contextlib.asynccontextmanager
async def open_store(
    choice: str | None,
    owner: str | None,
    all_owners: bool,
    configuration: Configuration | None = None,
) -> AsyncIterator[StoreContext]:
    """Open a store, and close it afterwards."""
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
    work: Callable[[argparse.Namespace, StoreContext], Awaitable[int]],
    arguments: argparse.Namespace,
) -> int:
    """Run a command with its store."""

    async def run() -> int:
        async with open_store(arguments.store, arguments.owner, arguments.all_owners) as context:
            return await work(arguments, context)

    return asyncio.run(run())


def create_folder(context: StoreContext) -> None:
    """Create the folder of a new file store."""
    if isinstance(context.store, FileSessionManager):
        with translate_os_errors():
            Path(context.store.root).mkdir(parents=True, exist_ok=True)
