"""Copy a notebook's records from other roots to the current root.

Jupyter may have been started in any folder above a notebook, and have created a root there. The
*current root* is that of this server's store. When a notebook is opened, its records in all other
roots above it are copied to the current root.

Invariants:

- Other roots are only read. Records that can't be read there are skipped.
- No record is copied twice, not even after it was deleted in the current root.
- If the current root already has a session of a cell, the other root's records are appended to it.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from ..errors import SessionCorrupt, SessionTooNew, StorageError
from ..models import NewLogEntry, NotebookLogEntry, Session, SessionKey
from ..sessions.base import Logger, SessionManager
from ..sessions.file.directory import find_other_roots
from ..sessions.file.manager import FileSessionManager
from ..sessions.record import codec
from ..sessions.record.lru_cache import LRUCache
from ..sessions.record.merge import digest

_BLOB = re.compile(rb'"([0-9a-f]{64})"')


@dataclass
class CopiedRecords:
    """The records that were copied from other roots, by a log's ``taken_over`` entries."""

    digests: dict[str, set[str]] = field(default_factory=dict)
    """The digests of the copied records, by cell id."""
    counts: dict[str, dict[str, int]] = field(default_factory=dict)
    """Maps the name of a root to a dict from cell ids to numbers of copied records.

    These numbers are only used for cells whose log entries are old and contain no digests."""

    def add(self, data: Mapping[str, Any]) -> None:
        for cell_id, digests in _items(data.get("digests")):
            if isinstance(digests, list):
                self.digests.setdefault(cell_id, set()).update(map(str, digests))
        for root, counts in _items(data.get("taken")):
            valid = {cell: count for cell, count in _items(counts) if isinstance(count, int)}
            self.counts.setdefault(root, {}).update(valid)

    def copied_before(self, root: str, cell_id: str, digests: Sequence[str]) -> set[str]:
        """Return the digests of a cell's records that were copied before.

        ``digests`` are those of its session in ``root``, in order.
        """
        if cell_id in self.digests:
            return self.digests[cell_id]
        return set(digests[: self.counts.get(root, {}).get(cell_id, 0)])


def _items(value: object) -> list[tuple[str, Any]]:
    """Return a dict's items; none for other values, as in a damaged entry."""
    return list(value.items()) if isinstance(value, dict) else []


def name_under(root: Path, path: Path) -> str:
    """Return the name of a file in the logs of ``root``.

    It is the path relative to ``root`` or, outside of it, the absolute path. So names stay valid
    when a project is moved, and don't depend on the folder in which Jupyter was started.
    """
    try:
        return path.relative_to(root).as_posix()
    except ValueError:
        return path.as_posix()


class OtherRoots:
    """The roots other than that of ``store``.

    ``served`` is the folder that the server serves. ``folder_of`` returns the folder of a path of
    the contents API, or None if it isn't on this machine.
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
        # The mark of a session when it was copied, by the other root, the notebook's ids there and
        # here, and the cell id.
        self._session_marks: LRUCache[tuple[Path, str, str, str], Hashable] = LRUCache(20_000)

    def stores(self, path: str) -> dict[Path, SessionManager]:
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
        """Copy the logs of notebooks that have none in the current root."""
        for root, other_store in self.stores(path).items():
            try:
                notebook_ids = set(await other_store.list_notebooks(owner=self._owner))
                notebook_ids -= set(await self._store.list_notebooks(owner=self._owner))
                logs = {
                    notebook_id: await other_store.read_notebook_log(notebook_id, owner=self._owner)
                    for notebook_id in notebook_ids
                }
            except (OSError, StorageError):
                self._log.warning("Sessions in %s can't be read.", root)
                continue
            for notebook_id, log in sorted(logs.items()):
                entries = [self._translate(entry, root) for entry in log]
                await self._store.append_notebook_log(notebook_id, entries, owner=self._owner)

    async def copy_sessions(
        self,
        path: str,
        source_id: str,
        target_id: str,
        copied: CopiedRecords,
        data: dict[str, Any],
    ) -> None:
        """Copy a notebook's sessions from other roots to the current root.

        ``source_id`` is its id in the other roots, and ``target_id`` the one here. ``copied`` are
        the records that were copied before. ``data`` gets the data for a ``taken_over`` entry in
        the log of ``target_id``, also after an error.
        """
        counts: dict[str, dict[str, int]] = data.setdefault("taken", {})
        new_digests: dict[str, list[str]] = data.setdefault("digests", {})
        for root, other_store in self.stores(path).items():
            root_name = name_under(self._root, root)
            try:
                marks = await other_store.session_marks(source_id, owner=self._owner)
            except (OSError, StorageError):
                self._log.warning("Sessions in %s can't be read.", root)
                continue
            for (_, cell_id), mark in sorted(marks.items(), key=lambda item: item[0]):
                cache_key = (root, source_id, target_id, cell_id)
                if self._session_marks.get(cache_key) == mark:
                    continue  # unchanged since it was copied
                try:
                    session = await other_store.load_if_exists(
                        SessionKey(source_id, cell_id, self._owner)
                    )
                except (OSError, StorageError):
                    continue
                if session is None:
                    continue
                digests = await asyncio.to_thread(_digests, session)
                copied_before = copied.copied_before(root_name, cell_id, digests)
                logged_digests = copied.digests.get(cell_id, set()).union(
                    new_digests.get(cell_id, ())
                )
                unlogged_digests = list(
                    dict.fromkeys(value for value in digests if value not in logged_digests)
                )
                if unlogged_digests:
                    key = SessionKey(target_id, cell_id, self._owner)
                    # Blobs first, so that no session refers to a missing blob.
                    await self._copy_blobs(other_store, session)
                    try:
                        await self._store.merge_copy(key, session, merged_digests=copied_before)
                    except (SessionTooNew, SessionCorrupt):
                        continue  # one of the two can't be read
                    new_digests.setdefault(cell_id, []).extend(unlogged_digests)
                    counts.setdefault(root_name, {})[cell_id] = len(digests)
                self._session_marks.put(cache_key, mark)

    async def _copy_blobs(self, other_store: SessionManager, session: Session) -> None:
        """Copy a session's blobs, as far as the other store has them."""
        for sha256 in blobs_of(session):
            try:
                data = await other_store.get_blob(sha256, owner=self._owner)
            except (OSError, StorageError):
                continue
            if data is not None:
                await self._store.put_blob(data, owner=self._owner)

    def _translate(self, entry: NotebookLogEntry, root: Path) -> NewLogEntry:
        fields = {key: value for key, value in codec.to_dict(entry).items() if key != "seq"}
        data = dict(entry.data)
        if isinstance(path := data.get("path"), str):
            data["path"] = name_under(self._root, root / PurePosixPath(path))
        # The current root may lack these records, which were copied to the other root.
        if data.pop("taken", None) is not None:
            data.pop("digests", None)
        return NewLogEntry.model_validate(fields | {"data": data})


def blobs_of(session: Session) -> set[str]:
    """Return the SHA-256 of the blobs to which a session may refer."""
    return blobs_in(codec.encode(session))


def blobs_in(data: bytes) -> set[str]:
    """Return the SHA-256 of the blobs in the bytes of a session."""
    return {name.decode() for name in _BLOB.findall(data)}


def _digests(session: Session) -> list[str]:
    return [digest(record) for record in session.ordered()]
