"""The base class of the Redis store, with its settings and its connection.

Invariants: ``start`` returns a sentence for each guarantee that the Redis server lacks.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from typing import Any, TypeVar

from traitlets import Float, Unicode

from ...errors import StorageError
from ..base import SessionManager
from . import guarantees
from .address import DEFAULT, connection_options, url_prefix
from .client import Client
from .keys import Keyspace, decode_owner
from .notebook_lock import notebook_lock

T = TypeVar("T")

LARGE = 50_000  # bytes; parsing a text of this size takes about a millisecond


class RedisConnection(SessionManager):
    """The store's settings, its connection, its list of owners, and its lock for notebook ids.

    ``client`` and ``keyspace`` are also for other data under the same prefix, such as memories.
    """

    shared = True

    prefix = Unicode(
        "aiserver:",
        help="""Prefix of all Redis keys, so that the database can be shared with other
        applications. Can also be set with `?prefix=` in the URL.""",
    ).tag(config=True)

    password_file = Unicode(
        help="""A file whose first line is the Redis password, so that it is not in the URL, which
        `--debug` logs."""
    ).tag(config=True)

    patience = Float(
        5.0,
        help="""Seconds to keep retrying if Redis does not respond, for example while it
        restarts.""",
    ).tag(config=True)

    lock_timeout = Float(
        30.0, help="Seconds to wait for the notebook registration lock of other servers."
    ).tag(config=True)

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        url = self.url or DEFAULT
        prefix = url_prefix(url)
        self.keyspace = Keyspace(self.prefix if prefix is None else prefix)
        connection_options(url)  # raises SettingError now if the URL is invalid
        # New connections read the password file again, because the password may have changed.
        self.client = Client(lambda: connection_options(url, self.password_file), self.patience)

    async def start(self) -> list[str]:
        """Return a sentence for each guarantee that the Redis server lacks."""
        return guarantees.missing_guarantees(await self.client.info(), await self.client.config())

    async def list_owners(self) -> list[str]:
        """Return the owners of sessions, change logs or blobs, sorted."""
        owners = await self.client.command("SMEMBERS", self.keyspace.owners)
        return sorted(decode_owner(owner.decode()) for owner in owners)

    def notebook_id_lock(self, *, owner: str = "") -> contextlib.AbstractAsyncContextManager[None]:
        """Return a context manager that holds the owner's lock for notebook ids.

        A server needs the lock to give one of the owner's notebooks its id.
        """
        name = self.keyspace.owner_key("alone", owner)
        return notebook_lock(self.client, name, self.lock_timeout, self.log)

    async def writable(self) -> bool:
        """Return whether Redis responds, isn't a read-only replica, and has memory left."""
        try:
            info = await self.client.info()
        except StorageError:
            return False
        return info.get("role") != "slave" and not guarantees.is_full(info)

    async def close(self) -> None:
        """Close the connections."""
        await self.client.close()


async def run_in_thread_if_large(size: int, function: Callable[..., T], *args: Any) -> T:
    """Run a function that processes ``size`` bytes. If ``size > LARGE``, run it in a thread."""
    return await asyncio.to_thread(function, *args) if size > LARGE else function(*args)
