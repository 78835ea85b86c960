"""Exports a notebook in a process of its own.

To read large sessions and to write the file is work for Python alone, in calls that hold its lock
for tenths of a second: in a thread of the server the event loop would wait for them
(``benchmarks/exports.py``).

Invariants: the server parses no session for an export; one export at a time, for each may need
much memory; the process ends with its export.
"""

from __future__ import annotations

import asyncio
import pickle
import sys
from collections.abc import Sequence
from typing import Any

from ..children import Child
from ..errors import NotFound
from ..models import SessionKey, check_id, dumps
from ..sessions.base import SessionManager
from .child import Job
from .export import NOTHING, Format
from .pictures import load_pictures

_AT_ONCE = 64  # sessions that are asked for together

# With nothing of the working folder on the import path, as for the search.
_CODE = (
    "import sys; sys.path[:] = filter(None, sys.path); from aiserver.sharing.child import main; "
)
_COMMAND = (sys.executable, "-c", _CODE + "main()")


class Exporter:
    """Exports the notebooks of one owner."""

    def __init__(
        self, store: SessionManager, *, owner: str = "", command: Sequence[str] = _COMMAND
    ) -> None:
        self._store, self._owner, self._command = store, owner, tuple(command)
        self._one_at_a_time = asyncio.Lock()

    async def export(
        self,
        notebook_id: str,
        format_: Format,
        *,
        name: str | None = None,
        notebook: dict[str, Any] | None = None,
    ) -> bytes:
        """The JSON of the file's ``name`` and ``content``.

        ``name`` is that of the notebook and ``notebook`` what its file holds, if it is there.
        Raises InvalidRequest, NotFound where nothing is kept of it, StorageError, and
        ChildProcessError.
        """
        check_id("notebookId", notebook_id)
        async with self._one_at_a_time:
            sessions = await self._sessions(notebook_id)
            entries = await self._store.read_notebook_log(notebook_id, owner=self._owner)

            def job() -> Job:
                log = [dumps(entry, None) for entry in entries]
                return Job(notebook_id, self._owner, format_, name, notebook, sessions, log)

            return await self._run(await asyncio.to_thread(job))

    async def _sessions(self, notebook_id: str) -> dict[str, bytes]:
        marks = await self._store.session_marks(notebook_id, owner=self._owner)
        cells = sorted(cell_id for _, cell_id in marks)
        found: dict[str, bytes] = {}
        for at in range(0, len(cells), _AT_ONCE):
            some = cells[at : at + _AT_ONCE]
            keys = [SessionKey(notebook_id, cell_id, self._owner) for cell_id in some]
            stored = await self._store.load_stored(keys)
            found |= {cell: data for cell, data in zip(some, stored, strict=True) if data}
        return found

    async def _run(self, job: Job) -> bytes:
        child = await asyncio.to_thread(Child, self._command)
        try:
            named = await asyncio.to_thread(_ask, child, job)
            if named is None:
                raise NotFound(NOTHING)
            images = await load_pictures(self._store, named, owner=self._owner)
            made: bytes = await asyncio.to_thread(_ask, child, images)
            return made
        finally:
            await asyncio.shield(asyncio.to_thread(child.end))


def _ask(child: Child, request: object) -> Any:
    try:
        pickle.dump(request, child.requests, pickle.HIGHEST_PROTOCOL)
        child.requests.flush()
        return pickle.load(child.answers)  # noqa: S301 - our own child
    except (OSError, EOFError, pickle.UnpicklingError) as error:
        raise ChildProcessError("The process of the export ended.") from error
