"""Read the whole history of a notebook: its sessions, its change log and its timeline.

Invariants:

- Unless the caller asks for a cached version, a history is always current, even after other
  programs changed the store. Each call reads the sessions whose marks have changed.
- Histories are computed in threads. Calls for one notebook run one after the other, so that they
  read each session only once.
- Python's garbage collector blocks the server while it visits all objects. So only a few notebooks
  are cached, each as few objects, and those of large notebooks are hidden from the collector
  (``gc_pause.py``).
- A cached notebook takes a few times the memory of its sessions. So the size of all is limited, and
  the memory is freed ``_IDLE`` seconds after the last call.
"""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import gc
import hashlib
import weakref
from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ..gc_pause import pause_gc
from ..models import NotebookLogEntry, Session, SessionKey, check_id
from ..replay import CountCache, Step, Timeline, replay
from ..sessions.base import SessionManager
from ..sessions.record import codec
from ..sessions.record.git_merge import renumber_entries
from ..sessions.record.lru_cache import LRUCache
from ..sessions.record.merge import SeqsByDigest, seqs_by_digest
from ..sessions.record.recovery import is_empty, recover

_MAX_NOTEBOOKS = 4
_MAX_BYTES = 64 * 1024 * 1024  # bytes of sessions; a larger notebook is cached alone
_IDLE = 600.0  # seconds without a call until the memory is freed
_SESSIONS_PER_READ = 64
_MANY_STEPS = 5_000  # the garbage collector takes 10 ms for the objects of 5,000 steps


class LazySessions(Mapping[str, Session]):
    """The sessions of a notebook by cell id, parsed from bytes on each access."""

    def __init__(self, raw: Mapping[str, bytes]) -> None:
        self._raw = raw

    def __getitem__(self, cell_id: str) -> Session:
        return codec.parse(self._raw[cell_id])

    def __iter__(self) -> Iterator[str]:
        return iter(self._raw)

    def __len__(self) -> int:
        return len(self._raw)


@dataclass(frozen=True)
class History:
    """A notebook's stored history at one time. Immutable."""

    notebook_id: str
    sessions: Mapping[str, Session]
    """The sessions by cell id."""
    log: Sequence[NotebookLogEntry]
    timeline: Timeline
    version: str
    """A hash that changes with every write."""
    counts: CountCache = field(default_factory=dict)
    """The counts of lines for ``report``. They are reused while a cell is unchanged."""
    left_out: int = 0
    """The number of cells that are left out, because the sessions are too large together."""


@dataclass(eq=False)
class _CachedCell:
    digest: bytes
    """The SHA-256 of the stored bytes."""
    raw: bytes
    """The session as JSON, without the damaged records that the stored bytes may contain."""
    steps: Sequence[Step]
    merged: object
    """The session's ``meta.merged``: the merges of git branches that changed its records' seqs."""
    seqs_by_digest: SeqsByDigest | None = None
    """Maps each record's digest to the seqs of the records with this digest; None until needed."""


@dataclass
class _CachedNotebook:
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    marks: Mapping[str, Hashable] = field(default_factory=dict)
    cells: dict[str, _CachedCell] = field(default_factory=dict)
    log_mark: Hashable = None
    log: Sequence[NotebookLogEntry] = ()
    history: History | None = None

    def weight(self) -> int:
        return min(sum(len(cell.raw) for cell in self.cells.values()), _MAX_BYTES)


class Histories:
    """The histories of one owner's notebooks."""

    def __init__(self, store: SessionManager, *, owner: str = "") -> None:
        self._store, self._owner = store, owner
        self._cache: LRUCache[str, _CachedNotebook] = LRUCache(
            _MAX_NOTEBOOKS, limit=_MAX_BYTES, weight=_CachedNotebook.weight
        )
        self._timer: asyncio.TimerHandle | None = None

    async def load(self, notebook_id: str, *, version: str | None = None) -> History:
        """Return a notebook's history, which may be empty.

        A cached one with this ``version`` is returned even if the notebook has changed since, so
        that a client can read a timeline moment by moment. Raises InvalidField, StorageError.
        """
        check_id("notebookId", notebook_id)
        cached = self._cached(notebook_id)
        if version is not None and cached.history and cached.history.version == version:
            self._restart_timer()
            return cached.history
        async with cached.lock:
            with pause_gc():
                history = await self._update(notebook_id, cached)
            self._cache.put(notebook_id, cached)  # its weight may have changed
            self._restart_timer()
            return history

    def _restart_timer(self) -> None:
        if self._timer:
            self._timer.cancel()
        # The timer's reference is weak, so that the cache is freed with this object.
        self._timer = asyncio.get_running_loop().call_later(_IDLE, _clear, weakref.ref(self._cache))

    def _cached(self, notebook_id: str) -> _CachedNotebook:
        cached = self._cache.get(notebook_id)
        if cached is None:
            self._cache.put(notebook_id, cached := _CachedNotebook())
        return cached

    async def _update(self, notebook_id: str, cached: _CachedNotebook) -> History:
        session_marks = await self._store.session_marks(notebook_id, owner=self._owner)
        marks = {cell_id: mark for (_, cell_id), mark in session_marks.items()}
        log_mark = (await self._store.notebook_marks(owner=self._owner)).get(notebook_id)
        is_unchanged = log_mark == cached.log_mark and marks == cached.marks
        if cached.history and is_unchanged:
            return cached.history
        log = cached.log
        if log_mark is None:
            log = ()
        elif log_mark != cached.log_mark:
            log = await self._store.read_notebook_log(notebook_id, owner=self._owner)
        changed = [cell_id for cell_id, mark in marks.items() if cached.marks.get(cell_id) != mark]
        loaded = await load_raw_batch(self._store, self._owner, notebook_id, changed)
        # In one thread: several that parse JSON would delay the event loop.
        previous_cells = {
            cell_id: cell for cell_id, cell in cached.cells.items() if cell_id in marks
        }
        cells = await asyncio.to_thread(
            _update_cells, self._owner, notebook_id, previous_cells, changed, loaded
        )
        if cached.history is None or cells != cached.cells or log_mark != cached.log_mark:
            previous = cached.history
            cached.history = await asyncio.to_thread(
                _history_of_cells, notebook_id, cells, log, log_mark
            )
            for cell_id, counted in (previous.counts if previous else {}).items():
                if cell_id in cells and cells[cell_id].steps is counted[0]:
                    cached.history.counts[cell_id] = counted
        cached.log_mark, cached.log, cached.cells = log_mark, log, cells
        unread = set(changed) - loaded.keys()  # the next call loads these
        cached.marks = {cell_id: mark for cell_id, mark in marks.items() if cell_id not in unread}
        if sum(len(cells[cell_id].steps) for cell_id in changed if cell_id in cells) > _MANY_STEPS:
            gc.freeze()
        return cached.history


def _clear(reference: weakref.ref[LRUCache[str, _CachedNotebook]]) -> None:
    cache = reference()
    if cache is not None:
        asyncio.get_running_loop().run_in_executor(None, free_memory, cache)


def free_memory(cache: LRUCache[str, _CachedNotebook]) -> None:
    """Empty the cache, and return its memory to the system."""
    cache.clear()
    # Otherwise, glibc keeps most of it (``benchmarks/large_notebooks.py``).
    with contextlib.suppress(AttributeError, OSError, TypeError):  # no glibc
        ctypes.CDLL(None).malloc_trim(0)


async def load_raw_batch(
    store: SessionManager,
    owner: str,
    notebook_id: str,
    cell_ids: Sequence[str],
    max_bytes: int | None = None,
) -> dict[str, bytes]:
    """Return the stored bytes of sessions by cell id.

    Cells without a session are left out, as are those beyond ``max_bytes`` together. The first
    session is always returned.
    """
    result: dict[str, bytes] = {}
    size = 0
    for start in range(0, len(cell_ids), _SESSIONS_PER_READ):
        group = cell_ids[start : start + _SESSIONS_PER_READ]
        keys = [SessionKey(notebook_id, cell_id, owner) for cell_id in group]
        stored = await store.load_raw_batch(keys)
        for cell_id, data in zip(group, stored, strict=True):
            size += len(data or b"")
            if data and (max_bytes is None or size <= max_bytes or not result):
                result[cell_id] = data
        if max_bytes is not None and size > max_bytes:
            break
    return result


def build_history(
    owner: str,
    notebook_id: str,
    stored: Mapping[str, bytes],
    log: Sequence[NotebookLogEntry],
    left_out: Collection[str] = (),
) -> History:
    """Build a notebook's history from the ``stored`` bytes by cell id.

    The cells ``left_out`` don't exist in it. For a large notebook, this takes seconds, so don't
    call it on the event loop.
    """
    for entry in log if left_out else ():
        if isinstance(ids := entry.data.get("cell_ids"), list):
            entry.data["cell_ids"] = [
                id_ for id_ in ids if not (isinstance(id_, str) and id_ in left_out)
            ]
    cells = _update_cells(owner, notebook_id, {}, list(stored), stored)
    return replace(_history_of_cells(notebook_id, cells, log, None), left_out=len(left_out))


def _update_cells(
    owner: str,
    notebook_id: str,
    previous_cells: Mapping[str, _CachedCell],
    changed: Sequence[str],
    loaded: Mapping[str, bytes],
) -> dict[str, _CachedCell]:
    """Return the cached sessions, sorted by cell id.

    Those of ``changed`` cells are parsed, unless their bytes in ``loaded`` are the same as before.
    A cell whose session wasn't loaded or can't be recovered is left out.
    """
    cells = dict(previous_cells)
    for cell_id in changed:
        previous, data = cells.pop(cell_id, None), loaded.get(cell_id)
        digest = hashlib.sha256(data).digest() if data else b""
        if previous and previous.digest == digest:
            cells[cell_id] = previous  # only the mark has changed
        elif data and (cell := _read_cell(data, digest, SessionKey(notebook_id, cell_id, owner))):
            cells[cell_id] = cell
    return dict(sorted(cells.items()))


def _read_cell(data: bytes, digest: bytes, key: SessionKey) -> _CachedCell | None:
    try:
        session = codec.parse(data, key)
    except codec.DamagedData:
        session = recover(data, key)
        if is_empty(session):
            return None
        data = codec.encode(session, None)
    return _CachedCell(digest, data, replay(session), session.meta.merged)


def _history_of_cells(
    notebook_id: str,
    cells: Mapping[str, _CachedCell],
    log: Sequence[NotebookLogEntry],
    log_mark: Hashable,
) -> History:
    contents = [(cell_id, cell.digest) for cell_id, cell in cells.items()]
    state = (notebook_id, log[-1].seq if log else 0, log_mark, contents)
    version = hashlib.sha256(repr(state).encode()).hexdigest()[:16]

    def seqs_of(cell_id: str) -> SeqsByDigest | None:
        cell = cells.get(cell_id)
        if cell and cell.seqs_by_digest is None:
            cell.seqs_by_digest = seqs_by_digest(codec.parse(cell.raw))
        return cell.seqs_by_digest if cell else None

    # A merge of git branches may have changed the seqs in the entries.
    merges = {cell_id: cell.merged for cell_id, cell in cells.items() if cell.merged}
    last_seqs = {
        cell_id: max((step.seq or 0 for step in cell.steps), default=0)
        for cell_id, cell in cells.items()
    }
    entries = renumber_entries(log, merges, last_seqs, seqs_of)
    timeline = Timeline({cell_id: cell.steps for cell_id, cell in cells.items()}, entries)
    sessions = LazySessions({cell_id: cell.raw for cell_id, cell in cells.items()})
    return History(notebook_id, sessions, log, timeline, version)
