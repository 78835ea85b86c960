"""Merge three versions of a source by lines. Pure.

The versions are those *before* a run, after its last edit (*mine*: the agent's), and *now*. *Mine*
is the base. A region is a range of its lines that differs in *before*, in *now* or in both:

- Changed in *before* only: the lines of *before* return.
- Changed in *now* only, or only new lines there: the lines of *now* stay. Lines of *before* in the
  same place come first.
- Lines that the run had changed were changed again or deleted: the lines of *now* stay, except for
  those of the run, and the lines of *before* are a conflict.

A line that was moved is the same line. If the run moved it, it returns to its place, unless others
moved it again.

The line breaks ``\\n`` and ``\\r\\n`` are equal here, because JupyterLab's editor converts all of
them at a person's first edit. The result has those of *now*.
"""

from __future__ import annotations

import re
from collections import defaultdict, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ...replay.lines import _longest_increasing, is_distinctive, match_lines

_NAME = re.compile(r"\W*[\w.]*")  # at the beginning of a line


@dataclass(frozen=True)
class Conflict:
    """Lines of the result that others wrote where the run had changed something.

    ``first`` and ``last`` count from 1; ``last`` is ``first - 1`` if others deleted the lines.
    ``before`` has the lines from before the run, which the result doesn't have here.
    """

    first: int
    last: int
    before: tuple[str, ...]


class _Text:
    """The lines of a source, and the line break after each of them; "" has no lines."""

    def __init__(self, source: str) -> None:
        *lines, last = source.split("\n")
        self.lines = [line.removesuffix("\r") for line in lines]
        self.breaks = ["\r\n" if line.endswith("\r") else "\n" for line in lines]
        self.usual_break = max("\n", "\r\n", key=self.breaks.count)
        if source:
            self.lines.append(last)
            self.breaks.append("")


def lines_of(source: str | None) -> tuple[str, ...]:
    """Return the lines of a source without their line breaks."""
    return tuple(_Text(source or "").lines)


class _Block(NamedTuple):
    """Lines of *mine* from ``start`` to ``stop``, and those of another version in their place."""

    start: int
    stop: int
    other_start: int
    other_stop: int


class _Comparison:
    """The differences between *mine* and another version."""

    def __init__(self, mine: Sequence[str], other: Sequence[str]) -> None:
        pairs = [(i, j) for j, i in enumerate(match_lines(mine, other)) if i is not None]
        in_order = _longest_increasing(pairs)
        self.unchanged = {i: j for i, j in in_order if mine[i] == other[j]}
        self.moved = dict({*pairs}.difference(in_order))
        """Lines that were moved; their indentation may have changed."""
        self.blocks: list[_Block] = []
        start = other_start = 0
        for i, j in [*self.unchanged.items(), (len(mine), len(other))]:
            if start < i or other_start < j:
                self.blocks.append(_Block(start, i, other_start, j))
            start, other_start = i + 1, j + 1


def _split(mine: Sequence[str], other: Sequence[str], block: _Block) -> Iterator[_Block]:
    """Split a block where a line probably became another one.

    These are lines that begin with the same name, and between them, equal numbers of lines.
    """
    start, stop, other_start, other_stop = block
    if stop - start <= 1 and other_stop - other_start <= 1:
        yield block
        return
    names = [_name(line) for line in mine[start:stop]]
    other_names = [_name(line) for line in other[other_start:other_stop]]
    matches = enumerate(match_lines(names, other_names), other_start)
    pairs = _longest_increasing([(start + i, j) for j, i in matches if i is not None])
    for i, j in [*pairs, (stop, other_stop)]:
        if i - start == j - other_start:
            for n, m in zip(range(start, i), range(other_start, j), strict=True):
                yield _Block(n, n + 1, m, m + 1)
        else:
            yield _Block(start, i, other_start, j)
        if i < stop:
            yield _Block(i, i + 1, j, j + 1)
        start, other_start = i + 1, j + 1


def _name(line: str) -> str:
    match = _NAME.match(line)
    return match[0].strip() if match else ""


class _Region(NamedTuple):
    """Blocks of both comparisons that overlap."""

    before: list[_Block]
    now: list[_Block]
    start: int
    stop: int

    def lines(self, blocks: Sequence[_Block]) -> range:
        """Return the other version's lines in this region, if ``blocks`` are its blocks there.

        Lines of *mine* between the blocks have an unchanged line in the other version.
        """
        if not blocks:
            return range(0)
        first, last = blocks[0], blocks[-1]
        start = first.other_start - (first.start - self.start)
        return range(start, last.other_stop + self.stop - last.stop)


def _regions(before: Sequence[_Block], now: Sequence[_Block]) -> Iterator[_Region]:
    """Group the blocks that overlap. New lines at the edge of a changed line don't overlap it."""
    region: _Region | None = None
    for block, side in sorted([*((block, 0) for block in before), *((block, 1) for block in now)]):
        start, stop = block[:2]
        if region is None or (start >= region.stop and (start, stop) != region[2:]):
            if region:
                yield region
            region = _Region([], [], start, stop)
        (region.now if side else region.before).append(block)
        region = region._replace(stop=max(region.stop, stop))
    if region:
        yield region


class LineMerge:
    """The lines of *now* without those of the run, and with those of *before*."""

    def __init__(self, before: str, mine: str, now: str) -> None:
        self._before, self._now, base = _Text(before), _Text(now), _Text(mine).lines
        self._to_before = _Comparison(base, self._before.lines)
        self._to_now = _Comparison(base, self._now.lines)
        self._classify(base)
        self._result: list[tuple[str, str]] = []
        self._indexes: dict[int, int] = {}  # of lines of *now* in the result
        self.conflicts: list[Conflict] = []
        blocks = self._to_before.blocks
        parts = [part for block in blocks for part in _split(base, self._before.lines, block)]
        end = 0
        for region in _regions(parts, self._to_now.blocks):
            self._copy(end, region.start)
            if region.before and any(map(self._is_edited, region.now)):
                self._add_edited(region)
            else:
                self._add_both(region.lines(region.before), region.lines(region.now))
            end = region.stop
        self._copy(end, len(base))

    @property
    def source(self) -> str:
        """The merged source."""
        usual = (self._now if len(self._now.lines) > 1 else self._before).usual_break
        *lines, (last, _) = self._result or [("", "")]
        return "".join(line + (line_break or usual) for line, line_break in lines) + last

    def move(self, conflicts: Sequence[Conflict]) -> list[Conflict]:
        """Return conflicts whose lines are those of *now* with their lines in the result."""
        below = [len(self._result)]
        for j in reversed(range(len(self._now.lines))):
            below.append(self._indexes.get(j, below[-1]))
        below.reverse()
        moved = []
        for conflict in conflicts:
            lines = range(conflict.first - 1, conflict.last)
            indexes = [self._indexes[j] for j in lines if j in self._indexes]
            start = indexes[0] if indexes else below[conflict.last]
            stop = indexes[-1] + 1 if indexes else start
            moved.append(Conflict(start + 1, stop, conflict.before))
        return moved

    def _classify(self, mine: Sequence[str]) -> None:
        """Find the lines of *now* that go, and those of *before* that don't return."""
        before, now = self._before.lines, self._now.lines
        moved = {i: j for i, j in self._to_now.moved.items() if mine[i] == now[j]}
        self._unchanged = {**moved, **self._to_now.unchanged}
        self._of_run: set[int] = set()  # lines of *now*
        self._absent: set[int] = set()  # lines of *before*
        self._returning: set[int] = set()  # lines of *before* that only the run moved
        self._lost: dict[int, int] = {}  # lines that the run moved and others changed or deleted
        for i in range(len(mine)):
            if i in self._to_before.unchanged:
                continue
            j, k = self._unchanged.get(i), self._to_before.moved.get(i)
            if j is None and k is not None:
                self._lost[i] = k
                self._absent.add(k)
            elif k is not None and i in moved and before[k] == mine[i]:
                self._absent.add(k)  # it stays where others moved it
            elif j is not None:
                self._of_run.add(j)
                if k is not None and before[k] == mine[i]:
                    self._returning.add(k)
        self._restored = self._find_restored()
        self._absent.update(self._restored)

    def _find_restored(self) -> dict[int, int]:
        """Return the lines that the run removed and others wrote again."""
        present = {*self._to_before.unchanged.values(), *self._to_before.moved.values()}
        old = {*self._unchanged.values()}
        new: defaultdict[str, deque[int]] = defaultdict(deque)
        for j, line in enumerate(self._now.lines):
            if j not in old and is_distinctive(line):
                new[line].append(j)
        removed = [(k, line) for k, line in enumerate(self._before.lines) if k not in present]
        return {k: new[line].popleft() for k, line in removed if new.get(line)}

    def _is_edited(self, block: _Block) -> bool:
        """Return whether others changed or deleted lines, and didn't only move those of the run."""
        lines = range(block.start, block.stop)
        return any(self._unchanged.get(i) not in self._of_run for i in lines)

    def _copy(self, start: int, stop: int) -> None:
        for i in range(start, stop):
            self._add_now(self._to_now.unchanged[i])

    def _add_now(self, j: int) -> None:
        if j not in self._of_run:
            self._indexes[j] = len(self._result)
            self._result.append((self._now.lines[j], self._now.breaks[j]))

    def _add_both(self, lines_before: range, lines_now: range) -> None:
        """Add the lines of *before*, then those of *now*, but lines that are in both only once."""
        start = lines_now.start
        for k in lines_before:
            j = self._restored.get(k, -1)
            if start <= j < lines_now.stop:
                for n in range(start, j + 1):
                    self._add_now(n)
                start = j + 1
            elif k not in self._absent:
                self._result.append((self._before.lines[k], ""))
        for j in range(start, lines_now.stop):
            self._add_now(j)

    def _add_edited(self, region: _Region) -> None:
        """Add the lines of *now* where others edited lines that the run had changed."""
        before = self._before.lines
        missing = [k for k in region.lines(region.before) if k not in self._absent]
        self._result += [(before[k], "") for k in missing if k in self._returning]
        missing = [k for k in missing if k not in self._returning]
        index = len(self._result)
        for j in region.lines(region.now):
            self._add_now(j)
        edited = [block for block in region.now if block.start < block.stop]
        base_lines = [i for block in edited for i in range(block.start, block.stop)]
        lost = [self._lost[i] for i in base_lines if i in self._lost]
        has_changes = (
            not _other_lines(region.before).isdisjoint(missing)
            or not _other_lines(edited) <= self._of_run
        )
        texts = [text for text, _ in self._result[index:]]
        is_as_before = texts == [before[k] for k in region.lines(region.before)]
        if lost or (has_changes and not is_as_before):
            self._add_conflict(index, tuple(before[k] for k in missing + lost))

    def _add_conflict(self, index: int, lines: tuple[str, ...]) -> None:
        """Add a conflict at the end of the result, or extend that of the lines directly above."""
        first = index + 1
        if self.conflicts and self.conflicts[-1].last == index:
            above = self.conflicts.pop()
            first, lines = above.first, above.before + lines
        self.conflicts.append(Conflict(first, len(self._result), lines))


def _other_lines(blocks: Sequence[_Block]) -> set[int]:
    return {j for block in blocks for j in range(block.other_start, block.other_stop)}
