"""Export notebooks in a child process.

This takes tenths of a second or more (``benchmarks/exports.py``), in which even a thread would hold
the GIL. One export runs at a time, since each may need much memory, and is killed after ``limit``
seconds. Of a very large notebook, only the cells that changed last are exported.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from ...child_process import Child, ChildEnded, command_of
from ...errors import ExportFailed, ExportTimeout, NotFound
from ...models import check_id
from ...notebooks.history import load_raw_batch
from ...sessions.base import SessionManager
from ...sessions.record.codec import encode
from .export import NO_HISTORY, Format
from .pictures import load_pictures
from .worker import Job

_COMMAND = command_of("aiserver.plugins.export.worker")
_LIMIT = 300.0  # seconds
# At most, unless the newest session is larger; it takes some 12 s
# (``benchmarks/large_notebooks.py``).
_MAX_BYTES = 64 * 1024 * 1024


class Exporter:
    """Exports the notebooks of one owner."""

    def __init__(
        self,
        store: SessionManager,
        *,
        owner: str = "",
        command: Sequence[str] = _COMMAND,
        limit: float = _LIMIT,
    ) -> None:
        self._store, self._owner = store, owner
        self._command, self._limit = tuple(command), limit
        self._lock = asyncio.Lock()

    async def export(
        self,
        notebook_id: str,
        format_: Format,
        *,
        name: str | None = None,
        notebook: dict[str, Any] | None = None,
    ) -> bytes:
        """Export a notebook; return JSON with the ``name`` and ``content`` of the exported file.

        ``name`` and ``notebook`` are those of the notebook's file. Raises InvalidRequest, NotFound
        without a history, StorageError, and ExportFailed or ExportTimeout.
        """
        check_id("notebookId", notebook_id)
        async with self._lock:
            sessions, left_out = await self._sessions(notebook_id)
            entries = await self._store.read_notebook_log(notebook_id, owner=self._owner)

            def create_job() -> Job:
                log = [encode(entry, None) for entry in entries]
                return Job(
                    notebook_id, self._owner, format_, name, notebook, sessions, log, left_out
                )

            return await self._run(await asyncio.to_thread(create_job))

    async def _sessions(self, notebook_id: str) -> tuple[dict[str, bytes], frozenset[str]]:
        marks = await self._store.session_marks(notebook_id, owner=self._owner)
        cells = [cell_id for _, cell_id in marks]  # the newest first
        sessions = await load_raw_batch(self._store, self._owner, notebook_id, cells, _MAX_BYTES)
        left_out = frozenset(cells) - sessions.keys()
        return dict(sorted(sessions.items())), left_out

    async def _run(self, job: Job) -> bytes:
        try:
            child = await asyncio.to_thread(Child, self._command)
        except OSError as error:
            raise ExportFailed from error
        try:
            return await asyncio.wait_for(self._exchange(child, job), self._limit)
        except ChildEnded as error:
            raise ExportFailed from error
        except BaseException as error:
            child.kill()  # a thread may still be waiting for the child; this ends its wait
            if isinstance(error, asyncio.TimeoutError):
                raise ExportTimeout from error
            raise
        finally:
            await asyncio.shield(asyncio.to_thread(child.end))

    async def _exchange(self, child: Child, job: Job) -> bytes:
        """Send the job, then the pictures that the child needs; return the file as JSON."""
        hashes = await asyncio.to_thread(child.call, job)
        if hashes is None:
            raise NotFound(NO_HISTORY)
        pictures = await load_pictures(self._store, hashes, owner=self._owner)
        answer: bytes = await asyncio.to_thread(child.call, pictures)
        return answer
