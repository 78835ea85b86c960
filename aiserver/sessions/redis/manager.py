"""The session store in Redis: one server for the histories of many machines.

Invariants, besides those of ``base.py``: ``start`` returns the guarantees that the server's
configuration lacks; long texts are processed in threads, not on the event loop.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
from collections.abc import AsyncIterator, Callable, Collection, Hashable, Mapping, Sequence
from typing import Any

from traitlets import Float, Unicode

from ...errors import StorageBusy, StorageError
from ...models import (
    Event,
    Interaction,
    NewEvent,
    NewLogEntry,
    NewTurn,
    NotebookLogEntry,
    Session,
    SessionKey,
    SessionSummary,
    check_id,
    new_session,
    utc_now,
)
from ...tokens import estimate_tokens
from ..base import SessionManager, VerifyResult
from ..record.filenames import check_sha256
from ..record.history import read_newest
from ..record.merge.sessions import merge_into
from ..record.mutations import (
    check_writable,
    fork_session,
    number_events,
    number_turn,
)
from . import guarantees
from .address import DEFAULT, connection_options, url_prefix
from .client import Client
from .keys import Keyspace, decode_owner
from .layout import Item, event_item, turn_item
from .logs_and_blobs import LogsAndBlobs
from .notebook_lock import notebook_lock
from .sessions import NO_STAMP, Loaded, Sessions
from .verify import Verifier


class RedisSessionManager(SessionManager):
    """Stores sessions in Redis (``redis://…``). Durable if Redis has ``appendfsync always``."""

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
        self._keyspace = Keyspace(self.prefix if prefix is None else prefix)
        connection_options(url)  # raises early if the URL is invalid
        # The password file is read again for new connections, because it may have changed.
        self._client = Client(lambda: connection_options(url, self.password_file), self.patience)
        self._sessions = Sessions(self._client, self._keyspace, self.log)
        self._logs_and_blobs = LogsAndBlobs(self._client, self._keyspace)

    async def start(self) -> list[str]:
        """Return what Redis, as it is configured, does not guarantee."""
        return guarantees.missing_guarantees(await self._client.info(), await self._client.config())

    async def load_if_exists(self, key: SessionKey) -> Session | None:
        """The stored session, or None."""
        loaded = await self._sessions.load(key)
        return loaded and loaded.session

    async def load_raw(self, key: SessionKey) -> tuple[bytes, int] | None:
        """The stored session as bytes and its revision, or None."""
        return await self._sessions.raw(key)

    async def save_interaction(
        self, key: SessionKey, turn: NewTurn, *, if_revision: int | None = None
    ) -> tuple[Interaction, int]:
        """Append one AI turn."""

        def work() -> tuple[Interaction, Item]:
            saved = number_turn(turn, 1, 1)
            return saved, turn_item(saved)

        saved, item = await asyncio.to_thread(work)
        [turn_id, seq], revision = await self._sessions.append(key, [item], utc_now(), if_revision)
        saved.turn_id, saved.seq = turn_id, seq
        return saved, revision

    async def record_events(
        self, key: SessionKey, events: Sequence[NewEvent], *, if_revision: int | None = None
    ) -> tuple[list[Event], int]:
        """Append events in one write."""

        def work() -> list[tuple[Event, Item]]:
            saved = [number_events([event], 1, {})[0][0] for event in events]
            return [(event, event_item(event)) for event in saved]

        prepared = await asyncio.to_thread(work) if events else []
        items = [item for _, item in prepared]
        answers, revision = await self._sessions.append(key, items, utc_now(), if_revision)
        saved = []
        for (event, _), answer in zip(prepared, answers, strict=True):
            if isinstance(answer, bytes):  # it was stored already
                saved.append(Event.model_validate(json.loads(answer)))
            else:
                event.seq = answer
                saved.append(event)
        return saved, revision

    async def get_history(
        self,
        key: SessionKey,
        *,
        max_messages: int | None = None,
        max_tokens: int | None = None,
        count_tokens: Callable[[str], int] = estimate_tokens,
    ) -> list[Interaction]:
        """The newest turns that fit; older turns are not read."""

        async def read(limit: int | None) -> tuple[list[Interaction], bool]:
            return await self._sessions.newest(key, limit)

        return await read_newest(read, max_messages, max_tokens, count_tokens)

    async def list_sessions(
        self,
        notebook_id: str | None = None,
        *,
        owner: str = "",
        offset: int = 0,
        limit: int | None = None,
    ) -> tuple[list[SessionSummary], int]:
        """One page of summaries."""
        if notebook_id is not None:
            check_id("notebookId", notebook_id)
        return await self._sessions.page(notebook_id, owner, offset, limit)

    async def list_owners(self) -> list[str]:
        """The owners of the stored records."""
        owners = await self._client.command("SMEMBERS", self._keyspace.owners)
        return sorted(decode_owner(owner.decode()) for owner in owners)

    async def exists(self, key: SessionKey) -> bool:
        """Whether anything is stored under the key."""
        return await self._sessions.exists(key)

    async def delete(self, key: SessionKey, *, if_revision: int | None = None) -> bool:
        """Permanently delete a session."""
        return await self._sessions.delete(key, if_revision)

    async def fork(self, source: SessionKey, target: SessionKey) -> Session:
        """Copy a session to another cell."""
        async for current in self._attempts(target):
            if current:
                return current.session
            loaded = await self._sessions.load(source)
            copy = await asyncio.to_thread(fork_session, loaded and loaded.session, target)
            if await self._sessions.put(target, copy, NO_STAMP):
                return copy
        raise StorageBusy

    async def take_over(
        self, key: SessionKey, other: Session, *, merged_digests: Collection[str] = ()
    ) -> bool:
        """Merge another copy of the session into the stored one."""
        check_writable(other.meta, None)
        async for current in self._attempts(key):
            session = current.session if current else new_session(key)
            check_writable(session.meta, None)
            if not await asyncio.to_thread(merge_into, session, other, merged_digests):
                return False
            stamp = current.stamp if current else NO_STAMP
            if await self._sessions.put(key, session, stamp):
                return True
        raise StorageBusy

    def exclusively(self, *, owner: str = "") -> contextlib.AbstractAsyncContextManager[None]:
        """Hold the notebook lock of the owner."""
        name = self._keyspace.of("alone", owner)
        return notebook_lock(self._client, name, self.lock_timeout, self.log)

    async def append_notebook_log(
        self, notebook_id: str, entries: Sequence[NewLogEntry], *, owner: str = ""
    ) -> list[NotebookLogEntry]:
        """Append entries to a notebook's log."""
        return await self._logs_and_blobs.append(
            check_id("notebookId", notebook_id), entries, owner
        )

    async def read_notebook_log(
        self, notebook_id: str, *, owner: str = ""
    ) -> list[NotebookLogEntry]:
        """A notebook's log, oldest first."""
        return (await self._logs_and_blobs.read(check_id("notebookId", notebook_id), owner)).entries

    async def list_notebooks(self, *, owner: str = "") -> list[str]:
        """The ids of the notebooks that have a log, sorted."""
        return sorted(await self._logs_and_blobs.marks(owner))

    async def notebook_marks(self, *, owner: str = "") -> Mapping[str, Hashable]:
        """For each notebook with a log, its last seq and the stamp of the last write."""
        return await self._logs_and_blobs.marks(owner)

    async def delete_notebook_log(self, notebook_id: str, *, owner: str = "") -> bool:
        """Permanently delete a notebook's log."""
        return await self._logs_and_blobs.delete_log(check_id("notebookId", notebook_id), owner)

    async def put_blob(self, data: bytes, *, owner: str = "") -> str:
        """Store bytes under their SHA-256."""
        return await self._logs_and_blobs.put(data, owner)

    async def get_blob(self, sha256: str, *, owner: str = "") -> bytes | None:
        """The bytes under a hash, or None."""
        return await self._logs_and_blobs.get(check_sha256(sha256), owner)

    async def list_blobs(self, *, owner: str = "") -> list[str]:
        """The hashes of all blobs, sorted."""
        return await self._logs_and_blobs.digests(owner)

    async def delete_blob(self, sha256: str, *, owner: str = "") -> bool:
        """Permanently delete a blob."""
        return await self._logs_and_blobs.delete_blob(check_sha256(sha256), owner)

    def verify(self, *, owner: str = "", repair: bool = False) -> AsyncIterator[VerifyResult]:
        """Verify each record, its counters and its index entries."""
        return Verifier(self._client, self._keyspace, self._sessions, owner).run(repair)

    async def writable(self) -> bool:
        """Whether Redis responds, is no read-only replica, and has memory left."""
        try:
            info = await self._client.info()
        except StorageError:
            return False
        return info.get("role") != "slave" and not guarantees.is_full(info)

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()

    async def _attempts(self, key: SessionKey) -> AsyncIterator[Loaded | None]:
        """Load the session for each attempt of an optimistic write, until ``lock_timeout``."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + self.lock_timeout
        while loop.time() < deadline:
            yield await self._sessions.load(key)
            await asyncio.sleep(random.uniform(0, 0.02))  # noqa: S311
