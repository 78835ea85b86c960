"""What the log of one notebook says of changes, and which of them a page has heard of.

Invariants:

- It follows the log as it grows, by this server or another one.
- An older log that was put back in its place (a backup, a checkout) counts as another log: what
  pages say that they have seen names lines of the old one. So each page is told once of all cells,
  and answers with what it has.
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
_IDS = 256  # of the newest batches; what is sent again was sent last
_LINES = 10_000  # of the log that are remembered of a notebook


class _Line(NamedTuple):
    """A line of the log that says what was changed, by which page."""

    seq: int
    page: str | None
    cells: tuple[str, ...]
    saved: bool


@dataclass
class LogView:
    """What the log of one notebook says, as far as it was read."""

    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    ids: deque[str] = field(default_factory=lambda: deque(maxlen=_IDS))
    """Of the batches that were recorded last."""
    lines: deque[_Line] = field(default_factory=lambda: deque(maxlen=_LINES))
    is_read: bool = False
    is_placed: bool = False
    """Whether one of the lines came with an order."""
    order: list[tuple[str, str]] | None = None
    """The cells' ids and types by the last line with an order."""
    unwritable: set[str] = field(default_factory=set)
    """The cells whose last change could not be recorded."""
    seq: int = 0
    is_replaced: bool = False
    """Whether the log was replaced by an older one since this server read it first."""
    answered: dict[str, int] = field(default_factory=dict)
    """By page, the last line that its newest answer named, since the log was replaced."""
    informed: set[str] = field(default_factory=set)
    """The pages that got such an answer: what they have seen is of this log."""

    def is_complete(self, order: Sequence[tuple[str, str]] | None) -> bool:
        """Whether all that pages sent of the cells in this order, or in the last, is recorded."""
        order = order or self.order
        there = self.unwritable if order is None else {cell_id for cell_id, _ in order}
        return self.unwritable.isdisjoint(there)

    def begin_anew(self) -> None:
        """Forget what the log said, for another one is in its place."""
        self.ids.clear()
        self.lines.clear()
        self.answered.clear()
        self.informed.clear()
        self.is_read = self.is_placed = False
        self.order = None
        self.seq = 0
        self.is_replaced = True

    def follow(self, entries: Iterable[NotebookLogEntry]) -> None:
        """Take in what comes after ``seq``."""
        for entry in entries:
            if entry.seq <= self.seq:
                continue
            self.seq = entry.seq
            # (Whoever registers a notebook doesn't tell the cells' types.)
            if entry.type == ORDER:
                self.is_placed |= "types" in entry.data
                self.order = _order_of(entry.data)
            if entry.type == CHANGED:
                page, cells = entry.data.get("page"), entry.data.get("cells")
                self.ids.append(str(entry.data.get("id")))
                named = tuple(cells) if isinstance(cells, dict) else ()
                saved = entry.data.get("saved") is True
                name = page if isinstance(page, str) else None
                self.lines.append(_Line(entry.seq, name, named, saved))

    def answer(self, page: str | None) -> int:
        """The last line, of which a page is told now."""
        if self.is_replaced and page is not None:
            self.answered[page] = self.seq
        return self.seq

    def others(self, page: str | None, seen: int | None) -> list[str] | None:
        """The cells that other pages wrote since a page looked; None if none wrote."""
        if seen is None or page is None:
            return None
        if seen == self.answered.get(page):
            self.informed.add(page)
        lines = list(self.lines)
        if not self.is_replaced or page in self.informed:
            lines = [line for line in lines if line.seq > seen and line.page != page]
        return list(dict.fromkeys(id_ for line in lines for id_ in line.cells)) if lines else None


def _order_of(data: dict[str, Any]) -> list[tuple[str, str]] | None:
    ids, types = data.get("cell_ids"), data.get("types")
    if not isinstance(ids, list) or not isinstance(types, dict):
        return None
    return [(id_, types.get(id_, "")) for id_ in ids if isinstance(id_, str)]
