"""Which notebook is this? Ids that survive rename, move and copy (DESIGN: "Who is who").

What must hold:

- A notebook that was renamed or moved keeps its id; a copy gets a new id and its own copy of the
  sessions. Two notebooks never share an id for longer than one call here.
- A notebook that lost its id is known again by its path, but only if a cell agrees: another
  notebook under an old name (``Untitled.ipynb``) inherits nothing.
- Asking twice is the same as asking once, also where the first answer got lost or the server
  died in the middle.
- The logs are the truth; the index in memory is made from them and follows them.

The logs' entries: ``path_seen {path, forked_from?}``, where ``forked_from`` marks a copy that has
not yet come back with its new id; ``cell_order {cell_ids}``, as seen at the path before it.
"""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Awaitable, Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..errors import SessionCorrupt, SessionTooNew
from ..models import NewLogEntry, NotebookLogEntry, SessionKey, check_id, utc_now
from .base import SessionManager

PathExists = Callable[[str], Awaitable[bool]]
NotebookIdAt = Callable[[str], Awaitable[str | None]]

_PATH_SEEN = "path_seen"
_CELL_ORDER = "cell_order"


@dataclass(frozen=True)
class NotebookIdentity:
    """The id that a notebook must carry, and the one it was copied from, if it was."""

    notebook_id: str
    forked_from: str | None = None


@dataclass
class _Notebook:
    """What a notebook's log says."""

    path: str | None = None  # where it was last seen
    pending_fork_of: str | None = None
    cell_order: list[str] | None = None
    cells_at: dict[str, set[str]] = field(default_factory=dict)
    last_seq: int = 0

    def follow(self, entries: Iterable[NotebookLogEntry]) -> _Notebook:
        """Take in what comes after ``last_seq``."""
        for entry in entries:
            if entry.seq <= self.last_seq:
                continue
            self.last_seq = entry.seq
            path, cell_ids = entry.data.get("path"), entry.data.get("cell_ids")
            if entry.type == _PATH_SEEN and isinstance(path, str):
                self.path, self.cell_order = path, None
                self.pending_fork_of = entry.data.get("forked_from")
                self.cells_at.setdefault(path, set())
            elif entry.type == _CELL_ORDER and isinstance(cell_ids, list) and self.path:
                self.cell_order = [str(cell_id) for cell_id in cell_ids]
                self.cells_at[self.path].update(self.cell_order)
        return self


class NotebookRegistry:
    """Answers "which id must the notebook at this path carry?".

    ``path_exists`` says whether there is a notebook at a path; ``notebook_id_at`` which id it
    carries on disk, or None. Paths are those of Jupyter's contents API.
    """

    def __init__(
        self,
        store: SessionManager,
        path_exists: PathExists,
        notebook_id_at: NotebookIdAt | None = None,
        *,
        owner: str = "",
    ) -> None:
        self._store, self._owner = store, owner
        self._path_exists, self._notebook_id_at = path_exists, notebook_id_at
        self._notebooks: dict[str, _Notebook] = {}
        self._marks: dict[str, Hashable] = {}
        # One call at a time: calls are rare and quick, and two of them may mean one notebook.
        self._one_at_a_time = asyncio.Lock()

    async def identify(
        self, path: str, notebook_id: str | None, cell_ids: Sequence[str]
    ) -> NotebookIdentity:
        """The id for the notebook at ``path``, which carries ``notebook_id`` now.

        Raises InvalidRequest for an id that is none, StorageError.
        """
        if notebook_id is not None:
            check_id("notebookId", notebook_id)
        path = path.strip("/")
        async with self._one_at_a_time:
            await self._refresh()
            claimed = notebook_id or self._known_at(path, cell_ids)
            if claimed is None:
                identity = NotebookIdentity(str(uuid.uuid4()))
                await self._record(identity.notebook_id, path, cell_ids)
            elif await self._is_at_home(claimed, path):
                identity = NotebookIdentity(claimed)
                await self._record(claimed, path, cell_ids)
            else:
                identity = await self._fork(claimed, path, cell_ids)
            return identity

    def _known_at(self, path: str, cell_ids: Sequence[str]) -> str | None:
        """The notebook that was seen at a path with some of these cells; the best match."""
        cells = set(cell_ids)
        overlaps = {
            notebook_id: (len(cells & known.cells_at[path]), known.path == path, notebook_id)
            for notebook_id, known in self._notebooks.items()
            if cells & known.cells_at.get(path, set())
        }
        return max(overlaps, key=lambda notebook_id: overlaps[notebook_id], default=None)

    async def _is_at_home(self, notebook_id: str, path: str) -> bool:
        """Whether this is the notebook itself (perhaps moved), not a copy of it."""
        known = self._notebooks.get(notebook_id)
        if known is None or known.path in (None, path):
            return True
        if not await self._path_exists(known.path):
            return True
        # Another notebook may have taken the old place. One whose id a tool has stripped counts
        # as another too: if it does come back, it is known by its cells, and gets its own copy.
        if self._notebook_id_at is None:
            return False
        return await self._notebook_id_at(known.path) != notebook_id

    async def _fork(self, origin: str, path: str, cell_ids: Sequence[str]) -> NotebookIdentity:
        # A copy that never came back with its new id asks once more: the same answer.
        copy = next(
            (
                notebook_id
                for notebook_id, known in self._notebooks.items()
                if known.path == path and known.pending_fork_of == origin
            ),
            None,
        ) or str(uuid.uuid4())
        # The log first: if we die on the way, the next call finds it and forks the rest.
        await self._record(copy, path, cell_ids, forked_from=origin)
        sessions, _ = await self._store.list_sessions(origin, owner=self._owner)
        for row in sessions:
            source = SessionKey(origin, row.cell_id, self._owner)
            try:
                await self._store.fork(source, SessionKey(copy, row.cell_id, self._owner))
            except (SessionTooNew, SessionCorrupt):
                continue  # it can't be copied; it stays with the original
        return NotebookIdentity(copy, forked_from=origin)

    async def _refresh(self) -> None:
        marks = await self._store.notebook_marks(owner=self._owner)
        for notebook_id, mark in marks.items():
            if self._marks.get(notebook_id) != mark:
                log = await self._store.read_notebook_log(notebook_id, owner=self._owner)
                self._notebooks[notebook_id] = _Notebook().follow(log)
        self._marks = dict(marks)
        for notebook_id in self._notebooks.keys() - marks.keys():
            del self._notebooks[notebook_id]

    async def _record(
        self,
        notebook_id: str,
        path: str,
        cell_ids: Sequence[str],
        *,
        forked_from: str | None = None,
    ) -> None:
        """Log where a notebook was seen and with which cells, as far as that is new."""
        known = self._notebooks.setdefault(notebook_id, _Notebook())
        news: list[tuple[str, dict[str, Any]]] = []
        moved = (known.path, known.pending_fork_of) != (path, forked_from)
        if moved:
            seen: dict[str, Any] = {"path": path}
            news.append((_PATH_SEEN, seen | ({"forked_from": forked_from} if forked_from else {})))
        if cell_ids and (moved or known.cell_order != list(cell_ids)):
            news.append((_CELL_ORDER, {"cell_ids": list(cell_ids)}))
        if news:
            now = utc_now()
            entries = [NewLogEntry(type=type_, timestamp=now, data=data) for type_, data in news]
            saved = await self._store.append_notebook_log(notebook_id, entries, owner=self._owner)
            known.follow(saved)
