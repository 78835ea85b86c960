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

import logging
import re
from collections.abc import Callable, Hashable, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from ..errors import SessionCorrupt, SessionTooNew, StorageError
from ..models import NewLogEntry, NotebookLogEntry, Session, SessionKey
from . import codec
from .base import SessionManager
from .file import FileSessionManager
from .root import other_places

Logger = logging.Logger | logging.LoggerAdapter[Any]
_BLOB = re.compile(rb'"([0-9a-f]{64})"')
Taken = dict[str, dict[str, int]]  # by place and cell, how many turns and events were taken


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

    def places(self, path: str) -> dict[Path, SessionManager]:
        """The places that may know the notebook at a path, the nearest first."""
        folder = self._folder_of(path)
        if folder is None:
            return {}
        found = other_places(folder, self._root, self._served)
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

    async def take_sessions(self, path: str, source: str, target: str, taken: Taken) -> Taken:
        """Copy what the other places hold of notebook ``source`` to ``target`` here.

        ``taken`` is what was so before; returns what has changed of it.
        """
        news: Taken = {}
        for place, other in self.places(path).items():
            name = name_under(self._root, place)
            before = taken.get(name, {})
            try:
                rows, _ = await other.list_sessions(source, owner=self._owner)
            except (OSError, StorageError):
                self._log.warning("Sessions in %s can't be read.", place)
                continue
            for row in rows:
                count, skip = row.turns + row.events, before.get(row.cell_id, 0)
                if count == skip:
                    continue
                try:
                    session = await other.load_if_exists(
                        SessionKey(source, row.cell_id, self._owner)
                    )
                except (OSError, StorageError):
                    continue
                if session is None:
                    continue
                key = SessionKey(target, row.cell_id, self._owner)
                # First, so that at no moment a history names what isn't there.
                await self._take_blobs(other, session)
                try:
                    await self._store.take_over(key, session, skip=skip)
                except (SessionTooNew, SessionCorrupt):
                    continue  # it can't be joined whole: each stays where it is
                news.setdefault(name, {})[row.cell_id] = count
        return news

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
        fields = {key: value for key, value in codec.fields(entry).items() if key != "seq"}
        data = dict(entry.data)
        if isinstance(path := data.get("path"), str):
            data["path"] = name_under(self._root, place / PurePosixPath(path))
        # What that place took from others is not what this one took.
        data.pop("taken", None)
        return NewLogEntry.model_validate(fields | {"data": data})
