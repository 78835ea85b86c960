"""What is lost: with several writers at once, and when a writer is killed."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import NamedTuple

from .field import Entry, Field
from .turns import turn


class Lost(NamedTuple):
    """Of what a contender had acknowledged."""

    acknowledged: int
    lost: int
    unreadable: int = 0  # how often nothing could be read afterwards
    refused: int = 0  # saves that raised an error: told, not lost

    def __str__(self) -> str:
        text = f"{self.lost:,} of {self.acknowledged:,}"
        if self.unreadable:
            text += f", unreadable × {self.unreadable}"
        return text + (f" ({self.refused:,} refused)" if self.refused else "")


def crowded(
    field: Field, part: str, writers: int, each: int, say: Callable[[str], None]
) -> dict[str, Lost]:
    """Writers of one session at once, a process each."""
    results = {}
    for entry in field.entries(part):
        if not entry.shared:
            continue
        say(f"{writers} writers × {each}: {entry.name}")
        with field.at_work([entry] * writers) as processes:
            processes[0].do("fill", cell="crowded", turns=1, small=True)
            for number, process in enumerate(processes, 1):
                process.tell(do="write", cell="crowded", name=number, count=each)
            kept: list[int] = []
            refused = 0
            for process in processes:
                while "done" not in (answer := process.read()):
                    refused += "failed" in answer
                    kept += [answer["kept"]] if "kept" in answer else []
        results[entry.name] = _compared(field, entry, "crowded", kept)._replace(refused=refused)
    return results


def killed(field: Field, kills: int, say: Callable[[str], None]) -> dict[str, Lost]:
    """A writer that is killed (kill -9) at a moment that is drawn by lot; then the next one."""
    results = {}
    for entry in field.entries("killed"):
        if not entry.shared:
            continue
        say(f"{kills} kills: {entry.name}")
        lot = random.Random(entry.name)
        total = Lost(0, 0)
        for number in range(kills):
            cell = f"killed-{number}"
            process = field.start(entry)
            process.do("fill", cell=cell, turns=100, small=False)
            process.tell(do="write", cell=cell, name=1, count=10_000)
            kept = [process.read()["kept"] for _ in range(lot.randint(1, 20))]
            time.sleep(lot.random() * 0.02)
            process.kill()
            kept += list(_said_before(process))
            found = _compared(field, entry, cell, kept)
            total = Lost(*(a + b for a, b in zip(total, found, strict=True)))
        results[entry.name] = total
    return results


def _said_before(process) -> list[int]:
    """What had been acknowledged, and not read yet, when it was killed."""
    said = []
    try:
        while True:
            said.append(process.read()["kept"])
    except (EOFError, KeyError):
        return said


def _compared(field: Field, entry: Entry, cell: str, kept: list[int]) -> Lost:
    """What a new process finds of it."""
    with field.at_work([entry]) as [process]:
        answer = process.do("kept", cell=cell)
    if "unreadable" in answer:
        return Lost(len(kept), len(kept), 1)
    found = set(answer["intents"])
    return Lost(len(kept), sum(turn(number).intent not in found for number in kept))
