"""Assign ids to notebooks. A renamed or moved notebook keeps its id; a copy gets a new id.

Invariants:

- A renamed or moved notebook keeps its id, even if two paths lead to its file. A copy gets a new id
  and copies of the sessions.
- If another person has saved an id in the file that no log here has, the notebook with this id is a
  copy of the one that was recorded at its path and has cells in common with it.
- A notebook that lost its id is recognised by its path, but only if a cell has an id and a content
  that were recorded there, or most of the contents are the same, or the recorded notebook has no
  sessions. So a new notebook at an old path (such as ``Untitled.ipynb``) doesn't get the old
  history. If it was moved, too, all its recorded cells must be in it, unchanged, and not all as
  they were first recorded, as in a template.
- The files of a pair of jupytext are one notebook: those that jupytext names, and a text notebook
  and the ``.ipynb`` file of the same name.
- Identifying a notebook again gives the same result, even if the response got lost, the server
  ended meanwhile, or two servers do it at the same time. A page without an id gets one that another
  page has saved in the file.

This module writes these entries into the change log:

- ``path_seen {path, forked_from?}``: the path and, for a copy, the original's id. Once a page has
  sent the copy's new id, an entry without ``forked_from`` follows.
- ``cell_order {cell_ids}``: the order of the cells at the last ``path_seen``.
- ``taken_over {taken, digests}``: the records copied from other roots (``other_roots.py``).
- ``changed {cells, digests, id, inherited}``, only in a copy: the last seqs in the original
  notebook. Records up to these are older than the copy.
"""

from __future__ import annotations

import asyncio
import contextlib
import operator
import uuid
from collections import Counter
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass
from itertools import takewhile
from pathlib import PurePosixPath
from typing import Any, Protocol

from ..errors import NotFound, SessionCorrupt, SessionTooNew, StorageError
from ..models import Id, NewLogEntry, SessionKey, check_id, is_id, utc_now
from ..payload import Payload
from ..sessions.base import SessionManager
from ..sessions.record.lru_cache import LRUCache
from ..sessions.record.merge import last_digest, seqs_by_digest
from .cell_match import (
    FileCell,
    Match,
    RecognisedCells,
    has_own_text,
    is_given,
    is_random,
    is_same_notebook,
    match_cells,
)
from .log_view import CHANGED, ORDER
from .notebook_index import COPIED, PATH_SEEN, NotebookIndex, NotebookState
from .other_roots import OtherRoots
from .recorded_cells import read_contents, record_matches

_MAX_SESSIONS = 5_000  # in a notebook with more, cells are only recognised by their ids
_MAX_COMPARED = 30  # notebooks at a path, or perhaps moved there
TEXT_SUFFIXES = (".py", ".md", ".Rmd", ".qmd", ".R", ".jl")  # the usual ones of jupytext
_MAX_FILES = 64  # files whose matches are kept until a page sends the ids


class NotebookFiles(Protocol):
    """Gives access to the files of notebooks."""

    def name(self, path: str) -> str:
        """Return the logs' name for a path of the contents API.

        It doesn't depend on the folder in which Jupyter was started.
        """

    def path(self, name: str) -> str | None:
        """Return the path in the contents API; None if the server doesn't serve it."""

    async def exists(self, name: str) -> bool:
        """Return whether there is a notebook of that name."""

    async def notebook_id(self, name: str) -> str | None:
        """Return the id in the notebook's file, or None."""

    async def is_same(self, name: str, other: str) -> bool:
        """Return whether two names lead to the same file; one may be a link."""


@dataclass(frozen=True)
class NotebookIdentity(Payload):
    """The id of a notebook, and the id of the notebook that it was copied from, if any."""

    notebook_id: Id
    forked_from: Id | None = None


class NotebookRegistry:
    """Assigns an id to the notebook at a path."""

    def __init__(
        self,
        store: SessionManager,
        files: NotebookFiles,
        other_roots: OtherRoots | None = None,
        *,
        owner: str = "",
    ) -> None:
        self._store, self._files, self._other_roots = store, files, other_roots
        self._owner = owner
        self._index = NotebookIndex(store, owner)
        self._matches: LRUCache[str, list[Match]] = LRUCache(_MAX_FILES)
        # One lock, because calls are rare, and two may be about the same notebook. Reading a
        # notebook doesn't wait for it.
        self._lock = asyncio.Lock()

    async def identify(
        self, path: str, notebook_id: str | None, cell_ids: Sequence[str]
    ) -> NotebookIdentity:
        """Return the id for the notebook at ``path``.

        ``notebook_id`` is its id in the page, if any. Raises InvalidField, StorageError.
        """
        if notebook_id is not None:
            check_id("notebookId", notebook_id)
        path = path.strip("/")
        async with self._lock, self._store.notebook_id_lock(owner=self._owner):
            identity = await self._identify(path, notebook_id, cell_ids)
        # Other notebooks don't wait for this.
        if identity.forked_from:
            await self._copy_history(identity.forked_from, identity.notebook_id)
            if identity.notebook_id == notebook_id:  # the page has the id already
                async with self._lock, self._store.notebook_id_lock(owner=self._owner):
                    await self._index.refresh()
                    await self._record(notebook_id, self._files.name(path), cell_ids)
        matches = self._matches.pop(self._files.name(path)) or ()
        matches = [match for match in matches if match.id in cell_ids]
        await record_matches(self._store, identity.notebook_id, self._owner, matches)
        return identity

    async def _identify(
        self, path: str, notebook_id: str | None, cell_ids: Sequence[str]
    ) -> NotebookIdentity:
        if self._other_roots:
            await self._other_roots.copy_logs(path)
        await self._index.refresh()
        name = self._files.name(path)
        id_ = notebook_id or await self._find_id(name, cell_ids)
        if id_ is None:
            id_ = str(uuid.uuid4())
        elif origin_id := self._index.inherits_from(id_, name, cell_ids):
            return await self._fork(origin_id, path, cell_ids, copy_id=id_)
        elif not await self._is_original(id_, name):
            return await self._fork(id_, path, cell_ids)
        await self._record(id_, name, cell_ids)
        await self._copy_sessions(path, id_, id_)
        return NotebookIdentity(id_)

    async def find_id(self, path: str, cell_ids: Sequence[str]) -> str | None:
        """Return the id that ``identify`` would give; None for a new one.

        Nothing is written. Raises StorageError.
        """
        async with self._lock:
            await self._index.refresh()
            return await self._find_id(self._files.name(path.strip("/")), cell_ids)

    async def id_at(self, path: str) -> str | None:
        """Return the id of the only notebook at ``path``; None if there isn't exactly one.

        Raises StorageError.
        """
        async with self._lock:
            await self._index.refresh()
            ids = self._index.find_at(self._files.name(path.strip("/")))
        return ids[0] if len(ids) == 1 else None

    async def copy_from_other_roots(self, path: str, notebook_id: str | None) -> None:
        """Copy the histories with which the file's cells may be compared. Raises StorageError."""
        path = path.strip("/")
        if self._other_roots is None or not self._other_roots.stores(path):
            return
        async with self._lock, self._store.notebook_id_lock(owner=self._owner):
            await self._other_roots.copy_logs(path)
            await self._index.refresh()
            name = self._files.name(path)
            ids = set(self._index.find_at(name))
            if notebook_id in self._index.notebooks and await self._is_original(notebook_id, name):
                ids.add(notebook_id)
            for id_ in ids:
                await self._copy_sessions(path, id_, id_)

    async def recognise(
        self,
        path: str,
        notebook_id: str | None,
        cells: Sequence[FileCell],
        *,
        keeps_ids: bool,
        paired_paths: Iterable[str] = (),
    ) -> RecognisedCells | None:
        """Return which recorded cells those of a file are; None for an unknown notebook.

        ``notebook_id`` is the id in the file, and ``keeps_ids`` whether it keeps those of its
        cells. If a file without id has cells with recorded ids, but may be another notebook, there
        are no matches. The next call of ``identify`` records the matches. Raises StorageError.
        """
        await self._index.refresh()
        name = self._files.name(path.strip("/"))
        if pair := {self._files.name(other.strip("/")) for other in paired_paths}:
            self._index.pairs.put(name, pair)
        # jupytext gives a pair's ids by order, and a setting may pair this file.
        if keeps_ids and self._index.notebooks and await self._has_text_notebook(name):
            keeps_ids = False
        if notebook_id is None:
            result = await self._recognise_without_id(name, cells, keeps_ids=keeps_ids)
        else:
            result = await self._recognise_with_id(name, notebook_id, cells, keeps_ids=keeps_ids)
        again = [match for match in result.matches.values() if match.sign != "id"] if result else []
        if again:
            self._matches.put(name, again)
        return result

    async def _recognise_with_id(
        self, name: str, notebook_id: str, cells: Sequence[FileCell], *, keeps_ids: bool
    ) -> RecognisedCells | None:
        """Return the matches with the notebook whose id is in the file, or its copy at the path.

        Git may have put back the other one's file, or a tool has rewritten the copy. If the
        notebook isn't at another path, it may have been moved here, or a copy of the one here may
        have been merged into it.
        """
        is_own = await self._is_original(notebook_id, name)
        more = [] if is_own else [(self._store, notebook_id)]
        relatives = [
            await self._recognise(id_, cells, trusts_ids=False, more=more)
            for id_ in self._index.relatives_at(name, notebook_id)
        ]
        best = max(relatives, key=lambda result: result.rank, default=None)
        has_log = notebook_id in self._index.notebooks
        if not has_log and best and best.matches:
            return best
        if self._index.may_inherit(notebook_id):
            # This is another person's id; ``identify`` makes it a copy.
            result = await self._recognise_without_id(
                name, cells, keeps_ids=keeps_ids, finds_moved=False
            )
            if result or not has_log:
                return result and result._replace(notebook_id=notebook_id)
        if best and best.matches:
            own = await self._recognise(notebook_id, cells, trusts_ids=False) if is_own else best
            # The file of a copy that was moved here has as many cells of the one that was here.
            is_copy = notebook_id in self._index.origins(best.notebook_id)
            # Each notebook has had empty cells, so they are no sign.
            more_exact = [i for i in best.exact - own.exact if cells[i].source]
            if own is best or (best.rank >= own.rank if is_copy else more_exact):
                return best
        # Several files may have been made from one, with other cells and the same ids. What another
        # root has about a copy is copied later, under its new id.
        path = self._files.path(name)
        others = self._other_roots.stores(path) if self._other_roots and path and not is_own else {}
        more = [(store, notebook_id) for store in others.values()]
        return await self._recognise(notebook_id, cells, trusts_ids=is_own and keeps_ids, more=more)

    async def _recognise_without_id(
        self,
        name: str,
        cells: Sequence[FileCell],
        *,
        keeps_ids: bool,
        finds_moved: bool = True,
    ) -> RecognisedCells | None:
        cell_ids = [cell.id for cell in cells]
        fitting: list[tuple[tuple[bool, int, int, bool, int, int], RecognisedCells]] = []
        others: dict[str, Set[str]] = {}
        by_ids = self._index.best_match(name, filter(is_random, cell_ids))
        at_path = set(self._index.find_at(name)[:_MAX_COMPARED])
        if by_ids and not await self._is_at_another_path(by_ids, name):
            at_path.add(by_ids)
        moved = [*filter(None, [by_ids]), *await self._find_moved(name, cells)]
        # Of equal ones, the oldest: comparing failed when another was recorded. Of copies, the last
        # used.
        candidates = sorted(
            at_path.union(moved if finds_moved else []),
            key=lambda id_: (self._index.notebooks[id_].last_entry, id_),
            reverse=True,
        )
        for candidate in sorted(candidates, key=self._index.age):
            result = await self._recognise(candidate, cells, trusts_ids=False)
            notebook = self._index.notebooks[candidate]
            last = result.recorded & set(notebook.cell_order or ())
            is_here = notebook.path == name
            has_ids = keeps_ids and not result.recorded.isdisjoint(filter(is_random, cell_ids))
            if candidate not in at_path:
                # A template has the first contents of all cells.
                is_same = result.is_whole and (result.has_changed or not name.endswith(".ipynb"))
            elif candidate == by_ids or has_ids:
                is_same = has_own_text(cells, result.recorded, result.matches)
            else:
                if keeps_ids and all(map(is_random, cell_ids)):
                    # A tool that keeps ids would have kept some: this was made from the present
                    # contents, or is another notebook.
                    result = result.without_changed()
                is_same = is_same_notebook(cells, last, result.matches)
            if is_same:
                # A notebook that was moved here may have replaced the one at the path.
                first = is_here or candidate == by_ids or candidate not in at_path
                names = _count_equal_names(notebook.path or "", name)
                rank = (first, *result.rank, is_here, names, len(result.recorded))
                fitting.append((rank, result))
            others[candidate] = result.recorded
        if fitting:
            return max(fitting, key=lambda pair: pair[0])[1]
        for other, notebook in sorted(self._index.notebooks.items()):
            seen_here = notebook.cells_by_path.get(name, set())
            is_here = not seen_here.isdisjoint(cell_ids)
            if is_here and await self._store.session_marks(other, owner=self._owner):
                others[other] = others.get(other, set()) | seen_here
        for other, recorded in others.items():
            if not recorded.isdisjoint(cell_ids):
                return RecognisedCells(other, {}, set().union(*others.values()))
        return None

    async def _recognise(
        self,
        notebook_id: str,
        cells: Sequence[FileCell],
        *,
        trusts_ids: bool,
        more: Iterable[tuple[SessionManager, str]] = (),
    ) -> RecognisedCells:
        """Match cells with a notebook's; ``more`` are other stores and ids with the same cells."""
        marks = await self._store.session_marks(notebook_id, owner=self._owner)
        recorded = {cell_id for _, cell_id in marks}
        random = {cell.id for cell in cells if is_random(cell.id) and not is_given(cell.id)}
        missing = recorded - (random if trusts_ids else set())
        contents: dict[str, Sequence[str]] = dict.fromkeys(recorded, ())
        orders: list[list[str]] = []
        is_complete = trusts_ids and len(cells) == len(recorded) - len(missing)
        if missing and not is_complete and len(missing) <= _MAX_SESSIONS:
            contents |= await read_contents(self._store, notebook_id, self._owner, missing)
            for store, id_ in more:
                with contextlib.suppress(OSError, StorageError):
                    sources = await read_contents(store, id_, self._owner, missing)
                    contents |= {
                        cell: list(dict.fromkeys([*contents[cell], *sources[cell]]))
                        for cell in missing
                    }
            log = await self._store.read_notebook_log(notebook_id, owner=self._owner)
            orders = [
                list(map(str, order))
                for entry in reversed(log)
                if entry.type == ORDER and isinstance(order := entry.data.get("cell_ids"), list)
            ]
        if not any(contents.values()):  # too much to compare
            trusts_ids = True
        matches = await asyncio.to_thread(
            match_cells, cells, contents, orders, trusts_ids=trusts_ids
        )
        unchanged = {
            match.id
            for index, match in matches.items()
            if [cells[index].source] == list(contents[match.id][:1])
        }
        has_changed = any(contents[id_][0] != contents[id_][-1] for id_ in unchanged)
        has_changed = has_changed or bool(orders and unchanged.difference(orders[-1]))
        last = recorded & set(orders[0] if orders else ())
        newest = Counter(contents[id_][0] for id_ in last if contents[id_])
        # Equal cells aren't recognised, but must be there.
        is_whole = newest <= Counter(cell.source for cell in cells) and unchanged <= last
        is_whole = is_whole and bool(unchanged) and len(last) > 1
        return RecognisedCells(notebook_id, matches, recorded, unchanged, has_changed, is_whole)

    async def find(self, path: str, notebook_id: str) -> list[str]:
        """Return which notebook the file at ``path`` is, and those that it began there as.

        There is none if the file has the id of a notebook at another path, or may be its copy that
        was recorded here: only opening it can tell. Nothing is written. Raises StorageError.
        """
        async with self._lock:
            await self._index.refresh()
            name = self._files.name(path)
            is_own = await self._is_original(notebook_id, name, is_certain=True)
            is_own = is_own and not self._index.relatives_at(name, notebook_id)
            return self._index.origins_at(name, notebook_id) if is_own else []

    async def paths(self, notebook_ids: Iterable[str]) -> dict[str, str | None]:
        """Return the paths in the contents API by notebook id; None for a missing notebook.

        Raises StorageError.
        """
        async with self._lock:
            await self._index.refresh()
            names = {id_: notebook.path for id_, notebook in self._index.notebooks.items()}
        paths: dict[str, str | None] = {}
        for notebook_id in notebook_ids:
            name = names.get(notebook_id)
            exists = name is not None and await self._files.exists(name)
            path = self._files.path(name) if exists and name else None
            if path and self._files.name(path) != name:  # maybe recorded in another folder
                is_own = await self._files.notebook_id(path) == notebook_id
                path = path if is_own else None
            paths[notebook_id] = path
        return paths

    async def _find_id(self, name: str, cell_ids: Sequence[str]) -> str | None:
        """Return an existing id for a notebook that has none in the page.

        Another page may have saved one meanwhile, or cells match those of a notebook at the same
        path. In formats whose cells get new ids at each reading, a notebook at the same path counts
        if it has no sessions, so that no histories are mixed up.
        """
        on_disk = await self._files.notebook_id(name)
        if on_disk is not None and is_id(on_disk):
            return on_disk
        # When the file was read, doubtful cells got new ids, so a number is that of a page which
        # read it before the kernel registered the notebook.
        matching_id = self._index.best_match(name, cell_ids)
        if matching_id is not None:
            return matching_id
        for notebook_id, notebook in sorted(self._index.notebooks.items()):
            if notebook.path == name and notebook.pending_fork_of is None:
                _, count = await self._store.list_sessions(notebook_id, owner=self._owner, limit=1)
                if not count:
                    return notebook_id
        return None

    async def _has_text_notebook(self, name: str) -> bool:
        texts = [name.removesuffix(".ipynb") + suffix for suffix in TEXT_SUFFIXES]
        return any(await asyncio.gather(*map(self._files.exists, texts)))

    async def _is_at_another_path(self, notebook_id: str, name: str) -> bool:
        notebook = self._index.notebooks[notebook_id]
        if notebook.path is None or self._index.is_at(notebook, name):
            return False
        return await self._files.notebook_id(notebook.path) == notebook_id

    async def _find_moved(self, name: str, cells: Sequence[FileCell]) -> list[str]:
        """Return notebooks that are no longer at their paths, and may be this file.

        They share a cell with it, or have as many cells. Those that share the most come first, then
        those with the most similar path, then the last used.
        """
        ids = {cell.id for cell in cells if is_random(cell.id)}
        suffix = PurePosixPath(name).suffix
        likely: list[tuple[int, int, str, str, str]] = []
        for notebook_id, notebook in self._index.notebooks.items():
            path, order = notebook.path or "", notebook.cell_order or ()
            common = len(ids.intersection(order))
            is_like = PurePosixPath(path).suffix == suffix and len(order) == len(cells)
            if path and (common or is_like):
                names = _count_equal_names(path, name)
                likely.append((common, names, notebook.last_entry, notebook_id, path))
        moved: list[str] = []
        for *_, notebook_id, path in sorted(likely, reverse=True):
            if len(moved) < _MAX_COMPARED and not await self._files.exists(path):
                moved.append(notebook_id)
        return moved

    async def _is_original(self, notebook_id: str, name: str, *, is_certain: bool = False) -> bool:
        """Return whether a file is the notebook itself, perhaps moved, and not a copy.

        With ``is_certain``, return False if it may be a copy.
        """
        notebook = self._index.notebooks.get(notebook_id)
        if notebook is None or notebook.path is None or self._index.is_at(notebook, name):
            return True
        if not await self._files.exists(notebook.path):
            return True
        if await self._files.is_same(notebook.path, name):
            return True
        # If the file at the old path contains this id, the new one is a copy. With another id, or
        # without one, because a tool has removed it, the notebook was moved. If the old file has
        # the notebook's present cells when it is opened again, it becomes the copy. A text notebook
        # never contains an id: it has not been moved, either.
        is_text = not notebook.path.endswith(".ipynb")
        on_disk = await self._files.notebook_id(notebook.path)
        return not (is_text or on_disk == notebook_id or (is_certain and on_disk is None))

    async def _fork(
        self, origin_id: str, path: str, cell_ids: Sequence[str], copy_id: str | None = None
    ) -> NotebookIdentity:
        """Assign a new id to a copy of ``origin_id``, unless it has ``copy_id`` already.

        ``identify`` copies the sessions.
        """
        name = self._files.name(path)
        copy_id = copy_id or self._index.find_pending_copy(origin_id, name) or str(uuid.uuid4())
        # The log comes first: after a crash, the next call finds the id there, and copies the
        # missing sessions.
        await self._record(copy_id, name, cell_ids, forked_from=origin_id)
        summaries, _ = await self._store.list_sessions(origin_id, owner=self._owner)
        await self._log_deleted(origin_id, copy_id, {summary.cell_id for summary in summaries})
        # Other roots come first: ``fork`` doesn't replace a session from there.
        await self._copy_sessions(path, origin_id, copy_id)
        return NotebookIdentity(copy_id, forked_from=origin_id)

    async def _copy_history(self, origin_id: str, copy_id: str) -> None:
        summaries, _ = await self._store.list_sessions(origin_id, owner=self._owner)
        last_seqs: dict[str, int] = {}
        digests: dict[str, str] = {}
        for summary in summaries:
            source = SessionKey(origin_id, summary.cell_id, self._owner)
            target = SessionKey(copy_id, summary.cell_id, self._owner)
            try:
                session = await self._store.fork(source, target)
            except (NotFound, SessionTooNew, SessionCorrupt):
                continue  # a deleted or unreadable session isn't copied
            last_seqs[summary.cell_id] = session.next_seq - 1
            if digest := last_digest(session):
                digests[summary.cell_id] = digest
        async with self._lock, self._store.notebook_id_lock(owner=self._owner):
            await self._index.refresh()
            await self._record_inherited(copy_id, last_seqs, digests)

    async def _record_inherited(
        self, copy_id: str, last_seqs: dict[str, int], digests: dict[str, str]
    ) -> None:
        """Log the last seqs that a copy inherited, to place their records first in the timeline."""
        notebook = self._index.notebooks[copy_id]
        if last_seqs and not notebook.has_inherited_entry:
            id_ = str(uuid.uuid4())
            data = {"cells": last_seqs, "digests": digests, "id": id_, "inherited": True}
            await self._append(copy_id, (CHANGED, data))

    async def _log_deleted(self, origin_id: str, copy_id: str, stored_cells: Set[str]) -> None:
        """Log which records from other roots were deleted in the original notebook.

        They count as copied, so the copy doesn't get them. ``stored_cells`` have a session in the
        original notebook.
        """
        notebook = self._index.notebooks[copy_id]
        deleted: dict[str, list[str]] = {}
        for cell_id, digests in self._index.notebooks[origin_id].copied.digests.items():
            if cell_id in notebook.copied.digests:
                continue
            try:
                key = SessionKey(origin_id, cell_id, self._owner)
                session = await self._store.load_if_exists(key) if cell_id in stored_cells else None
            except (SessionTooNew, SessionCorrupt):
                continue
            if missing := digests.difference(seqs_by_digest(session) if session else ()):
                deleted[cell_id] = sorted(missing)
        if deleted:
            await self._append(copy_id, (COPIED, {"taken": {}, "digests": deleted}))

    async def _copy_sessions(self, path: str, source_id: str, target_id: str) -> None:
        if self._other_roots is None:
            return
        notebook = self._index.notebooks[target_id]
        data: dict[str, Any] = {}
        copied = notebook.copied
        try:
            await self._other_roots.copy_sessions(path, source_id, target_id, copied, data)
        finally:  # what was copied isn't copied again, even after an error or time-out
            if data.get("digests"):
                await self._append(target_id, (COPIED, data))

    async def _record(
        self,
        notebook_id: str,
        name: str,
        cell_ids: Sequence[str],
        *,
        forked_from: str | None = None,
    ) -> None:
        notebook = self._index.notebooks.setdefault(notebook_id, NotebookState())
        entries: list[tuple[str, dict[str, Any]]] = []
        is_moved = (notebook.path, notebook.pending_fork_of) != (name, forked_from)
        if is_moved:
            data = {"path": name} | ({"forked_from": forked_from} if forked_from else {})
            entries.append((PATH_SEEN, data))
        if cell_ids and (is_moved or notebook.cell_order != list(cell_ids)):
            entries.append((ORDER, {"cell_ids": list(cell_ids)}))
        if entries:
            await self._append(notebook_id, *entries)

    async def _append(self, notebook_id: str, *entries: tuple[str, dict[str, Any]]) -> None:
        now = utc_now()
        new = [NewLogEntry(type=type_, timestamp=now, data=data) for type_, data in entries]
        saved = await self._store.append_notebook_log(notebook_id, new, owner=self._owner)
        self._index.notebooks.setdefault(notebook_id, NotebookState()).extend(saved)


def _count_equal_names(path: str, other: str) -> int:
    """Count the last names of two paths that are equal, as in ``old/06/a.py`` and ``06/a.py``."""
    names, other_names = (reversed(PurePosixPath(each).parts) for each in (path, other))
    return len(list(takewhile(bool, map(operator.eq, names, other_names))))
