"""The store in Redis: one server for the histories of many machines.

What must hold, beside what ``base.py`` says: what is durable is what the server promises, and
``start`` says it. On the event loop is done what is short; long texts are handled in threads.
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
from ..record.merge.sessions import merge_into
from ..record.mutations import (
    check_writable,
    fork_session,
    number_events,
    number_turn,
    select_newest,
)
from . import guarantees
from .address import DEFAULT, options_of, prefix_of
from .cells import NOT_STORED, Cells, Loaded
from .client import Wire
from .keys import Names, owner_of
from .layout import Item, event_item, turn_item
from .logs_and_blobs import Side
from .notebook_lock import alone
from .verify import Check

_FIRST_TURNS = 32  # that are looked at where a number of tokens is the limit


class RedisSessionManager(SessionManager):
    """Keeps sessions in Redis (``redis://…``). Durable if Redis has ``appendfsync always``."""

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
        prefix = prefix_of(url)
        self._names = Names(self.prefix if prefix is None else prefix)
        options_of(url)  # what is wrong with it is said now
        # The password is read for each new set of connections: it may have been changed.
        self._wire = Wire(lambda: options_of(url, self.password_file), self.patience)
        self._cells = Cells(self._wire, self._names, self.log)
        self._side = Side(self._wire, self._names)

    async def start(self) -> list[str]:
        """Say what Redis, as it is set up, does not promise."""
        return guarantees.sentences(await self._wire.info(), await self._wire.config())

    async def load_if_exists(self, key: SessionKey) -> Session | None:
        """The stored session, or None."""
        found = await self._cells.load(key)
        return found and found.session

    async def load_raw(self, key: SessionKey) -> tuple[bytes, int] | None:
        """The stored texts, joined, and the revision, or None."""
        return await self._cells.raw(key)

    async def save_interaction(
        self, key: SessionKey, turn: NewTurn, *, if_revision: int | None = None
    ) -> tuple[Interaction, int]:
        """Append one AI turn."""

        def work() -> tuple[Interaction, Item]:
            saved = number_turn(turn, 1, 1)
            return saved, turn_item(saved)

        saved, item = await asyncio.to_thread(work)
        [turn_id, seq], revision = await self._cells.append(key, [item], utc_now(), if_revision)
        saved.turn_id, saved.seq = turn_id, seq
        return saved, revision

    async def record_events(
        self, key: SessionKey, events: Sequence[NewEvent], *, if_revision: int | None = None
    ) -> tuple[list[Event], int]:
        """Append events in one write."""

        def work() -> list[tuple[Event, Item]]:
            saved = [number_events([event], 1, {})[0][0] for event in events]
            return [(event, event_item(event)) for event in saved]

        made = await asyncio.to_thread(work) if events else []
        items = [item for _, item in made]
        answers, revision = await self._cells.append(key, items, utc_now(), if_revision)
        saved = []
        for (event, _), answer in zip(made, answers, strict=True):
            if isinstance(answer, bytes):  # it was there already
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
        """The newest turns that fit; older ones are not even read."""
        bound = None if max_messages is None else max(0, max_messages // 2)
        most = bound
        if max_tokens is not None:
            most = _FIRST_TURNS if bound is None else min(bound, _FIRST_TURNS)
        while True:
            turns, older = await self._cells.newest(key, most)
            fitting = select_newest(turns, max_messages, max_tokens, count_tokens)
            if most is None or most == bound or len(fitting) < len(turns) or not older:
                return fitting
            most = most * 4 if bound is None else min(bound, most * 4)

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
        return await self._cells.page(notebook_id, owner, offset, limit)

    async def list_owners(self) -> list[str]:
        """Whose records there are."""
        owners = await self._wire.command("SMEMBERS", self._names.owners)
        return sorted(owner_of(owner.decode()) for owner in owners)

    async def exists(self, key: SessionKey) -> bool:
        """Whether anything is stored under the key."""
        return await self._cells.exists(key)

    async def delete(self, key: SessionKey, *, if_revision: int | None = None) -> bool:
        """Remove a session for good."""
        return await self._cells.delete(key, if_revision)

    async def fork(self, source: SessionKey, target: SessionKey) -> Session:
        """Copy a session to another cell."""
        async for existing in self._tries(target):
            if existing:
                return existing.session
            found = await self._cells.load(source)
            copy = await asyncio.to_thread(fork_session, found and found.session, target)
            if await self._cells.put(target, copy, NOT_STORED):
                return copy
        raise StorageBusy

    async def take_over(
        self, key: SessionKey, other: Session, *, merged_digests: Collection[str] = ()
    ) -> bool:
        """Keep what another place knows of the cell as well."""
        check_writable(other.meta, None)
        async for existing in self._tries(key):
            session = existing.session if existing else new_session(key)
            check_writable(session.meta, None)
            if not await asyncio.to_thread(merge_into, session, other, merged_digests):
                return False
            stamp = existing.stamp if existing else NOT_STORED
            if await self._cells.put(key, session, stamp):
                return True
        raise StorageBusy

    def exclusively(self, *, owner: str = "") -> contextlib.AbstractAsyncContextManager[None]:
        """Be the only server that says which of the owner's notebooks is which."""
        name = self._names.of("alone", owner)
        return alone(self._wire, name, self.lock_timeout, self.log)

    async def append_notebook_log(
        self, notebook_id: str, entries: Sequence[NewLogEntry], *, owner: str = ""
    ) -> list[NotebookLogEntry]:
        """Append lines to a notebook's log."""
        return await self._side.append(check_id("notebookId", notebook_id), entries, owner)

    async def read_notebook_log(
        self, notebook_id: str, *, owner: str = ""
    ) -> list[NotebookLogEntry]:
        """A notebook's log, oldest first."""
        return (await self._side.read(check_id("notebookId", notebook_id), owner)).entries

    async def list_notebooks(self, *, owner: str = "") -> list[str]:
        """The ids of the notebooks that have a log, sorted."""
        return sorted(await self._side.marks(owner))

    async def notebook_marks(self, *, owner: str = "") -> Mapping[str, Hashable]:
        """The last number of each log, and a stamp of the last write."""
        return await self._side.marks(owner)

    async def delete_notebook_log(self, notebook_id: str, *, owner: str = "") -> bool:
        """Remove a notebook's log for good."""
        return await self._side.delete_log(check_id("notebookId", notebook_id), owner)

    async def put_blob(self, data: bytes, *, owner: str = "") -> str:
        """Keep bytes by content."""
        return await self._side.put(data, owner)

    async def get_blob(self, sha256: str, *, owner: str = "") -> bytes | None:
        """The bytes under a hash, or None."""
        return await self._side.get(check_sha256(sha256), owner)

    async def list_blobs(self, *, owner: str = "") -> list[str]:
        """The hashes of all blobs, sorted."""
        return await self._side.digests(owner)

    async def delete_blob(self, sha256: str, *, owner: str = "") -> bool:
        """Remove a blob for good."""
        return await self._side.delete_blob(check_sha256(sha256), owner)

    def verify(self, *, owner: str = "", repair: bool = False) -> AsyncIterator[VerifyResult]:
        """Look at each record, its counters, and its places in the indexes."""
        return Check(self._wire, self._names, self._cells, owner).run(repair)

    async def writable(self) -> bool:
        """Whether Redis answers, is no read-only copy, and has memory left."""
        try:
            info = await self._wire.info()
        except StorageError:
            return False
        return info.get("role") != "slave" and not guarantees.full(info)

    async def close(self) -> None:
        """Close the connections."""
        await self._wire.close()

    async def _tries(self, key: SessionKey) -> AsyncIterator[Loaded | None]:
        """The session as it is, again and again until a write that builds on it went through."""
        loop = asyncio.get_running_loop()
        until = loop.time() + self.lock_timeout
        while loop.time() < until:
            yield await self._cells.load(key)
            await asyncio.sleep(random.uniform(0, 0.02))  # noqa: S311
