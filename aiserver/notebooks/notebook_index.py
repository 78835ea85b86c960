"""Keep in memory where notebooks were recorded, and what they are copies of.

Invariant: the change logs are authoritative; the index is derived from them.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Set
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from ..models import NotebookLogEntry
from ..sessions.base import SessionManager
from ..sessions.record.lru_cache import LRUCache
from .log_view import CHANGED, ORDER
from .other_roots import CopiedRecords

PATH_SEEN = "path_seen"
COPIED = "taken_over"
_MAX_PAIRS = 64


@dataclass
class NotebookState:
    """The state of a notebook according to its log."""

    first_entry: str = ""
    last_entry: str = ""
    """The times of the first and the last entry."""
    path: str | None = None
    """The last recorded path."""
    pending_fork_of: str | None = None
    """The id of the original notebook, if this is a copy whose new id no page has sent yet."""
    cell_order: list[str] | None = None
    """The last recorded order of the cells at the last path."""
    cells_by_path: dict[str, set[str]] = field(default_factory=dict)
    """All cells that were recorded at each path."""
    forked_from: str | None = None
    """The id of the original notebook, if this is a copy."""
    copied: CopiedRecords = field(default_factory=CopiedRecords)
    has_inherited_entry: bool = False
    """For a copy: whether its log already has the ``changed`` entry with ``inherited: true``."""

    def extend(self, entries: Iterable[NotebookLogEntry]) -> NotebookState:
        for entry in entries:
            self.first_entry = self.first_entry or entry.timestamp
            self.last_entry = entry.timestamp
            path, cell_ids = entry.data.get("path"), entry.data.get("cell_ids")
            if entry.type == PATH_SEEN and isinstance(path, str):
                self.path, self.cell_order = path, None
                self.pending_fork_of = entry.data.get("forked_from")
                self.forked_from = self.pending_fork_of or self.forked_from
                self.cells_by_path.setdefault(path, set())
            elif entry.type == ORDER and isinstance(cell_ids, list) and self.path:
                self.cell_order = [str(cell_id) for cell_id in cell_ids]
                self.cells_by_path[self.path].update(self.cell_order)
            elif entry.type == COPIED:
                self.copied.add(entry.data)
            elif entry.type == CHANGED and entry.data.get("inherited") is True:
                self.has_inherited_entry = True
        return self


class NotebookIndex:
    """The states of an owner's notebooks, by notebook id."""

    def __init__(self, store: SessionManager, owner: str) -> None:
        self.notebooks: dict[str, NotebookState] = {}
        self._store, self._owner = store, owner
        self._marks: dict[str, Hashable] = {}
        self.pairs: LRUCache[str, Set[str]] = LRUCache(_MAX_PAIRS)
        """The paths of all files of a pair, by the path of one of them."""

    async def refresh(self) -> None:
        former = set(self.notebooks)
        marks = await self._store.notebook_marks(owner=self._owner)
        for notebook_id, mark in marks.items():
            if self._marks.get(notebook_id) != mark:
                log = await self._store.read_notebook_log(notebook_id, owner=self._owner)
                self.notebooks[notebook_id] = NotebookState().extend(log)
        self._marks = dict(marks)
        # Even a new notebook is removed: git may have switched the branch.
        for notebook_id in former - marks.keys():
            self.notebooks.pop(notebook_id, None)

    def relatives_at(self, name: str, notebook_id: str) -> list[str]:
        """Return the notebooks at a path that a file with this id may be, last used first.

        One is a copy of the other, or both are of the same.
        """
        notebook = self.notebooks.get(notebook_id)
        if notebook and self.is_at(notebook, name):
            return []
        origins = set(self.origins(notebook_id))
        return [
            id_
            for id_ in self.find_at(name, with_pending=True)
            if not origins.isdisjoint(self.origins(id_))
        ]

    def origins_at(self, name: str, notebook_id: str) -> list[str]:
        """Return the id, and those of the notebooks that this one began as at the path."""
        at_path, origins = self.find_at(name), self.origins(notebook_id)
        for count, origin_id in enumerate(origins[1:], 1):
            notebook = self.notebooks[origins[count - 1]]
            if origin_id not in at_path or next(iter(notebook.cells_by_path)) != name:
                return origins[:count]
        return origins

    def may_inherit(self, notebook_id: str) -> bool:
        """Return whether a notebook isn't recorded with cells yet, or not copied completely."""
        notebook = self.notebooks.get(notebook_id)
        if notebook is None or not any(notebook.cells_by_path.values()):
            return True
        return notebook.pending_fork_of is not None and not notebook.has_inherited_entry

    def inherits_from(self, notebook_id: str, name: str, cell_ids: Iterable[str]) -> str | None:
        """Return the notebook of which one with another person's id becomes a copy, if any.

        It is at the path and shares cells, or wasn't copied completely yet.
        """
        if not self.may_inherit(notebook_id):
            return None
        notebook = self.notebooks.get(notebook_id)
        if notebook and notebook.pending_fork_of:
            return notebook.pending_fork_of
        origin_id = self.best_match(name, cell_ids)
        return origin_id if origin_id and self.is_at(self.notebooks[origin_id], name) else None

    def origins(self, notebook_id: str) -> list[str]:
        """Return the id, that of its original, and so on."""
        origins = [notebook_id]
        while notebook := self.notebooks.get(origins[-1]):
            origin = notebook.forked_from
            if origin is None or origin in origins:  # damaged logs: each is a copy of the other
                break
            origins.append(origin)
        return origins

    def age(self, notebook_id: str) -> str:
        origins = self.notebooks.keys() & self.origins(notebook_id)
        return min(self.notebooks[id_].first_entry for id_ in origins)

    def find_at(self, name: str, *, with_pending: bool = False) -> list[str]:
        """Return the notebooks at a path, last used first.

        ``with_pending`` includes copies whose new ids no page has sent yet.
        """
        at_path = [
            (notebook.last_entry, notebook_id)
            for notebook_id, notebook in self.notebooks.items()
            if self.is_at(notebook, name) and (with_pending or notebook.pending_fork_of is None)
        ]
        return [notebook_id for _, notebook_id in sorted(at_path, reverse=True)]

    def is_at(self, notebook: NotebookState, name: str) -> bool:
        """Return whether a notebook is at a path, or at that of the other file of its pair."""
        path = notebook.path
        return path is not None and (path == name or self._are_pair(path, name))

    def _are_pair(self, name: str, other: str) -> bool:
        path, other_path = PurePosixPath(name), PurePosixPath(other)
        suffixes = {path.suffix, other_path.suffix}
        has_same_name = path.with_suffix("") == other_path.with_suffix("")
        is_pair = has_same_name and len(suffixes) == 2 and ".ipynb" in suffixes
        return is_pair or name in (self.pairs.get(other) or ())

    def best_match(self, name: str, cell_ids: Iterable[str]) -> str | None:
        """Return the notebook with this name, now or in the past, that contains the most of these
        cells.

        Of equal ones, it is the last used.
        """
        cells = set(cell_ids)
        matches = [
            (len(common), notebook.path == name, notebook.last_entry, notebook_id)
            for notebook_id, notebook in self.notebooks.items()
            if (common := cells & notebook.cells_by_path.get(name, set()))
        ]
        return max(matches)[-1] if matches else None

    def find_pending_copy(self, origin_id: str, name: str) -> str | None:
        """Return a copy at the path whose id may have got lost before a page saved it."""
        return next(
            (
                notebook_id
                for notebook_id, notebook in self.notebooks.items()
                if notebook.path == name and notebook.pending_fork_of == origin_id
            ),
            None,
        )
