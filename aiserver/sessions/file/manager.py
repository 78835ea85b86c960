"""The default store: one readable JSON file per cell, in ``<root>/.aiserver_sessions``.

Invariants: those of ``base.py`` hold for all threads and processes that share the folder, even if
some are killed. All file operations run in threads.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Collection, Hashable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from traitlets import Float, Unicode, default, validate

from ...durable import Stamp, translate_os_errors
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
)
from ..base import SessionManager, VerifyResult
from ..record.filenames import check_sha256
from ..record.merge import merge_into
from ..record.mutations import append_events, append_turn, check_writable, sort_and_slice
from ..threads import Workers
from .directory import SessionDirectory, find_root, path_from_url
from .listing import Listing
from .logs_and_blobs import Blobs, NotebookLogs
from .session_files import SessionFiles
from .verify import Verifier, run_check

T = TypeVar("T")


class FileSessionManager(SessionManager):
    """Stores sessions as files. A finished write survives a machine's crash."""

    root = Unicode(
        help="""The folder that contains `.aiserver_sessions`. Default: the closest folder that
        already has it, from the server's root directory up to the git repository root or the home
        folder; otherwise the server's root directory."""
    ).tag(config=True)

    lock_timeout = Float(
        10.0, help="Seconds to wait for another process that is writing to the same session."
    ).tag(config=True)

    @default("root")
    def _default_root(self) -> str:
        return str(find_root(Path(self.start_dir or Path.cwd())))

    @validate("root")
    def _expand_home(self, proposal: Any) -> str:
        return str(Path(proposal["value"]).expanduser())

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        if self.url:  # the URL overrides the configured ``root``
            self.root = str(path_from_url(self.url))
        self._directory = directory = SessionDirectory(Path(self.root), self.lock_timeout)
        self._files = SessionFiles(directory, self.log)
        self._listing = Listing(self._files)
        self._notebook_logs = NotebookLogs(directory, self.log)
        self._blobs = Blobs(directory, self.log)
        self._workers: Workers | None = None

    async def start(self) -> list[str]:
        return await self._run(self._directory.start)

    async def notices(self) -> list[str]:
        return await self._run(self._directory.notices)

    async def load_if_exists(self, key: SessionKey) -> Session | None:
        return await self._run(self._files.load, key)

    async def load_raw(self, key: SessionKey) -> tuple[bytes, int] | None:
        return await self._run(self._files.load_raw, key)

    async def load_raw_batch(self, keys: Sequence[SessionKey]) -> list[bytes | None]:
        """Read all files in one thread."""
        return await self._run(lambda: [self._files.load_raw_unchecked(key) for key in keys])

    async def save_interaction(
        self, key: SessionKey, turn: NewTurn, *, if_revision: int | None = None
    ) -> tuple[Interaction, int]:
        return await self._run(
            self._files.change, key, if_revision, lambda session: append_turn(session, turn)
        )

    async def record_events(
        self, key: SessionKey, events: Sequence[NewEvent], *, if_revision: int | None = None
    ) -> tuple[list[Event], int]:
        return await self._run(
            self._files.change, key, if_revision, lambda session: append_events(session, events)
        )

    async def list_sessions(
        self,
        notebook_id: str | None = None,
        *,
        owner: str = "",
        offset: int = 0,
        limit: int | None = None,
    ) -> tuple[list[SessionSummary], int]:
        if notebook_id is not None:
            check_id("notebookId", notebook_id)

        def work() -> tuple[list[SessionSummary], int]:
            all_summaries = self._listing.summaries(notebook_id, owner)
            summaries, total = sort_and_slice(all_summaries, offset, limit)
            # The listing caches these objects, and callers may change theirs.
            return [summary.model_copy() for summary in summaries], total

        return await self._run(work)

    async def session_marks(
        self, notebook_id: str | None = None, *, owner: str = ""
    ) -> Mapping[tuple[str, str], Hashable]:
        if notebook_id is not None:
            check_id("notebookId", notebook_id)
        return await self._run(self._listing.marks, notebook_id, owner)

    async def list_owners(self) -> list[str]:
        """Return the owners in the sessions' meta; ``""`` for none."""
        return await self._run(self._listing.owners)

    async def exists(self, key: SessionKey) -> bool:
        return await self._run(self._files.exists, key)

    async def delete(self, key: SessionKey, *, if_revision: int | None = None) -> bool:
        """Delete a session and its quarantined files; return False if there was neither."""
        return await self._run(self._files.delete, key, if_revision)

    async def fork(self, source: SessionKey, target: SessionKey) -> Session:
        return await self._run(self._files.fork, source, target)

    async def merge_copy(
        self, key: SessionKey, other: Session, *, merged_digests: Collection[str] = ()
    ) -> bool:
        check_writable(other)

        def merge(session: Session) -> bool:
            return merge_into(session, other, merged_digests)

        has_changed, _ = await self._run(lambda: self._files.change(key, None, merge))
        return has_changed

    @contextlib.asynccontextmanager
    async def notebook_id_lock(self, *, owner: str = "") -> AsyncIterator[None]:
        """Hold the lock of the whole folder, for all owners."""
        if not await self.writable():
            yield  # a process that can't write gives no notebook an id
            return
        stack = contextlib.ExitStack()
        acquiring = self._run(lambda: stack.enter_context(self._directory.lock_exclusive()))

        def release_lock(_: object) -> None:
            stack.close()

        try:
            await asyncio.shield(acquiring)
        except asyncio.CancelledError:
            # The thread still waits for the lock, and may get it later.
            acquiring.add_done_callback(release_lock)
            raise
        try:
            yield
        finally:
            await self._run(stack.close)

    async def append_notebook_log(
        self, notebook_id: str, entries: Sequence[NewLogEntry], *, owner: str = ""
    ) -> list[NotebookLogEntry]:
        check_id("notebookId", notebook_id)
        return await self._run(self._notebook_logs.append, notebook_id, entries, owner)

    async def read_notebook_log(
        self, notebook_id: str, *, owner: str = ""
    ) -> list[NotebookLogEntry]:
        check_id("notebookId", notebook_id)
        return await self._run(self._notebook_logs.read, notebook_id, owner)

    async def list_notebooks(self, *, owner: str = "") -> list[str]:
        return sorted(await self._run(self._notebook_logs.marks, owner))

    async def notebook_marks(self, *, owner: str = "") -> dict[str, Stamp]:
        return await self._run(self._notebook_logs.marks, owner)

    async def delete_notebook_log(self, notebook_id: str, *, owner: str = "") -> bool:
        check_id("notebookId", notebook_id)
        return await self._run(self._notebook_logs.delete, notebook_id, owner)

    async def put_blob(self, data: bytes, *, owner: str = "") -> str:
        return await self._run(self._blobs.put, data, owner)

    async def get_blob(self, sha256: str, *, owner: str = "") -> bytes | None:
        return await self._run(self._blobs.get, check_sha256(sha256), owner)

    async def list_blobs(self, *, owner: str = "") -> list[str]:
        return sorted(await self._run(self._blobs.hashes, owner))

    async def delete_blob(self, sha256: str, *, owner: str = "") -> bool:
        return await self._run(self._blobs.delete, check_sha256(sha256), owner)

    async def verify(self, *, owner: str = "", repair: bool = False) -> AsyncIterator[VerifyResult]:
        list_owners = self._listing.owners
        verifier = Verifier(
            self._directory, self._files, self._notebook_logs, self._blobs, owner, list_owners
        )
        for check in await self._run(verifier.checks):
            yield await self._run(run_check, check, repair)

    async def has_damage(
        self, notebook_id: str, cell_id: str | None = None, *, owner: str = ""
    ) -> bool:
        if cell_id is None:
            return await self._run(self._notebook_logs.has_damage, notebook_id, owner)
        return await self._run(self._files.has_damage, SessionKey(notebook_id, cell_id, owner))

    async def writable(self) -> bool:
        return await self._run(self._directory.is_writable)

    async def close(self) -> None:
        workers, self._workers = self._workers, None
        if workers:
            await asyncio.to_thread(workers.close)

    def _run(self, work: Callable[..., T], *args: Any) -> asyncio.Future[T]:
        # These threads may wait for locks; the server's own must not.
        if self._workers is None:
            self._workers = Workers(8)
        return self._workers.run(partial(_translate_errors, work, *args))


def _translate_errors(work: Callable[..., T], *args: Any) -> T:
    with translate_os_errors():
        return work(*args)
