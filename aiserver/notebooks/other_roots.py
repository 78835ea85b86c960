"""Copy the records that other roots have of a notebook.

Jupyter may be started in any folder above a notebook, and each start may have created a root of its
own. When a notebook is opened, the records in the roots above it are copied to the current root.

Invariants:

- Other roots are only read. Anything unreadable there is skipped.
- Nothing is copied twice, and a copied record that was deleted doesn't come back.
- When two sessions of a cell are merged, the one in the current root keeps its order, and new
  records are appended.
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
class CopiedRecords:
    """The records that were copied before, as logged in the notebook's ``taken_over`` entries."""

    digests: dict[str, set[str]] = field(default_factory=dict)
    """By cell."""
    counts: dict[str, dict[str, int]] = field(default_factory=dict)
    """The number of records by root and cell, for old entries without digests."""

    def add(self, data: Mapping[str, Any]) -> None:
        """Add the data of a log entry."""
        for cell_id, digests in _items(data.get("digests")):
            if isinstance(digests, list):
                self.digests.setdefault(cell_id, set()).update(map(str, digests))
        for root, counts in _items(data.get("taken")):
            valid = {cell: count for cell, count in _items(counts) if isinstance(count, int)}
            self.counts.setdefault(root, {}).update(valid)

    def select(self, root: str, cell_id: str, digests: Sequence[str]) -> set[str]:
        """Select the digests of a session, given in its order, that were copied from ``root``."""
        if cell_id in self.digests:
            return self.digests[cell_id]
        return set(digests[: self.counts.get(root, {}).get(cell_id, 0)])


def _items(value: object) -> list[tuple[str, Any]]:
    return list(value.items()) if isinstance(value, dict) else []


def name_under(root: Path, path: Path) -> str:
    """Return the name of a file in the logs of ``root``: relative if it is inside, else absolute.

    So notebooks keep their names when their project is moved, and a notebook has the same name
    wherever Jupyter was started.
    """
    try:
        return path.relative_to(root).as_posix()
    except ValueError:
        return path.as_posix()


class OtherRoots:
    """The roots other than that of ``store``.

    ``folder_of`` returns the folder of the notebook at a path of the contents API; None if the
    notebook is not a file here.
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
        self._stores: dict[Path, SessionManager] = {}
        self._session_marks: LRUCache[tuple[Path, str, str, str], Hashable] = LRUCache(20_000)

    def stores(self, path: str) -> dict[Path, SessionManager]:
        """Return the stores of other roots that may have a notebook, nearest root first."""
        folder = self._folder_of(path)
        if folder is None:
            return {}
        roots = find_other_roots(folder, self._root, self._served)
        for root in roots:
            if root not in self._stores:
                self._stores[root] = FileSessionManager(
                    root=str(root), lock_timeout=self._store.lock_timeout
                )
        return {root: self._stores[root] for root in roots}

    async def copy_logs(self, path: str) -> None:
        """Copy the logs of notebooks that the store doesn't have yet."""
        for root, other in self.stores(path).items():
            try:
                notebook_ids = set(await other.list_notebooks(owner=self._owner))
                notebook_ids -= set(await self._store.list_notebooks(owner=self._owner))
                logs = {
                    notebook_id: await other.read_notebook_log(notebook_id, owner=self._owner)
                    for notebook_id in notebook_ids
                }
            except (OSError, StorageError):
                self._log.warning("Sessions in %s can't be read.", root)
                continue
            for notebook_id, log in sorted(logs.items()):
                entries = [self._translate(entry, root) for entry in log]
                await self._store.append_notebook_log(notebook_id, entries, owner=self._owner)

    async def copy_sessions(
        self, path: str, source: str, target: str, copied: CopiedRecords
    ) -> dict[str, Any]:
        """Copy the sessions of notebook ``source`` in other roots to ``target`` in the store.

        ``copied`` are the records that were copied before. Returns the data of the
        ``taken_over`` entry to log, empty if nothing was copied.
        """
        counts: dict[str, dict[str, int]] = {}
        new: dict[str, list[str]] = {}
        for root, other in self.stores(path).items():
            name = name_under(self._root, root)
            try:
                marks = await other.session_marks(source, owner=self._owner)
            except (OSError, StorageError):
                self._log.warning("Sessions in %s can't be read.", root)
                continue
            for (_, cell_id), mark in sorted(marks.items(), key=lambda row: row[0]):
                cache_key = (root, source, target, cell_id)
                if self._session_marks.get(cache_key) == mark:
                    continue
                try:
                    session = await other.load_if_exists(SessionKey(source, cell_id, self._owner))
                except (OSError, StorageError):
                    continue
                if session is None:
                    continue
                digests = await asyncio.to_thread(_digests, session)
                before = copied.select(name, cell_id, digests)
                existing = copied.digests.get(cell_id, set()).union(new.get(cell_id, ()))
                missing = list(dict.fromkeys(item for item in digests if item not in existing))
                if missing:
                    key = SessionKey(target, cell_id, self._owner)
                    # Blobs first, so that a session never names a blob that doesn't exist.
                    await self._copy_blobs(other, session)
                    try:
                        await self._store.merge_copy(key, session, merged_digests=before)
                    except (SessionTooNew, SessionCorrupt):
                        continue  # the sessions can't be merged completely: both stay as they are
                    new.setdefault(cell_id, []).extend(missing)
                    counts.setdefault(name, {})[cell_id] = len(digests)
                self._session_marks.put(cache_key, mark)
        return {"taken": counts, "digests": new} if new else {}

    async def _copy_blobs(self, other: SessionManager, session: Session) -> None:
        """Copy the blobs that a session names, as far as the other store has them."""
        for sha256 in blobs_of(session):
            try:
                data = await other.get_blob(sha256, owner=self._owner)
            except (OSError, StorageError):
                continue
            if data is not None:
                await self._store.put_blob(data, owner=self._owner)

    def _translate(self, entry: NotebookLogEntry, root: Path) -> NewLogEntry:
        fields = {key: value for key, value in codec.to_dict(entry).items() if key != "seq"}
        data = dict(entry.data)
        if isinstance(path := data.get("path"), str):
            data["path"] = name_under(self._root, root / PurePosixPath(path))
        # Records that were copied to that root were not copied to this one.
        if data.pop("taken", None) is not None:
            data.pop("digests", None)
        return NewLogEntry.model_validate(fields | {"data": data})


def blobs_of(session: Session) -> set[str]:
    """The SHA-256 of each blob that a session may name."""
    return {name.decode() for name in _BLOB.findall(codec.encode(session))}


def _digests(session: Session) -> list[str]:
    return [digest(item) for item in session.ordered()]
