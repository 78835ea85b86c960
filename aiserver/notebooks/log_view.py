"""Keep a notebook's change log in memory, and determine which changes a page doesn't know.

Invariants:

- The view gets all entries of the stored log, even those that another server wrote.
- An older log may replace the stored one (from a backup, or by a checkout in git). Then the seqs
  that pages have seen are of the replaced log. So until a page sends a seq of the new one, each
  response says that the cells of all entries were changed, and the page sends their sources.
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
_MAX_BATCH_IDS = 256  # the most ids in memory: a page repeats only recent batches
_MAX_ENTRIES = 10_000  # the most entries of a notebook in memory


class _Entry(NamedTuple):
    """A ``changed`` entry of the log."""

    seq: int
    page: str | None
    """The id of the page that sent the batch."""
    cell_ids: tuple[str, ...]
    saved: bool


@dataclass
class LogView:
    """A log's newest entries, and the state that follows from the whole log."""

    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    batch_ids: deque[str] = field(default_factory=lambda: deque(maxlen=_MAX_BATCH_IDS))
    """The ids of the last recorded batches."""
    entries: deque[_Entry] = field(default_factory=lambda: deque(maxlen=_MAX_ENTRIES))
    is_read: bool = False
    """Whether the stored log was read."""
    has_order: bool = False
    """Whether the log has an order that a page sent. Orders that ``NotebookRegistry`` logs don't
    count: they have no types."""
    order: list[tuple[str, str]] | None = None
    """The ids and types of the cells in the last order; None if that order has no types."""
    unwritable: set[str] = field(default_factory=set)
    """The cells whose last change could not be recorded."""
    seq: int = 0
    """The seq of the last entry that was read."""
    is_replaced: bool = False
    """Whether an older log has replaced the stored log since this view first read it."""
    acknowledged: dict[str, int] = field(default_factory=dict)
    """The seq in the last response to each page since the log was replaced, by page id."""
    informed_pages: set[str] = field(default_factory=set)
    """The pages that know that the log was replaced: they have sent, as ``seen``, a seq from a
    response that they got after the replacement. So their ``seen`` is a seq in the current log."""

    def is_complete(self, order: Sequence[tuple[str, str]] | None) -> bool:
        """Return whether all changes of the cells in ``order`` are recorded.

        By default, this is the last order of the log or, without one, all cells.
        """
        order = order or self.order
        cell_ids = self.unwritable if order is None else {cell_id for cell_id, _ in order}
        return self.unwritable.isdisjoint(cell_ids)

    def reset(self) -> None:
        self.batch_ids.clear()
        self.entries.clear()
        self.acknowledged.clear()
        self.informed_pages.clear()
        self.is_read = self.has_order = False
        self.order = None
        self.seq = 0
        self.is_replaced = True

    def extend(self, entries: Iterable[NotebookLogEntry]) -> None:
        for entry in entries:
            if entry.seq <= self.seq:
                continue
            self.seq = entry.seq
            if entry.type == ORDER:
                # An order of ``NotebookRegistry`` has no types.
                self.has_order |= "types" in entry.data
                self.order = _order_of(entry.data)
            if entry.type == CHANGED:
                page, cells = entry.data.get("page"), entry.data.get("cells")
                self.batch_ids.append(str(entry.data.get("id")))
                cell_ids = tuple(cells) if isinstance(cells, dict) else ()
                saved = entry.data.get("saved") is True
                page_id = page if isinstance(page, str) else None
                self.entries.append(_Entry(entry.seq, page_id, cell_ids, saved))

    def acknowledge(self, page: str | None) -> int:
        """Return the last seq, and remember that this page gets it if the log was replaced."""
        if self.is_replaced and page is not None:
            self.acknowledged[page] = self.seq
        return self.seq

    def changed_by_others(self, page: str | None, seen: int | None) -> list[str] | None:
        """Return the cells that other pages changed after ``seen``.

        Return None if no other page has sent a batch since, or without ``page`` or ``seen``. If the
        page doesn't know yet that the log was replaced, return all cells.
        """
        if seen is None or page is None:
            return None
        if seen == self.acknowledged.get(page):
            self.informed_pages.add(page)
        entries = list(self.entries)  # the page doesn't know the current log
        if not self.is_replaced or page in self.informed_pages:
            entries = [entry for entry in entries if entry.seq > seen and entry.page != page]
        if not entries:
            return None
        return list(dict.fromkeys(cell_id for entry in entries for cell_id in entry.cell_ids))


def _order_of(data: dict[str, Any]) -> list[tuple[str, str]] | None:
    ids, types = data.get("cell_ids"), data.get("types")
    if not isinstance(ids, list) or not isinstance(types, dict):
        return None
    return [(id_, types.get(id_, "")) for id_ in ids if isinstance(id_, str)]
