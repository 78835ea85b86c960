"""Takes over what other folders' ``.aiserver_sessions`` know of a notebook.

Jupyter may be started in any folder above a notebook, and each start may have kept sessions in a
place of its own. When a notebook is opened, what those on its way up hold of it is copied into the
place in use.

What must hold:

- The other places are only read; what can't be read there stands in nobody's way.
- Nothing is taken twice, nothing that was taken and then deleted comes back.
- Of two records of a cell, the one in use keeps its order; what it lacks is put behind.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from ..errors import SessionCorrupt, SessionTooNew, StorageError
from ..models import NewLogEntry, NotebookLogEntry, Session, SessionKey
from ..sessions.base import SessionManager
from ..sessions.file.manager import FileSessionManager
from ..sessions.file.root import find_other_roots
from ..sessions.record import codec
from ..sessions.record.lru_cache import LRUCache
from ..sessions.record.merge.digests import digest

Logger = logging.Logger | logging.LoggerAdapter[Any]
_BLOB = re.compile(rb'"([0-9a-f]{64})"')


@dataclass
class Taken:
    """Which records were taken over before, as a notebook's log says."""

    digests: dict[str, set[str]] = field(default_factory=dict)
    """By cell."""
    counts: dict[str, dict[str, int]] = field(default_factory=dict)
    """By place and cell, how many; all that logs had before digests."""

    def follow(self, data: Mapping[str, Any]) -> None:
        """Take in what a line of the log says."""
        for cell_id, digests in _items(data.get("digests")):
            if isinstance(digests, list):
                self.digests.setdefault(cell_id, set()).update(map(str, digests))
        for place, counts in _items(data.get("taken")):
            known = {cell: count for cell, count in _items(counts) if isinstance(count, int)}
            self.counts.setdefault(place, {}).update(known)

    def before(self, place: str, cell_id: str, digests: Sequence[str]) -> set[str]:
        """Those of a session's digests, in its order, that were taken from this place."""
        if cell_id in self.digests:
            return self.digests[cell_id]
        return set(digests[: self.counts.get(place, {}).get(cell_id, 0)])


def _items(value: object) -> list[tuple[str, Any]]:
    return list(value.items()) if isinstance(value, dict) else []


def name_under(root: Path, path: Path) -> str:
    """A file as the logs of ``root`` call it: relative where it is inside, else absolute.

    So the notebooks of a project keep their names when the project is moved, and one notebook
    has one name wherever Jupyter was started.
    """
    try:
        return path.relative_to(root).as_posix()
    except ValueError:
        return path.as_posix()


class Elsewhere:
    """The other places of one store.

    ``folder_of`` gives the folder of a notebook, by the path that the server knows it under; None
    if it is no file here.
    """

    def __init__(
        self,
        store: FileSessionManager,
        served: Path,
        folder_of: Callable[[str], Path | None],
        log: Logger,
        *,
        owner: str = "",
    ) -> None:
        self._store, self._root, self._served = store, Path(store.root).absolute(), served
        self._folder_of, self._log, self._owner = folder_of, log, owner
        self._known: dict[Path, SessionManager] = {}
        self._marks: dict[Path, Mapping[str, Hashable]] = {}
        self._taken_marks: LRUCache[tuple[Path, str, str, str], Hashable] = LRUCache(20_000)

    def places(self, path: str) -> dict[Path, SessionManager]:
        """The places that may know the notebook at a path, the nearest first."""
        folder = self._folder_of(path)
        if folder is None:
            return {}
        found = find_other_roots(folder, self._root, self._served)
        for place in found:
            if place not in self._known:
                self._known[place] = FileSessionManager(
                    root=str(place), lock_timeout=self._store.lock_timeout
                )
        return {place: self._known[place] for place in found}

    async def take_logs(self, path: str) -> None:
        """Learn which notebooks the other places know, and where those were seen."""
        for place, other in self.places(path).items():
            try:
                marks = await other.notebook_marks(owner=self._owner)
                if marks == self._marks.get(place):
                    continue
                known = set(await self._store.list_notebooks(owner=self._owner))
                logs = {
                    notebook_id: await other.read_notebook_log(notebook_id, owner=self._owner)
                    for notebook_id in marks.keys() - known
                }
            except (OSError, StorageError):
                self._log.warning("Sessions in %s can't be read.", place)
                continue
            for notebook_id, log in sorted(logs.items()):
                entries = [self._translated(entry, place) for entry in log]
                await self._store.append_notebook_log(notebook_id, entries, owner=self._owner)
            self._marks[place] = marks

    async def take_sessions(
        self, path: str, source: str, target: str, taken: Taken
    ) -> dict[str, Any]:
        """Copy what the other places hold of notebook ``source`` to ``target`` here.

        ``taken`` is what was so before; returns what is to be logged of it, if anything.
        """
        counts: dict[str, dict[str, int]] = {}
        new: dict[str, list[str]] = {}
        for place, other in self.places(path).items():
            name = name_under(self._root, place)
            try:
                marks = await other.session_marks(source, owner=self._owner)
            except (OSError, StorageError):
                self._log.warning("Sessions in %s can't be read.", place)
                continue
            for (_, cell_id), mark in sorted(marks.items(), key=lambda row: row[0]):
                seen = (place, source, target, cell_id)
                if self._taken_marks.get(seen) == mark:
                    continue
                try:
                    session = await other.load_if_exists(SessionKey(source, cell_id, self._owner))
                except (OSError, StorageError):
                    continue
                if session is None:
                    continue
                digests = await asyncio.to_thread(_digests, session)
                before = taken.before(name, cell_id, digests)
                known = taken.digests.get(cell_id, set()).union(new.get(cell_id, ()))
                lacking = list(dict.fromkeys(one for one in digests if one not in known))
                if lacking:
                    key = SessionKey(target, cell_id, self._owner)
                    # First, so that at no moment a history names what isn't there.
                    await self._take_blobs(other, session)
                    try:
                        await self._store.take_over(key, session, merged_digests=before)
                    except (SessionTooNew, SessionCorrupt):
                        continue  # it can't be joined whole: each stays where it is
                    new.setdefault(cell_id, []).extend(lacking)
                    counts.setdefault(name, {})[cell_id] = len(digests)
                self._taken_marks.put(seen, mark)
        return {"taken": counts, "digests": new} if new else {}

    async def _take_blobs(self, other: SessionManager, session: Session) -> None:
        """Copy what a session names by its SHA-256, as far as the other place has it."""
        for name in set(_BLOB.findall(codec.encode(session))):
            try:
                data = await other.get_blob(name.decode(), owner=self._owner)
            except (OSError, StorageError):
                continue
            if data is not None:
                await self._store.put_blob(data, owner=self._owner)

    def _translated(self, entry: NotebookLogEntry, place: Path) -> NewLogEntry:
        fields = {key: value for key, value in codec.to_dict(entry).items() if key != "seq"}
        data = dict(entry.data)
        if isinstance(path := data.get("path"), str):
            data["path"] = name_under(self._root, place / PurePosixPath(path))
        # What that place took from others is not what this one took.
        if data.pop("taken", None) is not None:
            data.pop("digests", None)
        return NewLogEntry.model_validate(fields | {"data": data})


def _digests(session: Session) -> list[str]:
    return [digest(item) for item in session.ordered()]
