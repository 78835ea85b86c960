"""How long a save, a load, a history and a list take: all contenders in turn, in one run."""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeVar

from .field import FILE, FLOOR, Entry, Field, Process

T = TypeVar("T")

_LONG = 1000  # turns
HISTORY = 20  # turns that a model is told


class Figure(NamedTuple):
    """Medians."""

    wall: float  # ms
    cpu: float  # ms of the whole process
    written: float  # bytes that went to the disk


class Figures:
    """What was measured, by contender, size and work."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = names
        self._all: defaultdict[tuple[str, int, str], list[Figure]] = defaultdict(list)

    def add(self, name: str, size: int, work: str, answer: dict[str, Any]) -> None:
        if "wall" in answer:
            figure = Figure(answer["wall"], answer["cpu"], answer["written"])
            self._all[name, size, work].append(figure)

    def of(self, name: str, size: int, work: str) -> Figure | None:
        """The medians, or None where it has no way for it."""
        found = self._all.get((name, size, work))
        if not found:
            return None
        return Figure(*(statistics.median(column) for column in zip(*found, strict=True)))

    def names(self) -> list[str]:
        """The contenders, in their order."""
        measured = {name for name, _, _ in self._all}
        return [name for name in self._names if name in measured]


def by_turns(
    field: Field, sizes: Sequence[int], blocks: int, say: Callable[[str], None]
) -> Figures:
    """Sessions of these many turns; each block has a fresh one and five saves into it.

    Four times as many of short ones: of them, 25 saves in half a minute say more of what else the
    machine did than of the stores.
    """
    entries = field.entries("turns")
    figures = Figures([FLOOR, *(entry.name for entry in entries)])
    with field.at_work(entries) as processes:
        for size in sizes:
            count = 4 * blocks if size < _LONG else blocks
            for block in range(count):
                say(f"{size} turns, block {block + 1} of {count}")
                _block(processes, figures, size, block)
    return figures


def _block(processes: list[Process], figures: Figures, size: int, block: int) -> None:
    cell = f"cell-{size}-{block}"
    for process in processes:
        process.do("fill", cell=cell, turns=size, small=False)
        process.do("save", cell=cell, number=0)  # the first opens what it opens
    for number in range(1, 6):
        for name, process, work in _in_turn(_saves(processes), block + number):
            figures.add(name, size, "save", process.do(work, cell=cell, number=number))
    for number in range(3):
        for process in _in_turn(processes, block + number):
            for work in ("load", "history"):
                answer = process.do(work, cell=cell, turns=HISTORY)
                figures.add(process.entry.name, size, work, answer)


def among_many(field: Field, sessions: int, rounds: int, say: Callable[[str], None]) -> Figures:
    """A notebook of a tenth of the sessions, alone and among all; and a save there.

    Each stands at two places, so that both are listed in turn: the machine drifts by more in the
    time that it takes to fill one than the other cells may cost.
    """
    part = sessions // 10
    alone, among = _listers(field, "alone"), _listers(field, "many")
    figures = Figures([entry.name for entry in among])
    with field.at_work(alone) as some, field.at_work(among) as all_:
        for process in (*some, *all_):
            say(f"{part} sessions: {process.entry.name}")
            process.do("fill many", notebook="notebook", sessions=part)
        for process in all_:
            say(f"{sessions} sessions: {process.entry.name}")
            process.do("fill many", notebook="other", sessions=sessions - part)
        listers = [*((part, process) for process in some), *((sessions, p) for p in all_)]
        for number in range(rounds + 1):
            work = "list" if number else "list, the first"
            for count, process in _in_turn(listers, number):
                answer = process.do("list", notebook="notebook")
                figures.add(process.entry.name, count, work, answer)
        for process in all_:
            process.do("fill", cell="among-many", turns=10, small=False)
        for number in range(rounds):
            for process in _in_turn(all_, number):
                for work in ("save", "load", "history"):
                    order = {"cell": "among-many", "number": number, "turns": HISTORY}
                    figures.add(process.entry.name, sessions, work, process.do(work, **order))
    return figures


def _listers(field: Field, part: str) -> list[Entry]:
    """Those that know the cells of a notebook."""
    kinds = ("ours:Ours", "ours:Files", "rivals:Nanobot")
    return [entry for entry in field.entries(part) if entry.kind in kinds]


def _saves(processes: list[Process]) -> list[tuple[str, Process, str]]:
    """A save of each, and the bare write in a place of its own, half-way round from our files.

    It runs in their process. Right behind their save it would find a core that is awake, and
    what it needs in that core's caches, which no save of a person's finds.
    """
    saves = [(process.entry.name, process, "save") for process in processes]
    [at] = [number for number, process in enumerate(processes) if process.entry.name == FILE]
    floor = (FLOOR, processes[at], "floor")
    place = (at + len(saves) // 2) % len(saves) + 1
    return [*saves[:place], floor, *saves[place:]]


def _in_turn(all_: list[T], start: int) -> list[T]:
    """All, beginning with another one each time: who follows whom shall not matter."""
    start %= len(all_)
    return all_[start:] + all_[:start]
