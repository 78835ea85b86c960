"""Count lost turns: with several concurrent writers, and when a writer is killed."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import NamedTuple

from .field import Entry, Field
from .turns import turn


class Lost(NamedTuple):
    """The number of acknowledged and lost turns."""

    acknowledged: int
    lost: int
    unreadable: int = 0  # sessions that were unreadable afterwards
    refused: int = 0  # saves that raised an error; they don't count as lost

    def __str__(self) -> str:
        text = f"{self.lost:,} of {self.acknowledged:,}"
        if self.unreadable:
            text += f", unreadable × {self.unreadable}"
        return text + (f" ({self.refused:,} refused)" if self.refused else "")


def lost_by_writers(
    field: Field, part: str, writers: int, each: int, report: Callable[[str], None]
) -> dict[str, Lost]:
    """Write one session from several processes at once."""
    results = {}
    for entry in field.entries(part):
        if not entry.shared:
            continue
        report(f"{writers} writers × {each}: {entry.name}")
        with field.at_work([entry] * writers) as processes:
            processes[0].request("fill", cell="crowded", turns=1, small=True)
            for number, process in enumerate(processes, 1):
                process.send(do="write", cell="crowded", name=number, count=each)
            acknowledged: list[int] = []
            refused = 0
            for process in processes:
                while "done" not in (answer := process.read()):
                    refused += "failed" in answer
                    acknowledged += [answer["kept"]] if "kept" in answer else []
        results[entry.name] = _compare(field, entry, "crowded", acknowledged)._replace(
            refused=refused
        )
    return results


def lost_by_kills(field: Field, kills: int, report: Callable[[str], None]) -> dict[str, Lost]:
    """Kill writers (kill -9), each at a random moment."""
    results = {}
    for entry in field.entries("killed"):
        if not entry.shared:
            continue
        report(f"{kills} kills: {entry.name}")
        rng = random.Random(entry.name)
        total = Lost(0, 0)
        for number in range(kills):
            cell = f"killed-{number}"
            process = field.start(entry)
            process.request("fill", cell=cell, turns=100, small=False)
            process.send(do="write", cell=cell, name=1, count=10_000)
            acknowledged = [process.read()["kept"] for _ in range(rng.randint(1, 20))]
            time.sleep(rng.random() * 0.02)
            process.kill()
            acknowledged += list(_unread_acknowledgements(process))
            survived = _compare(field, entry, cell, acknowledged)
            total = Lost(*(a + b for a, b in zip(total, survived, strict=True)))
        results[entry.name] = total
    return results


def _unread_acknowledgements(process) -> list[int]:
    """The acknowledgements that were sent before the kill and not read yet."""
    acknowledged = []
    try:
        while True:
            acknowledged.append(process.read()["kept"])
    except (EOFError, KeyError):
        return acknowledged


def _compare(field: Field, entry: Entry, cell: str, acknowledged: list[int]) -> Lost:
    """Compare the acknowledged turns with those that a new process reads."""
    with field.at_work([entry]) as [process]:
        answer = process.request("kept", cell=cell)
    if "unreadable" in answer:
        return Lost(len(acknowledged), len(acknowledged), 1)
    survived = set(answer["intents"])
    return Lost(
        len(acknowledged), sum(turn(number).intent not in survived for number in acknowledged)
    )
