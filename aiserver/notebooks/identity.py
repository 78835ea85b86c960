"""Which notebook is this? Ids that survive rename, move and copy (DESIGN: "Who is who").

What must hold:

- A notebook that was renamed or moved keeps its id, and so does one that is reached by two paths; a
  copy gets a new id and its own copy of the sessions. Two notebooks never share an id for longer
  than one call here.
- A notebook that lost its id is known again by its path, but only if a cell agrees: another
  notebook under an old name (``Untitled.ipynb``) inherits nothing.
- Asking twice is the same as asking once, also where the first answer got lost, the server died
  in the middle, or another server is asked at the same time. Where two pages know a notebook
  differently, the file decides.
- The logs are the truth; the index in memory is made from them and follows them.

The logs' entries: ``path_seen {path, forked_from?}``, where ``forked_from`` marks a copy that has
not yet come back with its new id; ``cell_order {cell_ids}``, as seen at the path before it;
``taken_over {taken, digests}``, what was copied from other places (``other_roots.py``); and of a
copy ``changed {cells, digests, id, inherited}``, how far its cells had come in the notebook that it
is a copy of: all that is older than the copy.
"""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Hashable, Iterable, Sequence, Set
from dataclasses import dataclass, field
from typing import Any, Protocol

from ..errors import SessionCorrupt, SessionTooNew
from ..models import NewLogEntry, NotebookLogEntry, SessionKey, check_id, is_id, utc_now
from ..sessions.base import SessionManager
from ..sessions.record.merge.digests import last_digest, seqs_by_digest
from .other_roots import Elsewhere, Taken

_PATH_SEEN = "path_seen"
_CELL_ORDER = "cell_order"
_TAKEN_OVER = "taken_over"
_CHANGED = "changed"


class NotebookFiles(Protocol):
    """What must be known of the notebooks' files."""

    def name(self, path: str) -> str:
        """What the logs call the notebook at a path of Jupyter's contents API.

        The same wherever Jupyter was started.
        """

    def path(self, name: str) -> str | None:
        """The path that the server serves it at; None if it serves none."""

    async def exists(self, name: str) -> bool:
        """Whether there is a notebook of that name."""

    async def notebook_id(self, name: str) -> str | None:
        """The id that it carries on disk, or None."""

    async def is_same(self, name: str, other: str) -> bool:
        """Whether two names lead to one file: through a link, or names that the disk folds."""


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
    taken: Taken = field(default_factory=Taken)
    says_inherited: bool = False  # whether the log tells what is older than the copy
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
            elif entry.type == _TAKEN_OVER:
                self.taken.follow(entry.data)
            elif entry.type == _CHANGED and entry.data.get("inherited") is True:
                self.says_inherited = True
        return self


class NotebookRegistry:
    """Answers "which id must the notebook at this path carry?"."""

    def __init__(
        self,
        store: SessionManager,
        files: NotebookFiles,
        elsewhere: Elsewhere | None = None,
        *,
        owner: str = "",
    ) -> None:
        self._store, self._files, self._elsewhere = store, files, elsewhere
        self._owner = owner
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
        async with self._one_at_a_time, self._store.exclusively(owner=self._owner):
            if self._elsewhere:
                await self._elsewhere.take_logs(path)
            await self._refresh()
            name = self._files.name(path)
            claimed = notebook_id or await self._claimed_by_none(name, cell_ids)
            if claimed is None:
                claimed = str(uuid.uuid4())
            elif not await self._is_at_home(claimed, name):
                return await self._fork(claimed, path, cell_ids)
            await self._record(claimed, name, cell_ids)
            await self._take_over(path, claimed, claimed)
            return NotebookIdentity(claimed)

    async def paths(self, notebook_ids: Iterable[str]) -> dict[str, str | None]:
        """Where notebooks are now, as the server's contents API knows it; None if one is gone.

        Raises StorageError.
        """
        async with self._one_at_a_time:
            await self._refresh()
            names = {id_: self._notebooks[id_].path for id_ in self._notebooks}
        found: dict[str, str | None] = {}
        for notebook_id in notebook_ids:
            name = names.get(notebook_id)
            is_there = name is not None and await self._files.exists(name)
            found[notebook_id] = self._files.path(name) if is_there and name else None
        return found

    async def _claimed_by_none(self, name: str, cell_ids: Sequence[str]) -> str | None:
        """The id for a page without one: of its file, its cells, or given before and unused.

        Its file has one if another page has asked and saved meanwhile. Where the cells' ids are
        made up on each read, two pages have no cell in common: while nothing was asked in either,
        they may share an id, for there is nothing to inherit.
        """
        on_disk = await self._files.notebook_id(name)
        if on_disk is not None and is_id(on_disk):
            return on_disk
        known = self._known_at(name, cell_ids)
        if known is not None:
            return known
        for notebook_id, notebook in sorted(self._notebooks.items()):
            if notebook.path == name and notebook.pending_fork_of is None:
                _, count = await self._store.list_sessions(notebook_id, owner=self._owner, limit=1)
                if not count:
                    return notebook_id
        return None

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
        if not await self._files.exists(known.path):
            return True
        if await self._files.is_same(known.path, path):
            return True
        # Another notebook may have taken the old place. One whose id a tool has stripped counts
        # as another too: if it does come back, it is known by its cells, and gets its own copy.
        return await self._files.notebook_id(known.path) != notebook_id

    async def _fork(self, origin: str, path: str, cell_ids: Sequence[str]) -> NotebookIdentity:
        name = self._files.name(path)
        # A copy that never came back with its new id asks once more: the same answer.
        copy = next(
            (
                notebook_id
                for notebook_id, known in self._notebooks.items()
                if known.path == name and known.pending_fork_of == origin
            ),
            None,
        ) or str(uuid.uuid4())
        # The log first: if we die on the way, the next call finds it and forks the rest.
        await self._record(copy, name, cell_ids, forked_from=origin)
        sessions, _ = await self._store.list_sessions(origin, owner=self._owner)
        await self._keep_away(origin, copy, {row.cell_id for row in sessions})
        # What a place nearer to the copy has kept of it is its own history, more than ours.
        await self._take_over(path, origin, copy)
        marks: dict[str, int] = {}
        digests: dict[str, str] = {}
        for row in sessions:
            source = SessionKey(origin, row.cell_id, self._owner)
            target = SessionKey(copy, row.cell_id, self._owner)
            try:
                session = await self._store.fork(source, target)
            except (SessionTooNew, SessionCorrupt):
                continue  # it can't be copied; it stays with the original
            marks[row.cell_id] = session.next_seq - 1
            if found := last_digest(session):
                digests[row.cell_id] = found
        await self._record_inherited(copy, marks, digests)
        return NotebookIdentity(copy, forked_from=origin)

    async def _record_inherited(
        self, copy: str, marks: dict[str, int], digests: dict[str, str]
    ) -> None:
        """Log what is older than a copy: no later line may take it for its own."""
        known = self._notebooks[copy]
        if marks and not known.says_inherited:
            name = str(uuid.uuid4())
            data = {"cells": marks, "digests": digests, "id": name, "inherited": True}
            entry = NewLogEntry(type=_CHANGED, timestamp=utc_now(), data=data)
            saved = await self._store.append_notebook_log(copy, [entry], owner=self._owner)
            known.follow(saved)

    async def _keep_away(self, origin: str, copy: str, cell_ids: Set[str]) -> None:
        """Log for a copy what was taken over and then deleted: it must not come back in it."""
        known = self._notebooks[copy]
        deleted: dict[str, list[str]] = {}
        for cell_id, digests in self._notebooks[origin].taken.digests.items():
            if cell_id in known.taken.digests:
                continue
            try:
                key = SessionKey(origin, cell_id, self._owner)
                session = await self._store.load_if_exists(key) if cell_id in cell_ids else None
            except (SessionTooNew, SessionCorrupt):
                continue
            if missing := digests.difference(seqs_by_digest(session) if session else ()):
                deleted[cell_id] = sorted(missing)
        if deleted:
            data = {"taken": {}, "digests": deleted}
            entry = NewLogEntry(type=_TAKEN_OVER, timestamp=utc_now(), data=data)
            saved = await self._store.append_notebook_log(copy, [entry], owner=self._owner)
            known.follow(saved)

    async def _take_over(self, path: str, source: str, target: str) -> None:
        if self._elsewhere is None:
            return
        known = self._notebooks[target]
        taken = await self._elsewhere.take_sessions(path, source, target, known.taken)
        if taken:
            entry = NewLogEntry(type=_TAKEN_OVER, timestamp=utc_now(), data=taken)
            saved = await self._store.append_notebook_log(target, [entry], owner=self._owner)
            known.follow(saved)

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
        name: str,
        cell_ids: Sequence[str],
        *,
        forked_from: str | None = None,
    ) -> None:
        """Log where a notebook was seen and with which cells, as far as that is new."""
        known = self._notebooks.setdefault(notebook_id, _Notebook())
        news: list[tuple[str, dict[str, Any]]] = []
        moved = (known.path, known.pending_fork_of) != (name, forked_from)
        if moved:
            seen: dict[str, Any] = {"path": name}
            news.append((_PATH_SEEN, seen | ({"forked_from": forked_from} if forked_from else {})))
        if cell_ids and (moved or known.cell_order != list(cell_ids)):
            news.append((_CELL_ORDER, {"cell_ids": list(cell_ids)}))
        if news:
            now = utc_now()
            entries = [NewLogEntry(type=type_, timestamp=now, data=data) for type_, data in news]
            saved = await self._store.append_notebook_log(notebook_id, entries, owner=self._owner)
            known.follow(saved)
