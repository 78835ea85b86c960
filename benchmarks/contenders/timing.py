"""Measure saves, loads, histories and lists: all contenders alternate in one run."""

from __future__ import annotations

import random
import statistics
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeVar

from .field import FILE, FLOOR, Entry, Field, Process

T = TypeVar("T")

_LONG = 1000  # turns
HISTORY = 20  # turns in the history for a model


class Figure(NamedTuple):
    """Medians."""

    wall: float  # ms
    cpu: float  # ms of the whole process
    written: float  # bytes that went to the disk


class Figures:
    """The measurements by contender, size and operation."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = names
        self._all: defaultdict[tuple[str, int, str], list[Figure]] = defaultdict(list)

    def add(self, name: str, size: int, work: str, answer: dict[str, Any]) -> None:
        if "wall" in answer:
            figure = Figure(answer["wall"], answer["cpu"], answer["written"])
            self._all[name, size, work].append(figure)

    def of(self, name: str, size: int, work: str) -> Figure | None:
        """The medians, or None if the contender doesn't support the operation."""
        samples = self._all.get((name, size, work))
        if not samples:
            return None
        return Figure(*(statistics.median(column) for column in zip(*samples, strict=True)))

    def names(self) -> list[str]:
        """The contenders, in their order."""
        measured = {name for name, _, _ in self._all}
        return [name for name in self._names if name in measured]


def by_turns(
    field: Field, sizes: Sequence[int], blocks: int, report: Callable[[str], None]
) -> Figures:
    """Measure sessions of these sizes; each block creates a session and saves five turns.

    Short sessions get four times as many blocks, because 25 saves in half a minute depend more on
    other load of the machine than on the stores.
    """
    entries = field.entries("turns")
    figures = Figures([FLOOR, *(entry.name for entry in entries)])
    with field.at_work(entries) as processes:
        for size in sizes:
            count = 4 * blocks if size < _LONG else blocks
            for block in range(count):
                report(f"{size} turns, block {block + 1} of {count}")
                _block(processes, figures, size, block)
    return figures


def _block(processes: list[Process], figures: Figures, size: int, block: int) -> None:
    cell = f"cell-{size}-{block}"
    for process in processes:
        process.request("fill", cell=cell, turns=size, small=False)
        process.request("save", cell=cell, number=0)  # opens files: not measured
    for number in range(1, 6):
        saves = _saves(processes)
        # The order is random, because a store that deletes an old file slows down those after it.
        for name, process, work in random.Random(f"{cell} {number}").sample(saves, len(saves)):
            figures.add(name, size, "save", process.request(work, cell=cell, number=number))
    for number in range(3):
        for process in _rotate(processes, block + number):
            for work in ("load", "history"):
                answer = process.request(work, cell=cell, turns=HISTORY)
                figures.add(process.entry.name, size, work, answer)


def among_many(field: Field, sessions: int, rounds: int, report: Callable[[str], None]) -> Figures:
    """Measure a notebook with a tenth of the sessions, in a store of its own and among all.

    Both stores exist at the same time and are listed alternately, because the machine's speed
    drifts while a store is filled.
    """
    part = sessions // 10
    separate, combined = _listers(field, "alone"), _listers(field, "many")
    figures = Figures([entry.name for entry in combined])
    with (
        field.at_work(separate) as in_separate,
        field.at_work(combined) as in_combined,
    ):
        for process in (*in_separate, *in_combined):
            report(f"{part} sessions: {process.entry.name}")
            process.request("fill many", notebook="notebook", sessions=part)
        for process in in_combined:
            report(f"{sessions} sessions: {process.entry.name}")
            process.request("fill many", notebook="other", sessions=sessions - part)
        listers = [
            *((part, process) for process in in_separate),
            *((sessions, p) for p in in_combined),
        ]
        for number in range(rounds + 1):
            work = "list" if number else "list, the first"
            for count, process in _rotate(listers, number):
                answer = process.request("list", notebook="notebook")
                figures.add(process.entry.name, count, work, answer)
        for process in in_combined:
            process.request("fill", cell="among-many", turns=10, small=False)
        for number in range(rounds):
            for process in _rotate(in_combined, number):
                for work in ("save", "load", "history"):
                    order = {"cell": "among-many", "number": number, "turns": HISTORY}
                    figures.add(process.entry.name, sessions, work, process.request(work, **order))
    return figures


def _listers(field: Field, part: str) -> list[Entry]:
    """The contenders that can list the cells of a notebook."""
    kinds = ("ours:Ours", "ours:Files", "rivals:Nanobot")
    return [entry for entry in field.entries(part) if entry.kind in kinds]


def _saves(processes: list[Process]) -> list[tuple[str, Process, str]]:
    """A save of each contender, and the bare write in the process of our file store."""
    saves = [(process.entry.name, process, "save") for process in processes]
    floors = [(FLOOR, process, "floor") for process in processes if process.entry.name == FILE]
    return [*saves, *floors]


def _rotate(items: list[T], start: int) -> list[T]:
    """Rotate the list, so that the order of contenders doesn't matter."""
    start %= len(items)
    return items[start:] + items[:start]
