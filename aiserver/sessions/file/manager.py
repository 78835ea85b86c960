"""The default store: one readable JSON file per cell, in ``<root>/.aiserver_sessions``.

What must hold: that of ``base.py``, among threads and processes that share the folder, also when
any of them is killed. All work with files is done in threads, none on the event loop, but for a
look at the stamp of one that was read before, on a disk of this machine.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Collection, Hashable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from traitlets import Float, Unicode, default, validate

from ...durable import Stamp, storage_error_class, translate_os_errors
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
from ..record.merge.sessions import merge_into
from ..record.mutations import check_writable
from ..record.prepared_turn import PreparedTurn
from ..record.summaries import page
from .directory import SessionDirectory
from .listing import Listing
from .logs_and_blobs import Blobs, NotebookLogs
from .reader import Reader
from .root import find_root, path_from_url
from .session_files import SessionFiles
from .threads import Workers
from .verify import Checks, looked

T = TypeVar("T")

_SHORT = 4_000  # characters; full of secrets, these take some 4 ms


class FileSessionManager(SessionManager):
    """Keeps sessions as files. Durable: what is acknowledged survives the machine's death."""

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
    def _home_in_root(self, proposal: Any) -> str:
        return str(Path(proposal["value"]).expanduser())

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        if self.url:  # says more than a folder that is configured for all
            self.root = str(path_from_url(self.url))
        self._place = place = SessionDirectory(Path(self.root), self.lock_timeout)
        reader = Reader(place, self.log)
        self._files = SessionFiles(reader, self.log)
        self._listing = Listing(reader)
        self._notebook_logs = NotebookLogs(place, self.log)
        self._blobs = Blobs(place, self.log)
        self._workers: Workers | None = None

    async def start(self) -> list[str]:
        """Sweep what dead writers left, shut others out; say what the disk doesn't guarantee."""
        return await self._run(self._place.start)

    async def notices(self) -> list[str]:
        """What the disk doesn't guarantee, and who else may look."""
        return await self._run(self._place.notices)

    async def load_if_exists(self, key: SessionKey) -> Session | None:
        """The stored session, or None."""
        return await self._run(self._files.load, key)

    async def load_raw(self, key: SessionKey) -> tuple[bytes, int] | None:
        """The bytes of the file as they are, and the revision, or None."""
        with translate_os_errors():
            known = self._files.at_hand(key)
        return known or await self._run(self._files.load_raw, key)

    async def load_stored(self, keys: Sequence[SessionKey]) -> list[bytes | None]:
        """The bytes of the files as they are, read in one thread, one by one."""
        return await self._run(lambda: [self._files.stored(key) for key in keys])

    async def save_interaction(
        self, key: SessionKey, turn: NewTurn, *, if_revision: int | None = None
    ) -> tuple[Interaction, int]:
        """Append one AI turn."""
        if _is_short(turn):
            return await self._run(self._files.add_turn, key, if_revision, PreparedTurn(turn))
        return await self._run(lambda: self._files.add_turn(key, if_revision, PreparedTurn(turn)))

    async def record_events(
        self, key: SessionKey, events: Sequence[NewEvent], *, if_revision: int | None = None
    ) -> tuple[list[Event], int]:
        """Append events in one write."""
        return await self._run(self._files.add_events, key, if_revision, events)

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

        def work() -> tuple[list[SessionSummary], int]:
            rows, total = page(self._listing.summaries(notebook_id, owner), offset, limit)
            return [row.model_copy() for row in rows], total

        return await self._run(work)

    async def session_marks(
        self, notebook_id: str | None = None, *, owner: str = ""
    ) -> Mapping[tuple[str, str], Hashable]:
        """The stamp of each file."""
        if notebook_id is not None:
            check_id("notebookId", notebook_id)
        return await self._run(self._listing.marks, notebook_id, owner)

    async def list_owners(self) -> list[str]:
        """Nobody, and whom the sessions name."""
        return await self._run(self._listing.owners)

    async def exists(self, key: SessionKey) -> bool:
        """Whether there is a file under the key."""
        return await self._run(self._files.exists, key)

    async def delete(self, key: SessionKey, *, if_revision: int | None = None) -> bool:
        """Remove a session for good, and what was set aside of it as damaged."""
        return await self._run(self._files.delete, key, if_revision)

    async def fork(self, source: SessionKey, target: SessionKey) -> Session:
        """Copy a session to another cell."""
        return await self._run(self._files.fork, source, target)

    async def take_over(
        self, key: SessionKey, other: Session, *, merged_digests: Collection[str] = ()
    ) -> bool:
        """Keep what another place knows of the cell as well."""
        check_writable(other.meta, None)

        def edit(session: Session) -> bool:
            return merge_into(session, other, merged_digests)

        return await self._run(self._files.change, key, edit)

    @contextlib.asynccontextmanager
    async def exclusively(self, *, owner: str = "") -> AsyncIterator[None]:
        """Be the only process that says which notebook is which, whosever they are."""
        if not await self.writable():
            yield  # then nobody can say anything new
            return
        held = contextlib.ExitStack()
        entered = self._run(lambda: held.enter_context(self._place.alone()))

        def leave(_: object) -> None:
            held.close()

        try:
            await asyncio.shield(entered)
        except asyncio.CancelledError:
            entered.add_done_callback(leave)
            raise
        try:
            yield
        finally:
            await self._run(held.close)

    async def append_notebook_log(
        self, notebook_id: str, entries: Sequence[NewLogEntry], *, owner: str = ""
    ) -> list[NotebookLogEntry]:
        """Append lines to a notebook's log."""
        check_id("notebookId", notebook_id)
        return await self._run(self._notebook_logs.append, notebook_id, entries, owner)

    async def read_notebook_log(
        self, notebook_id: str, *, owner: str = ""
    ) -> list[NotebookLogEntry]:
        """A notebook's log, oldest first."""
        check_id("notebookId", notebook_id)
        return await self._run(self._notebook_logs.read, notebook_id, owner)

    async def list_notebooks(self, *, owner: str = "") -> list[str]:
        """The ids of the notebooks that have a log, sorted."""
        return sorted(await self._run(self._notebook_logs.marks, owner))

    async def notebook_marks(self, *, owner: str = "") -> dict[str, Stamp]:
        """The stamp of each notebook's log file."""
        return await self._run(self._notebook_logs.marks, owner)

    async def delete_notebook_log(self, notebook_id: str, *, owner: str = "") -> bool:
        """Remove a notebook's log for good."""
        check_id("notebookId", notebook_id)
        return await self._run(self._notebook_logs.delete, notebook_id, owner)

    async def put_blob(self, data: bytes, *, owner: str = "") -> str:
        """Keep bytes by content."""
        return await self._run(self._blobs.put, data, owner)

    async def get_blob(self, sha256: str, *, owner: str = "") -> bytes | None:
        """The bytes under a hash, or None."""
        return await self._run(self._blobs.get, check_sha256(sha256), owner)

    async def list_blobs(self, *, owner: str = "") -> list[str]:
        """The hashes of all blobs, sorted."""
        return sorted(await self._run(self._blobs.hashes, owner))

    async def delete_blob(self, sha256: str, *, owner: str = "") -> bool:
        """Remove a blob for good."""
        return await self._run(self._blobs.delete, check_sha256(sha256), owner)

    async def verify(self, *, owner: str = "", repair: bool = False) -> AsyncIterator[VerifyResult]:
        """Look at each file; with ``repair`` mend what can be."""
        of_owners = self._listing.owners
        checks = Checks(
            self._place, self._files, self._notebook_logs, self._blobs, owner, of_owners
        )
        for look in await self._run(checks.all):
            yield await self._run(looked, look, repair)

    async def writable(self) -> bool:
        """Whether the folder, or the one it is to be made in, lets us write."""
        return await self._run(self._place.is_writable)

    async def close(self) -> None:
        """End the threads, after what they have begun."""
        workers, self._workers = self._workers, None
        if workers:
            await asyncio.to_thread(workers.close)

    def _run(self, work: Callable[..., T], *args: Any) -> asyncio.Future[T]:
        # Threads of our own: a wait for a lock must not hold up the server's other work.
        if self._workers is None:
            self._workers = Workers(8)
        return self._workers.run(partial(_translating, work, *args))


def _is_short(turn: NewTurn) -> bool:
    """Whether it is made ready quicker here than in a thread that must be woken for it."""
    asked, answered = turn.user_request, turn.ai_response
    texts = (asked.intent, asked.current_code, answered.suggestion, answered.explanation)
    return sum(map(len, texts)) < _SHORT and not (turn.dataframes or turn.__pydantic_extra__)


def _translating(work: Callable[..., T], *args: Any) -> T:
    try:
        return work(*args)
    except OSError as exc:
        raise storage_error_class(exc) from exc
