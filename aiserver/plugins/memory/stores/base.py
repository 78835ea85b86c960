"""The contract of a store for memories: a few small documents of each owner.

Invariants of each store:

- **Durability**: when ``replace`` returns True, the new document survives a crash.
- **Atomicity**: a reader sees a document as it is before or after a write.
- **No lost updates**: ``replace`` writes only if the document is still the expected one.
- **Isolation of owners**: owners are compared byte by byte. No owner ever sees another's documents.
- **Nothing remains**: what was deleted or replaced is no longer in the store. (A database server's
  logs and backups are outside of it.)
"""

from __future__ import annotations

import asyncio
import json
from abc import ABCMeta, abstractmethod
from collections.abc import Callable
from functools import partial
from typing import Any, Literal

from traitlets import MetaHasTraits
from traitlets.config import LoggingConfigurable

from ....errors import MemoryTooLarge, MemoryUnreadable, StorageBusy
from ....sessions.key_value import MEMORY, KeyValueSessionManager, Transaction
from ..document import run_in_memory_thread

DocumentName = Literal["memory", "proposals", "reviews", "corrections", "notes"]

NAMES: tuple[DocumentName, ...] = ("memory", "proposals", "reviews", "corrections", "notes")
# Each request parses it, and the slowest takes about 2 s.
MAX_MEMORY_BYTES = 256 * 1024
_MAX_BYTES = 4 * 1024 * 1024  # of documents that AI Server alone writes
_ATTEMPTS = 100


class DamagedDocument(Exception):
    """A document doesn't have the expected format."""


def parse_object(data: bytes | None) -> dict[str, Any]:
    """Return a document's JSON object, {} if it is empty or missing. Raises DamagedDocument."""
    try:
        stored = json.loads(data or b"{}")
    except (ValueError, RecursionError) as exc:
        raise DamagedDocument from exc
    if not isinstance(stored, dict):
        raise DamagedDocument
    return stored


class _Meta(ABCMeta, MetaHasTraits):
    """Makes stores both abstract and configurable."""


class MemoryStore(LoggingConfigurable, metaclass=_Meta):
    """Stores documents. Its methods may be called from any asyncio task.

    Each may raise StorageError or one of its subclasses.
    """

    @abstractmethod
    async def read(self, name: DocumentName, *, owner: str = "") -> bytes | None:
        """Return a document, or None if it doesn't exist."""

    @abstractmethod
    async def replace(
        self, name: DocumentName, expected: bytes | None, new: bytes | None, *, owner: str = ""
    ) -> bool:
        """Write a document if it is still ``expected``; otherwise, change nothing, return False.

        None stands for no document, so as ``new`` it deletes. If a database server's response is
        lost for good, the document may have been written although StorageUnreachable is raised.
        Raises MemoryTooLarge if ``new`` has more than ``max_bytes`` bytes, and isn't shorter.
        """

    async def update(
        self, name: DocumentName, change: Callable[[bytes | None], bytes | None], *, owner: str = ""
    ) -> None:
        """Replace a document by the result of ``change``, which runs in a thread.

        It is called again if somebody else has written the document meanwhile, so it may have no
        other effect than to note its last result. If it returns the same bytes, nothing is written.
        If it raises DamagedDocument, the document is set aside, and ``change`` gets None.
        """
        run = run_in_memory_thread if name == "memory" else asyncio.to_thread
        for _ in range(_ATTEMPTS):
            present = await self.read(name, owner=owner)
            try:
                new = await run(partial(change, present))
            except DamagedDocument:
                await self.set_aside(name, present or b"", owner=owner)
                continue
            if new == present or await self.replace(name, present, new, owner=owner):
                return
        raise StorageBusy

    async def set_aside(self, name: DocumentName, damaged: bytes, *, owner: str = "") -> None:
        """Rename a document, for a person to find, if it is still ``damaged``.

        A store without such names raises MemoryUnreadable.
        """
        raise MemoryUnreadable

    async def close(self) -> None:
        """Close connections that the store has opened."""
        return


def max_bytes(name: DocumentName) -> int:
    """Return how many bytes a document can have."""
    return MAX_MEMORY_BYTES if name == "memory" else _MAX_BYTES


def check_size(name: DocumentName, old: bytes | None, new: bytes | None) -> None:
    """Raise MemoryTooLarge, unless a large document of an earlier version becomes shorter."""
    if new is not None and len(new) > max(max_bytes(name), len(old or b"") - 1):
        raise MemoryTooLarge


class KeyValueMemoryStore(MemoryStore):
    """Stores documents as values of a session store, which closes its connections."""

    def __init__(self, sessions: KeyValueSessionManager, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._sessions = sessions

    async def read(self, name: DocumentName, *, owner: str = "") -> bytes | None:
        return await self._sessions.read(lambda transaction: transaction.get(MEMORY, owner, name))

    async def replace(
        self, name: DocumentName, expected: bytes | None, new: bytes | None, *, owner: str = ""
    ) -> bool:
        check_size(name, expected, new)

        def work(transaction: Transaction) -> bool:
            if transaction.get(MEMORY, owner, name) != expected:
                return False
            if new is None:
                transaction.delete(MEMORY, owner, name)
            else:
                transaction.put(MEMORY, owner, name, new)
            return True

        return await self._sessions.run(work)
