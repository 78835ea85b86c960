"""Measure the times of saves, loads, histories and lists.

The contenders take turns within one run, so that other load on the machine affects all of them.
"""

from __future__ import annotations

import random
import statistics
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeVar

from .field import FILE, FLOOR, Entry, Field, Process

T = TypeVar("T")

_LONG = 1000  # the number of turns from which on a session is long (see `by_turns`)
HISTORY = 20  # the number of turns in the history for a model


class Figure(NamedTuple):
    """The medians of the measurements of one operation."""

    wall: float
    """The elapsed time in milliseconds."""
    cpu: float
    """The CPU time of the whole process in milliseconds."""


class Figures:
    """The measurements by contender, size of the session (or of the store) and operation."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = names
        self._all: defaultdict[tuple[str, int, str], list[Figure]] = defaultdict(list)

    def add(self, name: str, size: int, work: str, answer: dict[str, Any]) -> None:
        if "wall" in answer:
            figure = Figure(answer["wall"], answer["cpu"])
            self._all[name, size, work].append(figure)

    def of(self, name: str, size: int, work: str) -> Figure | None:
        """Return the medians, or None if the contender doesn't support the operation."""
        samples = self._all.get((name, size, work))
        if not samples:
            return None
        return Figure(*(statistics.median(column) for column in zip(*samples, strict=True)))

    def names(self) -> list[str]:
        """Return the names of the measured contenders, in the order of the run."""
        measured = {name for name, _, _ in self._all}
        return [name for name in self._names if name in measured]


def by_turns(
    field: Field, sizes: Sequence[int], blocks: int, report: Callable[[str], None]
) -> Figures:
    """Measure sessions with different numbers of turns.

    In each block, every contender creates a session, saves five turns, and reads. Short sessions
    get four times as many blocks: the 25 saves of five blocks take only half a minute, in which
    other load on the machine has more effect than the differences between the stores.
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
    """Measure one block (see ``by_turns``)."""
    cell = f"cell-{size}-{block}"
    for process in processes:
        process.request("fill", cell=cell, turns=size, small=False)
        # The first save opens files and connections, so it isn't measured.
        process.request("save", cell=cell, number=0)
    for number in range(1, 6):
        saves = _saves(processes)
        # The order is random, because a store that deletes a file slows down the next contender.
        for name, process, work in random.Random(f"{cell} {number}").sample(saves, len(saves)):
            figures.add(name, size, "save", process.request(work, cell=cell, number=number))
    for number in range(3):
        for process in _rotate(processes, block + number):
            for work in ("load", "history"):
                answer = process.request(work, cell=cell, turns=HISTORY)
                figures.add(process.entry.name, size, work, answer)


def among_many(field: Field, sessions: int, rounds: int, report: Callable[[str], None]) -> Figures:
    """Measure operations in a store with many sessions.

    One tenth of the sessions belongs to the notebook that is listed. The same notebook is also
    listed in a second store, which contains no other sessions, to see whether the other sessions
    slow down the list. Both stores are filled first and then listed alternately, because the
    machine's speed changes while a store is filled.
    """
    listed_count = sessions // 10
    small_stores, large_stores = _listers(field, "alone"), _listers(field, "many")
    figures = Figures([entry.name for entry in large_stores])
    with (
        field.at_work(small_stores) as small_processes,
        field.at_work(large_stores) as large_processes,
    ):
        for process in (*small_processes, *large_processes):
            report(f"{listed_count} sessions: {process.entry.name}")
            process.request("fill many", notebook="notebook", sessions=listed_count)
        for process in large_processes:
            report(f"{sessions} sessions: {process.entry.name}")
            process.request("fill many", notebook="other", sessions=sessions - listed_count)
        listers = [
            *((listed_count, process) for process in small_processes),
            *((sessions, process) for process in large_processes),
        ]
        for number in range(rounds + 1):
            # The first list is measured separately, because nothing is cached yet.
            work = "list" if number else "list, the first"
            for session_count, process in _rotate(listers, number):
                answer = process.request("list", notebook="notebook")
                figures.add(process.entry.name, session_count, work, answer)
        for process in large_processes:
            process.request("fill", cell="among-many", turns=10, small=False)
        for number in range(rounds):
            for process in _rotate(large_processes, number):
                for work in ("save", "load", "history"):
                    order = {"cell": "among-many", "number": number, "turns": HISTORY}
                    figures.add(process.entry.name, sessions, work, process.request(work, **order))
    return figures


def _listers(field: Field, part: str) -> list[Entry]:
    """Return the contenders that can list sessions."""
    kinds = ("ours:Ours", "ours:Files", "rivals:Nanobot")
    return [entry for entry in field.entries(part) if entry.kind in kinds]


def _saves(processes: list[Process]) -> list[tuple[str, Process, str]]:
    """Return the saves to measure, as name, process and operation.

    There is one save for each contender, and ``floor`` for AI Server's file store: the bare write
    of the same bytes.
    """
    saves = [(process.entry.name, process, "save") for process in processes]
    floors = [(FLOOR, process, "floor") for process in processes if process.entry.name == FILE]
    return [*saves, *floors]


def _rotate(items: list[T], start: int) -> list[T]:
    """Return the list rotated to begin at ``start``, so that no contender is always the first."""
    start %= len(items)
    return items[start:] + items[:start]
