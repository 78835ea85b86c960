"""The change log of one notebook in memory, and the entries that each page has seen.

Invariants:

- The view follows the log as it grows, by this server or another one.
- An older log that replaced it (from a backup, a checkout) counts as a new log: the seqs that pages
  have seen refer to the old one. So each page gets all cells once, and answers with what it has.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ..models import NotebookLogEntry

CHANGED = "changed"
ORDER = "cell_order"
_MAX_BATCH_IDS = 256  # only recent batches are sent again
_MAX_ENTRIES = 10_000  # of a notebook in memory


class _Entry(NamedTuple):
    """A ``changed`` entry of the log."""

    seq: int
    page: str | None
    cells: tuple[str, ...]
    saved: bool


@dataclass
class LogView:
    """The log of one notebook, as far as it was read."""

    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    batch_ids: deque[str] = field(default_factory=lambda: deque(maxlen=_MAX_BATCH_IDS))
    """The ids of the batches that were recorded last."""
    entries: deque[_Entry] = field(default_factory=lambda: deque(maxlen=_MAX_ENTRIES))
    is_read: bool = False
    has_order: bool = False
    """Whether an entry with an order that a page sent was read."""
    order: list[tuple[str, str]] | None = None
    """The ids and types of the cells in the last order."""
    unwritable: set[str] = field(default_factory=set)
    """The cells whose last change could not be recorded."""
    seq: int = 0
    is_replaced: bool = False
    """Whether an older log replaced this one since the server first read it."""
    acknowledged: dict[str, int] = field(default_factory=dict)
    """The last seq in the newest answer to each page since the log was replaced."""
    informed_pages: set[str] = field(default_factory=set)
    """The pages that received such an answer: the seqs they have seen refer to this log."""

    def is_complete(self, order: Sequence[tuple[str, str]] | None) -> bool:
        """Return whether all changes of the cells in ``order`` or the last order are recorded."""
        order = order or self.order
        cell_ids = self.unwritable if order is None else {cell_id for cell_id, _ in order}
        return self.unwritable.isdisjoint(cell_ids)

    def reset(self) -> None:
        """Forget the log, since another one replaced it."""
        self.batch_ids.clear()
        self.entries.clear()
        self.acknowledged.clear()
        self.informed_pages.clear()
        self.is_read = self.has_order = False
        self.order = None
        self.seq = 0
        self.is_replaced = True

    def extend(self, entries: Iterable[NotebookLogEntry]) -> None:
        """Add the entries after ``seq``."""
        for entry in entries:
            if entry.seq <= self.seq:
                continue
            self.seq = entry.seq
            if entry.type == ORDER:
                # The order that the registration of a notebook logs has no types.
                self.has_order |= "types" in entry.data
                self.order = _order_of(entry.data)
            if entry.type == CHANGED:
                page, cells = entry.data.get("page"), entry.data.get("cells")
                self.batch_ids.append(str(entry.data.get("id")))
                cell_ids = tuple(cells) if isinstance(cells, dict) else ()
                saved = entry.data.get("saved") is True
                name = page if isinstance(page, str) else None
                self.entries.append(_Entry(entry.seq, name, cell_ids, saved))

    def acknowledge(self, page: str | None) -> int:
        """Return the last seq, which is sent to a page now."""
        if self.is_replaced and page is not None:
            self.acknowledged[page] = self.seq
        return self.seq

    def changed_by_others(self, page: str | None, seen: int | None) -> list[str] | None:
        """Return the cells that other pages changed after ``seen``; None if no other page wrote."""
        if seen is None or page is None:
            return None
        if seen == self.acknowledged.get(page):
            self.informed_pages.add(page)
        entries = list(self.entries)
        if not self.is_replaced or page in self.informed_pages:
            entries = [entry for entry in entries if entry.seq > seen and entry.page != page]
        if not entries:
            return None
        return list(dict.fromkeys(cell_id for entry in entries for cell_id in entry.cells))


def _order_of(data: dict[str, Any]) -> list[tuple[str, str]] | None:
    ids, types = data.get("cell_ids"), data.get("types")
    if not isinstance(ids, list) or not isinstance(types, dict):
        return None
    return [(id_, types.get(id_, "")) for id_ in ids if isinstance(id_, str)]
